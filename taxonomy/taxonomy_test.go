package taxonomy_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/taxonomy"
)

func skills(tb testing.TB, tax *taxonomy.Taxonomy) []taxonomy.Skill {
	tb.Helper()
	all := slices.Collect(tax.Skills())
	if len(all) != tax.Len() || len(all) < 8000 {
		tb.Fatalf("Skills yields %d skills and Len is %d, want both equal and at least 8,000", len(all), tax.Len())
	}
	return all
}

// Every name means its own skill and no other.
func TestData_Names(t *testing.T) {
	tax := load(t)
	for _, s := range skills(t, tax) {
		for _, name := range append([]string{s.Name}, s.Synonyms...) {
			if r := tax.Resolve(name); r.ID != s.ID || r.Name != s.Name || !r.Known {
				t.Errorf("%q, a name of %q, resolves to %+v", name, s.ID, r)
			}
		}
	}
}

// Every relation refers to a skill, and implications are transitive and acyclic.
func TestData_Relations(t *testing.T) {
	tax := load(t)
	families := make(map[string]int)
	for _, s := range skills(t, tax) {
		if s.Family != "" {
			families[s.Family]++
		}

		for _, id := range slices.Concat(s.Broader, s.Related, s.Implies) {
			if _, ok := tax.Skill(id); !ok || id == s.ID {
				t.Errorf("%q refers to %q", s.ID, id)
			}
		}

		for _, id := range s.Implies {
			implied, _ := tax.Skill(id)
			for _, indirect := range implied.Implies {
				if indirect == s.ID || !slices.Contains(s.Implies, indirect) {
					t.Errorf("%q implies %q, which implies %q", s.ID, id, indirect)
				}
			}
		}
	}

	for family, members := range families {
		if members < 2 {
			t.Errorf("family %q has one member", family)
		}
	}
}

func TestSkill(t *testing.T) {
	tax := load(t)
	got, ok := tax.Skill("next-js")
	if !ok || got.Name != "Next.js" || got.Family != "meta-frameworks" {
		t.Fatalf("Skill(next-js) = %+v, %t", got, ok)
	}
	if diff := cmp.Diff([]string{"javascript", "react"}, got.Implies); diff != "" {
		t.Errorf("Implies (-want +got):\n%s", diff)
	}
	if s, _ := tax.Skill("react"); s.Family != "frontend-frameworks" || slices.Contains(s.Implies, "next-js") {
		t.Errorf("Skill(react) = %+v", s)
	}
	if s, ok := tax.Skill("no-such-skill"); ok {
		t.Errorf("Skill(no-such-skill) = %+v", s)
	}
}

// A skill that says little about a brief is generic.
func TestGeneric(t *testing.T) {
	tax := load(t)
	for _, name := range []string{
		"Debugging", "Communication", "Research", "Technical Documentation", "Testing", "Project Management", "Microsoft",
		"Design", "Management",
	} {
		if s, _ := tax.Skill(tax.Resolve(name).ID); !s.Generic {
			t.Errorf("%q is not generic: %+v", name, s)
		}
	}
	for _, name := range []string{
		"Python", "Architecture", "Logo Design", "Bookkeeping", "Spanish Translation", "Anthropology", "SEO",
	} {
		if s, ok := tax.Skill(tax.Resolve(name).ID); s.Generic || !ok {
			t.Errorf("%q is generic: %+v", name, s)
		}
	}
}

func TestSuggest(t *testing.T) {
	tax := load(t)
	tests := []struct{ name, want string }{
		{"Javascritp", "JavaScript"},
		{"pyhton", "Python"},
		{"kuberntes", "Kubernetes"},
		{"Photoshp", "Adobe Photoshop"},
		{"wordpres", "WordPress"},
		{"copywritting", "Copywriting"},
		{"bookeeping", "Bookkeeping"},
		{"pytho", "Python"},
	}
	for _, tt := range tests {
		if got := tax.Suggest(tt.name, 5); len(got) == 0 || got[0] != tt.want || len(got) > 5 {
			t.Errorf("Suggest(%q) = %q, want %q first", tt.name, got, tt.want)
		}
	}

	for _, name := range []string{"", "!!", "qzxwvqzxwvqzxwv", strings.Repeat("long", 100)} {
		if got := tax.Suggest(name, 5); len(got) != 0 {
			t.Errorf("Suggest(%q) = %q, want no suggestions", name, got)
		}
	}

	if got := tax.Suggest("javascript", 0); len(got) != 0 {
		t.Errorf("Suggest(javascript, 0) = %q", got)
	}
}

