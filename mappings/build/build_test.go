package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/realdata"
	"github.com/freelancer-matching/service/mappings"
	"github.com/freelancer-matching/service/taxonomy"
)

// The embedded file must be the command's output for the current sources and curated files.
func TestBuild_MatchesEmbeddedFile(t *testing.T) {
	b, err := build(os.DirFS(realdata.Path(t, "skills")), os.DirFS("../curated"))
	if err != nil {
		t.Fatal(err)
	}
	file, err := b.data().Encode()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(file, mappings.Taxonomy()) {
		t.Error("mappings/taxonomy.v1.gz is out of date: run the build command in mappings/README.md")
	}
}

// buildCurated builds a taxonomy from one file of skills and one of rules.
func buildCurated(tb testing.TB, skills, rules string) (*builder, error) {
	tb.Helper()
	b := newBuilder()
	err := readCurated(b, fstest.MapFS{
		"a.skills":  {Data: []byte(skills)},
		"rules.txt": {Data: []byte(rules)},
	})
	if err == nil {
		err = b.link()
	}
	if err == nil {
		err = b.check()
	}
	return b, err
}

func TestReadCurated_Skills(t *testing.T) {
	b, err := buildCurated(t, `
## Web [tech]
@frameworks
React! = ReactJS; UI*; +Next.js (Next) > JavaScript ~ Redux
Vue > JavaScript
@
Redux < JavaScript
JavaScript = JS; +Copy & Paste (Cut and paste, Pasting)
`, "# a comment\ncontext tech strong: developer\nphrase react to; react with\n")
	if err != nil {
		t.Fatal(err)
	}

	var got []string
	for _, e := range b.data().Entries {
		var labels []string
		for _, l := range e.Labels {
			labels = append(labels, l.Text+string(rune(l.Mode)))
		}

		got = append(got, strings.Join([]string{
			e.ID, e.Family, strings.Join(labels, "|"),
			strings.Join(e.Implies, " "), strings.Join(e.Broader, " "), strings.Join(e.Related, " "),
		}, "/"))
	}

	want := []string{
		"copy-and-paste//Copy & Paste |Cut and paste |Cut & paste |Pasting |Copy and Paste /javascript//",
		"javascript//JavaScript |JS ///",
		"next-js/frameworks/Next.js |Next /javascript react//",
		"react/frameworks/React!|ReactJS |UI*/javascript//redux",
		"redux//Redux //javascript/",
		"vue/frameworks/Vue /javascript//",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}

	if diff := cmp.Diff([]string{"react to", "react with"}, b.phrases); diff != "" {
		t.Errorf("phrases (-want +got):\n%s", diff)
	}
}

func TestReadCurated_NamesAndRules(t *testing.T) {
	b := newBuilder()
	err := readCurated(b, fstest.MapFS{
		"a.skills": {Data: []byte(`
## Tools [creative]
AI
Adobe Illustrator!
Design*
Architecture*
%language Spanish
Translation
`)},
		"b.names": {Data: []byte("Adobe Illustrator = Ai CC*; Zeichnen\n")},
		"rules.txt": {Data: []byte(`
sense AI = Adobe Illustrator: eps svg
trade Zeichnen = Architecture: drafter
trade Spanish
language Spanish: es Español
generic AI
specific Architecture
drop vectors
`)},
	})
	if err == nil {
		err = b.link()
	}

	if err != nil {
		t.Fatal(err)
	}

	b.addSynonym(b.find("Adobe Illustrator"), "Vectors", taxonomy.Never)

	if b.find("Vectors") != nil {
		t.Error("a source added a dropped name to Adobe Illustrator")
	}

	d := b.data()
	senses := []taxonomy.Sense{
		{Name: "AI", Skill: "adobe-illustrator", Words: []string{"eps", "svg"}},
		{Name: "Zeichnen", Skill: "architecture", Words: []string{"drafter"}, Trade: true},
		{Name: "Spanish", Trade: true},
	}
	if diff := cmp.Diff(senses, d.Senses); diff != "" {
		t.Errorf("senses (-want +got):\n%s", diff)
	}

	words := []taxonomy.LanguageWord{
		{Word: "spanish", Language: "spanish"},
		{Word: "es", Language: "spanish"},
		{Word: "espanol", Language: "spanish"},
	}
	if diff := cmp.Diff(words, d.Languages); diff != "" {
		t.Errorf("language words (-want +got):\n%s", diff)
	}

	generic := make(map[string]bool)
	for _, e := range d.Entries {
		generic[e.ID] = e.Generic
		if e.ID == "adobe-illustrator" && len(e.Labels) != 3 {
			t.Errorf("Adobe Illustrator has the names %v, want 3", e.Labels)
		}
	}

	want := map[string]bool{
		"ai":                  true,
		"design":              true,
		"architecture":        false,
		"adobe-illustrator":   false,
		"spanish":             false,
		"spanish-translation": false,
		"translation":         false,
	}
	if diff := cmp.Diff(want, generic); diff != "" {
		t.Errorf("generic (-want +got):\n%s", diff)
	}
}

