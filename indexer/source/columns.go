package source

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"freelancer-matching/internal/value"
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

// columnSet is one column, or several that hold parts of one value.
type columnSet struct {
	columns    []int
	group      *headerGroup // nil if the header did not choose the column
	isPart     bool
	slugs      *bool   // skills are slugs; nil if it must be judged from the values
	scale      float64 // of ratings that name none: the upper end; 0 if it must be judged from the values
	currency   string  // of amounts that name none, if no column does
	currencyAt int     // the column with the currency of the row, or -1
	decimals   value.Decimals
	dates      value.DateOrder
	countries  bool // almost all locations are countries
	identity   identityUse
	use        string // of languages and currencies; see ColumnMapping
}

func (s *columnSet) isSlug() bool { return s.slugs != nil && *s.slugs }

// mapping says which columns hold each field.
type mapping struct {
	fields  [fieldCount][]columnSet // the preferred ones first
	places  []columnSet             // locations and countries that distinguish people, the preferred ones first
	dates   []int                   // columns of dates of joining a site
	ids     []idColumn              // those that the options chose as ID; empty for the field id
	columns []columnUse
}

// columnUse is how a column is used, and why.
type columnUse struct {
	field field
	how   How
	note  string
	doubt string
}

// uses reports for every column whether it is used for one of some fields.
func (m *mapping) uses(fields ...field) []bool {
	used := make([]bool, len(m.columns))
	for i := range m.columns {
		used[i] = slices.Contains(fields, m.columns[i].field)
	}
	return used
}

// use adds a column to those of a field, as the least preferred one.
func (m *mapping) use(i int, f field, how How, set columnSet) {
	set.columns = []int{i}
	set.currencyAt = -1
	m.columns[i].field = f
	m.columns[i].how = how
	m.fields[f] = append(m.fields[f], set)
	if f.isPlace() && set.identity != neverIdentity {
		m.places = append(m.places, set)
	}
}

// countFields returns the number of fields that have columns.
func (m *mapping) countFields() (n int) {
	for _, sets := range m.fields {
		if len(sets) > 0 {
			n++
		}
	}
	return n
}

// columnOptions say how to map the columns of a table.
type columnOptions struct {
	overrides  headerOverrides
	mapping    *FileMapping // instead of the recognition of headers and values; may be nil
	isMapped   bool         // the mapping includes the overrides
	isPartial  bool         // rows change freelancers, and may have nothing but an ID and one value
	id         []string     // headers of the columns that form the ID
	vocabulary Vocabulary   // may be nil
}

// mapColumns maps the columns of a table by the mapping file, or else by their headers and values, and by the options.
// It returns an error if no column holds anything to match.
func mapColumns(t table, o columnOptions, base string) (*mapping, error) {
	if len(t.headers) > maxColumns {
		return nil, tooManyColumns(len(t.headers))
	}
	m := &mapping{columns: make([]columnUse, len(t.headers))}
	var chosen [fieldCount]bool

	if !o.isMapped {
		var err error
		if chosen, err = m.override(t.headers, o.overrides); err != nil {
			return nil, err
		}
	}

	if o.mapping != nil {
		if err := m.apply(o.mapping, t.headers, chosen); err != nil {
			return nil, err
		}
	} else {
		newRecognizer(t, o.vocabulary).recognize(m, chosen)
	}

	for f := range m.fields {
		for j := range m.fields[f] {
			m.inspect(&m.fields[f][j], field(f), t, base)
		}
	}

	return m, m.check(t.headers, o)
}

// override applies the options, and returns the fields that they settle.
func (m *mapping) override(names []string, overrides headerOverrides) (chosen [fieldCount]bool, err error) {
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

		i := slices.IndexFunc(names, func(h string) bool { return strings.EqualFold(h, header) })
		if i < 0 {
			return chosen, fmt.Errorf("no column %q for %s; the columns are %s", header, name, quoted(names))
		}
		var set columnSet

		if h, ok := lookup(names[i]); ok {
			set.scale = h.scale()
			if h.field == f {
				set.use = h.use
			}
		}

		if f == fieldCountry {
			set.identity = neverIdentity // unless its header says otherwise
		}
		m.use(i, f, ByFlag, set)
	}

	return chosen, nil
}

