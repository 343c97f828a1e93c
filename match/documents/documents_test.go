package documents

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/internal/embedding"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/synthetic"
	"github.com/freelancer-matching/service/taxonomy"
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

var loadVectors = sync.OnceValues(embedding.Load)

// newPreparerWithVectors returns a Preparer that judges the listed skills by the built-in vectors.
func newPreparerWithVectors(t testing.TB) *Preparer {
	t.Helper()
	vectors, err := loadVectors()
	if err != nil {
		t.Fatal(err)
	}
	return NewPreparer(knownSkills(t), analysis.New(), vectors)
}

// prepareOne returns the document of a freelancer.
func prepareOne(t *testing.T, p *Preparer, f matching.Freelancer) *engine.Document {
	t.Helper()
	documents, err := p.Prepare(t.Context(), []matching.Freelancer{f})
	if err != nil {
		t.Fatal(err)
	}
	return documents[0]
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
		many := strings.Split(strings.Repeat("x", 3*MaxSkills), "")
		got := profileText(&matching.Freelancer{JobTitle: "Pilot"}, many, "")
		if n := strings.Count(got, "x"); n != MaxSkills {
			t.Errorf("%d skills, want the first %d", n, MaxSkills)
		}
	})
}

func BenchmarkPrepare(b *testing.B) {
	generator, err := synthetic.New()
	if err != nil {
		b.Fatal(err)
	}

	var people []matching.Freelancer
	for f := range generator.Freelancers(2000, 1) {
		people = append(people, f)
	}

	p := newPreparerWithVectors(b)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := p.Prepare(b.Context(), people[i%len(people):][:1]); err != nil {
			b.Fatal(err)
		}
	}
}
