// Package columns maps the columns of a table to the fields of a freelancer: by the options or a mapping file, or else
// by their headers and values.
package columns

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/freelancer-matching/service/indexer/source/field"
	"github.com/freelancer-matching/service/indexer/source/headers"
	"github.com/freelancer-matching/service/indexer/source/mappingfile"
	"github.com/freelancer-matching/service/indexer/source/ratings"
	"github.com/freelancer-matching/service/indexer/source/table"
	"github.com/freelancer-matching/service/internal/value"
)

// Column is a column of a file and how it is used.
type Column struct {
	Header   string
	Field    string   // of a freelancer, "email" or "deleted"; empty if the column is not used
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

// Set is one column, or several that hold parts of one value.
type Set struct {
	Columns    []int
	Group      *headers.Group // nil if the header did not choose the column
	isPart     bool
	slugs      *bool      // skills are slugs; nil if it must be judged from the values
	Scale      float64    // of ratings that name none: the upper end; 0 if it must be judged from the values
	Unit       value.Unit // of amounts that name none; value.NoUnit stands for an hour
	Currency   string     // of amounts that name none, if no column does
	CurrencyAt int        // the column with the currency of the row, or -1
	Decimals   value.Decimals
	Dates      value.DateOrder
	Countries  bool // almost all locations are countries
	Identity   field.Identity
	Use        string // of languages and currencies; see mappingfile.Column
}

// IsSlug reports whether the skills are known to be slugs.
func (s *Set) IsSlug() bool { return s.slugs != nil && *s.slugs }

// Mapping says which columns hold each field.
type Mapping struct {
	Sets    [field.Count][]Set // the preferred ones first
	Places  []Set              // locations and countries that distinguish people, the preferred ones first
	Dates   []int              // columns of dates of joining a site
	Ids     []IDColumn         // those that the options chose as ID; empty for the field id
	Columns []Use

	wholeIDs []int // columns of IDs that a program wrote as decimals, such as 1001.0
}

// Use is how a column is used, and why.
type Use struct {
	Field field.Field
	How   How
	Note  string
	Doubt string
}

// Uses reports for every column whether it is used for one of some fields.
func (m *Mapping) Uses(fields ...field.Field) []bool {
	used := make([]bool, len(m.Columns))
	for i := range m.Columns {
		used[i] = slices.Contains(fields, m.Columns[i].Field)
	}
	return used
}

// add adds a column to those of a field, as the least preferred one.
func (m *Mapping) add(i int, f field.Field, how How, set Set) {
	set.Columns = []int{i}
	set.CurrencyAt = -1
	m.Columns[i].Field = f
	m.Columns[i].How = how
	m.Sets[f] = append(m.Sets[f], set)
	if f.IsPlace() && set.Identity != field.NeverIdentity {
		m.Places = append(m.Places, set)
	}
}

// CountFields returns the number of fields that have columns.
func (m *Mapping) CountFields() (n int) {
	for _, sets := range m.Sets {
		if len(sets) > 0 {
			n++
		}
	}
	return n
}

// Options say how to map the columns of a table.
type Options struct {
	Overrides  headers.Overrides
	Mapping    *mappingfile.File // instead of the recognition of headers and values; may be nil
	IsMapped   bool              // the mapping includes the overrides
	IsPartial  bool              // rows change freelancers, and may have nothing but an ID and one value
	ID         []string          // headers of the columns that form the ID
	Vocabulary Vocabulary        // may be nil
}

// Map maps the columns of a table by the mapping file, or else by their headers and values, and by the options.
// It returns an error if no column holds anything to match.
func Map(t table.Table, o Options, base string) (*Mapping, error) {
	if len(t.Headers) > table.MaxColumns {
		return nil, table.TooManyColumns(len(t.Headers))
	}
	m := &Mapping{Columns: make([]Use, len(t.Headers))}
	var chosen [field.Count]bool

	if !o.IsMapped {
		var err error
		if chosen, err = m.override(t.Headers, o.Overrides); err != nil {
			return nil, err
		}
	}

	if o.Mapping != nil {
		if err := m.apply(o.Mapping, t.Headers, chosen); err != nil {
			return nil, err
		}
	} else {
		newRecognizer(t, o.Vocabulary).recognize(m, chosen)
	}

	for f := range m.Sets {
		for j := range m.Sets[f] {
			m.inspect(&m.Sets[f][j], field.Field(f), t, base)
		}
	}

	return m, m.check(t.Headers, o)
}

// override applies the options, and returns the fields that they settle.
func (m *Mapping) override(names []string, overrides headers.Overrides) (chosen [field.Count]bool, err error) {
	for _, name := range slices.Sorted(maps.Keys(overrides)) {
		f, unit := overridden(name)
		if f == field.None {
			return chosen, fmt.Errorf("unknown field %q; the fields are %s", name, strings.Join(overridable(), ", "))
		}
		chosen[f] = true
		header := strings.TrimSpace(overrides[name])
		if header == "" || header == "-" {
			continue
		}

		i := slices.IndexFunc(names, func(h string) bool { return strings.EqualFold(h, header) })
		if i < 0 {
			return chosen, fmt.Errorf("no column %q for %s; the columns are %s", header, name, table.Quoted(names))
		}

		// The option only chooses the column. Its header may still name the scale of its ratings, or its use.
		set := Set{Unit: unit}
		if h, ok := headers.Lookup(names[i]); ok {
			set.Scale = h.Scale()
			if h.Field == f {
				set.Use = h.Use
			}
		}

		if err := checkUnit(names[i], name, f, unit); err != nil {
			return chosen, err
		}

		if f == field.Country {
			set.Identity = field.NeverIdentity // unless its header says otherwise
		}
		m.add(i, f, ByFlag, set)
	}

	return chosen, nil
}

// place uses a column for the field of its header, unless the options decide otherwise.
func (m *Mapping) place(i int, group *headers.Group, chosen [field.Count]bool) {
	f := group.Field
	c := &m.Columns[i]
	switch {
	case c.Field != field.None:
		return
	case chosen[f] && f != field.None:
		c.Note = "not used, because -map sets this field"
		c.How = ByFlag
		return

	case group.IsDate: // no field, but it tells people with the same name apart
		m.Dates = append(m.Dates, i)
	}

	c.Note = group.Note
	c.How = ByHeader

	if f == field.None {
		return
	}

	// Columns of parts, such as first and last names, form one value.
	if sets := m.Sets[f]; group.IsPart && len(sets) > 0 {
		if last := &sets[len(sets)-1]; last.Group == group {
			last.Columns = append(last.Columns, i)
			c.Field = f
			return
		}
	}

	m.add(i, f, ByHeader, Set{
		Group: group, isPart: group.IsPart, Scale: group.Scale(), Unit: group.Unit, Identity: group.Identity, Use: group.Use,
	})

	// Such a column tells people with the same name apart, but isn't stored.
	if group.Identity == field.OnlyIdentity {
		c.Field = field.None
	}
}

// check returns an error if every row would be rejected.
func (m *Mapping) check(headers []string, o Options) error {
	isChange := o.IsPartial || len(m.Sets[field.Deleted]) > 0
	if isChange && len(m.Sets[field.ID])+len(o.ID) > 0 {
		return nil
	}
	for _, f := range coreFields {
		if len(m.Sets[f]) > 0 {
			return nil
		}
	}
	if len(headers) == 0 {
		return errors.New("the file has no columns")
	}
	return fmt.Errorf("no known column for names, job titles, skills or descriptions among %s; name one with -map, "+
		"such as -map name=\"COLUMN\". If the first row is already a freelancer, use -no-header. If other lines come before "+
		"the header, use -skip-lines", table.Quoted(headers))
}

// minByValues is the number of columns recognized by their values that shows what the table is about without a header.
const minByValues = 5

// CheckHeader returns an error if no header is known although the values of many columns are: the first row may be a
// freelancer, who would be lost.
func (m *Mapping) CheckHeader(headers []string) error {
	byValues := 0
	example := ""
	for i, c := range m.Columns {
		switch c.How {
		case "":
		case ByValues:
			byValues++
			if example == "" {
				example = fmt.Sprintf("-map %s=%q", c.Field, headers[i])
			}
		default:
			return nil
		}
	}

	if byValues < minByValues {
		return nil
	}
	return fmt.Errorf("no header is known, but the values of %d columns are, so the first row may be a freelancer: %s; "+
		"use -no-header, or if it is a header, confirm one column, such as %s", byValues, table.Quoted(headers), example)
}

// inspect finds out from the headers and the sample how the cells of a column set are written.
func (m *Mapping) inspect(set *Set, f field.Field, t table.Table, base string) {
	first := set.Columns[0]
	isNumber := f == field.HourlyRate || f == field.Rating || f == field.TotalSales
	if isNumber {
		set.Decimals = value.JudgeDecimals(cellsOf(t.Sample, set.Columns))

		// A number of projects has no decimals: 1.234 is 1,234 unless other cells are fractions.
		if f == field.TotalSales && set.Decimals != value.PointDecimals {
			set.Decimals = value.NoDecimals
		}
	}

	switch f {
	case field.HourlyRate:
		m.inspectCurrency(set, t, base)
		if set.Unit == value.NoUnit {
			set.Unit = judgeUnit(t.Headers[first], cellsOf(t.Sample, set.Columns))
		}
	case field.Skills:
		if isSlug := isSlugColumn(t.Sample, first); set.slugs == nil && isSlug {
			set.slugs = &isSlug
		}
		if set.IsSlug() {
			m.addNote(first, "slugs; hyphens stand for spaces")
		}

	case field.Rating:
		if scale := ratings.HeaderScale(t.Headers[first]); scale > 0 && set.Scale == 0 {
			set.Scale = scale
			m.addNote(first, fmt.Sprintf("on a scale of 0 to %v, according to the header", scale))
		}

	case field.Availability, field.AvailableFrom:
		set.Dates = value.JudgeDates(cellsOf(t.Sample, set.Columns))
	case field.Location:
		set.Countries = areCountries(cellsOf(t.Sample, set.Columns))
	default: // other fields have nothing to inspect
	}
}

// areCountries reports whether almost all cells are countries, so that "Georgia" is one, too.
func areCountries(cells iter.Seq[string]) bool {
	known, places := 0, 0
	for cell := range cells {
		if value.Unknown(cell) {
			continue
		}
		known++
		if value.IsCountry(cell) {
			places++
		}
	}
	return known >= minCells && float64(places) >= mostCells*float64(known)
}

// cellsOf yields the cells of columns.
func cellsOf(sample []table.Record, columns []int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, rec := range sample {
			for _, column := range columns {
				if !yield(table.CellAt(rec.Cells, column)) {
					return
				}
			}
		}
	}
}

