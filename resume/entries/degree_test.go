package entries

import (
	"testing"

	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/lexicon"
)

// Parts that contradict each other show that a header was divided wrongly.
func TestDoubtsAbout(t *testing.T) {
	words := lexicon.New()
	sure := resume.Degree{Degree: "Bachelor of Science", Field: "Computer Science", Institution: "Lindow University"}
	if doubts := doubtsAbout(words, sure); doubts != 0 {
		t.Errorf("%+v has doubts of %v", sure, doubts)
	}

	for name, change := range map[string]func(*resume.Degree){
		"no degree":                 func(d *resume.Degree) { d.Degree = "" },
		"no school":                 func(d *resume.Degree) { d.Institution = "" },
		"a school as the degree":    func(d *resume.Degree) { d.Degree = "Quell College" },
		"a school in the field":     func(d *resume.Degree) { d.Field = "Quell College" },
		"a degree in the school":    func(d *resume.Degree) { d.Institution = "Master of Arts Lindow University" },
		"half of the school":        func(d *resume.Degree) { d.Institution = "Lindow" },
		"a subject in the school":   func(d *resume.Degree) { d.Institution = "Communication Lindow University" },
		"the field in the school":   func(d *resume.Degree) { d.Institution = "Lindow University Computer Science" },
		"a label in the school":     func(d *resume.Degree) { d.Institution = "Lindow University Major: Physics" },
		"a town as the field":       func(d *resume.Degree) { d.Field = "Leeds" },
		"an unusual word as degree": func(d *resume.Degree) { d.Degree = "Gulls" },
	} {
		d := sure
		change(&d)
		if doubtsAbout(words, d) >= 0 {
			t.Errorf("%s: no doubts about %+v", name, d)
		}
	}
}