// place uses a column for the field of its header, unless the options decide otherwise.
func (m *mapping) place(i int, group *headerGroup, chosen [fieldCount]bool) {
	f := group.field
	c := &m.columns[i]
	switch {
	case c.field != fieldNone:
		return
	case chosen[f] && f != fieldNone:
		c.note = "not used, because -map sets this field"
		c.how = ByFlag
		return

	case group.isDate:
		m.dates = append(m.dates, i)
	}

	c.note = group.note
	c.how = ByHeader

	if f == fieldNone {
		return
	}

	if sets := m.fields[f]; group.isPart && len(sets) > 0 {
		if last := &sets[len(sets)-1]; last.group == group {
			last.columns = append(last.columns, i)
			c.field = f
			return
		}
	}

	m.use(i, f, ByHeader, columnSet{
		group: group, isPart: group.isPart, scale: group.scale(), identity: group.identity, use: group.use,
	})

	if group.identity == onlyIdentity {
		c.field = fieldNone
	}
}

// check returns an error if every row would be rejected.
func (m *mapping) check(headers []string, o columnOptions) error {
	isChange := o.isPartial || len(m.fields[fieldDeleted]) > 0
	if isChange && len(m.fields[fieldID])+len(o.id) > 0 {
		return nil
	}
	for _, f := range coreFields {
		if len(m.fields[f]) > 0 {
			return nil
		}
	}
	if len(headers) == 0 {
		return errors.New("the file has no columns")
	}
	return fmt.Errorf("no known column for names, job titles, skills or descriptions among %s; name one with -map, "+
		"such as -map name=\"COLUMN\". If the first row is already a freelancer, use -no-header. If other lines come before "+
		"the header, use -skip-lines", quoted(headers))
}

// inspect finds out from the headers and the sample how the cells of a column set are written.
func (m *mapping) inspect(set *columnSet, f field, t table, base string) {
	first := set.columns[0]
	if f == fieldHourlyRate || f == fieldRating || f == fieldTotalSales {
		set.decimals = value.JudgeDecimals(cellsOf(t.sample, set.columns))
		if f == fieldTotalSales && set.decimals != value.PointDecimals {
			set.decimals = value.NoDecimals
		}
	}

	switch f {
	case fieldHourlyRate:
		m.inspectCurrency(set, t, base)
	case fieldSkills:
		if isSlug := isSlugColumn(t.sample, first); set.slugs == nil && isSlug {
			set.slugs = &isSlug
		}
		if set.isSlug() {
			m.addNote(first, "slugs; hyphens stand for spaces")
		}

	case fieldRating:
		if scale := headerScale(t.headers[first]); scale > 0 && set.scale == 0 {
			set.scale = scale
			m.addNote(first, fmt.Sprintf("on a scale of 0 to %v, according to the header", scale))
		}

	case fieldAvailability, fieldAvailableFrom:
		set.dates = value.JudgeDates(cellsOf(t.sample, set.columns))
	case fieldLocation:
		set.countries = areCountries(cellsOf(t.sample, set.columns))
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
func cellsOf(sample []record, columns []int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, rec := range sample {
			for _, column := range columns {
				if !yield(cellAt(rec.cells, column)) {
					return
				}
			}
		}
	}
}

// inspectCurrency finds the currency of amounts that name none: the one in the nearest column of currencies, or else in
// the header.
func (m *mapping) inspectCurrency(set *columnSet, t table, base string) {
	first := set.columns[0]
	if set.currency == "" {
		set.currency = value.Currency(t.headers[first], base)
	}
	distance := len(t.headers)
	isForRate := func(s columnSet) bool { return s.use == useForRate }
	hasForRate := slices.ContainsFunc(m.fields[fieldCurrency], isForRate)
	for _, currencies := range m.fields[fieldCurrency] {
		if i := currencies.columns[0]; abs(i-first) < distance && isForRate(currencies) == hasForRate {
			set.currencyAt, distance = i, abs(i-first)
		}
	}

	switch {
	case set.currencyAt >= 0:
		m.addNote(first, "amounts in the currency that column "+strconv.Quote(t.headers[set.currencyAt])+" names")
	case set.currency == value.AmbiguousCurrency:
		m.columns[first].doubt = "several currencies use the sign in the header, so amounts without one are unknown"
	case set.currency != "":
		m.addNote(first, "amounts in "+set.currency)
	}
}

func abs(n int) int { return max(n, -n) }

func (m *mapping) addNote(column int, note string) { m.columns[column].addNote(note) }

func (c *columnUse) addNote(note string) { c.note = strings.TrimPrefix(c.note+"; "+note, "; ") }

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

// hasMoreThanNames reports whether there are columns for what people can do.
func (m *mapping) hasMoreThanNames() bool {
	return len(m.fields[fieldJobTitle])+len(m.fields[fieldSkills])+len(m.fields[fieldDescription]) > 0
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
