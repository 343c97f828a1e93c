package taxonomy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/taxonomy"
)

// with returns the taxonomy extended by the skills of a file.
func with(tb testing.TB, file string) (*taxonomy.Taxonomy, error) {
	tb.Helper()
	own, err := taxonomy.ParseOwn([]byte(file))
	if err != nil {
		return nil, err
	}
	return load(tb).With(own)
}

func mustWith(tb testing.TB, file string) *taxonomy.Taxonomy {
	tb.Helper()
	t, err := with(tb, file)
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

const ownFile = taxonomy.OwnHeader + "\r\n" +
	"Kintsugi\tDesign\tIllustration; Gold Leafing\tkintsukuroi; golden joinery!; 金継ぎ\r\n" +
	"Gold Leafing\tDesign\t\tGilding work*\n" +
	"\n  \n" +
	"React\t\t\tRéaction-JS; Reakt\n" +
	"Zorbing*\tLanguages"

func TestWith(t *testing.T) {
	tax := mustWith(t, "\ufeff"+ownFile)
	for name, want := range map[string]string{
		"kintsugi": "own-kintsugi", "Golden  Joinery": "own-kintsugi", "金継ぎ": "own-kintsugi",
		"gilding works": "own-gold-leafing", "Kintsugi expert": "own-kintsugi", "reaction js": "react", "REAKT": "react",
		"ReactJS": "react", "zorbing": "own-zorbing", "k8s": "kubernetes", "C++": "c-plus-plus",
	} {
		if r := tax.Resolve(name); r.ID != want || !r.Known {
			t.Errorf("%q resolves to %+v, want %s", name, r, want)
		}
	}

	s, _ := tax.Skill("own-kintsugi")
	illustration, _ := tax.Named("Illustration")
	want := taxonomy.Skill{
		ID: "own-kintsugi", Name: "Kintsugi", Category: "Design", Broader: []string{illustration.ID, "own-gold-leafing"},
		Synonyms: []string{"kintsukuroi", "golden joinery", "金継ぎ"},
	}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Error(diff)
	}

	react, _ := tax.Skill("react")
	if !slices.Contains(react.Synonyms, "Reakt") || !slices.Contains(react.Synonyms, "ReactJS") {
		t.Errorf("React has the synonyms %q", react.Synonyms)
	}

	if got := tax.Suggest("kintsugy", 1); !slices.Equal(got, []string{"Kintsugi"}) {
		t.Errorf("Suggest(kintsugy) = %q", got)
	}

	var found []string
	const text = "We need Kintsugi and reakt. The joinery of life is golden joinery! Zorbing, gilding work.\n" +
		"Skills: golden joinery, Illustration"
	for _, m := range tax.Extract(text) {
		found = append(found, m.ID)
	}

	if diff := cmp.Diff([]string{"own-kintsugi", "react", "own-kintsugi", "illustration"}, found); diff != "" {
		t.Errorf("extracted (-want +got):\n%s", diff)
	}

	byID := func(a, b taxonomy.Skill) int { return strings.Compare(a.ID, b.ID) }
	if !slices.IsSortedFunc(slices.Collect(tax.Skills()), byID) {
		t.Error("the skills are not sorted by id")
	}
}

// Own skills change nothing about the skills of the taxonomy.
func TestWith_KeepsTheTaxonomy(t *testing.T) {
	base := load(t)
	tax := mustWith(t, ownFile)
	if tax.Len() != base.Len()+3 {
		t.Errorf("%d skills, want 3 more than the %d of the taxonomy", tax.Len(), base.Len())
	}

	for s := range base.Skills() {
		got, ok := tax.Skill(s.ID)
		if s.ID == "react" {
			got.Synonyms = got.Synonyms[:len(s.Synonyms)]
		}

		if diff := cmp.Diff(s, got); !ok || diff != "" {
			t.Fatalf("%s: %t\n%s", s.ID, ok, diff)
		}

		for _, name := range append([]string{s.Name}, s.Synonyms...) {
			if r := tax.Resolve(name); r.ID != s.ID {
				t.Errorf("%q, a name of %q, resolves to %+v", name, s.ID, r)
			}
		}
	}

	const text = "Senior React and Go developer; AI, EPS or PSD files. We excel at go to market. " +
		"EN-PT translation, C# and R."
	if diff := cmp.Diff(base.Extract(text), tax.Extract(text)); diff != "" {
		t.Errorf("extracted (-before +after):\n%s", diff)
	}

	if _, known := base.Named("Kintsugi"); known || base.Version() == tax.Version() {
		t.Error("With changed the taxonomy it extends")
	}
}

