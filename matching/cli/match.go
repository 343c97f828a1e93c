package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/freelancer-matching/service/indexer/format"
)

// unknownAsNull makes the API write unknown values as null.
func unknownAsNull() url.Values { return url.Values{"unknown": {"null"}} }

func (c *cli) matchCommand() *command {
	flags := c.newFlags("match")
	b := &briefFlags{}
	b.bind(flags)
	limit := flags.Int("limit", 10, "`number` of matches, up to 100")
	offset := flags.Int("offset", 0, "`number` of matches to skip")
	explain := flags.Bool("explain", false, "show what each score is made of")

	return &command{
		name: "match", arguments: "[TEXT]", summary: "find freelancers for a brief",
		details: `
The text is the brief in the client's words. A budget and a time in it, between commas, are read: 5k, 3k-5k EUR,
$40-60/h; 30 days, within 6 weeks. Scores are from 0 to 1; see docs/ranking.md.

Examples:
  matching match "React shop, 5k, 30 days"
  matching match "Logo for a bakery" -budget 300-500 -filter countries=DE,AT -explain
  matching match -f brief.json -json | jq '.matches[].score'
  matching match -title Translator -skills "German, Portuguese" -filter languages=de:C1
`,
		flags: flags, most: -1,
		run: func(ctx context.Context, args []string) error {
			brief, err := c.brief(b, strings.Join(args, " "))
			if err != nil {
				return err
			}
			// The file may have a limit of its own.
			setFlag(brief, "limit", *limit, given(flags, "limit"))
			setFlag(brief, "offset", *offset, given(flags, "offset"))
			// A file that asks for explanations keeps them without the flag.
			if *explain {
				brief["explain"] = true
			}
			return c.match(ctx, request{method: http.MethodPost, path: "/match", query: unknownAsNull()}, brief)
		},
	}
}

// match sends a brief and prints the matches.
func (c *cli) match(ctx context.Context, q request, brief map[string]any) error {
	a, err := c.api()
	if err != nil {
		return err
	}
	body, err := a.sendJSON(ctx, q, brief)
	if err != nil {
		return err
	}

	// Of a file, the offset is a float64, as of all JSON.
	offset, _ := strconv.Atoi(fmt.Sprint(brief["offset"]))
	return show(c, body, func(answer *matches) error {
		c.printMatches(answer, offset)
		return nil
	})
}

// matches is the part of a response to a brief that is printed.
type matches struct {
	Matches    []match `json:"matches"`
	Considered int     `json:"considered"`
	NextOffset *int    `json:"next_offset"`
	Currency   string  `json:"currency"`
	Rates      string  `json:"hourly_rate_currency"`
	Reason     string  `json:"reason"`
	Budget     *struct {
		Message string `json:"message"`
	} `json:"budget"`
	Unknown []struct {
		Skill       string   `json:"skill"`
		Suggestions []string `json:"suggestions"`
	} `json:"unknown_skills"`
	Skipped []struct {
		Feature string `json:"feature"`
		Reason  string `json:"reason"`
	} `json:"skipped"`
	Filters []struct {
		Message string `json:"message"`
	} `json:"filters"`
	Suggested []struct {
		Filter  string   `json:"filter"`
		Value   any      `json:"value"`
		Because []string `json:"because"`
	} `json:"suggested_filters"`
}

type match struct {
	Freelancer struct {
		ID         string   `json:"id"`
		Name       string   `json:"name"`
		JobTitle   string   `json:"job_title"`
		HourlyRate *float64 `json:"hourly_rate"`
	} `json:"freelancer"`
	Score    float64  `json:"score"`
	Level    string   `json:"level"`
	Matched  []string `json:"matched_skills"`
	Missing  []string `json:"missing_skills"`
	Estimate struct {
		Hours *float64 `json:"hours"`
		Days  *float64 `json:"days"`
		Cost  *float64 `json:"cost"`
	} `json:"estimate"`
	Price *struct {
		Verdict string `json:"verdict"`
	} `json:"price"`
	Explanation []struct {
		Feature      string  `json:"feature"`
		Value        float64 `json:"value"`
		Weight       float64 `json:"weight"`
		Contribution float64 `json:"contribution"`
		Summary      string  `json:"summary"`
	} `json:"explanation"`
	Adjustments []struct {
		Factor float64 `json:"factor"`
		Reason string  `json:"reason"`
	} `json:"adjustments"`
}