func TestReadCurated_Errors(t *testing.T) {
	tests := []struct{ name, skills, rules, want string }{
		{"no category", "Go\n", "", "before the first category"},
		{"no group", "## Web\n", "", "needs a group"},
		{"duplicate skill", "## Web [tech]\nGo\ngo\n", "", "duplicate skill"},
		{"duplicate id", "## Web [tech]\nC++\nC plus plus\n", "", "have the same id"},
		{"unknown relation", "## Web [tech]\nNext.js > React\n", "", "unknown skill"},
		{"circular implications", "## Web [tech]\nA1 > B1\nB1 > A1\n", "", "circular implications"},
		{"family of one skill", "## Web [tech]\n@alone\nGo\n", "", "has only one skill"},
		{"implied sibling", "## Web [tech]\n@pair\nA1 > B1\nB1\n", "", "in the same family"},
		{"unknown kind of rule", "## Web [tech]\nGo\n", "rule x\n", "unknown kind of rule"},
		{"sense without words", "## Web [tech]\nGo\n", "sense Go = Go\n", "a sense rule needs"},
		{"sense of an unknown skill", "## Web [tech]\nGo\n", "sense Go = Rust: cargo\n", "an unknown skill"},
		{"trade that is no name", "## Web [tech]\nGo\n", "trade Cook\n", "is not the name of a skill"},
		{"language without words", "## Web [tech]\nGo\n", "language Go\n", "a language rule needs"},
		{"not a language", "## Web [tech]\nGo\n", "language Go: go\n", "not a language skill"},
		{"unknown generic skill", "## Web [tech]\nGo\n", "generic Rust\n", "unknown skill"},
		{"redundant rule", "## Web [tech]\nGo\n", "specific Go\n", "redundant rule"},
		{"context without words", "## Web [tech]\nGo\n", "context tech\n", "a context rule needs"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := buildCurated(t, tt.skills, tt.rules); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error is %v, want one that contains %q", err, tt.want)
			}
		})
	}
}

func TestSlug(t *testing.T) {
	for name, want := range map[string]string{
		"C++":     "c-plus-plus",
		"C#":      "c-sharp",
		".NET":    "dot-net",
		"R&D Lab": "r-and-d-lab",
		"Node.js": "node-js",
	} {
		if got := slug(name); got != want {
			t.Errorf("slug(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestIsSoftwareKind(t *testing.T) {
	for name, want := range map[string]bool{
		"Word processing software": true,
		"Online databases":         true,
		"Microsoft Word":           false,
		"Tableau":                  false,
	} {
		if got := isSoftwareKind(name); got != want {
			t.Errorf("isSoftwareKind(%q) = %t, want %t", name, got, want)
		}
	}
}

func TestJobTitle(t *testing.T) {
	for title, want := range map[string]string{
		"web developer":                 "Web Developer",
		"CEO (Chief Executive Officer)": "CEO",
		"director of operations":        "Director of Operations",
		"1st Assistant":                 "",
		"one two three four five":       "",
	} {
		if got := jobTitle(title); got != want {
			t.Errorf("jobTitle(%q) = %q, want %q", title, got, want)
		}
	}
}

func TestShortForms(t *testing.T) {
	b := newBuilder()
	b.vendors = []string{"Microsoft"}
	if _, err := b.add("Excel", "Office", taxonomy.Context); err != nil {
		t.Fatal(err)
	}

	for name, want := range map[string][]string{
		"Microsoft Excel": {"Microsoft Excel", "Microsoft Excel", "Excel", ""},
		"Structured query language SQL": {
			"Structured query language SQL", "Structured query language SQL", "Structured query language", "SQL",
		},
		"Amazon Web Services AWS software": {
			"Amazon Web Services AWS", "Amazon Web Services AWS software", "Amazon Web Services", "AWS",
		},
	} {
		forms, acronym := b.shortForms(name)
		if diff := cmp.Diff(want, append(forms, acronym)); diff != "" {
			t.Errorf("shortForms(%q) (-want +got):\n%s", name, diff)
		}
	}
}

func TestRun_WithoutSources(t *testing.T) {
	var stdout, stderr strings.Builder
	if code := run(nil, &stdout, &stderr); code != 2 || !strings.Contains(stderr.String(), "-sources is missing") {
		t.Errorf("run() = %d, %q", code, stderr.String())
	}
}
