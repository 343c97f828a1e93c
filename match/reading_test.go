package match_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
)

// Markup, greetings and polite phrases change nothing in an answer: neither scores nor explanations nor derived skills.
func TestMatch_ReadsOnlyWhatIsAboutTheWork(t *testing.T) {
	w := newWorld(t,
		matching.Freelancer{ID: "go", JobTitle: "Backend developer", Skills: []string{"Go", "PostgreSQL"}},
		matching.Freelancer{ID: "shop", JobTitle: "Shop developer", Description: "Everyone says hello to my React work."},
		matching.Freelancer{ID: "div", JobTitle: "HTML developer", Description: "I center a div, a span and other " +
			"markup."},
	)

	plain := matching.Brief{
		JobTitle: "Backend developer", Description: "A Go service for our online shop\nIt stores orders in PostgreSQL.",
		RequiredSkills: []string{"R&D", "C++"}, Explain: true, Limit: 10,
	}

	derived := plain
	derived.RequiredSkills = nil
	tests := []struct{ name, title, description string }{
		{
			"HTML",
			"<b>Backend</b> developer",
			"<p>A Go service for our online shop</p><p>It stores orders in PostgreSQL.</p>",
		},
		{
			"entities and spaces",
			"Backend&nbsp;developer",
			"A  Go\u00a0service for our online\u200b shop\r\nIt stores orders in PostgreSQL.",
		},
		{"Markdown", "**Backend developer**", "# A Go service for our online shop\n* It stores orders in `PostgreSQL`."},
		{
			"greeting",
			"Hello, Backend developer",
			"Hello everyone,\n\nA Go service for our online shop\nIt stores orders in PostgreSQL.",
		},
		{"sign-off", "Backend developer", "A Go service for our online shop\nIt stores orders in PostgreSQL. " +
			"Thanks in advance!\n" +
			"Best regards,\nMaria Keller\nShop owner"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, b := range []matching.Brief{plain, derived} {
				want := w.match(b)
				sent := b
				sent.JobTitle = test.title
				sent.Description = test.description
				if diff := cmp.Diff(want, w.match(sent)); diff != "" {
					t.Errorf("skills %q (-plain +%s):\n%s", b.RequiredSkills, test.name, diff)
				}
			}
		})
	}
}

// A skill is matched without its markup and reported as the client wrote it.
func TestMatch_SkillsWithMarkup(t *testing.T) {
	w := newWorld(t, matching.Freelancer{ID: "a", Skills: []string{"Research &amp; Development", "C++"}})
	a := w.match(matching.Brief{RequiredSkills: []string{"<li>C++</li>", " Research\u00a0&amp; Development"}})
	m := find(t, a, "a")
	if diff := cmp.Diff([]string{"<li>C++</li>", " Research\u00a0&amp; Development"}, m.MatchedSkills); diff != "" {
		t.Errorf("matched skills (-want +got):\n%s", diff)
	}
}

// Filters are suggested from the whole text, also from phrases that the search leaves out.
func TestMatch_SuggestsFiltersFromPoliteClauses(t *testing.T) {
	w := newWorld(t, matching.Freelancer{ID: "a", Skills: []string{"Go"}})
	a := w.match(matching.Brief{Description: "<p>A Go service.</p><p>My budget is at most $40 per hour, " +
		"negotiable.</p>"})
	if len(a.SuggestedFilters) != 1 || a.SuggestedFilters[0].Filter != "max_hourly_rate" {
		t.Errorf("suggested filters: %+v", a.SuggestedFilters)
	}
}

// A "Go-To person" has no word in common with Go developers.
func TestMatch_EverydayPhrasesAreNoSkills(t *testing.T) {
	w := newWorld(t, matching.Freelancer{ID: "go", JobTitle: "Backend developer", Skills: []string{"Go"}})
	for description, want := range map[string]bool{"Our Go-To person\nBakery": false, "Service in Go\nBakery": true} {
		a := w.match(matching.Brief{Description: description, Explain: true, Limit: 10})
		got := false
		for _, m := range a.Matches {
			for _, f := range m.Explanation {
				got = got || f.Name == "text" && f.Value > 0
			}
		}
		if got != want {
			t.Errorf("%q has words in common with a Go developer: %v, want %v", description, got, want)
		}
	}
}
