// Package bias computes the report of a bias audit in the form of New York City's Local Law 144. It reads matches, the
// events about them, and a file in which an operator lists the groups of freelancers. Groups are read for the report
// only: nothing stores them, and neither the index nor the ranking ever sees them.
package bias

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/events"
)

// idColumn is the name of the column with the IDs of freelancers.
const idColumn = "freelancer_id"

// maxColumns is the highest number of columns with groups.
const maxColumns = 4

// Groups holds the groups of freelancers.
type Groups struct {
	columns []string            // such as sex and race_ethnicity
	values  map[uint64][]string // by events.Hash of the ID, in the order of columns; "" is unknown
}

// ReadGroups reads a CSV file with a header. The column freelancer_id has IDs, and the other one to four columns have
// groups; an empty cell says that a freelancer's group is unknown. An ID may occur once.
func ReadGroups(r io.Reader) (*Groups, error) {
	rows := csv.NewReader(r)
	rows.TrimLeadingSpace = true
	header, err := rows.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the file is empty; its first line must name freelancer_id and the columns with groups")
	}
	if err != nil {
		return nil, err
	}

	header[0] = strings.TrimPrefix(header[0], "\ufeff")
	id := slices.Index(header, idColumn)
	if id < 0 {
		return nil, fmt.Errorf("the first line must name the column %s, got %q", idColumn, header)
	}
	g := &Groups{columns: slices.Delete(slices.Clone(header), id, id+1), values: map[uint64][]string{}}
	if len(g.columns) == 0 || len(g.columns) > maxColumns {
		return nil, fmt.Errorf("the file must have 1 to %d columns with groups, got %d", maxColumns, len(g.columns))
	}

	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return g, nil
		}
		if err != nil {
			return nil, err
		}

		line, _ := rows.FieldPos(id)
		if row[id] == "" {
			return nil, fmt.Errorf("line %d has no %s", line, idColumn)
		}
		person := events.Hash(row[id])
		if g.values[person] != nil {
			return nil, fmt.Errorf("line %d repeats the %s %q", line, idColumn, row[id])
		}

		values := slices.Delete(row, id, id+1)
		for i := range values {
			values[i] = strings.TrimSpace(values[i])
		}
		g.values[person] = values
	}
}

// Of returns the groups of a freelancer, such as "sex: female"; nil if they are unknown.
func (g *Groups) Of(freelancer string) []string { return g.OfHash(events.Hash(freelancer)) }

// OfHash returns the groups of a freelancer as Of does, by events.Hash of the ID.
func (g *Groups) OfHash(person uint64) (groups []string) {
	for i, value := range g.values[person] {
		if value != "" {
			groups = append(groups, g.columns[i]+": "+value)
		}
	}
	return groups
}

// category returns a person's group by a set of columns, such as "female, Asian". known is false if one of them is
// unknown.
func (g *Groups) category(person uint64, columns []int) (category string, known bool) {
	parts := make([]string, len(columns))
	for i, c := range columns {
		if parts[i] = g.values[person][c]; parts[i] == "" {
			return "", false
		}
	}
	return strings.Join(parts, ", "), true
}
