package ranking_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/ranking"
)

var update = flag.Bool("update", false, "rewrite the golden rankings")

// scenario is a brief with a few freelancers, small enough for a person to say what the order should be.
type scenario struct {
	name        string
	brief       string // in words
	expect      string // what the ranking should show, and why
	profile     string
	weights     map[string]float64
	request     ranking.Request
	freelancers []ranking.Candidate
}

// TestRank_Golden compares whole rankings and their explanations with testdata/golden. Any change of a number shows up
// there as a difference to review.
func TestRank_Golden(t *testing.T) {
	names := map[string]bool{}
	for _, sc := range scenarios() {
		names[sc.name+".txt"] = true
		t.Run(sc.name, func(t *testing.T) {
			got := sc.play(t)
			path := filepath.Join("testdata", "golden", sc.name+".txt")
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}

			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("ranking (-want +got), run with -update and review:\n%s", diff)
			}
		})
	}

	files, err := os.ReadDir(filepath.Join("testdata", "golden"))
	if err != nil {
		t.Fatal(err)
	}

	for _, file := range files {
		if !names[file.Name()] {
			t.Errorf("golden file %s has no scenario", file.Name())
		}
	}
}

// play ranks the scenario's freelancers and returns a readable report.
func (sc *scenario) play(t *testing.T) []byte {
	t.Helper()
	p, faults := load(t, sc.profile).WithWeights(sc.weights)
	if len(faults) > 0 {
		t.Fatal(faults)
	}

	s := p.Scorer(sc.request)
	ranked := s.Rank(sc.freelancers)
	explained := make([]ranking.Explained, len(ranked))
	for i, r := range ranked {
		explained[i] = s.Explain(&sc.freelancers[r.Index])
	}

	var b bytes.Buffer
	fmt.Fprintf(&b, "brief:   %s\nexpect:  %s\nprofile: %s\n", sc.brief, sc.expect, p.Name)
	for _, skipped := range s.Skipped() {
		fmt.Fprintf(&b, "skipped: %s: %s\n", skipped.Feature, skipped.Reason)
	}

	b.WriteByte('\n')

	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(table, "rank\tscore\tlevel\t")
	for _, f := range explained[0].Features {
		fmt.Fprintf(table, "%s\t", f.Name)
	}

	fmt.Fprint(table, "  freelancer\n\t\tweight\t")
	for _, f := range explained[0].Features {
		fmt.Fprintf(table, "%.3f\t", f.Weight)
	}

	fmt.Fprintln(table)

	for i, e := range explained {
		fmt.Fprintf(table, "%d\t%.6f\t%s\t", i+1, e.Score, e.Level)
		for _, f := range e.Features {
			fmt.Fprintf(table, "%.6f\t", f.Contribution)
		}
		fmt.Fprintf(table, "  %s\n", sc.freelancers[ranked[i].Index].ID)
	}

	table.Flush()

	for i, e := range explained {
		fmt.Fprintf(&b, "\n%d. %s\n", i+1, sc.freelancers[ranked[i].Index].ID)
		for _, f := range e.Features {
			fmt.Fprintf(&b, "   %-10s  %.2f  %s\n", f.Name, f.Value, f.Summary)
		}

		for _, a := range e.Adjustments {
			fmt.Fprintf(&b, "   score     × %.2f  %s\n", a.Factor, a.Reason)
		}

		if e.Estimate != (matching.Estimate{}) {
			fmt.Fprintf(&b, "   estimate          %v h, %v days, cost %v\n",
				e.Estimate.Hours, e.Estimate.Days, e.Estimate.Cost)
		}
	}

	return b.Bytes()
}

// evidence parses one letter per skill: Listed, Implied, in Title, in Description, Related, "-" for none.
func evidence(letters string) []matching.Evidence {
	var es []matching.Evidence
	for _, letter := range letters {
		es = append(es, matching.Evidence(slices.Index([]rune("-RDTIL"), letter)))
	}
	return es
}

// signals parses "years rate rating sales available"; "?" stands for unknown.
func signals(facts string) (sig matching.Signals) {
	fields := strings.Fields(facts)
	scan(fields[0], &sig.Experience)
	scan(fields[1], &sig.HourlyRate)
	scan(fields[2], &sig.Rating)
	scan(fields[3], &sig.TotalSales)
	scan(fields[4], &sig.Availability)
	return sig
}

func scan[T any](field string, to *matching.Optional[T]) {
	if field == "?" {
		return
	}
	if _, err := fmt.Sscan(field, &to.Value); err != nil {
		panic(err) // a mistake in the scenarios below
	}
	to.Known = true
}

