package input

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// pack compresses a text.
func pack(t *testing.T, text string, open func(io.Writer) (io.WriteCloser, error)) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := open(&b)
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// zipWriter writes one file of an archive.
type zipWriter struct {
	io.Writer
	archive *zip.Writer
}

func (w zipWriter) Close() error { return w.archive.Close() }

// TestUnpack_Bombs checks that content that expands without end is an error.
func TestUnpack_Bombs(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine reads large files, which the race detector makes ten times slower")
	}
	text := strings.Repeat("\x00", freeExpansion+1)
	for name, open := range map[string]func(io.Writer) (io.WriteCloser, error){
		"gzip": func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil },
		"zstd": func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) },
		"zip": func(w io.Writer) (io.WriteCloser, error) {
			archive := zip.NewWriter(w)
			file, err := archive.Create("export/people")
			return zipWriter{file, archive}, err
		},
	} {
		packed := pack(t, text, open)
		in, err := Open(FromReaderAt(name, bytes.NewReader(packed), int64(len(packed))))
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		if err := in.unpack(&Options{}); err != nil {
			t.Fatal(err)
		}
		n, err := io.Copy(io.Discard, in)
		if err == nil || !strings.Contains(err.Error(), "too much for a table") || n > freeExpansion+1 {
			t.Errorf("%s: error %v after %d bytes", name, err, n)
		}
	}
}

func TestXZWindow(t *testing.T) {
	packed := pack(t, "name\nAnn\n", func(w io.Writer) (io.WriteCloser, error) { return xz.NewWriter(w) })
	if got := xzWindow(packed); got != 8<<20 {
		t.Errorf("window of %d bytes, want 8 MiB", got)
	}
	packed[16] = 40 // the largest window, of 4 GiB
	for size := range packed {
		xzWindow(packed[:size]) // must not panic
	}
}
