package pdf

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// longWords has lines whose first word doesn't fit on the line above.
var longWords = []string{
	"Planned and built the payment platform of a", "considerable bank together with seven others,",
	"notwithstanding the age of its oldest systems,", "unimpressed by the complaints of its users",
}

func TestRead_Records(t *testing.T) {
	tests := []struct {
		name   string
		canvas *canvas
		want   []string
	}{
		{
			"headings in the margin, one of two lines",
			newCanvas().text(40, 760, 22, "Ada Example").
				text(40, 700, 12, "PROFILE").lines(160, 702, main10[:3]...).
				text(40, 640, 12, "WORK").text(40, 625, 12, "EXPERIENCE").
				lines(160, 642, "Engineer, Acme", main10[3], main10[4], "Clerk, Bureau", main10[5]).
				text(40, 550, 12, "LANGUAGES").lines(160, 552, "German, native", "English, C1").
				text(40, 400, 12, "SKILLS").lines(160, 402, "Go, SQL, Kubernetes"),
			[]string{
				"Ada Example", "PROFILE", main10[0], main10[1], main10[2],
				"WORK EXPERIENCE", "Engineer, Acme", main10[3], main10[4], "Clerk, Bureau", main10[5],
				"LANGUAGES", "German, native", "English, C1", "SKILLS", "Go, SQL, Kubernetes",
			},
		},
		{
			"a heading in the margin of the next page",
			newCanvas().text(40, 760, 22, "Ada Example").
				text(40, 700, 12, "PROFILE").lines(160, 700, main10[:3]...).
				text(40, 400, 12, "WORK").lines(160, 400, "Engineer, Acme", main10[3], main10[4]).
				page().lines(160, 760, main10[5], main10[6]).
				text(40, 700, 12, "VOLUNTARY").text(40, 685, 12, "WORK").lines(160, 700, "Firefighter", main10[7]),
			[]string{
				"Ada Example", "PROFILE", main10[0], main10[1], main10[2],
				"WORK", "Engineer, Acme", main10[3], main10[4], main10[5], main10[6],
				"VOLUNTARY WORK", "Firefighter", main10[7],
			},
		},
		{
			"headings in the margin, then dates, then text",
			newCanvas().text(40, 760, 22, "Ada Example").
				text(40, 700, 12, "PROFILE").lines(120, 700, main10[0]+" and so on", main10[1], main10[2]).
				text(40, 620, 12, "WORK").
				lines(120, 620, "2019 - 2021", "Berlin", "", "", "2016 - 2019", "Bonn").
				lines(220, 620, "Engineer, Acme", main10[3], main10[4], "", "Clerk, Bureau", main10[5]).
				text(40, 400, 12, "STUDIES").lines(120, 400, "2012 - 2016", "Rome").
				lines(220, 400, "Master of Science", main10[6], main10[7]),
			[]string{
				"Ada Example", "PROFILE", main10[0] + " and so on", main10[1], main10[2],
				"WORK", "2019 - 2021|Berlin|Engineer, Acme", main10[3], main10[4],
				"2016 - 2019|Bonn|Clerk, Bureau", main10[5],
				"STUDIES", "2012 - 2016|Rome|Master of Science", main10[6], main10[7],
			},
		},
		{
			"places below dates, beside the text of a position",
			newCanvas().lines(50, 700, "2019 - 2021", "Berlin", "", "", "", "2016 - 2019", "Bonn").
				lines(150, 700, "Engineer, Acme", main10[0], main10[1], main10[2], "", "Clerk, Bureau", main10[3], main10[4]),
			[]string{
				"2019 - 2021|Berlin|Engineer, Acme", main10[0], main10[1], main10[2],
				"2016 - 2019|Bonn|Clerk, Bureau", main10[3], main10[4],
			},
		},
		{
			"dates of several lines",
			newCanvas().lines(50, 700, "Jan 2019 -", "Mar 2021", "", "", "", "Feb 2016", "- Dec 2018", "Bonn").
				lines(150, 700, "Engineer, Acme", main10[0], main10[1], main10[2], "",
					"Clerk", "Bureau", main10[3], main10[4]),
			[]string{
				"Jan 2019 - Mar 2021|Engineer, Acme", main10[0], main10[1], main10[2],
				"Feb 2016 - Dec 2018|Bonn|Clerk", "Bureau", main10[3], main10[4],
			},
		},
		{
			"dates and places at the right",
			newCanvas().lines(50, 700, "Engineer, Acme", main10[0], main10[1], main10[2], "", "Clerk, Bureau", main10[3]).
				lines(450, 700, "2019 - 2021", "Berlin", "", "", "", "2016 - 2019", "Bonn"),
			[]string{
				"Engineer, Acme|2019 - 2021|Berlin", main10[0], main10[1], main10[2],
				"Clerk, Bureau|2016 - 2019|Bonn", main10[3],
			},
		},
		{
			"places above dates at the right margin",
			newCanvas().lines(50, 700, "Engineer, Acme", main10[0], main10[1], "", "Clerk, Bureau", main10[3], main10[4]).
				lines(500, 700, "Berlin", "2019 - 2021", "", "", "Bonn").lines(480, 630, "Feb 2016 - 2019"),
			[]string{
				"Engineer, Acme|Berlin|2019 - 2021", main10[0], main10[1],
				"Clerk, Bureau|Bonn|Feb 2016 - 2019", main10[3], main10[4],
			},
		},
		{
			"labels of all kinds, with headings above them",
			newCanvas().lines(50, 700, "Person", "Name", "City", "", "Work", "2019 - 2021", "", "", "2016 - 2019", "",
				"Languages", "German").
				lines(180, 686, "Ada Example", "Berlin", "", "", "Engineer, Acme", main10[0], "", "Clerk, Bureau", "", "",
					"native"),
			[]string{
				"Person", "Name|Ada Example", "City|Berlin", "Work", "2019 - 2021|Engineer, Acme", main10[0],
				"2016 - 2019|Clerk, Bureau", "Languages", "German|native",
			},
		},
		{
			"dates, positions and tasks in three columns",
			newCanvas().lines(40, 700, "2019 - 2021", "", "", "", "", "2016 - 2019").
				lines(130, 700, "Engineer", "Acme", "Berlin", "", "", "Clerk", "Bureau", "Bonn").
				lines(260, 700, longWords...).lines(260, 630, longWords...),
			join(
				[]string{"2019 - 2021|Engineer|Acme|Berlin"}, longWords,
				[]string{"2016 - 2019|Clerk|Bureau|Bonn"}, longWords,
			),
		},
		{
			"cards side by side",
			newCanvas().lines(40, 760, main10[0]+" and a half of it more than that").
				lines(40, 720, "Master of Science", "North University", "2014 - 2016", main10[1][:40], main10[2][:40]).
				lines(320, 720, "Bachelor of Science", "South University", "2011 - 2014").
				lines(40, 600, main10[3]+" and the rest of the line to the end"),
			[]string{
				main10[0] + " and a half of it more than that",
				"Master of Science", "North University", "2014 - 2016", main10[1][:40], main10[2][:40],
				"Bachelor of Science", "South University", "2011 - 2014",
				main10[3] + " and the rest of the line to the end",
			},
		},
		{
			"sections in pairs",
			newCanvas().text(40, 720, 13, "Education").lines(40, 700, "North University", "Master of Science", "with honors").
				text(320, 720, 13, "Awards").lines(320, 700, "First of her class", "Second of the county", "Third of the rest").
				text(40, 640, 13, "Languages").lines(40, 620, "German, native", "English, fluent").
				text(320, 640, 13, "Interests").lines(320, 620, "Chess with friends", "Rowing on rivers"),
			[]string{
				"Education", "North University", "Master of Science", "with honors",
				"Awards", "First of her class", "Second of the county", "Third of the rest",
				"Languages", "German, native", "English, fluent", "Interests", "Chess with friends", "Rowing on rivers",
			},
		},
		{
			"a dash in a date that is spread over its column",
			newCanvas().lines(50, 700, "2019", "", "2016").lines(86, 700, "-", "", "-").lines(104, 700, "2021", "", "2019").
				lines(190, 700, "Engineer, Acme", main10[0], "Clerk, Bureau", main10[1]),
			[]string{"2019 - 2021|Engineer, Acme", main10[0], "2016 - 2019|Clerk, Bureau", main10[1]},
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

// Headings in the margin are marked, so that a reader needs no dictionary for them.
func TestRead_MarginHeadingLevel(t *testing.T) {
	c := newCanvas().text(40, 700, 12, "PROFILE").lines(160, 700, main10[:3]...).
		text(40, 400, 12, "WORK").lines(160, 400, "Engineer, Acme", main10[3], main10[4])
	d, err := engine(t).Read(t.Context(), c.bytes())
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range d.Lines {
		if want := l.Text == "PROFILE" || l.Text == "WORK"; (l.Heading == 1) != want {
			t.Errorf("%q: got level %d", l.Text, l.Heading)
		}
	}
}
