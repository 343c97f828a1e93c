package entries

import (
	"testing"
)

// A header is written as the entries give it: its parts are separated by bars.
func TestDegree(t *testing.T) {
	entries := newTestEntries(t)
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
		r := entries.headers.readLines([]string{c.text}, &degreeGrammar)
		got := degreeOf(entries.words, &r)
		if got.Degree != c.degree || got.Field != c.field || got.Institution != c.institution {
			t.Errorf("degree(%q) = %q, field %q, institution %q, want %q, %q, %q",
				c.text, got.Degree, got.Field, got.Institution, c.degree, c.field, c.institution)
		}
	}
}
