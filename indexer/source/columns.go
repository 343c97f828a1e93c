package source

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"

	"freelancer-matching/indexer/source/value"
)

// Column is a column of a file and how it is used.
type Column struct {
	Header   string
	Field    string   // of a freelancer, or "location"; empty if the column is not used
	How      How      // how the column was recognized; empty if it was not
	Doubt    string   // why the column may hold something else; empty if there is no doubt
	Examples []string // the first different values, up to three, cut to 60 characters
	Note     string   // how the values are read, or why they are not
}

// How says by what a column was recognized. A recognized column without a field is one that is known to have no use.
type How string

// The ways to recognize a column, the strongest first.
const (
	ByFlag    How = "-map"
	ByMapping How = "mapping file"
	ByHeader  How = "header"
	ByBoth    How = "header and values" // neither alone would have been enough
	ByValues  How = "values"
)

// maxExamples is the number of example values of a column.
const maxExamples = 3

// columnSet is one column, or several that hold parts of one value.
type columnSet struct {
	columns  []int
	group    *headerGroup // nil if the options chose the column
	scale    float64      // of ratings that name none: the upper end
	isSlug   bool
	currency string
}

// mapping says which columns hold each field.
type mapping struct {
	fields [fieldCount][]columnSet // the preferred ones first
	dates  []int                   // columns of dates of joining a site
	ids    []idColumn              // those that the options chose as ID; empty for the field id
	notes  []string                // by column
	users  []field                 // by column
	hows   []How                   // by column
}

// uses reports for every column whether it is used for a field.
func (m *mapping) uses(f field) []bool {
	used := make([]bool, len(m.users))
	for i, user := range m.users {
		used[i] = user == f
	}
	return used
}

// mapColumns maps the columns of a table by their headers and by the options. It returns an error if no column holds
// anything to match.
func mapColumns(t table, overrides map[string]string, base string) (*mapping, error) {
	if len(t.headers) > maxColumns {
		return nil, tooManyColumns(len(t.headers))
	}
	m := &mapping{
		notes: make([]string, len(t.headers)), users: make([]field, len(t.headers)), hows: make([]How, len(t.headers)),
	}
	chosen, err := m.override(t.headers, overrides)
	if err != nil {
		return nil, err
	}
	known := lookupAll(t.headers)
	var order []int // known columns, the preferred ones first
	for i := range known {
		if known[i].headerGroup != nil {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(known[a].rank, known[b].rank) })
	for _, i := range order {
		m.place(i, known[i].headerGroup, chosen)
	}
	for f := range m.fields {
		for j := range m.fields[f] {
			m.inspect(&m.fields[f][j], field(f), t, base)
		}
	}
	return m, m.check(t.headers)
}

func tooManyColumns(n int) error {
	return fmt.Errorf("%d columns, more than the limit of %d; check that this is a table of freelancers and that the "+
		"delimiter is right", n, maxColumns)
}

// override applies the options, and returns the fields that they settle.
func (m *mapping) override(headers []string, overrides map[string]string) (chosen [fieldCount]bool, err error) {
	for _, name := range slices.Sorted(maps.Keys(overrides)) {
		f := fieldNamed(name)
		if f == fieldNone {
			return chosen, fmt.Errorf("unknown field %q; the fields are %s", name, strings.Join(fieldNames[1:], ", "))
		}
		chosen[f] = true
		header := strings.TrimSpace(overrides[name])
		if header == "" || header == "-" {
			continue
		}
		i := slices.IndexFunc(headers, func(h string) bool { return strings.EqualFold(h, header) })
		if i < 0 {
			return chosen, fmt.Errorf("no column %q for %s; the columns are %s", header, name, quoted(headers))
		}
		set := columnSet{columns: []int{i}, scale: value.MaxRating}
		if h, ok := lookup(headers[i]); ok {
			set.scale = h.scale()
		}
		m.fields[f] = []columnSet{set}
		m.users[i], m.hows[i] = f, ByFlag
	}
	return chosen, nil
}

