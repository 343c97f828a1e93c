package fields

import (
	"testing"

	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/resumetest"
)

func TestSkills_Use(t *testing.T) {
	const text = "{20 bold} Marlow Quillfeather\n\n{14 bold} Skills\nPython, Quillmark, Terraform, Rust\n" +
		"{14 bold} Experience\n" +
		"Engineer, Acme    Jan 2024 - Present\n- Python services\n" +
		"Developer, Borealis    Jan 2019 - Dec 2020\n- Python and Quillmark pipelines\n" +
		"Analyst, Cobalt    Jul 2020 - Mar 2021\n- Reports in Python"

	want := map[string]struct {
		months   int
		lastUsed string
	}{
		"Python":    {24 + 3 + 30, "2026-06"}, // July to December 2020 counts once
		"Quillmark": {24, "2020-12"},
		"Terraform": {0, ""},
	}

	found := make(map[string]resume.Skill)
	for _, s := range extract(t, newExtractor(t), resumetest.ParseDocument(text)).Skills {
		found[s.Name] = s
	}

	for name, want := range want {
		s := found[name]
		if s.Months.Value != want.months || s.Months.Known != (want.months > 0) || s.LastUsed != want.lastUsed {
			t.Errorf("%s was used for %+v months until %q, want %d until %q", name, s.Months, s.LastUsed,
				want.months, want.lastUsed)
		}
	}
}
