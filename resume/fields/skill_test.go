package fields

import (
	"slices"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/resumetest"
)

// The documents are in the notation of testdata/resumes/README.md, below a name.
func TestSkills(t *testing.T) {
	x := newExtractor(t)
	for _, c := range []struct{ name, text, want string }{
		{"a list", "{14 bold} Skills\nPython, Rust | Docker", "skills: Python, Rust, Docker"},
		{"groups", "{14 bold} Skills\nBackend: Python, Rust\nTools    Docker, Git", "skills: Python, Rust, Docker, Git"},
		{"groups above their skills", "{14 bold} Skills\n{11 bold} Docker\nPython, Rust, Git", "skills: Python, Rust, Git"},
		{
			"lists first", "{14 bold} Experience\nEngineer, Acme    2019\n- Tuned PostgreSQL\n{14 bold} Skills\nPython",
			"skills: Python; experience: PostgreSQL",
		},
		{"companies are no skills", "{14 bold} Experience\nEngineer, Docker Ltd    2019\n- Worked at Docker Ltd", ""},
		{"interests are no skills", "{14 bold} Interests\nPython", ""},
		{
			"labeled lists", "{14 bold} Additional Information\nTechnical skills: Python, Quillmark\nA parser in Rust",
			"skills: Python, Quillmark; other: Rust",
		},
		{"other sections", "{14 bold} Projects\nA parser in Rust", "other: Rust"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got strings.Builder
			section := ""
			for _, s := range extract(t, x, resumetest.ParseDocument("{20 bold} Marlow Quillfeather\n\n"+c.text)).Skills {
				switch {
				case s.Section == section:
					got.WriteString(", ")
				case section != "":
					got.WriteString("; ")
				}

				if s.Section != section {
					section = s.Section
					got.WriteString(section + ": ")
				}

				got.WriteString(s.Name)
			}

			if got.String() != c.want {
				t.Errorf("skills are %q, want %q", got.String(), c.want)
			}
		})
	}
}

// mentionedSkills returns the skills of a resume with one task.
func mentionedSkills(t *testing.T, x *Extractor, task string) []resume.Skill {
	t.Helper()
	text := "{20 bold} Marlow Quillfeather\n\n{14 bold} Experience\nAssociate, Bramble & Co    2019 - 2021\n- " + task
	return extract(t, x, resumetest.ParseDocument(text)).Skills
}

// pendingProse has the sentences that no rule reads rightly: a novelist is written like a product, and the taxonomy
// takes a single letter for a skill only in lists.
var pendingProse = []string{
	"Read Kafka in German seminars", "Wrote firmware in C for STM32 boards",
}

func TestMentionedSkills(t *testing.T) {
	x := newExtractor(t)
	for _, c := range readSkillCases(t, "prose.txt") {
		t.Run(c.text, func(t *testing.T) {
			missing, wrong := c.check(x, mentionedSkills(t, x, c.text), &skillTally{})
			if failed := len(missing)+len(wrong) > 0; failed != slices.Contains(pendingProse, c.text) {
				t.Errorf("missing %q, false %q", missing, wrong)
			}
		})
	}
}

func TestMentionedSkills_Unseen(t *testing.T) {
	x := newExtractor(t)
	var sum skillTally
	for _, c := range readSkillCases(t, "prose_unseen.txt") {
		c.check(x, mentionedSkills(t, x, c.text), &sum)
	}
	recall := sum.right / sum.wanted
	precision := 1 - sum.false/sum.found
	t.Logf("recall %.3f, precision %.3f", recall, precision)
	if recall < .93 || precision < .90 {
		t.Errorf("recall is %.3f, want .93 or more; precision is %.3f, want .90 or more", recall, precision)
	}
}

// A listed skill that is related makes a weak mention certain enough.
func TestMentionedSkills_Support(t *testing.T) {
	x := newExtractor(t)
	const job = "\n{14 bold} Experience\nAssociate, Bramble & Co    2019 - 2021\n" +
		"- Kept tableau boards in order over one winter"
	for _, c := range []struct {
		list string
		want bool
	}{{"Typography", false}, {"Looker", true}} {
		found := slices.ContainsFunc(listedSkills(t, x, c.list+job), func(s resume.Skill) bool { return s.ID == "tableau" })
		if found != c.want {
			t.Errorf("beside %q, tableau is found: %v, want %v", c.list, found, c.want)
		}
	}
}