// place uses a column for the field of its header, unless the options decide otherwise.
func (m *mapping) place(i int, group *headerGroup, chosen [fieldCount]bool) {
	f := group.field
	switch {
	case m.users[i] != fieldNone:
		return
	case chosen[f] && f != fieldNone:
		m.notes[i], m.hows[i] = "not used, because -map sets this field", ByFlag
		return
	case group.isDate:
		m.dates = append(m.dates, i)
	}
	m.notes[i] = group.note
	m.users[i], m.hows[i] = f, ByHeader
	sets := m.fields[f]
	if group.isPart && len(sets) > 0 {
		if last := &sets[len(sets)-1]; last.group == group {
			last.columns = append(last.columns, i)
			return
		}
	}
	if f != fieldNone {
		m.fields[f] = append(sets, columnSet{columns: []int{i}, group: group, scale: group.scale()})
	}
}

// check returns an error if every row would be rejected.
func (m *mapping) check(headers []string) error {
	for _, f := range []field{fieldName, fieldJobTitle, fieldSkills, fieldDescription} {
		if len(m.fields[f]) > 0 {
			return nil
		}
	}
	if len(headers) == 0 {
		return errors.New("the file has no columns")
	}
	return fmt.Errorf("no known column for names, job titles, skills or descriptions among %s; name one with -map, "+
		"such as -map skills=%q", quoted(headers), headers[len(headers)-1])
}

// quoted lists the first headers for an error.
func quoted(headers []string) string {
	const limit = 12
	list := make([]string, 0, limit)
	for _, header := range headers[:min(len(headers), limit)] {
		list = append(list, strconv.Quote(value.Truncate(header, 40)))
	}
	text := strings.Join(list, ", ")
	if len(headers) > limit {
		text += fmt.Sprintf(" and %d more", len(headers)-limit)
	}
	return text
}

// inspect finds out from the header and the sample how the cells of a column set are written.
func (m *mapping) inspect(set *columnSet, f field, t table, base string) {
	first := set.columns[0]
	if f == fieldHourlyRate {
		if set.currency = value.Currency(t.headers[first], base); set.currency != "" {
			m.addNote(first, "amounts in "+set.currency)
		}
	}
	if f == fieldSkills {
		if set.isSlug = isSlugColumn(t.sample, first); set.isSlug {
			m.addNote(first, "slugs; hyphens stand for spaces")
		}
	}
}

func (m *mapping) addNote(column int, note string) {
	if m.notes[column] != "" {
		note = m.notes[column] + "; " + note
	}
	m.notes[column] = note
}

// isSlugColumn reports whether every cell is one name in lower case, and at least two of them have hyphens between
// words.
func isSlugColumn(sample []record, column int) bool {
	slugs := 0
	for _, rec := range sample {
		cell := strings.TrimSpace(cellAt(rec.cells, column))
		switch {
		case value.Unknown(cell):
		case value.IsSlug(cell):
			slugs++
		case !value.IsSlug("x-" + cell): // not even one word of a slug
			return false
		}
	}
	return slugs >= 2
}

// describe returns the table of columns, with examples and the number of warnings in the sample.
func describe(b *builder, sample []record) []Column {
	columns := make([]Column, len(b.headers))
	warnings := make(map[string]int)
	for _, rec := range sample {
		for _, warning := range b.build(rec).Warnings {
			warnings[warning.Column]++
		}
		for i, cell := range rec.cells[:min(len(rec.cells), len(columns))] {
			columns[i].addExample(cell)
		}
	}
	for i, header := range b.headers {
		if n := warnings[header]; n > 0 {
			b.mapping.addNote(i, fmt.Sprintf("warnings in %d of the first %s",
				n, english.Plural(len(sample), "row", "")))
		}
		c := &columns[i]
		c.Header, c.Field, c.How, c.Note = header, b.mapping.users[i].String(), b.mapping.hows[i], b.mapping.notes[i]
	}
	return columns
}

// addExample adds a cell to the examples, unless it says nothing new or there are enough.
func (c *Column) addExample(cell string) {
	if len(c.Examples) == maxExamples || value.Unknown(cell) {
		return
	}
	example, _ := value.Line(value.Truncate(cell, 200), 60)
	if !slices.Contains(c.Examples, example) {
		c.Examples = append(c.Examples, example)
	}
}
