package ranking_test

import (
	"maps"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/ranking"
)

// estimated returns a size of the work that is an estimate.
func estimated(hours float64) matching.Optional[matching.Effort] {
	return matching.Some(matching.Effort{Typical: hours, From: matching.EffortFromText})
}

// given returns a size of the work that the client gave.
func given(hours float64) matching.Optional[matching.Effort] {
	return matching.Some(matching.Effort{Typical: hours, From: matching.EffortFromClient})
}

// Every feature calculated by hand with the numbers of the default profile.
func TestExplain_Values(t *testing.T) {
	low := matching.ComplexityLow
	high := matching.ComplexityHigh
	fixed := func(from, to float64) matching.Optional[matching.Budget] {
		return matching.Some(matching.Budget{Low: from, High: to, Kind: matching.BudgetFixed})
	}
	hourly := func(from, to float64) matching.Optional[matching.Budget] {
		return matching.Some(matching.Budget{Low: from, High: to, Kind: matching.BudgetHourly})
	}
	someone := func(years, rate float64) matching.Signals {
		return matching.Signals{Experience: matching.Some(years), HourlyRate: matching.Some(rate)}
	}
	rated := func(rating float64, sales int) matching.Signals {
		return matching.Signals{Rating: matching.Some(rating), TotalSales: matching.Some(sales)}
	}
	mean := ranking.Corpus{MeanRating: matching.Some(4.6)}
	days := matching.Some[int]
	away := someone(10, 50)
	away.Availability = matching.Some(false)

	tests := []struct {
		name    string
		request ranking.Request
		signals matching.Signals
		feature string
		value   float64
		summary string
	}{
		{
			"fixed budget kept: 120 h ÷ 1.25 × 50 = 4,800",
			ranking.Request{Effort: estimated(120), Budget: fixed(0, 5000)},
			someone(10, 50), "budget", 1, "96 h at 50/h cost 4,800, within the budget up to 5,000",
		},
		{
			"fixed budget passed: Φ(ln(3 × 3,000 ÷ 4,800) ÷ .9) ÷ Φ(ln(3) ÷ .9)",
			ranking.Request{Effort: estimated(120), Budget: fixed(0, 3000)},
			someone(10, 50), "budget", .85224, "96 h at 50/h cost 4,800, about 1.6 times the budget up to 3,000",
		},
		{
			"the lower end lowers nobody",
			ranking.Request{Effort: estimated(120), Budget: fixed(4900, 9000)},
			someone(10, 50), "budget", 1, "96 h at 50/h cost 4,800, below the budget from 4,900, which doesn't lower the score",
		},
		{
			"the client gave the size: 10 h ÷ .8 × 20 = 250",
			ranking.Request{Effort: given(10), Budget: fixed(0, 125)},
			someone(0, 20), "budget", .501394, "12.5 h at 20/h cost 250, about 2 times the budget up to 125",
		},
		{
			"no budget at all",
			ranking.Request{Effort: estimated(40), Budget: fixed(0, 0)},
			someone(0, 20), "budget", 0, "50 h at 20/h cost 1,000, over the budget up to 0",
		},
		{
			"no budget, no cost",
			ranking.Request{Effort: estimated(40), Budget: fixed(0, 0)},
			someone(0, 0), "budget", 1, "50 h at 0/h cost 0, within the budget up to 0",
		},
		{
			"years unknown: pace 1",
			ranking.Request{Effort: estimated(40), Budget: fixed(0, 800)},
			matching.Signals{HourlyRate: matching.Some(25.)},
			"budget", .938984, "40 h at 25/h cost 1,000, over the budget up to 800",
		},
		{
			"rate unknown",
			ranking.Request{Effort: estimated(40), Budget: fixed(0, 800)},
			matching.Signals{},
			"budget", .938984,
			"unknown rate, counted as the median; 40 h at 25/h cost 1,000, over the budget up to 800",
		},
		{
			"rate unknown, hourly",
			ranking.Request{Budget: hourly(0, 10)},
			matching.Signals{},
			"budget", .186561, "unknown rate, counted as the median; 25/h is about 2.5 times the budget up to 10/h",
		},
		{
			"far over the budget",
			ranking.Request{Effort: estimated(120), Budget: fixed(0, 960)},
			someone(10, 50), "budget", .320801, "96 h at 50/h cost 4,800, about 5 times the budget up to 960",
		},
		{
			"hourly budget kept, size unknown",
			ranking.Request{Budget: hourly(20, 40)},
			someone(3, 40), "budget", 1, "40/h is within the budget up to 40/h",
		},
		{
			"hourly budget passed",
			ranking.Request{Budget: hourly(20, 40)},
			someone(3, 50), "budget", .972652, "50/h is over the budget up to 40/h",
		},
		{
			"hourly budget undercut",
			ranking.Request{Budget: hourly(20, 40)},
			someone(3, 12.5), "budget", 1, "12.5/h is below the budget from 20/h, which doesn't lower the score",
		},
		{
			"in time: 320 h ÷ 1.25 ÷ 8 × 7/5 = 44.8 days",
			ranking.Request{Effort: estimated(320), TimelineDays: days(45)},
			someone(30, 50), "timeline", 1, "needs 44.8 days, within the timeline of 45; availability unknown",
		},
		{
			"late: 70 of 35 days",
			ranking.Request{Effort: estimated(320), TimelineDays: days(35)},
			someone(0, 50), "timeline", .758054, "needs 70 days, about 2 times the timeline of 35; availability unknown",
		},
		{
			"away",
			ranking.Request{Effort: estimated(320), TimelineDays: days(45)},
			away, "timeline", .75, "needs 44.8 days, within the timeline of 45; not available now, so this counts 75 %",
		},
		{
			"years short",
			ranking.Request{Complexity: high},
			someone(1.5, 50), "experience", .25, "1.5 years of experience; high complexity asks for 6",
		},
		{
			"one year",
			ranking.Request{Complexity: low},
			someone(1, 50), "experience", 1, "1 year of experience; low complexity asks for 1",
		},
		{
			"years saturate",
			ranking.Request{Complexity: low},
			someone(25, 50), "experience", 1, "25 years of experience; low complexity asks for 1",
		},
		{
			"years unknown",
			ranking.Request{Complexity: low},
			matching.Signals{},
			"experience", .5, "unknown experience, counted as neutral",
		},
		{
			"one 5.0: (5 + 46) ÷ 11 ÷ 5",
			ranking.Request{Corpus: mean},
			rated(5, 1), "quality", .927273,
			"rated 5 over 1 project; counts as 4.64, because it is drawn toward the mean of 4.6",
		},
		{
			"two hundred 4.9s: (980 + 46) ÷ 210 ÷ 5",
			ranking.Request{Corpus: mean},
			rated(4.9, 200), "quality", .977143,
			"rated 4.9 over 200 projects; counts as 4.89, because it is drawn toward the mean of 4.6",
		},
		{
			"unrated",
			ranking.Request{Corpus: mean},
			matching.Signals{TotalSales: matching.Some(9)},
			"quality", .92,
			"unknown rating, counted as the mean of 4.6",
		},
		{
			"rated, sales unknown",
			ranking.Request{Corpus: mean},
			matching.Signals{Rating: matching.Some(5.)},
			"quality", .927273,
			"rated 5 over an unknown number of projects; counts as 4.64, because it is drawn toward the mean of 4.6",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := ranking.Candidate{Signals: test.signals}
			test.request.Corpus.RateMedian = matching.Some(25.)
			got := feature(t, load(t, "").Scorer(test.request).Explain(&c), test.feature)
			if math.Abs(got.Value-test.value) > 1e-6 || got.Summary != test.summary {
				t.Errorf("got %v %q\nwant %v %q", got.Value, got.Summary, test.value, test.summary)
			}
		})
	}
}

