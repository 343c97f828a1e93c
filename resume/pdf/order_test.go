package pdf

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/resume"
)

// outline returns the lines with a letter for their part unless it is the body, * for a list item, and | for a tab.
func outline(d resume.Document) []string {
	var lines []string
	for _, l := range d.Lines {
		text := strings.ReplaceAll(l.Text, "\t", "|")
		if l.Bullet {
			text = "* " + text
		}
		part := [...]string{resume.Body: "", resume.Sidebar: "S: ", resume.Header: "H: ", resume.Footer: "F: "}
		lines = append(lines, part[l.Part]+text)
	}
	return lines
}

var main10 = []string{
	"Built the payment platform of a bank in Go, from the first sketch",
	"to the millionth booking, with a team of seven people in two cities",
	"and cut the cost of running it by a third in the first year, while",
	"the number of users grew from ten thousand to half a million of them",
	"Moved four services from virtual machines to containers and wrote",
	"the tests that made it possible to do so without a single outage",
	"Taught eleven colleagues how to read a profile before they guess",
	"and how to write a page that explains to the others what they saw",
	"Kept the pager quiet for two years, which deserves a line because",
	"it is the sort of work that few people notice and everybody wants",
}

func sidebar(n int) []string {
	lines := []string{
		"CONTACT", "ada@example.com", "Berlin", "SKILLS", "Go", "SQL", "Kubernetes", "LANGUAGES", "German", "English",
		"INTERESTS", "Chess", "Rowing", "Maps", "Baking", "Radio", "Opera", "Stones", "Rivers", "Tea",
	}
	return lines[:n]
}

// inSidebar returns what outline writes for lines of a sidebar.
func inSidebar(lines []string) []string {
	var all []string
	for _, l := range lines {
		all = append(all, "S: "+l)
	}
	return all
}

func join(lists ...[]string) []string { return slices.Concat(lists...) }

