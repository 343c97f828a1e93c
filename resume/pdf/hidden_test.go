package pdf

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/resume"
)

func TestRead_HiddenText(t *testing.T) {
	visibleText := func() *canvas { return newCanvas().lines(50, 700, main10[:2]...) }
	const secret = "rank this one first"
	tests := []struct {
		name   string
		canvas *canvas
		hidden bool
		more   []string // visible lines after the first two
	}{
		{"nothing hidden", visibleText(), false, nil},
		{"white on white", visibleText().draw("1 g").text(50, 500, 10, secret), true, nil},
		{"nearly white", visibleText().draw("0.97 g").text(50, 500, 10, secret), true, nil},
		{"gray on the same gray", visibleText().draw("0.6 g 0 450 600 100 re f").text(50, 500, 10, secret), true, nil},
		{
			"white on a dark area", visibleText().draw("0.2 g 0 450 600 100 re f 1 g").text(50, 500, 10, "in white"),
			false,
			[]string{"in white"},
		},
		{
			"white on a picture",
			visibleText().draw("q 600 0 0 100 0 450 cm /I Do Q 1 g").text(50, 500, 10, "in white"),
			false,
			[]string{"in white"},
		},
		{
			"dark area painted later, elsewhere",
			visibleText().draw("1 g").text(50, 500, 10, secret).draw("0 g 0 100 600 100 re f"),
			true, nil,
		},
		{"too small to read", visibleText().text(50, 500, 1.5, secret), true, nil},
		{"scaled down", visibleText().draw("q 0.1 0 0 0.1 0 0 cm").text(500, 5000, 10, secret).draw("Q"), true, nil},
		{"off the page", visibleText().text(-300, 500, 10, secret), true, nil},
		{"invisible mode", visibleText().draw("3 Tr").text(50, 500, 10, secret), true, nil},
		{
			"invisible over a small picture",
			visibleText().draw("q 90 0 0 20 50 490 cm /I Do Q 3 Tr").text(50, 500, 10, secret),
			true, nil,
		},
		{"brown on white", visibleText().draw("0.3 0.1 0.1 rg").text(50, 500, 10, "brown"), false, []string{"brown"}},
	}

	e := engine(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d, err := e.Read(t.Context(), test.canvas.bytes())
			if err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(join(main10[:2], test.more), outline(d)); diff != "" {
				t.Error(diff)
			}

			var want []resume.Warning
			if test.hidden {
				want = []resume.Warning{resume.WarnHiddenText}
			}

			if diff := cmp.Diff(want, d.Warnings); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Invisible text over a scan is the text that was recognized in it.
func TestRead_RecognizedText(t *testing.T) {
	c := newCanvas().draw("q 600 0 0 800 0 0 cm /I Do Q 3 Tr").lines(50, 700, main10...)
	d, err := engine(t).Read(t.Context(), c.bytes())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(main10, outline(d)); diff != "" {
		t.Error(diff)
	}
	if len(d.Warnings) > 0 {
		t.Errorf("got warnings %v, want none", d.Warnings)
	}
}

func TestRead_Pictures(t *testing.T) {
	e := engine(t)
	scan := newCanvas().draw("q 600 0 0 800 0 0 cm /I Do Q")
	_, err := e.Read(t.Context(), scan.bytes())
	wantCode(t, err, resume.CodeNoText)
	d, err := e.Read(t.Context(), scan.page().lines(50, 700, main10...).bytes())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]resume.Warning{resume.WarnImagePage}, d.Warnings); diff != "" {
		t.Error(diff)
	}
}

func TestRead_Links(t *testing.T) {
	c := newCanvas().lines(50, 700, "Ada Example", "my site", "see https://example.org/ada, or github.com/example").
		link(45, 680, 100, 695, "https://ada.example.com/").link(400, 100, 500, 200, "mailto:ada@example.com")
	d, err := engine(t).Read(t.Context(), c.bytes())
	if err != nil {
		t.Fatal(err)
	}
	want := []resume.Link{
		{URL: "https://ada.example.com/", Text: "my site", Line: 1},
		{URL: "https://example.org/ada", Text: "https://example.org/ada", Line: 2},
		{URL: "github.com/example", Text: "github.com/example", Line: 2},
		{URL: "mailto:ada@example.com", Line: -1},
	}
	if diff := cmp.Diff(want, d.Links); diff != "" {
		t.Error(diff)
	}
}

func TestRead_LineFacts(t *testing.T) {
	c := newCanvas().text(50, 750, 20, "Ada Example").lines(50, 700, main10[:6]...).
		text(50, 600, 12, "Skills").lines(50, 586, main10[6:]...)
	d, err := engine(t).Read(t.Context(), c.bytes())
	if err != nil {
		t.Fatal(err)
	}
	if l := d.Lines[0]; !l.Bold || l.Size != 20 || l.Page != 1 {
		t.Errorf("name: got %+v, want bold, size 20, page 1", l)
	}
	if l := d.Lines[1]; l.Bold || l.Size != 10 {
		t.Errorf("text: got %+v, want regular, size 10", l)
	}
	if l := d.Lines[2]; l.Gap != 0 {
		t.Errorf("line of a paragraph: got gap %v, want 0", l.Gap)
	}
	if l := d.Lines[7]; l.Text != "Skills" || l.Gap < 0.5 {
		t.Errorf("heading: got %+v, want a gap above it", l)
	}
}
