package source

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/freelancer-matching/service/indexer/source/input"
)

// countingContent counts the bytes read from it.
type countingContent struct {
	io.ReaderAt
	read atomic.Int64
}

func (c *countingContent) ReadAt(p []byte, offset int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, offset)
	c.read.Add(int64(n))
	return n, err
}

// The checksum belongs to the file as stored, and computing it does not read the file again.
func TestFile_SHA256(t *testing.T) {
	var table strings.Builder
	table.WriteString("id,name,skills\n")
	for i := range 60_000 {
		fmt.Fprintf(&table, "p%d,Person %x,\"Go,SQL %x\"\n", i, i*i, i*i*i)
	}

	plain := []byte(table.String())
	var zipped, packed bytes.Buffer
	w := gzip.NewWriter(&zipped)
	z, err := zstd.NewWriter(&packed)
	if err != nil {
		t.Fatal(err)
	}

	for _, to := range []io.WriteCloser{w, z} {
		if _, err := to.Write(plain); err != nil {
			t.Fatal(err)
		}
		if err := to.Close(); err != nil {
			t.Fatal(err)
		}
	}

	for name, content := range map[string][]byte{
		"csv": plain, "gzip": zipped.Bytes(), "zstd": packed.Bytes(), "one line": []byte("id,name,skills\n1,Mira Talden,Go"),
		"array":               []byte(`[{"name":"Mira Talden","skills":"Go"}]   ` + "\n\n"),
		"bytes after the end": append(bytes.Clone(zipped.Bytes()), make([]byte, 5000)...),
	} {
		t.Run(name, func(t *testing.T) {
			counting := &countingContent{ReaderAt: bytes.NewReader(content)}
			f, err := Open(input.FromReaderAt("people", counting, int64(len(content))), Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()

			if err := f.StartHash(); err != nil {
				t.Fatal(err)
			}

			for _, err := range f.Rows(t.Context()) {
				if err != nil && name != "bytes after the end" {
					t.Fatal(err)
				}
			}

			want := sha256.Sum256(content)
			if got, err := f.SHA256(); err != nil || got != hex.EncodeToString(want[:]) {
				t.Errorf("checksum %s, %v; want %x", got, err, want)
			}

			if limit := int64(len(content) + 2*input.HeadSize); counting.read.Load() > limit {
				t.Errorf("%d of %d bytes were read", counting.read.Load(), len(content))
			}
		})
	}
}
