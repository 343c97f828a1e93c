package pdf

import (
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/freelancer-matching/service/internal/matching"
)

// Every file is either read or rejected with a documented code.
func FuzzRead(f *testing.F) {
	e := engineWith(f, Options{Workers: 2})
	f.Add(newCanvas().lines(50, 700, main10[:2]...).bytes())
	f.Add(newCanvas().link(50, 690, 100, 710, "https://example.org").lines(50, 700, "a link").bytes())
	f.Add(newCanvas().draw("q 600 0 0 800 0 0 cm /I Do Q 3 Tr").lines(50, 700, "scanned").bytes())
	f.Add(onePage("<< /Length 5 >>\nstream\n/X Do\nendstream"))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := e.Read(t.Context(), data)
		if err != nil {
			if code := matching.CodeOf(err); !slices.Contains(refusals(), code) {
				t.Errorf("got code %q: %v", code, err)
			}
			return
		}

		for _, l := range d.Lines {
			if l.Text == "" || !utf8.ValidString(l.Text) || l.Page < 1 || l.Size < 0 || l.Gap < 0 {
				t.Errorf("malformed line %+v", l)
			}
		}

		for _, l := range d.Links {
			if l.Line < -1 || l.Line >= len(d.Lines) || l.URL == "" {
				t.Errorf("malformed link %+v", l)
			}
		}
	})
}
