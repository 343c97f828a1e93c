package spelling_test

import (
	"testing"

	"github.com/freelancer-matching/service/internal/spelling"
)

func TestNearest(t *testing.T) {
	known := []string{"description", "required_skills", "limit", "offset", "ids", "timeline", "text"}
	for name, want := range map[string]string{
		"descriptiom": "description", "desc": "", "requiredSkills": "required_skills", "required-skills": "required_skills",
		"limits": "limit", "lmiit": "limit", "ofset": "offset", "id": "ids", "time_line": "timeline",
		"txt": "text", "x": "", "": "",
		"description_of_the_project_in_many_words_indeed": "",
	} {
		if got := spelling.Nearest(name, known); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
