package ranking_test

import (
	"fmt"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/ranking"
)

func Example() {
	profile, err := ranking.Load("default")
	if err != nil {
		panic(err)
	}

	scorer := profile.Scorer(ranking.Request{
		HasText: true,
		Skills:  []ranking.Requirement{{Name: "Go", Count: 40}, {Name: "Kubernetes", Count: 15}},
		Budget:  matching.Some(matching.Budget{Low: 30, High: 60, Kind: matching.BudgetHourly}),
		Corpus:  ranking.Corpus{Documents: 1000, MeanRating: matching.Some(4.6), RateMedian: matching.Some(40.)},
	})

	candidates := []ranking.Candidate{
		{
			ID:       "ada",
			Text:     .9,
			Evidence: []matching.Evidence{matching.Listed, matching.InText},
			Signals:  matching.Signals{HourlyRate: matching.Some(80.)},
		},
		{
			ID:       "ben",
			Text:     .4,
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
	// ada 0.529 strong
	//   skills  0.070  2 of 2 required skills (listed: Go; in description: Kubernetes)
	//   text    0.209  title, skills and description cover much of the brief
	//   budget  0.210  80/h is over the budget up to 60/h
	//   quality 0.041  unknown rating, counted as the mean of 4.6
	// ben 0.341 weak
	//   skills  0.033  1 of 2 required skills (listed: Go; missing: Kubernetes)
	//   text    0.100  title, skills and description cover some of the brief
	//   budget  0.175  55/h is within the budget up to 60/h
	//   quality 0.032  unknown rating, counted as the mean of 4.6
}
