package fields

import (
	"strings"
	"testing"

	"freelancer-matching/resume/resumetest"
)

// The sections are in the notation of testdata/resumes/README.md.
func TestDegrees(t *testing.T) {
	x := newExtractor(t)
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"dates", "BSc in Physics    2013 – 2016\nEastmere College", []string{"BSc, Eastmere College, 2013–2016"}},
		{"one date is the end", "BSc in Physics    2016\nEastmere College", []string{"BSc, Eastmere College, –2016"}},
		{"a date within", "BSc : Physics , 2016 University of Eastmere", []string{"BSc, University of Eastmere, –2016"}},
		{"a broken degree", "Eastmere College    2016\nMaster of Business\nAdministration", []string{
			"Master of Business Administration, Eastmere College, –2016",
		}},
		{"a diploma is no school", "Eastmere High School\nHigh School Diploma", []string{
			"High School Diploma, Eastmere High School, –",
		}},
		{"no dates", "University of Eastmere\nBSc in Physics\nWestmere College\nA levels", []string{
			"BSc, University of Eastmere, –", "A levels, Westmere College, –",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := extract(t, x, resumetest.ParseDocument("{20 bold} Marlow Quillfeather\n\n{14 bold} Education\n"+c.text))
			var got []string
			for _, d := range r.Education {
				got = append(got, d.Degree+", "+d.Institution+", "+d.Start+"–"+d.End)
			}

			if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
				t.Errorf("degrees are %q, want %q", got, c.want)
			}
		})
	}
}
