package report

import (
	"fmt"
	"strings"

	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/indexer/format"
	"github.com/freelancer-matching/service/indexer/rows"
)

// merges prints which rows became one freelancer.
func (p *Printer) merges(r *bulk.Report) {
	m := &r.Merges
	var keys []string
	for k := rows.ByID; k <= rows.ByRow; k++ {
		if n := m.Keys[k]; n > 0 {
			keys = append(keys, format.Number(n)+" by "+k.String())
		}
	}

	note := func(text string) {
		for i, line := range format.WrapList(strings.Fields(text), " ", format.Width-2) {
			fmt.Fprintf(p.Out, "%s%s\n", []string{"", "  "}[min(i, 1)], line)
		}
	}

	if len(keys) > 0 {
		note("merged rows: " + strings.Join(keys, ", "))
	}

	if m.Separated > 0 {
		note(fmt.Sprintf("kept apart: %s whose rows contradict other rows with the same key, such as the same "+
			"name and location", format.Count(m.Separated, "freelancer", "")))
	}

	if m.WholeRow > 0 {
		note(fmt.Sprintf("known by name only: %s; if a row changes, a later -upsert adds a second one",
			format.Count(m.WholeRow, "freelancer", "")))
	}

	// These lines are notes rather than warnings: merging is expected, and the user only has to see which keys caused
	// it.
	if len(m.Conflicts) > 0 {
		fmt.Fprintln(p.Out, "conflicts between rows of one freelancer:")
	}

	for _, conflict := range m.Conflicts[:min(len(m.Conflicts), maxReasons)] {
		example := ""
		if len(conflict.Examples) > 0 {
			// formatPlaces starts with the kept value again, which is cut off together with the comma and space behind
			// it.
			e := conflict.Examples[0]
			example = fmt.Sprintf("%s (kept) / %s", formatExample(e.Kept, conflict.Field),
				formatPlaces([]bulk.Example{e.Kept, e.Lost}, conflict.Field)[len(formatExample(e.Kept, conflict.Field))+2:])
		}

		format.PrintCounted(p.Out, conflict.Freelancers, conflict.Field, example)
	}

	if more := len(m.Conflicts) - maxReasons; more > 0 {
		fmt.Fprintf(p.Out, "  and %s; -report or -json has them\n", format.Count(more, "more field", ""))
	}
}

// merges is the part of a result that says how rows became freelancers.
type merges struct {
	Keys      map[string]int `json:"keys"`       // merged rows, by what identified the person
	Separated int            `json:"kept_apart"` // freelancers who contradict others with the same key
	WholeRow  int            `json:"by_name"`    // freelancers known by name only
	Conflicts []conflict     `json:"conflicts"`
}

type conflict struct {
	Field       string         `json:"field"`
	Freelancers int            `json:"freelancers"`
	Examples    []disagreement `json:"examples"`
}

type disagreement struct {
	Kept tallyExample `json:"kept"`
	Lost tallyExample `json:"lost"`
}

func describeMerges(m *bulk.Merges) merges {
	d := merges{
		Keys: make(map[string]int), Separated: m.Separated, WholeRow: m.WholeRow, Conflicts: []conflict{},
	}
	for k, n := range m.Keys {
		d.Keys[k.String()] = n
	}
	for _, c := range m.Conflicts {
		described := conflict{Field: c.Field, Freelancers: c.Freelancers}
		for _, e := range c.Examples {
			described.Examples = append(described.Examples, disagreement{tallyExample(e.Kept), tallyExample(e.Lost)})
		}
		d.Conflicts = append(d.Conflicts, described)
	}
	return d
}
