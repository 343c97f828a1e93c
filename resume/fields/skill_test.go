package fields

import (
	"strings"
	"testing"
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
		{"other sections", "{14 bold} Projects\nA parser in Rust", "other: Rust"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got strings.Builder
			section := ""
			for _, s := range extract(t, x, parseDocument("{20 bold} Marlow Quillfeather\n\n"+c.text)).Skills {
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
