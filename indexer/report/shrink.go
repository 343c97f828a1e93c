package report

import (
	"fmt"
	"text/tabwriter"

	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/indexer/format"
	"github.com/freelancer-matching/service/internal/matching"
)

// Shrink prints the figures of the live index and of what would replace it.
func (p *Printer) Shrink(e *bulk.ShrinkError) {
	fmt.Fprintf(p.Out, "\nMuch of the live index %s would be lost:\n", e.Before.Index)
	table := tabwriter.NewWriter(p.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "  \tLIVE\tNEW\t")
	before := e.Before.Freelancers
	after := e.After.Freelancers
	fmt.Fprintf(table, "  freelancers\t%s\t%s\t%s\n", format.Number(before), format.Number(after), mark(e, ""))

	for i := range matching.Fields {
		field := matching.Fields[i].Name
		was, known := e.Before.Coverage[field]
		if !known || e.After.Coverage == nil {
			continue
		}
		is := e.After.Coverage[field]
		if was == 0 && is == 0 {
			continue
		}

		fmt.Fprintf(table, "  %s\t%s (%s)\t%s (%s)\t%s\n", field,
			format.Number(was), bulk.Percent(was, before), format.Number(is), bulk.Percent(is, after), mark(e, field))
	}

	_ = table.Flush() // a terminal
}

// mark returns a remark for a figure that falls too far, or "".
func mark(e *bulk.ShrinkError, field string) string {
	for _, f := range e.Falls {
		if f.Field == field {
			return "falls by more than 30%"
		}
	}
	return ""
}
