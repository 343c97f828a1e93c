package pdf

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/internal/matching"
	"freelancer-matching/resume"
)

// engine is one that is ready, and closed with the test.
func engine(tb testing.TB) *Engine { return engineWith(tb, Options{}) }

func engineWith(tb testing.TB, options Options) *Engine {
	tb.Helper()
	options.CacheDir = cacheDir(tb)
	e, err := Open(tb.Context(), options)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := e.Close(); err != nil {
			tb.Error(err)
		}
	})
	if err := e.Ready(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	return e
}

// cacheDir is where the compiled pdfium is kept between tests.
func cacheDir(tb testing.TB) string {
	tb.Helper()
	dir, err := os.UserCacheDir()
	if err != nil {
		return tb.TempDir()
	}
	return filepath.Join(dir, "freelancer-matching-test", "pdfium")
}

func wantCode(tb testing.TB, err error, want matching.Code) {
	tb.Helper()
	if code := matching.CodeOf(err); code != want {
		tb.Errorf("the code is %q (%v), want %q", code, err, want)
	}
}

// compressed is an object that inflates to data.
func compressed(data []byte) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	w.Write(data)
	w.Close()
	return fmt.Sprintf("<< /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream", b.Len(), b.String())
}

// onePage is a file of one page whose content is an object; further objects follow as number 6 and on.
func onePage(content string, more ...string) []byte {
	return assemble(append([]string{
		"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 5 0 R /Resources << /Font << /F1 3 0 R >> /XObject << /X 6 0 R >> >> >>",
		content,
	}, more...))
}

// spinning is a file that pdfium works on for about a second.
func spinning() []byte {
	return onePage(compressed(bytes.Repeat([]byte("q 1 0 0 1 0 0 cm Q\n"), 1_000_000)))
}

func TestRead_Refusals(t *testing.T) {
	e := engineWith(t, Options{Timeout: time.Second, MaxCharacters: 2000, MaxObjects: 500})
	form := func(n int) string {
		content := fmt.Sprintf("/X Do %s", strings.Repeat("0 0 9 9 re f ", 10))
		return fmt.Sprintf("<< /Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << /XObject << /X %d 0 R >> >> /Length %d >>\n"+
			"stream\n%s\nendstream", n, len(content), content)
	}
	tests := []struct {
		name string
		file []byte
		want matching.Code
	}{
		{"nothing", nil, resume.CodeUnsupported},
		{"a picture", []byte("\xff\xd8\xff\xe0 JFIF"), resume.CodeUnsupported},
		{"a header only", []byte("%PDF-1.7\n"), resume.CodeCorrupt},
		{"no pages", assemble([]string{"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [] /Count 0 >>"}), resume.CodeCorrupt},
		{"pages in a circle", assemble([]string{"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [2 0 R] /Count 1 >>"}), resume.CodeCorrupt},
		{"a blank page", newCanvas().bytes(), resume.CodeNoText},
		{"too many characters", newCanvas().lines(50, 780, join(main10, main10, main10, main10)...).bytes(), resume.CodeTooComplex},
		{"too many objects", newCanvas().draw("%s", strings.Repeat("0 0 9 9 re f ", 1000)).bytes(), resume.CodeTooComplex},
		{"a form in itself", onePage("<< /Length 5 >>\nstream\n/X Do\nendstream", form(6)), resume.CodeNoText},
		{"an array in an array in …", onePage("<< /Length 0 >>\nstream\n\nendstream", strings.Repeat("[", 100_000)), resume.CodeNoText},
		{"a file that inflates to 1 GB", onePage(doubly()), resume.CodeTooComplex},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := e.Read(t.Context(), test.file)
			wantCode(t, err, test.want)
		})
	}
	d, err := e.Read(t.Context(), newCanvas().lines(50, 700, main10...).bytes())
	if err != nil {
		t.Fatalf("after all that: %v", err)
	}
	if diff := cmp.Diff(main10, outline(d)); diff != "" {
		t.Error(diff)
	}
}