func scenarios() []scenario {
	who := func(id, letters string, text float64, facts string) ranking.Candidate {
		return ranking.Candidate{ID: id, Evidence: evidence(letters), Text: text, Signals: signals(facts)}
	}
	from := func(day int, hoursPerWeek float64, c ranking.Candidate) ranking.Candidate {
		c.Schedule.From = matching.Some(day)
		c.Schedule.HoursPerWeek = matching.Optional[float64]{Value: hoursPerWeek, Known: hoursPerWeek > 0}
		return c
	}
	corpus := ranking.Corpus{
		Documents: 10_000, MeanRating: matching.Some(4.6), RateMedian: matching.Some(60.),
	}
	budget := func(low, high float64) matching.Optional[matching.Budget] {
		return matching.Some(matching.Budget{Low: low, High: high, Kind: matching.BudgetFixed})
	}
	web := []ranking.Requirement{{Name: "Go", Count: 300}, {Name: "PostgreSQL", Count: 900}, {Name: "React", Count: 1200}}
	backend := ranking.Request{
		Skills: web, HasText: true, Budget: budget(3000, 6000), Complexity: matching.ComplexityMedium,
		TimelineDays: matching.Some(30), Effort: estimated(120), Corpus: corpus,
	}

	oneSkill := ranking.Request{Skills: web[:1], HasText: true, Corpus: corpus}

	hourly := backend
	hourly.Budget = matching.Some(matching.Budget{Low: 30, High: 50, Kind: matching.BudgetHourly})
	hourly.Complexity = ""
	hourly.TimelineDays = matching.Optional[int]{}
	tight := backend
	tight.Budget, tight.TimelineDays = matching.Optional[matching.Budget]{}, matching.Some(14)
	late := tight
	late.TimelineDays = matching.Some(30)
	late.Start = 20_000
	kinds := oneSkill
	kinds.Skills = []ranking.Requirement{{Name: "React", Count: 1200}, {Name: "CSS", Count: 2500}}
	wishes := oneSkill
	wishes.Skills = []ranking.Requirement{
		{Name: "SEO", Count: 800},
		{Name: "Copywriting", Count: 900},
		{Name: "Ahrefs", Nice: true, Count: 60},
		{Name: "WordPress", Nice: true, Count: 1500},
		{Name: "Canva", Nice: true, Count: 400},
	}

	operator := oneSkill
	operator.Skills = []ranking.Requirement{{Name: "Go", Count: 300}, {Name: "Kubernetes", Count: 120}}
	size := backend
	size.Complexity = ""
	size.Effort = matching.Optional[matching.Effort]{}

	return []scenario{
		{
			name:    "beginner_or_expert",
			brief:   "Go, PostgreSQL and React; 3,000 to 6,000 for the whole work, medium complexity, 30 days",
			expect:  "a lead in words outweighs an estimated cost of almost twice the budget; the level ignores it",
			request: backend,
			freelancers: []ranking.Candidate{
				who("cheap beginner", "LL-", .40, "0 15 ? 0 true"),
				who("steady middle", "LLL", .45, "4 40 4.7 30 true"),
				who("expensive expert", "LLL", .60, "12 110 5 150 true"),
				who("fair-priced expert", "LLI", .55, "11 60 4.8 80 true"),
			},
		},
		{
			name:    "one_five_or_many",
			brief:   "Go",
			expect:  "two hundred 4.9s beat one 5.0, which stays near the mean; no rating is the mean; many bad ones are worse",
			request: oneSkill,
			freelancers: []ranking.Candidate{
				who("one 5.0", "L", .5, "? ? 5 1 ?"),
				who("two hundred 4.9s", "L", .5, "? ? 4.9 200 ?"),
				who("not rated", "L", .5, "? ? ? ? ?"),
				who("ninety 3.1s", "L", .5, "? ? 3.1 90 ?"),
				who("5.0, sales unknown", "L", .5, "? ? 5 ? ?"),
			},
		},
		{
			name:    "unknown_values",
			brief:   "Go, PostgreSQL and React; 3,000 to 6,000 for the whole work, medium complexity, 30 days",
			expect:  "an unknown rate ranks between within and far over the budget; unknown never counts as 0",
			request: backend,
			freelancers: []ranking.Candidate{
				who("all known, fits", "LLL", .5, "5 40 4.6 10 true"),
				who("rate unknown", "LLL", .5, "5 ? 4.6 10 true"),
				who("nothing known", "LLL", .5, "? ? ? ? ?"),
				who("three times the budget", "LLL", .5, "5 160 4.6 10 true"),
			},
		},
		{
			name:    "hourly_budget",
			brief:   "Go, PostgreSQL and React at 30 to 50 per hour; the work's size isn't given",
			expect:  "a rate below the range loses nothing, one far above it much; years and days don't count",
			request: hourly,
			freelancers: []ranking.Candidate{
				who("45/h", "LLL", .5, "5 45 4.6 10 true"),
				who("20/h", "LLL", .5, "5 20 4.6 10 true"),
				who("60/h", "LLL", .5, "5 60 4.6 10 true"),
				who("150/h, better words", "LLL", .8, "5 150 4.9 90 true"),
			},
		},
		{
			name:    "tight_timeline",
			brief:   "Go, PostgreSQL and React in 14 days, medium complexity",
			expect:  "fast enough freelancers lead; being unavailable costs a quarter of the feature",
			request: tight,
			freelancers: []ranking.Candidate{
				who("ten years", "LLL", .5, "10 90 4.6 10 true"),
				who("ten years, away", "LLL", .5, "10 90 4.6 10 false"),
				who("three years", "LLL", .5, "3 30 4.6 10 true"),
				who("beginner", "LLL", .5, "0 10 4.6 10 true"),
			},
		},
		{
			name:    "calendar",
			brief:   "Go, PostgreSQL and React in 30 days, medium complexity",
			expect:  "a late start in time costs nothing; one after the deadline comes last; part time takes longer",
			request: late,
			freelancers: []ranking.Candidate{
				from(20_000, 0, who("now", "LLL", .5, "5 45 4.6 10 true")),
				from(20_008, 0, who("in 8 days", "LLL", .5, "5 45 4.6 10 false")),
				from(20_020, 0, who("in 20 days", "LLL", .5, "5 45 4.6 10 true")),
				from(20_031, 0, who("in 31 days, better words", "LLL", .6, "5 45 4.6 10 true")),
				from(20_000, 15, who("now, 15 hours a week", "LLL", .5, "5 45 4.6 10 true")),
				who("away, no date", "LLL", .5, "5 45 4.6 10 false"),
			},
		},
		{
			name:    "nice_to_have",
			brief:   "SEO and copywriting; nice to have: Ahrefs, WordPress, Canva",
			expect:  "nice-to-have skills separate freelancers with all required skills, and never replace a required one",
			request: wishes,
			freelancers: []ranking.Candidate{
				who("required and wishes", "LLLLL", .5, "? ? ? ? ?"),
				who("required alone", "LL---", .5, "? ? ? ? ?"),
				who("one and all wishes", "L-LLL", .5, "? ? ? ? ?"),
				who("wishes alone", "--LLL", .5, "? ? ? ? ?"),
			},
		},
		{
			name:    "kinds_of_evidence",
			brief:   "React and CSS",
			expect:  "with equal words: listed and implied first, then title, description, a related skill (Vue), nothing",
			request: kinds,
			freelancers: []ranking.Candidate{
				who("lists both", "LL", .4, "? ? ? ? ?"),
				who("Next.js implies React", "IL", .4, "? ? ? ? ?"),
				who("React in the title", "TL", .4, "? ? ? ? ?"),
				who("React in the description", "DL", .4, "? ? ? ? ?"),
				who("Vue instead", "RL", .4, "? ? ? ? ?"),
				who("CSS alone", "-L", .4, "? ? ? ? ?"),
			},
		},
		{
			name:    "none_of_the_required_skills",
			brief:   "Kubernetes operator in Go",
			expect:  "one skill or both compete by everything else, too; none of them comes last, however many words fit",
			request: operator,
			freelancers: []ranking.Candidate{
				who("neither, uses every word", "--", 1.2, "12 80 5 300 true"),
				who("related skills", "RR", 1.0, "8 60 4.9 100 true"),
				who("Go alone, good words", "L-", .7, "6 60 4.8 40 true"),
				who("both, few words", "LL", .25, "? ? ? ? ?"),
				who("both, in the description", "DD", .3, "2 30 4.5 3 true"),
				who("both", "LL", .6, "5 50 4.7 20 true"),
			},
		},
		{
			name:    "weights_override",
			brief:   "as beginner_or_expert, with weights {budget: 1, quality: 0, semantic: 0.1}",
			expect:  "the price now decides the order; semantic isn't available and is reported as skipped",
			weights: map[string]float64{"budget": 1, "quality": 0, "semantic": .1},
			request: backend,
			freelancers: []ranking.Candidate{
				who("cheap beginner", "LL-", .40, "0 15 ? 0 true"),
				who("steady middle", "LLL", .45, "4 40 4.7 30 true"),
				who("expensive expert", "LLL", .60, "12 110 5 150 true"),
				who("fair-priced expert", "LLI", .55, "11 60 4.8 80 true"),
			},
		},
		{
			name:    "unknown_size",
			brief:   "Go, PostgreSQL and React; 3,000 to 6,000 for the whole work, 30 days; neither complexity nor effort",
			expect:  "budget and timeline can't be computed and are reported as skipped; ties are broken by id",
			profile: "expertise",
			request: size,
			freelancers: []ranking.Candidate{
				who("b: expensive", "LLL", .5, "5 160 4.6 10 true"),
				who("a: cheap", "LLL", .5, "5 20 4.6 10 true"),
				who("c: fewer skills", "LL-", .5, "5 20 4.6 10 true"),
			},
		},
	}
}