func (c *cli) printMatches(answer *matches, offset int) {
	// The reason is a word of the API, such as no_overlap or the name of a filter.
	if len(answer.Matches) == 0 {
		fmt.Fprintf(c.stdout, "No matches (%s).\n", answer.Reason)
	}
	for i := range answer.Matches {
		c.printMatch(&answer.Matches[i], offset+1+i, answer.Currency, answer.Rates)
	}
	c.printRemarks(answer)

	if len(answer.Matches) > 0 {
		fmt.Fprintf(c.stdout, "\n%s of %s", format.Count(len(answer.Matches), "match", "matches"),
			format.Number(answer.Considered))
	}
	if answer.NextOffset != nil {
		fmt.Fprintf(c.stdout, "; more with -offset %d", *answer.NextOffset)
	}
	fmt.Fprintln(c.stdout)
}

// printMatch prints a match on two lines, and what its score is made of if the response says so.
func (c *cli) printMatch(m *match, rank int, currency, rates string) {
	f := &m.Freelancer
	name := joinNonEmpty(" · ", printable(f.Name, 40), printable(f.ID, 40), printable(f.JobTitle, 60))
	line := fmt.Sprintf("%3d  %s%.3f %-9s  %s", rank, c.picture(m.Score), m.Score, m.Level, name)
	if c.terminal {
		line = printable(line, c.width) // without a second line in a narrow terminal
	}
	fmt.Fprintln(c.stdout, line)

	const indent = "     "
	c.wrapped(indent, joinNonEmpty("; ", list("has ", m.Matched), list("lacks ", m.Missing), m.estimate(currency, rates)))
	c.printFeatures(indent, m)
}

// estimate returns rate and cost of a freelancer as a text.
func (m *match) estimate(currency, rates string) string {
	// What is unknown is left out. A zero would look like work for nothing.
	var parts []string
	if rate := m.Freelancer.HourlyRate; rate != nil {
		parts = append(parts, fmt.Sprintf("%s %s/h", money(*rate), rates))
	}
	if hours := m.Estimate.Hours; hours != nil {
		parts = append(parts, fmt.Sprintf("about %.0f h", *hours))
	}
	if days := m.Estimate.Days; days != nil {
		parts = append(parts, fmt.Sprintf("%.0f days", *days))
	}
	if cost := m.Estimate.Cost; cost != nil {
		parts = append(parts, money(*cost)+" "+currency)
	}
	if m.Price != nil {
		parts = append(parts, strings.ReplaceAll(m.Price.Verdict, "_", " "))
	}
	return strings.Join(parts, ", ")
}

// printFeatures prints the features of a score with their contributions, as parts of the whole score.
func (c *cli) printFeatures(indent string, m *match) {
	for _, f := range m.Explanation {
		fmt.Fprintf(c.stdout, "%s%-10s %s%.3f  (%.2f × %.2f)\n", indent, f.Feature, c.picture(f.Contribution),
			f.Contribution, f.Value, f.Weight)
		c.wrapped(indent+"  ", printable(f.Summary, 500))
	}
	for _, a := range m.Adjustments {
		c.wrapped(indent, fmt.Sprintf("× %.2f: %s", a.Factor, printable(a.Reason, 500)))
	}
}

// filterText returns the value of a filter as -filter has it, or as JSON if -filter can't express it.
func filterText(value any) string {
	items, ok := value.([]any)
	if !ok {
		items = []any{value}
	}
	var texts []string
	for _, item := range items {
		text, ok := item.(string)
		if !ok {
			encoded, _ := json.Marshal(item) // decoded from JSON
			text = string(encoded)
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ",")
}

// printRemarks prints how the brief was read, and what was left out.
func (c *cli) printRemarks(answer *matches) {
	// Nothing that the server says about the brief is left out: it explains surprising matches.
	var remarks []string
	if answer.Budget != nil {
		remarks = append(remarks, "Budget "+answer.Budget.Message)
	}
	for _, u := range answer.Unknown {
		remark := "Unknown skill " + u.Skill
		if len(u.Suggestions) > 0 {
			remark += "; similar: " + strings.Join(u.Suggestions, ", ")
		}
		remarks = append(remarks, remark)
	}
	for _, s := range answer.Skipped {
		remarks = append(remarks, s.Feature+": "+s.Reason)
	}
	for _, f := range answer.Filters {
		remarks = append(remarks, "Filter: "+f.Message)
	}
	for _, s := range answer.Suggested {
		remarks = append(remarks, fmt.Sprintf("The text (%q) may ask for -filter %s=%s", strings.Join(s.Because, ", "),
			s.Filter, filterText(s.Value)))
	}

	for i, remark := range remarks {
		if i == 0 {
			fmt.Fprintln(c.stdout)
		}
		c.wrapped("", printable(remark, 500))
	}
}
