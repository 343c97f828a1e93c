package pdf

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/realdata"
	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/ocr"
	"github.com/freelancer-matching/service/resume/pdf/layout"
)

// recognizes is a Recognizer that finds the same words in every picture.
type recognizes struct {
	words    []ocr.Word
	err      error
	pictures *[]ocr.Picture
}

func (r recognizes) Recognize(_ context.Context, p ocr.Picture) ([]ocr.Word, error) {
	if r.pictures != nil {
		*r.pictures = append(*r.pictures, p)
	}
	return r.words, r.err
}

// scan returns a file with pages that are pictures, and a page with text.
func scan(pages int, text ...string) []byte {
	c := newCanvas()
	for i := range pages {
		if i > 0 {
			c.page()
		}
		c.draw("q 600 0 0 800 0 0 cm /I Do Q")
	}
	if len(text) > 0 {
		c.page().lines(50, 700, text...)
	}
	return c.bytes()
}

// pictureWords returns words of lines, 40 pixels high and 60 pixels apart.
func pictureWords(lines ...string) []ocr.Word {
	var words []ocr.Word
	for n, text := range lines {
		left := 200
		for word := range strings.FieldsSeq(text) {
			width := 20 * len([]rune(word))
			words = append(words, ocr.Word{
				Text: word, Left: left, Right: left + width, Top: 300 + 60*n, Bottom: 329 + 60*n, Line: n, Confidence: .9,
			})
			left += width + 15
		}
	}
	return words
}

func TestRecognize(t *testing.T) {
	var pictures []ocr.Picture
	e := engineWith(t, Options{
		MaxScans: 2, Recognizer: recognizes{words: pictureWords("Ada Example", "Data Engineer"), pictures: &pictures},
	})
	if _, err := e.Read(t.Context(), scan(1)); matching.CodeOf(err) != resume.CodeNoText {
		t.Errorf("Read: got %v, want code %s", err, resume.CodeNoText)
	}

	d, err := e.Recognize(t.Context(), scan(3, main10...))
	if err != nil {
		t.Fatal(err)
	}

	want := slices.Concat([]string{"H: Ada Example", "H: Data Engineer", "H: Ada Example", "H: Data Engineer"}, main10)
	if got := outline(d); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}

	if !slices.Equal(d.Warnings, []resume.Warning{resume.WarnImagePage, resume.WarnOCR}) {
		t.Errorf("warnings %v: the third page is beyond the limit", d.Warnings)
	}

	if l := d.Lines[0]; l.Size < 8 || l.Size > 11 {
		t.Errorf("size %g points of letters that are 7 points high", l.Size)
	}

	if len(pictures) != 2 {
		t.Fatalf("%d pictures, want 2", len(pictures))
	}

	p := pictures[0]
	if p.Width != 2500 || p.Height != 3333 || p.DPI != 300 || len(p.Gray) != p.Width*p.Height {
		t.Errorf("picture of %d×%d pixels at %d DPI with %d bytes", p.Width, p.Height, p.DPI, len(p.Gray))
	}

	if gray := p.Gray[len(p.Gray)/2]; gray != 0x80 {
		t.Errorf("gray is %d, want that of the picture", gray)
	}
}

func TestRecognize_Errors(t *testing.T) {
	broken := errors.New("broken")
	for name, test := range map[string]struct {
		file []byte
		with recognizes
		want matching.Code
	}{
		"failure":     {scan(1), recognizes{err: broken}, matching.CodeInternal},
		"no words":    {scan(1), recognizes{}, resume.CodeNoText},
		"damaged":     {[]byte("%PDF-1.7"), recognizes{}, resume.CodeCorrupt},
		"another one": {[]byte("Ada"), recognizes{}, resume.CodeUnsupported},
	} {
		_, err := engineWith(t, Options{Recognizer: test.with}).Recognize(t.Context(), test.file)
		wantCode(t, err, test.want)
		if name == "failure" && !errors.Is(err, broken) {
			t.Errorf("got %v, want the cause", err)
		}
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	e := engineWith(t, Options{Recognizer: recognizes{}})
	if _, err := e.Recognize(ctx, scan(1)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

// The installed program reads the picture of a page with text.
func TestRecognize_Tesseract(t *testing.T) {
	reader, _, err := ocr.Open(t.Context(), ocr.Options{Timeout: time.Minute})
	if errors.Is(err, ocr.ErrNotInstalled) {
		t.Skip(err)
	}

	if err != nil {
		t.Fatal(err)
	}

	e := engine(t)
	box, err := e.pdfium.newSandbox(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer box.close()

	file := newCanvas().lines(50, 700, main10...).bytes()
	d, err := e.interpret(t.Context(), box, file, func(d *document, handle uint64, p *layout.Page) error {
		return d.recognize(t.Context(), reader, handle, p)
	})
	if err != nil {
		t.Fatal(err)
	}

	if got, want := strings.Join(outline(d), "\n"), strings.Join(main10, "\n"); !strings.Contains(got, want[:50]) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The scans are pictures of templates, whose words are known.
func TestRecognize_RealScans(t *testing.T) {
	reader, _, err := ocr.Open(t.Context(), ocr.Options{Timeout: time.Minute})
	if errors.Is(err, ocr.ErrNotInstalled) {
		t.Skip(err)
	}

	if err != nil {
		t.Fatal(err)
	}

	e := engineWith(t, Options{Recognizer: reader})
	for name, words := range map[string][]string{
		"scanned_openresume.pdf":        {"EXPERIENCE", "EDUCATION", "SKILLS"},
		"scanned_rendercv_john_doe.pdf": {"John Doe", "Experience", "Education"},
	} {
		file, err := os.ReadFile(realdata.Path(t, "resumes", "derived", name))
		if err != nil {
			t.Fatal(err)
		}

		d, err := e.Recognize(t.Context(), file)
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(name), err)
			continue
		}

		text := strings.Join(outline(d), "\n")
		for _, word := range words {
			if !strings.Contains(text, word) {
				t.Errorf("%s lacks %q:\n%s", name, word, text)
			}
		}
	}
}
