package fields

import (
	"strings"
	"testing"
)

// A header is written as the entries give it: its parts are separated by bars.
func TestDegree(t *testing.T) {
	x := newExtractor(t)
	for _, c := range []struct{ text, degree, field, institution string }{
		{"BSc in Physics | University of Eastmere", "BSc", "Physics", "University of Eastmere"},
		{"University of Eastmere, BSc in Physics", "BSc", "Physics", "University of Eastmere"},
		{"Bachelor of Science in Physics, Eastmere University", "Bachelor of Science", "Physics", "Eastmere University"},
		{"Master of Robotics in Vision | Eastmere", "Master of Robotics", "Vision", "Eastmere"},
		{"Bachelor of Science (B.Sc.) Informatik", "Bachelor of Science (B.Sc.)", "Informatik", ""},
		{"Master (Physics) | Eastmere", "Master", "Physics", "Eastmere"},
		{"PhD | PhD in Physics | Eastmere", "PhD", "Physics", "Eastmere"},
		{"MSc | Physics of Light | Eastmere College", "MSc", "Physics of Light", "Eastmere College"},
		{"A levels (Physics, German, History) | Eastmere School", "A levels", "Physics, German, History", "Eastmere School"},
		{"UC Eastmere | BSc, Computer Science", "BSc", "Computer Science", "UC Eastmere"},
		{"University of Eastmere, Westfield | BSc in Physics", "BSc", "Physics", "University of Eastmere, Westfield"},
		{"Accounting and Law, BA (Hons) | Eastmere University", "BA (Hons)", "Accounting and Law", "Eastmere University"},
		{"at Eastmere University | MSc in Statistics", "MSc", "Statistics", "Eastmere University"},
		{"BSc in Physics (first class) | GPA 3.9 | Eastmere", "BSc", "Physics", "Eastmere"},
		{"Maîtrise d'informatique | Université de Lormont", "Maîtrise", "informatique", "Université de Lormont"},
		{"Diploma Harbor High School 3.7", "Diploma", "", "Harbor High School"},
		{"Bachelor of Science University of Eastmere", "Bachelor of Science", "", "University of Eastmere"},
		{"Master of Arts in School Psychology", "Master of Arts", "School Psychology", ""},
		{"软件工程硕士 | 东湖大学", "硕士", "软件工程", "东湖大学"},
		{"本科 软件工程学位 | 东湖大学", "本科", "软件工程", "东湖大学"},
	} {
		r := x.positions.entries.headers.readLines([]string{c.text}, &degreeGrammar)
		got := degreeOf(x.services.words, &r)
		if got.Degree != c.degree || got.Field != c.field || got.Institution != c.institution {
			t.Errorf("degree(%q) = %q, field %q, institution %q, want %q, %q, %q",
				c.text, got.Degree, got.Field, got.Institution, c.degree, c.field, c.institution)
		}
	}
}

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
			r := extract(t, x, parseDocument("{20 bold} Marlow Quillfeather\n\n{14 bold} Education\n"+c.text))
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
