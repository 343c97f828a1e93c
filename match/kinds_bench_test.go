package match

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/synthetic/realistic"
)

var kindsData = flag.String("kinds-data", "", "folder for the index of BenchmarkKinds, which is built if it is empty")

// A kind is a kind of requests: how a brief as real ones are becomes one of the kind.
type kind struct {
	name string
	make func(b *matching.Brief)
}

// kinds returns all kinds. names has names of skills.
func kinds(names []string) []kind {
	return []kind{
		{"as-written", func(*matching.Brief) {}},
		{"25-words", func(b *matching.Brief) {
			words := strings.Fields(b.Description)
			b.Description = strings.Join(words[:min(45, len(words))], " ")
		}},
		{"one-word", func(b *matching.Brief) {
			*b = matching.Brief{Description: strings.Fields(b.Description)[0], Limit: 10}
		}},
		{"deep-page", func(b *matching.Brief) { b.Offset = 400 }},
		{"tight-budget", tightenBudget},
		{"long", func(b *matching.Brief) { b.Description = strings.Repeat(b.Description+"\n", 24) }},
		{"filters", func(b *matching.Brief) {
			b.Filters.MinRating, b.Filters.MaxHourlyRate = matching.Some(4.5), matching.Some(40.)
		}},
		{"50-skills", func(b *matching.Brief) {
			from := len(b.Description) % (len(names) - 50)
			b.RequiredSkills = names[from : from+50]
		}},
		{"explain", func(b *matching.Brief) { b.Explain = true }},
	}
}

// tightenBudget lets price and time decide more than words do.
func tightenBudget(b *matching.Brief) {
	b.Budget = matching.Some(matching.Budget{Low: 3, High: 6, Kind: matching.BudgetHourly})
	b.TimelineDays = matching.Some(2)
}

// BenchmarkKinds matches briefs with as many words as real ones, by kinds of requests, among -recall-documents
// freelancers. With -kinds-data, the index is kept, so that versions can be compared on the same one.
func BenchmarkKinds(b *testing.B) {
	generator, err := realistic.New()
	if err != nil {
		b.Fatal(err)
	}

	var names []string
	for brief := range generator.Briefs(4) {
		for _, name := range brief.RequiredSkills {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		if len(names) >= 200 {
			break
		}
	}

	s, snapshot := newServiceIn(b, *kindsData, generator.Freelancers(*recallDocuments, 1))
	for _, kind := range kinds(names) {
		var briefs []matching.Brief
		for brief := range generator.Briefs(3) {
			kind.make(&brief)
			if briefs = append(briefs, brief); len(briefs) == 200 {
				break
			}
		}

		b.Run(fmt.Sprintf("%s/documents=%d", kind.name, snapshot.Info().Documents), func(b *testing.B) {
			benchmarkMatch(b, s, briefs)
		})
	}
}