// The work of 320 hours takes somebody with long experience 320 ÷ 1.25 ÷ 40 × 7 = 44.8 days. Day 20,015 is 2024-10-19.
func TestExplain_Calendar(t *testing.T) {
	from := func(day int) matching.Schedule { return matching.Schedule{From: matching.Some(day)} }
	hours := func(perWeek float64) matching.Schedule {
		return matching.Schedule{HoursPerWeek: matching.Some(perWeek)}
	}
	available := matching.Some(true)
	away := matching.Some(false)
	unknown := matching.Optional[bool]{}

	for _, test := range []struct {
		name         string
		start, days  int
		availability matching.Optional[bool]
		schedule     matching.Schedule
		value        float64
		summary      string
	}{
		{
			"later, and still in time", 20_000, 60, unknown, from(20_015), 1,
			"available from 2024-10-19; the work would take 44.8 days, within the timeline of 60",
		},
		{
			"35 days are left: Φ(ln(3 × 35 ÷ 44.8) ÷ .9) ÷ Φ(ln(3) ÷ .9)", 20_000, 50, available, from(20_015), .931521,
			"available from 2024-10-19; the work would take 44.8 days, 9.8 past the deadline",
		},
		{
			"after the deadline", 20_000, 15, available, from(20_015), 0,
			"available from 2024-10-19, after the deadline; the work would take 44.8 days",
		},
		{"before the start", 20_015, 50, away, from(20_015), 1, "needs 44.8 days, within the timeline of 50"},
		{
			"away without a date", 20_015, 50, away,
			matching.Schedule{},
			.75,
			"needs 44.8 days, within the timeline of 50; not available now, so this counts 75 %",
		},
		{
			"part time: 256 ÷ 20 × 7 days", 20_000, 45, available, hours(20), .760058,
			"needs 89.6 days at 20 hours a week, about 2 times the timeline of 45",
		},
		{
			"more than full time counts as full time", 20_000, 45, unknown, hours(60), 1,
			"needs 44.8 days, within the timeline of 45; availability unknown",
		},
	} {
		s := load(t, "").Scorer(ranking.Request{
			Effort: estimated(320), TimelineDays: matching.Some(test.days), Start: test.start,
		})
		signals := matching.Signals{Experience: matching.Some(30.), Availability: test.availability}
		got := feature(t, s.Explain(&ranking.Candidate{Signals: signals, Schedule: test.schedule}), "timeline")
		if math.Abs(got.Value-test.value) > 1e-6 || got.Summary != test.summary {
			t.Errorf("%s: got %v %q\nwant %v %q", test.name, got.Value, got.Summary, test.value, test.summary)
		}
	}
}

