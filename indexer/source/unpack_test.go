package source

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/dsnet/compress/bzip2"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// packers returns functions that compress content, by format.
func packers(t testing.TB) map[string]func(content string) string {
	t.Helper()
	pack := func(open func(io.Writer) (io.WriteCloser, error)) func(string) string {
		return func(content string) string {
			t.Helper()
			var b bytes.Buffer
			w, err := open(&b)
			if err == nil {
				_, err = io.WriteString(w, content)
			}

			if err == nil {
				err = w.Close()
			}

			if err != nil {
				t.Fatal(err)
			}
			return b.String()
		}
	}

	return map[string]func(string) string{
		"gzip": func(content string) string { return gzipped(t, content) },
		"zip":  func(content string) string { return zipped(t, map[string]string{"export/people": content}) },
		"zstd": pack(func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) }),
		"bzip2": pack(func(w io.Writer) (io.WriteCloser, error) {
			return bzip2.NewWriter(w, &bzip2.WriterConfig{Level: bzip2.BestCompression})
		}),
		"xz": pack(func(w io.Writer) (io.WriteCloser, error) { return xz.NewWriter(w) }),
	}
}

// manyRows returns a table that does not compress to almost nothing.
func manyRows(n int) string {
	var b strings.Builder
	b.WriteString("name,job_title\n")
	for i := range n {
		fmt.Fprintf(&b, "Person %x,Cook %d\n", i*7919, i)
	}
	return b.String()
}

// TestUnpack_Truncated cuts compressed files at many places. None may pass for a shorter table.
func TestUnpack_Truncated(t *testing.T) {
	content := manyRows(2000)
	for name, pack := range packers(t) {
		t.Run(name, func(t *testing.T) {
			packed := pack(content)
			if rows, err := read(t, write(t, packed), Options{}); err != nil || len(rows) != 2000 {
				t.Fatalf("%d rows, %v", len(rows), err)
			}
			for size := 16; size < len(packed); size += len(packed)/40 + 1 {
				if rows, err := read(t, write(t, packed[:size]), Options{}); err == nil {
					t.Errorf("the first %d of %d bytes pass for a table with %d rows", size, len(packed), len(rows))
				}
			}
			if rows, err := read(t, write(t, packed[:len(packed)-1]), Options{}); err == nil {
				t.Errorf("without the last byte, there are %d rows and no error", len(rows))
			}
		})
	}
}

// TestUnpack_Members reads files that were compressed in parts and then joined.
func TestUnpack_Members(t *testing.T) {
	for name, pack := range packers(t) {
		if name == "zip" {
			continue
		}
		packed := pack("name,skills\nAnn,Go\n") + pack("Bob,C\n") + pack("Cid,D\n")
		if rows, err := read(t, write(t, packed), Options{}); err != nil || len(rows) != 3 {
			t.Errorf("%s: %d rows, %v", name, len(rows), err)
		}
		packed = pack("name,skills\nAnn,Go\n") + "garbage after the end of the file"
		if rows, err := read(t, write(t, packed), Options{}); err == nil {
			t.Errorf("%s: %d rows before garbage, and no error", name, len(rows))
		}
	}
}

// A file may ask for more memory than the program has.
func TestUnpack_Window(t *testing.T) {
	packed := []byte(packers(t)["xz"](crew))
	packed[16] = 40 // the largest window, of 4 GiB
	if _, err := read(t, write(t, string(packed)), Options{}); err == nil ||
		!strings.Contains(err.Error(), "needs 4.0 GiB of memory") {
		t.Errorf("error %v", err)
	}
}

func TestUnpack_Archives(t *testing.T) {
	other := "name,job_title\nBob,Tailor\n"
	parts := func(more map[string]string) string {
		all := map[string]string{"people.csv": crew}
		maps.Copy(all, more)
		return zipped(t, all)
	}

	tests := []struct {
		name, content, sheet string
		want                 string // the first name, or a part of the error
	}{
		{"one file", parts(nil), "", "Zoë"},
		{"files of systems", parts(map[string]string{"__MACOSX/._people.csv": "x", "a/.DS_Store": "x"}), "", "Zoë"},
		{"several", parts(map[string]string{"b/more.csv": other}), "", `several files: "b/more.csv", "people.csv"; name one`},
		{"named", parts(map[string]string{"b/more.csv": other}), "MORE.csv", "Bob"},
		{"unknown", parts(map[string]string{"b/more.csv": other}), "x.csv", `no file "x.csv" in the zip archive`},
		{"none", zipped(t, nil), "", "the zip archive has no files"},
		{"compressed inside", parts(map[string]string{"people.csv": gzipped(t, crew)}), "", "compressed with gzip"},
		{"workbook inside", parts(map[string]string{"people.csv": sheet(t, [][]string{{"name"}, {"Ann"}})}), "", "Ann"},
		{"zip in gzip", gzipped(t, parts(nil)), "", "a zip archive; extract it first"},
		{"OpenDocument", zipped(t, map[string]string{"content.xml": "<x/>"}), "", "--convert-to xlsx"},
		{"binary workbook", zipped(t, map[string]string{"xl/workbook.bin": "x"}), "", "(.xlsb); save it as .xlsx"},
		{"Numbers", zipped(t, map[string]string{"Index/Document.iwa": "x"}), "", "export it as .xlsx or CSV"},
		{"encrypted", encryptedArchive(t), "", `"people.csv" in the zip archive is encrypted`},
		{"tar", gzipped(t, strings.Repeat("x", 257)+"ustar\x00"), "", "a tar archive (extract it first)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			rows, err := read(t, write(t, test.content), Options{Sheet: test.sheet})
			got := fmt.Sprint(err)

			if err == nil {
				got = rows[0].Freelancer.Name
			}

			if !strings.Contains(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// encryptedArchive returns a zip archive whose file is marked as encrypted.
func encryptedArchive(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	_, err := w.CreateRaw(&zip.FileHeader{Name: "people.csv", Flags: 1})
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// FuzzUnpack reads damaged compressed files. Reading must end, without a panic.
func FuzzUnpack(f *testing.F) {
	all := packers(f)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		packed := all[name](crew)
		f.Add([]byte(packed))
		f.Add([]byte(packed[:len(packed)/2]))
		f.Add([]byte(packed + packed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		_, _ = read(t, write(t, string(content)), Options{})
	})
}