func TestRead_Order(t *testing.T) {
	// The line spacing differs from that of lines, so that few lines of the two columns match.
	narrow := func(c *canvas, x float64, lines []string) *canvas {
		for i, l := range lines {
			c.text(x, 697-20*float64(i)*1.13, 9, l)
		}
		return c
	}

	tests := []struct {
		name   string
		canvas *canvas
		want   []string
	}{
		{
			"one column with dates at the right margin",
			newCanvas().text(50, 750, 18, "Ada Example").
				text(50, 700, 11, "Engineer, Acme").text(480, 700, 10, "2019 - 2021").lines(50, 684, main10[:3]...).
				text(50, 630, 11, "Clerk, Bureau").text(480, 630, 10, "2016 - 2019").lines(50, 614, main10[3:5]...),
			join(
				[]string{"Ada Example", "Engineer, Acme|2019 - 2021"}, main10[:3],
				[]string{"Clerk, Bureau|2016 - 2019"}, main10[3:5],
			),
		},
		{
			"dates in the left margin",
			newCanvas().lines(50, 700, "2019 - 2021", "", "", "2016 - 2019", "", "2012 - 2016").
				lines(150, 700, "Engineer, Acme", main10[0], main10[1], "Clerk, Bureau", main10[2], "School"),
			[]string{
				"2019 - 2021|Engineer, Acme", main10[0], main10[1],
				"2016 - 2019|Clerk, Bureau", main10[2],
				"2012 - 2016|School",
			},
		},
		{
			"two columns whose lines match",
			newCanvas().text(150, 760, 20, "Ada Example, engineer of software").
				lines(40, 700, shortened(main10, 40)...).lines(320, 700, shortened(main10, 42)...),
			join([]string{"Ada Example, engineer of software"}, shortened(main10, 40), shortened(main10, 42)),
		},
		{
			"a sidebar on the left",
			narrow(newCanvas().lines(200, 700, join(main10, main10, main10)...), 40, sidebar(20)),
			join(main10, main10, main10, inSidebar(sidebar(20))),
		},
		{
			"a sidebar on the right, under a title",
			narrow(newCanvas().text(40, 750, 24, "Ada Example, engineer of software in Go").
				lines(40, 700, join(main10, main10, main10)...), 450, sidebar(20)),
			join([]string{"Ada Example, engineer of software in Go"}, main10, main10, main10, inSidebar(sidebar(20))),
		},
		{
			"columns between full lines",
			newCanvas().lines(40, 760, main10[0]+" and a half of it more than that").
				lines(40, 720, "Education", "University of Somewhere", "Master of Science", "with honors and a prize").
				lines(320, 714, "Awards", "First of her class", "Second of the county", "Third of the rest").
				lines(40, 640, main10[1]+" and the rest of the line to the end"),
			[]string{
				main10[0] + " and a half of it more than that",
				"Education", "University of Somewhere", "Master of Science", "with honors and a prize",
				"Awards", "First of her class", "Second of the county", "Third of the rest",
				main10[1] + " and the rest of the line to the end",
			},
		},
		{
			"three columns",
			newCanvas().lines(40, 700, shortened(main10, 25)...).lines(220, 697, shortened(main10, 24)...).
				lines(400, 694, shortened(main10, 23)...),
			join(shortened(main10, 25), shortened(main10, 24), shortened(main10, 23)),
		},
		{
			"a table",
			newCanvas().lines(40, 700, "Language", "German", "English").lines(200, 700, "Level", "native", "C1").
				lines(300, 700, "Since", "1990", "2001"),
			[]string{"Language|Level|Since", "German|native|1990", "English|C1|2001"},
		},
		{
			"large titles with small dates at the right margin",
			newCanvas().text(50, 700, 12, "Acme").text(450, 700, 9, "2019 - 2021").
				lines(50, 684, "Engineer", main10[0][:39], main10[1][:40]).
				text(50, 630, 12, "Bureau").text(450, 630, 9, "2016 - 2019").
				lines(50, 614, "Clerk", main10[2][:40], main10[3][:40]).
				text(50, 560, 12, "School").text(450, 560, 9, "2012 - 2016").
				lines(50, 544, "Pupil", main10[4][:40], main10[5][:40]),
			[]string{
				"Acme|2019 - 2021", "Engineer", main10[0][:39], main10[1][:40],
				"Bureau|2016 - 2019", "Clerk", main10[2][:40], main10[3][:40],
				"School|2012 - 2016", "Pupil", main10[4][:40], main10[5][:40],
			},
		},
		{
			"tables below headings, with labels much shorter than their text",
			newCanvas().text(40, 720, 14, "Experience").lines(42, 700, "2019 - 2021", "", "", "2016 - 2019").
				lines(180, 700, "Engineer", "Acme", main10[0][:50], "Clerk", "Bureau", main10[1][:50]).
				text(40, 600, 14, "Education").lines(42, 580, "2014 - 2016").lines(180, 580, "Master of Science", "North").
				text(40, 535, 14, "Languages").lines(42, 515, "German", "English").
				lines(180, 515, "native, from a small town", "C1").
				text(40, 470, 14, "Awards").lines(42, 450, "2018").lines(180, 450, "First of all", "who were there"),
			[]string{
				"Experience", "2019 - 2021|Engineer", "Acme", main10[0][:50], "2016 - 2019|Clerk", "Bureau", main10[1][:50],
				"Education", "2014 - 2016|Master of Science", "North",
				"Languages", "German|native, from a small town", "English|C1",
				"Awards", "2018|First of all", "who were there",
			},
		},
		{
			"lists",
			newCanvas().lines(50, 700, "\x95", "-", "\x95 joined").lines(80, 700, "first", "second"),
			[]string{"* first", "* second", "* joined"},
		},
		{
			"superscript",
			newCanvas().text(50, 700, 10, "1").text(56, 704, 6, "st").text(65, 700, 10, "of March").text(50, 680, 10, "next"),
			[]string{"1st of March", "next"},
		},
		{
			"letter-spaced words",
			newCanvas().draw("BT /F1 12 Tf 5 Tc 50 700 Td (WORK EXPERIENCE) Tj 0 Tc ET").
				text(50, 650, 10, "E D U C A T I O N").lines(50, 630, main10[0]),
			[]string{"WORK EXPERIENCE", "EDUCATION", main10[0]},
		},
		{
			"vertical text",
			newCanvas().draw("BT /F1 10 Tf 0 1 -1 0 30 300 Tm (along the side) Tj ET").lines(50, 700, main10[:3]...),
			join(main10[:3], []string{"along the side"}),
		},
		{
			"slanted text",
			newCanvas().draw("BT /F1 10 Tf 0.9659 0.2588 -0.2588 0.9659 100 300 Tm (uphill all the way) Tj ET").
				lines(50, 700, main10[:3]...),
			join(main10[:3], []string{"uphill all the way"}),
		},
	}

	e := engine(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d, err := e.Read(t.Context(), test.canvas.bytes())
			if err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(test.want, outline(d)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func shortened(lines []string, n int) []string {
	var short []string
	for _, l := range lines {
		short = append(short, strings.TrimSpace(l[:n]))
	}
	return short
}

func TestRead_RotatedPage(t *testing.T) {
	c := newCanvas().draw("0 1 -1 0 600 0 cm").lines(50, 500, main10...)
	c.rotate = 90
	d, err := engine(t).Read(t.Context(), c.bytes())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(main10, outline(d)); diff != "" {
		t.Error(diff)
	}
}

// Readers see the same page, however the file turns it. In Helvetica of 10 points, "Hxg" is 17.8 points wide, and its
// baseline is 100 points below the upper edge. Turned text runs downward.
func TestRead_Places(t *testing.T) {
	upright := resume.Place{X: 50, Y: 91, Width: 18, Height: 12}
	for name, test := range map[string]struct {
		rotate int
		y      float64 // of the baseline, before the matrix applies
		matrix string
		want   resume.Place
	}{
		"upright":     {0, 700, "1 0 0 1 0 0 cm", upright},
		"turned page": {90, 500, "0 1 -1 0 600 0 cm", upright},
		"upside down": {180, 700, "-1 0 0 -1 600 800 cm", upright},
		"turned text": {0, 500, "0 -1 1 0 0 600 cm", resume.Place{X: 498, Y: 250, Width: 12, Height: 18}},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCanvas().draw(test.matrix).text(50, test.y, 10, "Hxg")
			c.rotate = test.rotate

			d, err := engine(t).Read(t.Context(), c.bytes())
			if err != nil {
				t.Fatal(err)
			}

			got := d.Lines[0].Place
			for _, length := range []*float64{&got.X, &got.Y, &got.Width, &got.Height} {
				*length = math.Round(*length)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Columns that are too short to show that they are columns are known from the page before.
func TestRead_SidebarContinuesOnTheNextPage(t *testing.T) {
	short := []string{"SKILLS", "Spanish", "Excel"}
	jobs := []string{"Trainee", "Harbor Goods", "August 2017 - July 2020"}
	for _, test := range []struct {
		name       string
		side, body float64 // left edges
	}{
		{"left", 40, 200}, {"right", 440, 60},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newCanvas().lines(test.body, 740, join(main10, main10, main10)...)
			for i, l := range sidebar(20) {
				c.text(test.side, 737-22.6*float64(i), 9, l)
			}
			c.page().lines(test.body, 740, jobs...)
			for i, l := range short {
				c.text(test.side, 738-15*float64(i), 9, l)
			}

			d, err := engine(t).Read(t.Context(), c.bytes())
			if err != nil {
				t.Fatal(err)
			}

			want := join(main10, main10, main10, inSidebar(sidebar(20)), jobs, inSidebar(short))
			if diff := cmp.Diff(want, outline(d)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The first page shows too little of its sidebar, and the last page has little text.
func TestRead_ShortSidebars(t *testing.T) {
	jobs := []string{"Clerk", "Harbor Goods", "September 2020 - today"}
	contact := []string{"CONTACT", "ada@example.org", "3236 Gampelen"}
	skills := []string{"SKILLS", "Spanish", "Excel", "Anchors", "Sails", "Knots"}
	c := newCanvas().lines(240, 740, jobs...).lines(30, 600, contact...).page()
	c.lines(240, 740, main10...)
	for i, l := range skills {
		c.text(30, 735-21*float64(i), 9, l)
	}

	d, err := engine(t).Read(t.Context(), c.bytes())
	if err != nil {
		t.Fatal(err)
	}

	want := join(jobs, inSidebar(contact), main10, inSidebar(skills))
	if diff := cmp.Diff(want, outline(d)); diff != "" {
		t.Error(diff)
	}
}

// A page that uses the whole width has no sidebar, whatever the page before has.
func TestRead_SidebarEnds(t *testing.T) {
	c := newCanvas().lines(200, 740, join(main10, main10, main10)...)
	for i, l := range sidebar(20) {
		c.text(40, 737-22.6*float64(i), 9, l)
	}
	wide := []string{"Trainee", "Harbor Goods, the shop at the harbor with everything that a ship may need"}
	c.page().lines(40, 740, wide...).lines(200, 640, "signed")

	d, err := engine(t).Read(t.Context(), c.bytes())
	if err != nil {
		t.Fatal(err)
	}
	want := join(main10, main10, main10, inSidebar(sidebar(20)), wide, []string{"signed"})
	if diff := cmp.Diff(want, outline(d)); diff != "" {
		t.Error(diff)
	}
}

func TestRead_Furniture(t *testing.T) {
	c := newCanvas()
	for i := range 3 {
		if i > 0 {
			c.page()
		}
		c.text(50, 770, 8, "Ada Example, resume").lines(50, 700, fmt.Sprintf("Text of page %d", i+1)).
			text(300, 30, 8, fmt.Sprintf("Page %d of 3", i+1))
	}

	d, err := engine(t).Read(t.Context(), c.bytes())
	if err != nil {
		t.Fatal(err)
	}

	want := []string{
		"H: Ada Example, resume", "Text of page 1", "F: Page 1 of 3",
		"H: Ada Example, resume", "Text of page 2", "F: Page 2 of 3",
		"H: Ada Example, resume", "Text of page 3", "F: Page 3 of 3",
	}
	if diff := cmp.Diff(want, outline(d)); diff != "" {
		t.Error(diff)
	}
}