func TestExplain_TextAndSemantic(t *testing.T) {
	s := load(t, "").Scorer(ranking.Request{HasText: true, HasSemantic: true})
	tests := []struct {
		text, wantText         float64
		semantic               float64
		textWords, vectorWords string
	}{
		{0, 0, 1, "share no word", "mean nearly the same"},
		{.25, .2, .625, "cover some of", "are close in meaning"},
		{.5, 1. / 3, .375, "cover much of", "are related in meaning"},
		{1. / 15, .0625, .125, "cover little of", "are far apart"},
		{3, .75, 0, "cover the brief's main words", "nothing in common"},
	}
	for _, test := range tests {
		e := s.Explain(&ranking.Candidate{Text: test.text, Semantic: test.semantic})
		text := feature(t, e, "text")
		semantic := feature(t, e, "semantic")

		if math.Abs(text.Value-test.wantText) > 1e-6 || !strings.Contains(text.Summary, test.textWords) {
			t.Errorf("text %v: %+v", test.text, text)
		}

		if semantic.Value != test.semantic || !strings.Contains(semantic.Summary, test.vectorWords) {
			t.Errorf("semantic %v: %+v", test.semantic, semantic)
		}
	}
}

// The semantic feature is composed of the similarities by the built-in vectors and by a model. Its summary says how.
func TestExplain_SemanticWithModel(t *testing.T) {
	p := load(t, "")
	p.Semantic = ranking.SemanticNumbers{Model: 3, Ceiling: 1, Compared: 50}
	unknown := matching.Optional[float64]{}
	for _, c := range []struct {
		name       string
		has        [2]bool // the built-in vectors, the model
		model      matching.Optional[float64]
		value      float64
		weight     float64 // relative to that of text
		summary    string
		without    string
		overridden map[string]float64
	}{
		{name: "built-in alone", has: [2]bool{true, false}, model: matching.Some(.2), value: .6, weight: 1, without: "model"},
		{
			name: "both", has: [2]bool{true, true}, model: matching.Some(.2), value: .3, weight: 4,
			summary: "are related in meaning: 0.6 by the built-in vectors, 0.2 by the embeddings server's model",
		},
		{
			name: "not compared", has: [2]bool{true, true}, model: unknown, value: .15, weight: 4,
			summary: "0.6 by the built-in vectors, not compared by the embeddings server's model, which compares " +
				"the best 50 only",
		},
		{
			name: "model alone", has: [2]bool{false, true}, model: matching.Some(.2), value: .2, weight: 3,
			summary: "far apart in meaning: 0.2 by the embeddings server's model", without: "built-in",
		},
		{
			name: "a weight of the client's", has: [2]bool{true, true}, model: matching.Some(.2), value: .3, weight: 8,
			overridden: map[string]float64{"text": 1, "semantic": 2},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			weights := map[string]float64{"text": 1, "semantic": 1}
			maps.Copy(weights, c.overridden)
			p, faults := p.WithWeights(weights)
			if len(faults) > 0 {
				t.Fatal(faults)
			}

			s := p.Scorer(ranking.Request{HasText: true, HasSemantic: c.has[0], HasModel: c.has[1]})
			e := s.Explain(&ranking.Candidate{Text: 1, Semantic: .6, Model: c.model})
			text := feature(t, e, "text")
			semantic := feature(t, e, "semantic")
			if math.Abs(semantic.Value-c.value) > 1e-6 || math.Abs(semantic.Weight-c.weight*text.Weight) > 1e-5 {
				t.Errorf("value %v, weight %v (text %v); want %v, %v times", semantic.Value, semantic.Weight, text.Weight,
					c.value, c.weight)
			}

			if !strings.Contains(semantic.Summary, c.summary) ||
				c.without != "" && strings.Contains(semantic.Summary, c.without) {
				t.Errorf("summary %q", semantic.Summary)
			}
		})
	}
}

