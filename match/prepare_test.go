package match

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/engine"
	"freelancer-matching/internal/analysis"
	"freelancer-matching/internal/matching"
	"freelancer-matching/internal/synthetic"
	"freelancer-matching/taxonomy"
)

var loadTaxonomy = sync.OnceValues(taxonomy.Load)

// knownSkills returns the taxonomy, which is loaded once for all tests.
func knownSkills(t testing.TB) *taxonomy.Taxonomy {
	t.Helper()
	skills, err := loadTaxonomy()
	if err != nil {
		t.Fatal(err)
	}
	return skills
}

func newPreparer(t testing.TB) *Preparer {
	t.Helper()
	return NewPreparer(knownSkills(t), analysis.New())
}

// A trade is no tool: an illustrator doesn't have Adobe Illustrator unless the profile says so.
func TestPrepare_Trades(t *testing.T) {
	const tool, trade = "adobe-illustrator", "illustration"
	tests := []struct {
		name             string
		freelancer       matching.Freelancer
		hasTool, isTrade bool
	}{
		{"title", matching.Freelancer{JobTitle: "Illustrator"}, false, true},
		{"title with a word", matching.Freelancer{JobTitle: "Freelance Illustrator"}, false, true},
		{"title repeated as a skill", matching.Freelancer{
			JobTitle: "Illustrator", Skills: []string{"Illustrator"},
		}, false, true},
		{"list of occupations", matching.Freelancer{Skills: []string{"Illustrator", "Digital artist"}}, false, true},
		{"list of tools", matching.Freelancer{
			JobTitle: "Illustrator", Skills: []string{"Illustrator", "Photoshop"},
		}, true, true},
		{"skill of a designer", matching.Freelancer{
			JobTitle: "Logo designer", Skills: []string{"Illustrator"},
		}, true, false},
		{"title with tools", matching.Freelancer{JobTitle: "Designer, Illustrator and Photoshop"}, true, false},
		{"description", matching.Freelancer{Description: "I am an illustrator and draw in ink."}, false, true},
		{"program in the description", matching.Freelancer{Description: "I draw logos in Illustrator."}, true, false},
	}
	p := newPreparer(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc, _, _ := p.prepare(tt.freelancer)
			has := func(id string) bool {
				return slices.ContainsFunc(doc.Skills, func(s engine.Skill) bool { return s.ID == id })
			}
			if has(tool) != tt.hasTool || tt.isTrade && !has(trade) {
				t.Errorf("skills are %v, want the tool: %t, the trade: %t", doc.Skills, tt.hasTool, tt.isTrade)
			}
		})
	}
}