// The version identifies the own skills, so that data prepared with other skills is recognized.
func TestWith_Version(t *testing.T) {
	base := load(t)
	first := mustWith(t, ownFile).Version()
	lines := strings.Split(strings.ReplaceAll(strings.TrimPrefix(ownFile, taxonomy.OwnHeader), "\r", ""), "\n")
	slices.Reverse(lines)
	reversed := mustWith(t, strings.Join(lines, "\n")).Version()
	if reversed != first || !strings.HasPrefix(first, base.Version()+"+") {
		t.Errorf("the same skills have the versions %q and %q", first, reversed)
	}
	if other := mustWith(t, ownFile+"\t\tzorb").Version(); other == first {
		t.Errorf("the version is still %q after adding a synonym", other)
	}
	if same := mustWith(t, taxonomy.OwnHeader); same.Version() != base.Version() {
		t.Error("a file without skills changes the version")
	}
}

func TestWith_RejectsInvalidFiles(t *testing.T) {
	long := strings.Repeat("x", 101)
	for _, tt := range []struct{ name, file, want string }{
		{"another skill's synonym", "ReactJS\tDesign", `line 1: "ReactJS" is already a synonym of React`},
		{
			"a synonym of another skill", "# comment\n\nKintsugi\tDesign\t\tGolang",
			`line 3: "Golang" is already a name of Go in the taxonomy`,
		},
		{"an existing synonym", "React\t\t\tReactJS", `"ReactJS" is already a name of React in the taxonomy`},
		{"nothing to add", "React", "no synonyms to add"},
		{"another category", "React\tDesign\t\tReakt", "leave category and broader skills empty"},
		{"no category", "Kintsugi", `"" is not a category; use one of 3D, Administration`},
		{"a misspelled category", "Kintsugi\tDesing", `"Desing" is not a category; did you mean Design?`},
		{
			"an unknown broader skill", "Kintsugi\tDesign\tIllustratoin",
			`the broader skill "Illustratoin" is neither in the taxonomy nor in this file; did you mean Illustration?`,
		},
		{"broader than itself", "Kintsugi\tDesign\tkintsugi", "cannot be broader than itself"},
		{"a skill listed twice", "Kintsugi\tDesign\nkintsugi\tDesign", `line 2: "kintsugi" is`},
		{"a synonym listed twice", "Kintsugi\tDesign\t\tKin; kin", `"kin" is listed twice`},
		{
			"a synonym of two own skills", "Kintsugi\tDesign\t\tKin\nZorbing\tDesign\t\tKin",
			`line 2: "Kin" is already a name of Kintsugi in this file`,
		},
		{"an everyday phrase", "Go to market\tDesign", "is an everyday phrase"},
		{"no letters", "???\tDesign", `"???" is not a valid name`},
		{"an empty name", "\tDesign", "has 0 characters"},
		{"too long", long + "\tDesign", "has 101 characters; it must have 1 to 100"},
		{"too many columns", "a\tb\tc\td\te", "5 columns"},
		{"a control character", "Kin\x00tsugi\tDesign", "control characters"},
		{"another encoding", "Caf\xe9\tDesign", "UTF-8"},
		{"too large", strings.Repeat("#\n", 3<<20), "larger than 4 MiB"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := with(t, tt.file); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %s", err, tt.want)
			}
		})
	}

	_, err := with(t, "ReactJS\tDesign\nKintsugi\tNone\nZorbing\tDesign\tNobody\n")
	for line := range 3 {
		if want := fmt.Sprintf("line %d: ", line+1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want it to mention %s", err, want)
		}
	}
}

func TestCategories(t *testing.T) {
	all := load(t).Categories()
	if len(all) < 30 || !slices.IsSorted(all) || !slices.Contains(all, "Web development") || slices.Contains(all, "") {
		t.Errorf("Categories() = %q", all)
	}
}

// Writing a parsed skill and parsing it again gives the same skill.
func FuzzParseOwn(f *testing.F) {
	for _, seed := range []string{ownFile, "a\tb\tc;;d\t e! ; f* ", "!\tDesign", "x**\tDesign\n#\n", "\t\t\t", "a!*\t"} {
		f.Add(seed)
	}
	base := load(f)
	f.Fuzz(func(t *testing.T, file string) {
		own, err := taxonomy.ParseOwn([]byte(file))
		if err != nil {
			return
		}

		for _, s := range own {
			reparsed, err := taxonomy.ParseOwn([]byte(s.String()))
			if err != nil || len(reparsed) != 1 {
				t.Fatalf("%q becomes %q: %v", s, reparsed, err)
			}
			reparsed[0].Line = s.Line
			if diff := cmp.Diff(s, reparsed[0]); diff != "" {
				t.Error(diff)
			}
		}

		if len(own) > 20 {
			return
		}

		if tax, err := base.With(own); err == nil {
			for _, s := range own {
				if named, ok := tax.Named(s.Name.Text); !ok || taxonomy.Key(named.Name) != taxonomy.Key(s.Name.Text) {
					t.Errorf("Named(%q) = %+v", s.Name.Text, named)
				}
			}
		}
	})
}