func TestSemanticNumbers_Closeness(t *testing.T) {
	n := ranking.SemanticNumbers{Ceiling: .5}
	for _, c := range []struct{ cosine, floor, want float64 }{
		{-1, 0, 0}, {0, 0, 0}, {.25, 0, .5}, {.5, 0, 1}, {1, 0, 1}, {.8, .8, 0}, {.85, .8, .5}, {.95, .8, 1},
	} {
		if got := n.Closeness(c.cosine, c.floor); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("Closeness(%v, %v) = %v, want %v", c.cosine, c.floor, got, c.want)
		}
	}
}

// Repeating some main words can score like mentioning each once, but the summary doesn't claim to cover them all.
func TestExplain_TextWithMissingWords(t *testing.T) {
	s := load(t, "").Scorer(ranking.Request{HasText: true})
	tests := []struct {
		facts ranking.Facts
		want  string
	}{
		{
			ranking.Facts{FoundWords: []string{"logo"}},
			"title, skills and description cover the brief's main words; found: logo",
		},
		{
			ranking.Facts{FoundWords: []string{"logo"}, MissingWords: []string{"café"}},
			"title, skills and description cover much of the brief; found: logo; not found: café",
		},
	}
	for _, test := range tests {
		e := s.Explain(&ranking.Candidate{Text: 3, Facts: test.facts})
		if got := feature(t, e, "text").Summary; got != test.want {
			t.Errorf("%+v: %q, want %q", test.facts, got, test.want)
		}
	}
}

