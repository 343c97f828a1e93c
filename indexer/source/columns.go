package source

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"freelancer-matching/indexer/source/value"
)

// Column is one column of a file and what it is used for.
type Column struct {
	Header  string // as in the file
	Field   string // of a freelancer, or "location"; "" when the column is not used
	Example string // the first value of the head, cut to 60 characters
	Note    string // how its values are read, or why they are not
}

// columnSet is what one value is read from: one column, or several that hold parts of it.
type columnSet struct {
	columns   []int
	meaning   int // in the vocabulary; -1 when the options chose the column
	isPercent bool
	isSlug    bool
	currency  string
}

// mapping says which columns hold which field, the best first, and which ones hold dates that nobody reads.
type mapping struct {
	fields [fieldCount][]columnSet
	dates  []int
	notes  []string // by column
	users  []field  // by column
}

// uses reports for every column whether it is used for a field.
func (m *mapping) uses(f field) []bool {
	used := make([]bool, len(m.users))
	for i, user := range m.users {
		used[i] = user == f
	}
	return used
}

// mapColumns maps the columns of a table by their headers and by the options. It is an error when nothing that can be
// matched is among them.
func mapColumns(t table, overrides map[string]string, base string) (*mapping, error) {
	if len(t.headers) > maxColumns {
		return nil, tooManyColumns(len(t.headers))
	}
	m := &mapping{notes: make([]string, len(t.headers)), users: make([]field, len(t.headers))}
	chosen, err := m.override(t.headers, overrides)
	if err != nil {
		return nil, err
	}
	places := make([]place, len(t.headers))
	order := make([]int, 0, len(t.headers))
	for i, header := range t.headers {
		p, ok := lookup(header)
		if !ok {
			p.meaning = -1
		}
		places[i] = p
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(places[a].meaning, places[b].meaning), cmp.Compare(places[a].rank, places[b].rank))
	})
	for _, i := range order {
		m.place(i, places[i], chosen)
	}
	for f := range m.fields {
		for j := range m.fields[f] {
			m.detail(&m.fields[f][j], field(f), t, base)
		}
	}
	return m, m.check(t.headers)
}

func tooManyColumns(n int) error {
	return fmt.Errorf("%d columns, where at most %d are expected: is this a table of freelancers, and its delimiter right", n, maxColumns)
}

// override applies the options, and returns the fields that they settle.
func (m *mapping) override(headers []string, overrides map[string]string) (chosen [fieldCount]bool, err error) {
	for _, name := range slices.Sorted(maps.Keys(overrides)) {
		f, ok := fieldNamed(name)
		if !ok {
			return chosen, fmt.Errorf("no field %q: one of %s expected", name, strings.Join(fieldNames(), ", "))
		}
		chosen[f] = true
		header := strings.TrimSpace(overrides[name])
		if header == "" || header == "-" {
			continue
		}
		i := slices.IndexFunc(headers, func(h string) bool { return strings.EqualFold(h, header) })
		if i < 0 {
			return chosen, fmt.Errorf("no column %q for %s: the columns are %s", header, name, list(headers))
		}
		set := columnSet{columns: []int{i}, meaning: -1}
		if p, ok := lookup(headers[i]); ok {
			set.isPercent = vocabulary[p.meaning].isPercent && f == fieldRating
		}
		m.fields[f] = []columnSet{set}
		m.users[i] = f
	}
	return chosen, nil
}

// place uses a column for the field that the vocabulary says, unless the options say otherwise.
func (m *mapping) place(i int, p place, chosen [fieldCount]bool) {
	if m.users[i] != fieldNone || p.meaning < 0 {
		return
	}
	meaning := &vocabulary[p.meaning]
	f := meaning.field
	switch {
	case chosen[f] && f != fieldNone:
		m.notes[i] = "not used: the options say otherwise"
		return
	case meaning.isDate:
		m.dates = append(m.dates, i)
	}
	m.notes[i] = meaning.note
	m.users[i] = f
	sets := m.fields[f]
	if meaning.isPart && len(sets) > 0 {
		if last := &sets[len(sets)-1]; last.meaning == p.meaning {
			last.columns = append(last.columns, i)
			return
		}
	}
	if f != fieldNone {
		m.fields[f] = append(sets, columnSet{columns: []int{i}, meaning: p.meaning, isPercent: meaning.isPercent})
	}
}

// check refuses a mapping under which every row would be rejected.
func (m *mapping) check(headers []string) error {
	for _, f := range []field{fieldName, fieldJobTitle, fieldSkills, fieldDescription} {
		if len(m.fields[f]) > 0 {
			return nil
		}
	}
	if len(headers) == 0 {
		return errors.New("no columns")
	}
	return fmt.Errorf("no column is known to hold names, job titles, skills or descriptions, among %s: say which is which, "+
		"as in -map skills=%q", list(headers), headers[len(headers)-1])
}

func fieldNames() []string {
	names := make([]string, 0, fieldCount)
	for f := fieldID; f < fieldCount; f++ {
		names = append(names, f.String())
	}
	return names
}

// list quotes some headers for an error.
func list(headers []string) string {
	const most = 12
	quoted := make([]string, 0, most)
	for _, header := range headers[:min(len(headers), most)] {
		quoted = append(quoted, strconv.Quote(value.Truncate(header, 40)))
	}
	text := strings.Join(quoted, ", ")
	if len(headers) > most {
		text += fmt.Sprintf(" and %d more", len(headers)-most)
	}
	return text
}

// detail finds out from header and sample how the cells of a column set are written.
func (m *mapping) detail(set *columnSet, f field, t table, base string) {
	first := set.columns[0]
	if f == fieldHourlyRate {
		if set.currency = value.Currency(t.headers[first], base); set.currency != "" {
			m.addNote(first, "amounts in "+set.currency)
		}
	}
	if f == fieldSkills {
		if set.isSlug = isSlugColumn(t.sample, first); set.isSlug {
			m.addNote(first, "slugs: their hyphens are read as spaces")
		}
	}
}

func (m *mapping) addNote(column int, note string) {
	if m.notes[column] != "" {
		note = m.notes[column] + "; " + note
	}
	m.notes[column] = note
}

// isSlugColumn reports whether every cell is one name in small letters and some join words by hyphens.
func isSlugColumn(sample []record, column int) bool {
	slugs := 0
	for _, rec := range sample {
		if column >= len(rec.cells) || value.Unknown(rec.cells[column]) {
			continue
		}
		cell := strings.TrimSpace(rec.cells[column])
		switch {
		case value.IsSlug(cell):
			slugs++
		case !value.IsSlug("x-" + cell): // not even one word of a slug
			return false
		}
	}
	return slugs >= 2
}

// describe makes the table of columns, with what the sample shows: examples, and how many values cannot be read.
func describe(b *builder, sample []record) []Column {
	columns := make([]Column, len(b.headers))
	unread := make(map[string]int)
	for _, rec := range sample {
		for _, warning := range b.build(rec).Warnings {
			unread[warning.Column]++
		}
		for i, cell := range rec.cells[:min(len(rec.cells), len(columns))] {
			if columns[i].Example == "" && !value.Unknown(cell) {
				columns[i].Example, _ = value.Line(value.Truncate(cell, 200), 60)
			}
		}
	}
	for i, header := range b.headers {
		if n := unread[header]; n > 0 {
			b.mapping.addNote(i, fmt.Sprintf("warnings on %d of the first %d rows", n, len(sample)))
		}
		columns[i].Header, columns[i].Field, columns[i].Note = header, b.mapping.users[i].String(), b.mapping.notes[i]
	}
	return columns
}
