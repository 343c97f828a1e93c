package build

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/indexer/rows"
	"github.com/freelancer-matching/service/indexer/source/field"
	"github.com/freelancer-matching/service/indexer/source/table"
	"github.com/freelancer-matching/service/internal/value"
)

const (
	maxCandidates = 3 // columns that the advice names
	minIDs        = 3 // among fewer rows, the values of most columns differ
)

// lacksID reports whether a row was rejected because nothing identifies the person.
func lacksID(row *rows.Row) bool {
	return slices.ContainsFunc(row.Faults, func(f rows.Fault) bool { return strings.HasPrefix(f.Reason, reasonNoID) })
}

// An idCandidate is a column whose values could be IDs.
type idCandidate struct {
	header     string
	identifies int // rows that have no identity without it
}

// adviseID sets the advice for rows without an identity: the columns that would identify most of those in the sample,
// or else the position in the file.
func (b *Builder) adviseID(sample, unidentified []table.Record) {
	// With -id, another column would become a part of the ID that the user chose.
	if len(unidentified) == 0 || len(b.Mapping.Ids) > 0 {
		return
	}

	var candidates []idCandidate
	for i, header := range b.Headers {
		if !b.mayBeID(i, sample) {
			continue
		}

		known := 0
		for _, rec := range unidentified {
			if !value.Unknown(table.CellAt(rec.Cells, i)) {
				known++
			}
		}
		if known > 0 {
			candidates = append(candidates, idCandidate{header, known})
		}
	}

	if len(candidates) == 0 {
		return
	}
	slices.SortStableFunc(candidates, func(a, b idCandidate) int { return cmp.Compare(b.identifies, a.identifies) })

	flags := make([]string, 0, maxCandidates)
	for _, c := range candidates[:min(len(candidates), maxCandidates)] {
		flags = append(flags, fmt.Sprintf("-id %q would identify %d", c.header, c.identifies))
	}
	b.idAdvice = fmt.Sprintf("of the first %d such rows, %s, and -id row all",
		len(unidentified), strings.Join(flags, ", "))
}

// mayBeID reports whether a column can be an ID: it is not used otherwise, -id can name it, and its known values are
// different words.
func (b *Builder) mayBeID(column int, sample []table.Record) bool {
	header := b.Headers[column]
	use := b.Mapping.Columns[column].Field
	isFree := use == field.None || use == field.ProfileURL // a path such as /ann is no URL, but identifies a person
	isNameable := header != "" && !strings.Contains(header, ",")
	if !isFree || !isNameable || slices.Contains(b.Mapping.Dates, column) {
		return false
	}

	seen := make(map[string]bool)
	for _, rec := range sample {
		cell := strings.TrimSpace(table.CellAt(rec.Cells, column))
		if value.Unknown(cell) {
			continue
		}

		isWord := len(cell) <= maxID && !strings.ContainsAny(cell, " \t\n%")
		if !isWord || seen[cell] {
			return false
		}
		seen[cell] = true
	}
	return len(seen) >= minIDs
}