func TestExplain_SkillsNameTheEvidence(t *testing.T) {
	s := load(t, "").Scorer(ranking.Request{
		Skills: []ranking.Requirement{
			{Name: "SQL"},
			{Name: "React"},
			{Name: "Go"},
			{Name: "Docker"},
			{Name: "Kubernetes"},
			{Name: "Terraform"},
			{Name: "Figma", Nice: true},
			{Name: "Sketch", Nice: true},
		},
	})

	got := feature(t, s.Explain(&ranking.Candidate{Evidence: []matching.Evidence{
		matching.Listed, matching.Implied, matching.Listed, matching.InTitle, matching.InText, matching.Sibling,
		matching.Listed, matching.NoEvidence,
	}}), "skills")
	// All alike in rarity: six required of weight 1, two nice of 1/4: (1+1+1+.9+.5+.15 + .25) ÷ 6.5.
	if want := 4.8 / 6.5; math.Abs(got.Value-want) > 1e-6 {
		t.Errorf("value %v, want %v", got.Value, want)
	}

	want := "5 of 6 required skills (listed: Go, SQL; implied: React; in title: Docker; in description: Kubernetes; " +
		"related: Terraform), 1 of 2 nice-to-have skills (listed: Figma; missing: Sketch)"
	if got.Summary != want {
		t.Errorf("got  %s\nwant %s", got.Summary, want)
	}
}

func TestExplain_LongSkillListsAreCut(t *testing.T) {
	var r ranking.Request
	for c := 'a'; c <= 'k'; c++ {
		r.Skills = append(r.Skills, ranking.Requirement{Name: string(c)})
	}
	e := load(t, "").Scorer(r).Explain(&ranking.Candidate{Evidence: make([]matching.Evidence, len(r.Skills))})
	want := "0 of 11 required skills (missing: a, b, c, d, e, f, g, h and 3 more)"
	if got := feature(t, e, "skills").Summary; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestScorer_SkillWeights(t *testing.T) {
	only := func(skills ...ranking.Requirement) []float64 {
		p, faults := load(t, "").WithWeights(map[string]float64{"quality": 0})
		if len(faults) > 0 {
			t.Fatal(faults)
		}

		weights := p.Scorer(ranking.Request{Skills: skills, Corpus: ranking.Corpus{Documents: 1000}}).SkillWeights()
		for i, w := range weights {
			weights[i] = math.Round(w*1e4) / 1e4
		}

		return weights
	}

	tests := []struct {
		name   string
		skills []ranking.Requirement
		want   []float64
	}{
		{"none", nil, []float64{}},
		{"one", []ranking.Requirement{{Name: "a", Count: 10}}, []float64{1}},
		// ln(1+990.5/10.5) = 4.557, ln(1+900.5/100.5) = 2.299.
		{
			"the rarer weighs more",
			[]ranking.Requirement{{Name: "a", Count: 10}, {Name: "b", Count: 100}},
			[]float64{.6647, .3353},
		},
		{
			"by at most three times",
			[]ranking.Requirement{{Name: "a", Count: 999}, {Name: "b", Count: 0}},
			[]float64{.25, .75},
		},
		{
			"nice to have counts a quarter",
			[]ranking.Requirement{{Name: "a", Count: 5}, {Name: "b", Count: 5, Nice: true}},
			[]float64{.8, .2},
		},
		{
			"all wishes together count at most a quarter",
			[]ranking.Requirement{
				{Name: "a", Count: 5},
				{Name: "b", Count: 5, Nice: true},
				{Name: "c", Count: 5, Nice: true},
			},
			[]float64{.8, .1, .1},
		},
		{"wishes alone", []ranking.Requirement{{Name: "b", Count: 5, Nice: true}}, []float64{1}},
		// A language weighs 1.5 times as much as all listed skills together, however rare they are.
		{
			"a demanded language",
			[]ranking.Requirement{{Name: "a", Count: 5}, {Name: "b", Count: 5}, {Name: "c", Count: 100, Spoken: true}},
			[]float64{.2, .2, .6},
		},
		{
			"two demanded languages alone",
			[]ranking.Requirement{{Name: "a", Count: 5, Spoken: true}, {Name: "b", Count: 10, Spoken: true}},
			[]float64{.5, .5},
		},
		{"counts above the data set", []ranking.Requirement{{Name: "a", Count: 5000}}, []float64{1}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, only(test.skills...)); diff != "" {
				t.Errorf("weights:\n%s", diff)
			}
		})
	}
}

