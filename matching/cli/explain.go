package cli

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/freelancer-matching/service/indexer/format"
)

func (c *cli) explainCommand() *command {
	flags := c.newFlags("explain")
	b := &briefFlags{}
	b.bind(flags)

	return &command{
		name: "explain", arguments: "ID [TEXT]", summary: "explain where a freelancer is in the ranking of a brief",
		details: `
The flags and the text describe the brief, as for match.

Examples:
  matching explain f12 "React shop, 5k, 30 days"
  matching explain f12 -f brief.json
`,
		flags: flags, fewest: 1, most: -1,
		run: func(ctx context.Context, args []string) error {
			brief, err := c.brief(b, strings.Join(args[1:], " "))
			if err != nil {
				return err
			}
			brief["freelancer_id"] = args[0]
			a, err := c.api()
			if err != nil {
				return err
			}

			// The response explains the score whether or not the freelancer is among the matches.
			body, err := a.sendJSON(ctx, request{
				method: http.MethodPost, path: "/match/explain", query: unknownAsNull(),
			}, brief)
			if err != nil {
				return err
			}
			return show(c, body, c.printStanding)
		},
	}
}

// A standing is the part of a response to explain that is printed.
type standing struct {
	Data struct {
		Match      match `json:"match"`
		Rank       *int  `json:"rank"`
		Total      int   `json:"total"`
		ExcludedBy []struct {
			Filter string  `json:"filter"`
			Wanted string  `json:"wanted"`
			Actual *string `json:"actual"`
		} `json:"excluded_by"`
		LastShown *struct {
			Rank  int     `json:"rank"`
			Score float64 `json:"score"`
		} `json:"last_shown"`
		Shortfalls []struct {
			Feature string  `json:"feature"`
			Points  float64 `json:"points"`
		} `json:"shortfalls"`
		Currency string `json:"currency"`
		Rates    string `json:"hourly_rate_currency"`
	} `json:"data"`
}

func (c *cli) printStanding(answer *standing) error {
	d := &answer.Data
	rank := 0
	if d.Rank != nil {
		rank = *d.Rank
	}
	c.printMatch(&d.Match, rank, d.Currency, d.Rates)

	switch {
	case d.Rank != nil:
		fmt.Fprintf(c.stdout, "\nRank %s of %s.\n", format.Number(rank), format.Number(d.Total))
	case len(d.ExcludedBy) == 0:
		fmt.Fprintf(c.stdout, "\nNot among the first of %s.\n", format.Count(d.Total, "match", "matches"))
	}
	for _, e := range d.ExcludedBy {
		actual := "unknown"
		if e.Actual != nil {
			actual = *e.Actual
		}
		c.wrapped("", printable(fmt.Sprintf("Excluded by %s: wanted %s, has %s.", e.Filter, e.Wanted, actual), 500))
	}

	if d.LastShown != nil {
		fmt.Fprintf(c.stdout, "The last match of the first page, rank %d, has %.3f.\n", d.LastShown.Rank, d.LastShown.Score)
	}
	// Less than that would be printed as 0.
	for _, s := range d.Shortfalls {
		if s.Points >= 0.0005 {
			fmt.Fprintf(c.stdout, "The best %s would add %.3f.\n", s.Feature, s.Points)
		}
	}
	return nil
}
