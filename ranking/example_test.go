package ranking_test

import (
	"fmt"

	"freelancer-matching/internal/matching"
	"freelancer-matching/ranking"
)

func Example() {
	profile, err := ranking.Load("default")
	if err != nil {
		panic(err)
	}
	scorer := profile.Scorer(ranking.Request{
		Skills: []ranking.Requirement{{Name: "Go", Count: 40}, {Name: "Kubernetes", Count: 15}},
		Budget: matching.Some(matching.Budget{Low: 30, High: 60, Hourly: true}),
		Corpus: ranking.Corpus{Documents: 1000, MeanRating: matching.Some(4.6)},
	})
	candidates := []ranking.Candidate{
		{
			ID:       "ada",
			Evidence: []matching.Evidence{matching.Listed, matching.InText},
			Signals:  matching.Signals{HourlyRate: matching.Some(80.)},
		},
		{
			ID:       "ben",
			Evidence: []matching.Evidence{matching.Listed, matching.NoEvidence},
			Signals:  matching.Signals{HourlyRate: matching.Some(55.)},
		},
	}
	for _, ranked := range scorer.Rank(candidates) {
		c := &candidates[ranked.Index]
		e := scorer.Explain(c)
		fmt.Printf("%s %.3f %s\n", c.ID, e.Score, e.Level)
		for _, f := range e.Features {
			fmt.Printf("  %-7s %.3f  %s\n", f.Name, f.Contribution, f.Summary)
		}
	}
	// Output:
	// ada 0.794 strong
	//   skills  0.422  2 of 2 required skills (listed: Go; in description: Kubernetes)
	//   budget  0.205  80/h is over the budget up to 60/h
	//   quality 0.167  rating unknown: counted as the mean of all, 4.6
	// ben 0.677 fair
	//   skills  0.237  1 of 2 required skills (listed: Go; missing: Kubernetes)
	//   budget  0.273  55/h is within the budget up to 60/h
	//   quality 0.167  rating unknown: counted as the mean of all, 4.6
}