func TestExplain_Estimate(t *testing.T) {
	s := load(t, "").Scorer(ranking.Request{Effort: estimated(120)})
	got := s.Explain(&ranking.Candidate{Signals: matching.Signals{
		Experience: matching.Some(3.), HourlyRate: matching.Some(33.3),
	}}).Estimate
	want := matching.Estimate{ // 120 ÷ .935 = 128.342…
		Hours: matching.Some(128.3), Days: matching.Some(22.5), Cost: matching.Some(4272.39),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("estimate:\n%s", diff)
	}
	if got := s.Explain(&ranking.Candidate{}).Estimate; got.Cost.Known || got.Hours.Value != 120 {
		t.Errorf("without a rate: %+v", got)
	}
	sizeless := load(t, "").Scorer(ranking.Request{})
	if got := sizeless.Explain(&ranking.Candidate{}).Estimate; got != (matching.Estimate{}) {
		t.Errorf("without a size: %+v", got)
	}
}

func TestAssess_Price(t *testing.T) {
	for _, c := range []struct {
		rate   matching.Optional[float64]
		budget float64
		want   matching.Price
	}{
		{matching.Some(40.), 40, matching.Price{Verdict: matching.PriceWithin}},
		{matching.Some(40.), 16, matching.Price{Verdict: matching.PriceOver, Times: matching.Some(2.5)}},
		{matching.Some(40.), 0, matching.Price{Verdict: matching.PriceOver}},
		{matching.Some(40.), 5e-324, matching.Price{Verdict: matching.PriceOver}},
		{matching.Optional[float64]{}, 16, matching.Price{Verdict: matching.PriceUnknown}},
	} {
		s := load(t, "").Scorer(ranking.Request{
			Budget: matching.Some(matching.Budget{High: c.budget, Kind: matching.BudgetHourly}),
			Corpus: ranking.Corpus{RateMedian: matching.Some(20.)},
		})
		got := s.Assess(&ranking.Candidate{Signals: matching.Signals{HourlyRate: c.rate}}).Price
		if got != c.want {
			t.Errorf("rate %v, budget %v: %+v, want %+v", c.rate, c.budget, got, c.want)
		}
	}
}

func TestExplain_NamesTheCurrency(t *testing.T) {
	candidate := ranking.Candidate{Signals: matching.Signals{HourlyRate: matching.Some(60.)}}
	for _, test := range []struct {
		name  string
		money ranking.Money
		kind  matching.BudgetKind
		want  string
		cost  matching.Estimate
	}{
		{
			"same currency",
			ranking.Money{Currency: "USD", DataCurrency: "USD"},
			matching.BudgetFixed,
			"120 h at 60 USD/h cost 7,200 USD, within the budget up to 9,000 USD",
			matching.Estimate{Cost: matching.Some(7200.), Currency: "USD"},
		},
		{
			"converted",
			ranking.Money{Currency: "EUR", DataCurrency: "USD", Rate: .8},
			matching.BudgetFixed,
			"120 h at 48 EUR/h (60 USD/h) cost 5,760 EUR, within the budget up to 7,200 EUR",
			matching.Estimate{Cost: matching.Some(5760.), Currency: "EUR"},
		},
		{
			"converted rate",
			ranking.Money{Currency: "EUR", DataCurrency: "USD", Rate: .8},
			matching.BudgetHourly,
			"48 EUR/h (60 USD/h) is within the budget up to 7,200 EUR/h",
			matching.Estimate{Cost: matching.Some(5760.), Currency: "EUR"},
		},
	} {
		e := load(t, "").Scorer(ranking.Request{
			Effort: estimated(120), Money: test.money,
			Budget: matching.Some(matching.Budget{Low: 10, High: 9000, Kind: test.kind}), // in the data's currency
			Corpus: ranking.Corpus{RateMedian: matching.Some(20.)},
		}).Explain(&candidate)
		if got := feature(t, e, "budget").Summary; got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}

		if e.Estimate.Cost != test.cost.Cost || e.Estimate.Currency != test.cost.Currency {
			t.Errorf("%s: estimate %+v, want %+v", test.name, e.Estimate, test.cost)
		}
	}
}

