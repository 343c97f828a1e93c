// Package comparison compares two answers to briefs: who is in which, and whose rank has changed.
package comparison

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/server/api/wire"
)

// Row is one freelancer of either answer.
type Row struct {
	ID, Name, Title string
	Before, After   Place
}

// Place is where a freelancer is in an answer.
type Place struct {
	Rank  int // 0 if the answer lacks the freelancer
	Score float64
}

// Change returns the number of ranks that the freelancer has gained, negative for lost ones. It is 0 unless both
// answers have the freelancer.
func (r Row) Change() int {
	if r.Before.Rank == 0 || r.After.Rank == 0 {
		return 0
	}
	return r.Before.Rank - r.After.Rank
}

// Loss returns the number of ranks that the freelancer has lost.
func (r Row) Loss() int { return -r.Change() }

// Rows returns the freelancers of the second answer in its order, and then those only in the first one.
func Rows(before, after []wire.Match) []Row {
	places := map[string]Place{}
	for i, m := range before {
		places[m.Freelancer.ID] = Place{i + 1, m.Score}
	}
	var rows []Row
	for i, m := range after {
		rows = append(rows, newRow(&m, places[m.Freelancer.ID], Place{i + 1, m.Score}))
		delete(places, m.Freelancer.ID)
	}
	for _, m := range before {
		if place, left := places[m.Freelancer.ID]; left {
			rows = append(rows, newRow(&m, place, Place{}))
		}
	}
	return rows
}

func newRow(m *wire.Match, before, after Place) Row {
	f := m.Freelancer
	return Row{ID: f.ID, Name: f.Name, Title: f.JobTitle, Before: before, After: after}
}

// Field is a field of the requests that differs.
type Field struct{ Name, Before, After string }

// Fields returns the fields in which two requests, JSON objects, differ, sorted by name. A field that a request lacks
// has the value "".
func Fields(before, after []byte) ([]Field, error) {
	var a, b map[string]json.RawMessage
	if err := json.Unmarshal(before, &a); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(after, &b); err != nil {
		return nil, err
	}

	// Fields that only one of the requests has differ too.
	var fields []Field
	for name := range b {
		if _, both := a[name]; !both {
			a[name] = nil
		}
	}

	for name := range a {
		f := Field{name, text(a[name]), text(b[name])}
		if f.Before != f.After {
			fields = append(fields, f)
		}
	}

	slices.SortFunc(fields, func(a, b Field) int { return strings.Compare(a.Name, b.Name) })
	return fields, nil
}

// text returns a string without its quotes, and any other value as compact JSON.
func text(value json.RawMessage) string {
	var s string
	if json.Unmarshal(value, &s) == nil {
		return s
	}
	var compact bytes.Buffer
	if json.Compact(&compact, value) != nil {
		return "" // the request lacks the field
	}
	return compact.String()
}