func TestJobTitle(t *testing.T) {
	tax := load(t)
	tests := []struct{ name, want string }{
		{"software engineer", "Software Engineer"},
		{"Senior Software Engineers", "Software Engineer"},
		{"virtual-assistant", "Virtual Assistant"},
		{"Graphic designer", "Graphic Designer"},
		{"Sr. QA engineer", "QA Engineer"},
		{"UI/UX designer", "UI/UX Designer"},
		{"banana", ""},
		{"", ""},
		{"senior", ""},
	}
	for _, tt := range tests {
		if got, ok := tax.JobTitle(tt.name); got != tt.want || ok != (tt.want != "") {
			t.Errorf("JobTitle(%q) = %q, %t, want %q", tt.name, got, ok, tt.want)
		}
	}
}

func TestParse_RejectsCorruptFiles(t *testing.T) {
	good, err := (&taxonomy.Data{
		Entries: []taxonomy.Entry{{ID: "go", Name: "Go", Labels: []taxonomy.Label{{Text: "Go", Mode: taxonomy.Always}}}},
	}).Encode()
	if err != nil {
		t.Fatal(err)
	}
	if tax, err := taxonomy.Parse(good); err != nil || tax.Len() != 1 || tax.Resolve("GO").ID != "go" {
		t.Fatalf("Parse(good) failed: %v", err)
	}
	for _, bad := range [][]byte{nil, []byte("text"), good[:len(good)/2]} {
		if _, err := taxonomy.Parse(bad); err == nil {
			t.Errorf("Parse(%q) returned no error", bad)
		}
	}
}

func TestParse_RejectsSensesOfUnknownSkills(t *testing.T) {
	file, err := (&taxonomy.Data{
		Entries: []taxonomy.Entry{{ID: "ai", Name: "AI", Labels: []taxonomy.Label{{Text: "AI", Mode: taxonomy.Always}}}},
		Senses:  []taxonomy.Sense{{Name: "AI", Skill: "illustrator", Words: []string{"eps"}}},
	}).Encode()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := taxonomy.Parse(file); err == nil {
		t.Error("Parse returned no error for a sense of a skill that does not exist")
	}
}

func TestVersion_ChangesWithData(t *testing.T) {
	version := func(name string) string {
		file, err := (&taxonomy.Data{
			Entries: []taxonomy.Entry{{ID: "x", Name: name, Labels: []taxonomy.Label{{Text: name, Mode: taxonomy.Always}}}},
		}).Encode()
		if err != nil {
			t.Fatal(err)
		}
		tax, err := taxonomy.Parse(file)
		if err != nil {
			t.Fatal(err)
		}
		return tax.Version()
	}
	if first, second := version("Go"), version("Go"); first != second || first == version("Rust") {
		t.Errorf("versions: %q, %q, %q", version("Go"), version("Go"), version("Rust"))
	}
}

func TestNamed(t *testing.T) {
	tax := load(t)
	for name, want := range map[string]string{
		"ReactJS": "React", "react js": "React", "C++": "C++", "c #": "C#", ".net": ".NET", "ＨＴＭＬ": "HTML",
		"diseño gráfico": "Graphic Design", "React 18": "", "React coder": "", "Reactt": "", "": "", "???": "", "+": "",
	} {
		if got, ok := tax.Named(name); got.Name != want || ok != (want != "") {
			t.Errorf("Named(%q) = %q, want %q", name, got.Name, want)
		}
	}
}

func TestNamesJob(t *testing.T) {
	tax := load(t)
	for name, want := range map[string]bool{
		"Photographer": true, "kubernetes engineers": true, "SEO Specialist": true, "C++ Developer": true,
		"Tech lead": true, "Adobe Illustrator": true, "Photography": false, "React": false, "Developer relations": false,
		"C++": false, "lead": false, "": false,
	} {
		if got := tax.NamesJob(name); got != want {
			t.Errorf("NamesJob(%q) = %t", name, got)
		}
	}
}

func TestWithoutSeniority(t *testing.T) {
	tax := load(t)
	for title, want := range map[string]string{
		"Senior React Developer": "React Developer", "Sr. Level 3D Artist": "3D Artist",
		"Lead Generation Specialist": "Lead Generation Specialist",
		"  senior   C++  Developer ": "C++ Developer", "Senior": "Senior", "": "", "Developer": "Developer",
	} {
		if got := tax.WithoutSeniority(title); got != want {
			t.Errorf("WithoutSeniority(%q) = %q, want %q", title, got, want)
		}
	}
}

func TestJobTitles_AllAreKnown(t *testing.T) {
	tax := load(t)
	n := 0
	for title := range tax.JobTitles() {
		if n++; n%500 != 0 {
			continue
		}
		if got, ok := tax.JobTitle(title); !ok || got != title {
			t.Errorf("JobTitle(%q) = %q", title, got)
		}
	}
	if n < 50_000 {
		t.Errorf("%d job titles, want at least 50,000", n)
	}
}