func TestScorer_Skipped(t *testing.T) {
	text := matching.Skipped{
		Feature: "text",
		Reason:  "the brief has no text",
	}

	tests := []struct {
		name    string
		request ranking.Request
		weights map[string]float64
		want    []matching.Skipped
	}{
		{"nothing sent, nothing skipped", ranking.Request{HasText: true}, nil, nil},
		{"no usable word", ranking.Request{}, nil, []matching.Skipped{text}},
		{
			"fixed budget and timeline without a size",
			ranking.Request{
				HasText: true, TimelineDays: matching.Some(3),
				Budget: matching.Some(matching.Budget{High: 100, Kind: matching.BudgetFixed}),
			},
			nil,
			[]matching.Skipped{
				{
					Feature: "budget",
					Reason:  "a budget for the whole project needs the work's size",
				},
				{Feature: "timeline", Reason: "a timeline needs the work's size"},
			},
		},
		{
			"hourly budget needs no size",
			ranking.Request{
				HasText: true, Budget: matching.Some(matching.Budget{High: 100, Kind: matching.BudgetHourly}),
				Corpus: ranking.Corpus{RateMedian: matching.Some(20.)},
			},
			nil, nil,
		},
		{
			"a budget, but no rates",
			ranking.Request{HasText: true, Budget: matching.Some(matching.Budget{High: 100, Kind: matching.BudgetHourly})},
			nil,
			[]matching.Skipped{{Feature: "budget", Reason: "no freelancer has an hourly rate"}},
		},
		{
			"weights for what is not there",
			ranking.Request{HasText: true},
			map[string]float64{"semantic": 1, "budget": 1, "quality": .2, "skills": .5, "timeline": .1, "experience": .1},
			[]matching.Skipped{
				{Feature: "skills", Reason: "the brief has no skills"},
				{Feature: "semantic", Reason: "the index has no vector to compare the brief with"},
				{Feature: "budget", Reason: "the brief has no budget_range"},
				{Feature: "timeline", Reason: "the brief has no timeline"},
				{Feature: "experience", Reason: "the brief has no complexity"},
				{Feature: "quality", Reason: "no freelancer has a rating"},
			},
		},
		{
			"a weight of 0 for what was sent",
			ranking.Request{HasText: true, Skills: []ranking.Requirement{{Name: "Go"}}},
			map[string]float64{"skills": 0, "semantic": 0},
			[]matching.Skipped{{Feature: "skills", Reason: "its weight is 0"}},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p, faults := load(t, "").WithWeights(test.weights)
			if len(faults) > 0 {
				t.Fatal(faults)
			}

			if diff := cmp.Diff(test.want, p.Scorer(test.request).Skipped()); diff != "" {
				t.Errorf("skipped:\n%s", diff)
			}
		})
	}
}

func TestScore_NothingInForce(t *testing.T) {
	e := load(t, "").Scorer(ranking.Request{}).Explain(&ranking.Candidate{Text: 1})
	if e.Score != 0 || e.Level != matching.LevelWeak || len(e.Features) != 0 {
		t.Errorf("got %+v", e)
	}
}

func feature(t *testing.T, e ranking.Explained, name string) matching.Feature {
	t.Helper()
	for _, f := range e.Features {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("%s is not in force: %+v", name, e.Features)
	return matching.Feature{}
}
