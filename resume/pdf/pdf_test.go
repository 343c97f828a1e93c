package pdf

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	_ "github.com/klippa-app/go-pdfium" // keeps the version of pdfium.wasm in go.mod

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/resume"
)

// engine returns an Engine that is ready, and closes it when the test ends.
func engine(tb testing.TB) *Engine { return engineWith(tb, Options{}) }

func engineWith(tb testing.TB, options Options) *Engine {
	tb.Helper()
	options.CacheDir = cacheDir(tb)
	if options.Timeout == 0 {
		options.Timeout = time.Minute // a busy machine is slow
	}
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

// cacheDir returns the folder that keeps the compiled pdfium between tests.
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
		tb.Errorf("got code %q (%v), want %q", code, err, want)
	}
}

// deflated returns a stream object that inflates to n bytes, repetitions of pattern.
func deflated(pattern string, n int) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	for chunk := []byte(strings.Repeat(pattern, 1000)); n > 0; n -= len(chunk) {
		w.Write(chunk[:min(n, len(chunk))])
	}
	w.Close()
	return fmt.Sprintf("<< /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream", b.Len(), b.String())
}

// onePage returns a file with one page, whose content is the object. More objects get the numbers from 6 on.
func onePage(content string, more ...string) []byte {
	return assemble(append([]string{
		"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 5 0 R " +
			"/Resources << /Font << /F1 3 0 R >> /XObject << /X 6 0 R >> >> >>",
		content,
	}, more...))
}

// slowFile returns a file that keeps pdfium busy for seconds, in a single call.
func slowFile() []byte { return onePage(deflated("q 1 0 0 1 0 0 cm Q\n", 19_000_000)) }

// wantRead checks that the engine reads a small document.
func wantRead(tb testing.TB, e *Engine) {
	tb.Helper()
	d, err := e.Read(tb.Context(), newCanvas().lines(50, 700, main10...).bytes())
	if err != nil {
		tb.Fatalf("the next document: %v", err)
	}
	if diff := cmp.Diff(main10, outline(d)); diff != "" {
		tb.Error(diff)
	}
}

func TestRead_Refusals(t *testing.T) {
	const memory = 32 << 20
	e := engineWith(t, Options{MaxCharacters: 2000, MaxObjects: 500, MaxMemory: memory})
	content := "/X Do " + strings.Repeat("0 0 9 9 re f ", 10)
	formInItself := fmt.Sprintf("<< /Type /XObject /Subtype /Form /BBox [0 0 600 800] "+
		"/Resources << /XObject << /X 6 0 R >> >> /Length %d >>\nstream\n%s\nendstream", len(content), content)
	noPages := []string{"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [] /Count 0 >>"}
	ownParent := []string{noPages[0], "<< /Type /Pages /Kids [2 0 R] /Count 1 >>"}
	tests := []struct {
		name string
		file []byte
		want matching.Code
	}{
		{"empty", nil, resume.CodeUnsupported},
		{"JPEG", []byte("\xff\xd8\xff\xe0 JFIF"), resume.CodeUnsupported},
		{"header only", []byte("%PDF-1.7\n"), resume.CodeCorrupt},
		{"no pages", assemble(noPages), resume.CodeCorrupt},
		{"cycle of pages", assemble(ownParent), resume.CodeCorrupt},
		{"blank page", newCanvas().bytes(), resume.CodeNoText},
		{
			"too many characters",
			newCanvas().lines(50, 780, join(main10, main10, main10, main10)...).bytes(), resume.CodeTooComplex,
		},
		{
			"too many objects",
			newCanvas().draw("%s", strings.Repeat("0 0 9 9 re f ", 1000)).bytes(), resume.CodeTooComplex,
		},
		{"form that contains itself", onePage("<< /Length 5 >>\nstream\n/X Do\nendstream", formInItself), resume.CodeNoText},
		{
			"deeply nested array",
			onePage("<< /Length 0 >>\nstream\n\nendstream", strings.Repeat("[", 100_000)), resume.CodeNoText,
		},
		{"decompression bomb", onePage(deflatedTwice(2 * memory)), resume.CodeTooComplex},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := e.Read(t.Context(), test.file)
			wantCode(t, err, test.want)
		})
	}

	wantRead(t, e)
}

// deflatedTwice returns a stream object that inflates to n bytes of zeros in two steps.
func deflatedTwice(n int) string {
	inner := deflated("\x00", n)
	inner = inner[strings.Index(inner, "stream\n")+len("stream\n") : strings.LastIndex(inner, "\nendstream")]
	outer := deflated(inner, len(inner))
	return strings.Replace(outer, "/Filter /FlateDecode", "/Filter [/FlateDecode /FlateDecode]", 1)
}

// Positions in such files count from the header or from the start of the file.
func TestRead_BytesBeforeTheHeader(t *testing.T) {
	e := engine(t)
	for _, before := range []string{
		" ", "\r\n\r\n", "\uFEFF", "HTTP/1.1 200 OK\r\n\r\n", strings.Repeat("x", 1024),
		strings.Repeat("\x00", 1024), strings.Repeat(" \n", 5000),
	} {
		file := append([]byte(before), newCanvas().lines(50, 700, main10...).bytes()...)
		d, err := e.Read(t.Context(), file)
		if err != nil {
			t.Errorf("after %d bytes: %v", len(before), err)
			continue
		}
		if diff := cmp.Diff(main10, outline(d)); diff != "" {
			t.Errorf("after %d bytes: %s", len(before), diff)
		}
		if len(d.Warnings) > 0 {
			t.Errorf("after %d bytes: warnings %v", len(before), d.Warnings)
		}
	}
}

