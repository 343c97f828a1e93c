package source

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"github.com/freelancer-matching/service/indexer/source/input"
)

// namedFiles returns the names of the files with data in a folder and its subfolders.
func namedFiles(t *testing.T, folder string) (names []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(folder), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// A process that is killed while it reads a large workbook leaves no data behind: the parts on disk have no names.
func TestRows_WorkbookOnDiskHasNoName(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine reads large files, which the race detector makes ten times slower")
	}

	if runtime.GOOS != "linux" {
		t.Skip("only Linux can open a file again that has no name")
	}

	for name, isShared := range map[string]bool{"large sheet": false, "large shared strings": true} {
		t.Run(name, func(t *testing.T) {
			temp := t.TempDir()
			t.Setenv("TMPDIR", temp)
			path := write(t, noisyBook(t, isShared))
			f, err := Open(input.FromPath(path), Options{})
			if err != nil {
				t.Fatal(err)
			}

			folders, err := os.ReadDir(temp)
			if err != nil || len(folders) != 1 {
				t.Fatalf("folders %v, %v, want one with parts of the workbook", folders, err)
			}

			if parts, err := os.ReadDir(filepath.Join(temp, folders[0].Name())); err != nil || len(parts) == 0 {
				t.Errorf("no part of the workbook is on disk, %v", err)
			}
			count := 0
			for row, err := range f.Rows(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}

				if want := fmt.Sprintf("Person %d", count); row.Freelancer.Name != want || row.Freelancer.Description == "" {
					t.Fatalf("row %d: %+v, want %s with a description", count, row, want)
				}

				if count%100 == 0 {
					if names := namedFiles(t, temp); len(names) > 0 {
						t.Fatalf("row %d: the temporary folder has %v", count, names)
					}
				}

				count++
			}

			if err := f.Close(); err != nil || count != 1000 {
				t.Errorf("%d rows, %v", count, err)
			}

			if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
				t.Errorf("temporary files left behind: %v, %v", left, err)
			}
		})
	}
}

// noisyBook returns a workbook with 1,000 people, whose descriptions have 20,000 bytes that compress badly. They are in
// the sheet, or are shared strings.
func noisyBook(t *testing.T, isShared bool) string {
	t.Helper()
	f := excelize.NewFile()
	defer f.Close()

	rows := [][]any{{"name", "description"}}
	for i := range 1000 {
		words := make([]string, 20_000/17)
		for j := range words {
			words[j] = fmt.Sprintf("%016x", uint64(i*len(words)+j)*0x9e3779b97f4a7c15)
		}
		rows = append(rows, []any{fmt.Sprintf("Person %d", i), strings.Join(words, " ")})
	}

	var err error
	if isShared {
		for i := range rows {
			err = errors.Join(err, f.SetSheetRow("Sheet1", fmt.Sprintf("A%d", i+1), &rows[i]))
		}
	} else {
		var w *excelize.StreamWriter
		w, err = f.NewStreamWriter("Sheet1")
		for i := range rows {
			err = errors.Join(err, w.SetRow(fmt.Sprintf("A%d", i+1), rows[i]))
		}
		err = errors.Join(err, w.Flush())
	}

	var b bytes.Buffer
	if err := errors.Join(err, f.Write(&b)); err != nil {
		t.Fatal(err)
	}

	return b.String()
}