// The title counts twice and the description once. Skills count once as listed and once as resolved, always under their
// canonical names.
func TestPrepare_Words(t *testing.T) {
	tests := []struct {
		name       string
		freelancer matching.Freelancer
		want       string // in any order
	}{
		{"title", matching.Freelancer{JobTitle: "Harbor pilot"}, "harbor pilot harbor pilot"},
		{"unknown skill", matching.Freelancer{Skills: []string{"Quillfeather basting"}}, "quillfeather basting"},
		{
			"known skill in two spellings",
			matching.Freelancer{Skills: []string{"k8s", "Kubernetes"}},
			"kubernetes kubernetes containerization",
		},
		{"implied skill", matching.Freelancer{Skills: []string{"ReactJS"}}, "react react javascript"},
		{"several skills in one name", matching.Freelancer{Skills: []string{"HTML/CSS"}}, "html html css css"},
		{
			"skill in the title",
			matching.Freelancer{JobTitle: "k8s pilot"},
			"k8s pilot k8s pilot kubernetes containerization",
		},
		{
			"skill in the description",
			matching.Freelancer{Description: "I run k8s at sea."},
			"run k8s sea kubernetes containerization",
		},
		{
			"everyday phrases",
			matching.Freelancer{JobTitle: "Go-To pilot", Description: "I excel at knots."},
			"pilot pilot knots",
		},
		{
			"markup",
			matching.Freelancer{
				JobTitle: "<b>Harbor</b>&nbsp;pilot", Skills: []string{"Quill &amp; basting"},
				Description: "<p>I run **k8s** at s\u00adea.</p>",
			},
			"harbor pilot harbor pilot quill basting run k8s sea kubernetes containerization",
		},
		{"empty", matching.Freelancer{}, ""},
	}

	p := newPreparer(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			documents, err := p.Prepare(t.Context(), []matching.Freelancer{test.freelancer})
			if err != nil {
				t.Fatal(err)
			}

			want := analysis.New().Append(nil, test.want)
			slices.Sort(want)
			got := slices.Sorted(slices.Values(documents[0].Terms))
			if diff := cmp.Diff(strings.Join(want, " "), strings.Join(got, " ")); diff != "" {
				t.Errorf("terms (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPrepare_CachesDoNotChangeDocuments(t *testing.T) {
	generator, err := synthetic.New()
	if err != nil {
		t.Fatal(err)
	}

	people := slices.Collect(generator.Freelancers(300, 7))
	people = append(people,
		matching.Freelancer{ID: "a", JobTitle: "CV writer (resumes) | Editor", Skills: []string{"CV", "ML", "ALPR"}},
		matching.Freelancer{ID: "b", JobTitle: "CV writer (resumes) | Editor", Skills: []string{"CV", "Cover Letter"}},
	)

	warm := newPreparer(t)
	if _, err := warm.Prepare(t.Context(), people); err != nil {
		t.Fatal(err)
	}

	cached, err := warm.Prepare(t.Context(), people)
	if err != nil {
		t.Fatal(err)
	}

	slices.Reverse(people) // so that other freelancers come first
	fresh, err := newPreparer(t).Prepare(t.Context(), people)
	if err != nil {
		t.Fatal(err)
	}

	slices.Reverse(fresh)
	if diff := cmp.Diff(fresh, cached); diff != "" {
		t.Errorf("documents with empty (-) and with full caches (+) differ:\n%s", diff)
	}
}

// The text to embed contains each skill once, under its canonical name.
func TestPrepare_ShortText(t *testing.T) {
	p := newPreparer(t)
	tests := []struct {
		name       string
		freelancer matching.Freelancer
		want       string
	}{
		{
			"title and skills",
			matching.Freelancer{JobTitle: "Pilot", Skills: []string{"ReactJS", "react", "k8s"}, Description: "Loves it."},
			"Pilot. React, Kubernetes",
		},
		{
			"title, skills and description", matching.Freelancer{
				JobTitle: "Pilot", Skills: []string{"ReactJS"}, Description: "Drones with cameras",
			}, "Pilot. React. drones cameras",
		},
		{"no title", matching.Freelancer{Skills: []string{"ReactJS"}, Description: "Loves it."}, "React"},
		{"no skills", matching.Freelancer{JobTitle: "Pilot", Description: "Loves it."}, "Pilot"},
		{"neither", matching.Freelancer{Description: " I steer ships. And lorem.\nAnd k8s."}, "ships k8s"},
		{"empty", matching.Freelancer{}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, got, _ := p.prepare(test.freelancer); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}

	t.Run("many skills", func(t *testing.T) {
		many := strings.Split(strings.Repeat("x", 3*shortSkills), "")
		got := profileText(&matching.Freelancer{JobTitle: "Pilot"}, many, "")
		if n := strings.Count(got, "x"); n != shortSkills {
			t.Errorf("%d skills, want the first %d", n, shortSkills)
		}
	})
}

func TestDemand_ShortText(t *testing.T) {
	skills := func(n int) (all []requirement) {
		for i := range n {
			name := string(rune('a' + i%26))
			all = append(all, requirement{id: name + string(rune('0'+i/26)), name: "as written", canonical: name})
		}
		return all
	}

	brief := matching.Brief{JobTitle: "Pilot wanted", Description: "Steer ships\nSoon."}
	tests := []struct {
		name    string
		brief   matching.Brief
		skills  []requirement // required skills first
		nice    int
		derived bool
		want    string
	}{
		{"all parts", brief, skills(3), 0, false, "Pilot wanted. Steer ships. Steer ships. a, b, c"},
		{
			"listed skills ordered by id", brief,
			[]requirement{{id: "2", canonical: "z"}, {id: "1", canonical: "y"}},
			0, false,
			"Pilot wanted. Steer ships. Steer ships. y, z",
		},
		{
			"derived skills in the order of the text", brief,
			[]requirement{{id: "2", canonical: "z"}, {id: "1", canonical: "y"}},
			0, true,
			"Pilot wanted. Steer ships. Steer ships. z, y",
		},
		{"nice-to-have skills are left out", brief, skills(3), 2, false, "Pilot wanted. Steer ships. Steer ships. a"},
		{
			"first derived skills only", brief,
			skills(derivedShortSkills + 1),
			0, true,
			"Pilot wanted. Steer ships. Steer ships. a, b, c, d, e",
		},
		{"no title", matching.Brief{Description: brief.Description}, nil, 0, false, "Steer ships. Steer ships"},
		{"skills only", matching.Brief{}, skills(1), 0, false, "a"},
		{"empty", matching.Brief{}, nil, 0, false, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := demand{
				skills: test.skills, required: len(test.skills) - test.nice, derived: test.derived,
				headline: headline(test.brief.Description),
			}
			if got := d.shortText(&test.brief); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}

	d := demand{skills: skills(shortSkills + 9), required: shortSkills + 9}
	if got := d.shortText(&matching.Brief{}); strings.Count(got, ", ") != shortSkills-1 {
		t.Errorf("%q: want %d skills", got, shortSkills)
	}
}

func TestService_Opening(t *testing.T) {
	service, _ := newServiceOf(t, func(func(matching.Freelancer) bool) {})
	tests := []struct{ name, description, want string }{
		{"no greeting", "Logo for a café. We open in May.", "Logo for a café."},
		{
			"unknown greeting",
			"Wishing all of you a splendid week so far!\nLogo for a café",
			"Logo for a café",
		},
		{"story", "I came across this site by chance. We open in May. Logo for a café.", "Logo for a café."},
		{"demand in the first person", "I need a React developer. Logo for a café.", "I need a React developer."},
		{"only stories", "We open in May. I paint. You sing. All dance. Logo for a café.", "We open in May."},
		{"empty", " ", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := service.opening(test.description); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestHeadline(t *testing.T) {
	words := strings.Repeat("word ", headlineWords)
	spaced := strings.Repeat("word \t ", headlineWords)
	tests := []struct{ name, description, want string }{
		{"first line", "\n  Logo for a café\r\nWith details.", "Logo for a café"},
		{"first sentence", "Logo for a café. With details.", "Logo for a café."},
		{"period within a word", "A Node.js app! Soon.", "A Node.js app!"},
		{"long sentence", words + "more", strings.TrimSpace(words)},
		{"repeated spaces", spaced + "more", strings.TrimSpace(spaced)},
		{"ideographs", "我们需要一个标志。用React。\n还有网站。", "我们需要一个标志。用React。"},
		{"no spaces", strings.Repeat("日", 1000), strings.Repeat("日", headlineBytes/3+1)},
		{"invalid UTF-8", "\xff\xfe logo\nmore", "\xff\xfe logo"},
		{"spaces", " \n\t", ""},
		{"empty", "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := headline(test.description); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestSplitWords(t *testing.T) {
	tests := []struct {
		text string
		want []string
	}{
		{"Logo,  for a café", []string{"Logo,", "for", "a", "café"}},
		{"使用React和TypeScript开发，熟悉C++", []string{"使用", "React", "和", "TypeScript", "开发", "熟悉", "C++"}},
		{"需要标志。", []string{"需要标志"}},
		{"日本", []string{"日本"}},
		{" \t", nil},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, splitWords(test.text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.text, diff)
		}
	}
}