// A document that exceeds the timeout is stopped within the call into pdfium, and the next one is read. The timeout
// leaves a busy machine time to start the sandbox; without it, the document takes far longer.
func TestRead_Timeout(t *testing.T) {
	e := engine(t)
	e.options.Timeout = 3 * time.Second
	_, err := e.Read(t.Context(), slowFile())
	wantCode(t, err, resume.CodeTooComplex)
	if err == nil || !strings.Contains(err.Error(), string(loadPage)) {
		t.Errorf("got error %v, want one from %s", err, loadPage)
	}
	e.options.Timeout = time.Minute
	wantRead(t, e)
}

// When a client leaves, its document is stopped and its worker is free again.
func TestRead_ClientLeaves(t *testing.T) {
	e := engineWith(t, Options{Workers: 1})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := e.Read(ctx, slowFile()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got error %v, want the context's", err)
	}
	wantRead(t, e)
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
		t.Errorf("got %d lines of %d pages, want 3 of 6", len(d.Lines), d.Pages)
	}
	if diff := cmp.Diff([]resume.Warning{resume.WarnManyPages}, d.Warnings); diff != "" {
		t.Error(diff)
	}
}

func TestRead_Concurrently(t *testing.T) {
	e := engineWith(t, Options{Workers: 2})
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			line := fmt.Sprintf("document %d of four", i)
			for range 5 {
				d, err := e.Read(t.Context(), newCanvas().lines(50, 700, line).bytes())
				if err != nil {
					t.Error(err)
				} else if diff := cmp.Diff([]string{line}, outline(d)); diff != "" {
					t.Error(diff)
				}
			}
		})
	}

	group.Go(func() { // stopped in the middle
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if _, err := e.Read(ctx, slowFile()); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got error %v, want the context's", err)
		}
	})

	group.Wait()
}

// A sandbox that has been stopped fails every call and still returns its memory.
func TestSandbox_Stopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	box, err := engine(t).pdfium.newSandbox(ctx)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if got := box.handle(allocate, 100); got != 0 || !errors.Is(box.err, context.Canceled) {
		t.Errorf("got address %#x and error %v, want 0 and %v", got, box.err, context.Canceled)
	}
	if data := box.bytes(box.scratch, 8); len(data) != 8 {
		t.Error("the memory was returned before the sandbox was closed")
	}
	box.close()
	if box.memory.bytes != nil {
		t.Error("the memory was not returned")
	}
}

func TestSandbox_HasNoTraceOfEarlierOnes(t *testing.T) {
	e := engine(t)
	secret := []byte("text of another client's document")
	for range 3 {
		box, err := e.pdfium.newSandbox(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		memory := box.module.Memory()
		if bytes.Contains(box.bytes(0, int(memory.Size())), secret) {
			t.Error("the memory of a new sandbox contains an earlier document")
		}
		for range 100 {
			box.put(secret)
		}
		box.close()
	}
}

// The embedded module is the one of the go-pdfium version in go.mod.
func TestModule_IsCurrent(t *testing.T) {
	goList := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/klippa-app/go-pdfium")
	dir, err := goList.Output()
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "webassembly", "pdfium.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(pdfiumModule, want) {
		t.Error("pdfium.wasm is not the file of go-pdfium in go.mod; run go generate ./resume/pdf")
	}
}

func TestRead_CanceledWhileWaiting(t *testing.T) {
	e := engineWith(t, Options{Workers: 1})
	e.workers <- struct{}{}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Read(ctx, newCanvas().bytes()); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want %v", err, context.Canceled)
	}
	<-e.workers
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
		t.Errorf("got error %v, want %v", err, errClosed)
	}
}

func TestOpen_CacheDirIsAFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), Options{CacheDir: name}); err == nil {
		t.Error("no error")
	}
}

// twoPages returns a typical resume: two pages, with a sidebar.
func twoPages() []byte {
	c := newCanvas()
	for i := range 2 {
		if i > 0 {
			c.page()
		}
		c.text(150, 770, 18, "Ada Example, engineer of software").
			lines(200, 740, join(main10, main10, main10, main10, main10[:9])...)
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
	b.Run("sandbox", func(b *testing.B) {
		for b.Loop() {
			s, err := e.pdfium.newSandbox(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			s.close()
		}
	})
}

// The values of form fields are part of the page, as their appearance shows them.
func TestRead_FormFields(t *testing.T) {
	const appearance = "BT /F1 10 Tf 2 2 Td (Ada Example) Tj ET"
	const content = "BT /F1 10 Tf 50 700 Td (Name) Tj ET"
	data := assemble([]string{
		"<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [6 0 R] >> >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 5 0 R /Annots [6 0 R] " +
			"/Resources << /Font << /F1 4 0 R >> >> >>",
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content),
		"<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (Ada Example) /F 4 /Rect [200 698 400 712] /P 3 0 R " +
			"/AP << /N 7 0 R >> >>",
		fmt.Sprintf("<< /Type /XObject /Subtype /Form /BBox [0 0 200 14] /Resources << /Font << /F1 4 0 R >> >> "+
			"/Length %d >>\nstream\n%s\nendstream", len(appearance), appearance),
	})

	d, err := engine(t).Read(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff([]string{"Name|Ada Example"}, outline(d)); diff != "" {
		t.Error(diff)
	}
}
