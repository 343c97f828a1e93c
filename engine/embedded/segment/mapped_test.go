package segment

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/freelancer-matching/service/engine/embedded/embeddedtest"
	"github.com/freelancer-matching/service/engine/embedded/sectionfile"
)

// Reading and mapping a file result in the same segment: writing it again results in the same file.
func TestBaseFile_MappedAndRead(t *testing.T) {
	dir := t.TempDir()
	path := storedIn(t, dir, 50)
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	for _, mapped := range []bool{false, true} {
		mapFrom := int64(len(want))
		if !mapped {
			mapFrom++
		}
		f, err := sectionfile.Open(path, mapFrom)
		if err != nil {
			t.Fatal(err)
		}

		if mapped && !f.IsMapped() {
			t.Skip("files can't be mapped on this system")
		}

		if !mapped && f.IsMapped() {
			t.Error("a small file is mapped")
		}
		x, err := DecodeFile(f, embeddedtest.Spaces(), 50)
		if err != nil {
			t.Fatal(err)
		}

		copied := filepath.Join(dir, "copy")
		s, err := sectionfile.Create(copied)
		if err != nil {
			t.Fatal(err)
		}

		x.transferDocuments(s)
		for i := range x.Blocks {
			x.Blocks[i].transfer(s, i)
		}
		x.transferNames(s)

		if err := s.Close(); err != nil {
			t.Fatal(err)
		}

		if got, err := os.ReadFile(copied); err != nil || !bytes.Equal(got, want) {
			t.Errorf("mapped %v: the copy differs, error %v", mapped, err)
		}
		runtime.KeepAlive(f)
	}
}