// inspectCurrency finds the currency of amounts that name none: the one in the nearest column of currencies, or else in
// the header.
func (m *Mapping) inspectCurrency(set *Set, t table.Table, base string) {
	first := set.Columns[0]
	if set.Currency == "" {
		set.Currency = value.Currency(t.Headers[first], base)
	}

	distance := len(t.Headers)

	// A currency of rates comes before one of other amounts, such as earnings, even if that one is nearer.
	isForRate := func(s Set) bool { return s.Use == field.UseForRate }
	hasForRate := slices.ContainsFunc(m.Sets[field.Currency], isForRate)
	for _, currencies := range m.Sets[field.Currency] {
		if i := currencies.Columns[0]; abs(i-first) < distance && isForRate(currencies) == hasForRate {
			set.CurrencyAt = i
			distance = abs(i - first)
		}
	}

	switch {
	case set.CurrencyAt >= 0:
		m.addNote(first, "amounts in the currency that column "+strconv.Quote(t.Headers[set.CurrencyAt])+" names")
	case set.Currency == value.AmbiguousCurrency:
		m.Columns[first].Doubt = "several currencies use the sign in the header, so amounts without one are unknown"
	case set.Currency != "":
		m.addNote(first, "amounts in "+set.Currency)
	}
}

func abs(n int) int { return max(n, -n) }

func (m *Mapping) addNote(column int, note string) { m.Columns[column].AddNote(note) }

// AddNote adds a note after those that the column has.
func (c *Use) AddNote(note string) { c.Note = strings.TrimPrefix(c.Note+"; "+note, "; ") }

// isSlugColumn reports whether every cell is one name in lower case, and at least two of them have hyphens between
// words.
func isSlugColumn(sample []table.Record, column int) bool {
	slugs := 0
	for _, rec := range sample {
		cell := strings.TrimSpace(table.CellAt(rec.Cells, column))
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

// HasMoreThanNames reports whether there are columns for what people can do.
func (m *Mapping) HasMoreThanNames() bool {
	return len(m.Sets[field.JobTitle])+len(m.Sets[field.Skills])+len(m.Sets[field.Description]) > 0
}

// AddExample adds a cell to the examples, unless it says nothing new or there are enough.
func (c *Column) AddExample(cell string) {
	if len(c.Examples) == maxExamples || value.Unknown(cell) {
		return
	}
	example, _ := value.Line(value.Truncate(cell, 200), 60)
	if !slices.Contains(c.Examples, example) {
		c.Examples = append(c.Examples, example)
	}
}