// doubly is an object that inflates twice, to 1 GB.
func doubly() string {
	inner := compressed(make([]byte, 1<<30))
	inner = inner[strings.Index(inner, "stream\n")+len("stream\n") : strings.LastIndex(inner, "\nendstream")]
	return strings.Replace(compressed([]byte(inner)), "/Filter /FlateDecode", "/Filter [/FlateDecode /FlateDecode]", 1)
}

// What takes too long is stopped within the call into pdfium, and the next document is read.
func TestRead_Timeout(t *testing.T) {
	e := engineWith(t, Options{Timeout: 50 * time.Millisecond})
	_, err := e.Read(t.Context(), spinning())
	wantCode(t, err, resume.CodeTooComplex)
	if err == nil || !strings.Contains(err.Error(), "FPDF_LoadPage") {
		t.Errorf("the error is %v, want it to come from within the work on the page", err)
	}
	if _, err := e.Read(t.Context(), newCanvas().lines(50, 700, main10...).bytes()); err != nil {
		t.Errorf("the next document: %v", err)
	}
}

func TestRead_CutOff(t *testing.T) {
	file := newCanvas().lines(50, 700, main10...).bytes()
	d, err := engine(t).Read(t.Context(), file[:len(file)-20])
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]resume.Warning{resume.WarnTruncated}, d.Warnings); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(main10, outline(d)); diff != "" {
		t.Error(diff)
	}
}

func TestRead_ManyPages(t *testing.T) {
	c := newCanvas()
	for i := range 5 {
		c.lines(50, 700, fmt.Sprint("content number ", strings.Repeat("x", i)))
		c.page()
	}
	d, err := engineWith(t, Options{MaxPages: 3}).Read(t.Context(), c.bytes())
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Lines) != 3 || d.Pages != 6 {
		t.Errorf("%d lines of %d pages, want 3 of 6", len(d.Lines), d.Pages)
	}
	if diff := cmp.Diff([]resume.Warning{resume.WarnManyPages}, d.Warnings); diff != "" {
		t.Error(diff)
	}
}

// Documents are read at the same time without harm to each other, also while others are stopped.
func TestRead_Concurrently(t *testing.T) {
	e := engineWith(t, Options{Workers: 2, Timeout: 20 * time.Second})
	var group sync.WaitGroup
	for i := range 6 {
		group.Go(func() {
			line := fmt.Sprintf("document %d of six", i)
			for range 20 {
				d, err := e.Read(t.Context(), newCanvas().lines(50, 700, line).bytes())
				if err != nil {
					t.Error(err)
				} else if diff := cmp.Diff([]string{line}, outline(d)); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
	group.Go(func() {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if _, err := e.Read(ctx, spinning()); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the error is %v, want that of the context", err)
		}
	})
	group.Wait()
}

// Who waits for a worker until its context ends gets the error of the context.
func TestRead_WaitsNoLongerThanItsContext(t *testing.T) {
	e := engineWith(t, Options{Workers: 1})
	e.slots <- struct{}{}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(nil)
	if _, err := e.Read(ctx, newCanvas().bytes()); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v, want %v", err, context.Canceled)
	}
	<-e.slots
}

func TestClose(t *testing.T) {
	e, err := Open(t.Context(), Options{CacheDir: cacheDir(t)})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Read(t.Context(), newCanvas().bytes()); !errors.Is(err, errClosed) {
		t.Errorf("the error is %v, want %v", err, errClosed)
	}
}

func TestOpen_RefusesAFileAsFolder(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), Options{CacheDir: name}); err == nil {
		t.Error("no error")
	}
}

// twoPages is a resume as most are.
func twoPages() []byte {
	c := newCanvas()
	for i := range 2 {
		if i > 0 {
			c.page()
		}
		c.text(150, 770, 18, "Ada Example, engineer of software").lines(200, 740, join(main10, main10, main10, main10, main10[:9])...)
		for i, l := range sidebar(20) {
			c.text(40, 740-15*float64(i), 9, l)
		}
	}
	return c.bytes()
}

func BenchmarkRead(b *testing.B) {
	e := engine(b)
	file := twoPages()
	b.Run("pages=2", func(b *testing.B) {
		for b.Loop() {
			if _, err := e.Read(b.Context(), file); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("new sandbox", func(b *testing.B) {
		for b.Loop() {
			l, err := e.sandbox(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			l.instance.Kill()
		}
	})
}
