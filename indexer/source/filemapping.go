package source

import (
	"fmt"
	"slices"
	"strings"

	"freelancer-matching/internal/value"
)

// apply maps the columns by a mapping file. Fields that the options settle are left out.
func (m *mapping) apply(file *FileMapping, headers []string, chosen [fieldCount]bool) error {
	for i := range m.columns {
		if m.columns[i].field == fieldNone {
			m.columns[i].note = "not listed in the mapping file"
		}
	}

	for _, column := range file.Columns {
		i, err := column.find(headers)
		if err != nil {
			return err
		}
		c := &m.columns[i]
		f := fieldNamed(column.Field)
		switch {
		case c.how == ByFlag:
			continue
		case c.how == ByMapping:
			return fmt.Errorf("line %d of the mapping file: column %q is listed twice", column.line, column.Column)
		case chosen[f] && f != fieldNone:
			c.how = ByFlag
			c.note = "not used, because -map sets this field"
			continue
		}

		c.how = ByMapping
		c.note = ""

		if column.Date {
			m.dates = append(m.dates, i)
		}

		if sets := m.fields[f]; column.Part && len(sets) > 0 && sets[len(sets)-1].isPart {
			last := &sets[len(sets)-1]
			last.columns = append(last.columns, i)
			c.field = f
			continue
		}

		if f != fieldNone {
			m.use(i, f, ByMapping, columnSet{
				isPart: column.Part, slugs: column.Slugs, scale: float64(column.Scale), currency: column.Currency,
				identity: column.Identity, use: column.Use,
			})

			if column.Identity == onlyIdentity {
				c.field = fieldNone
			}
		}
	}

	return nil
}

// fileColumns returns how the columns are used, in the form of a mapping file.
func (m *mapping) fileColumns(headers []string) []ColumnMapping {
	list := []ColumnMapping{}
	add := func(i int, c ColumnMapping) {
		use := m.columns[i]
		c.Column, c.Date = headers[i], slices.Contains(m.dates, i)
		if slices.Index(headers, c.Column) != i || slices.Contains(headers[i+1:], c.Column) {
			c.Number = i + 1
		}

		c.comment = use.note
		if use.doubt != "" {
			c.comment = strings.TrimPrefix(c.comment+"; not certain: "+use.doubt, "; ")
		}
		list = append(list, c)
	}

	var done [fieldCount]bool
	for i := range headers {
		f := m.fieldOf(i)
		if f == fieldNone {
			add(i, ColumnMapping{Field: noField})
		}

		if f == fieldNone || done[f] {
			continue
		}
		done[f] = true
		sets := m.fields[f]

		if f.isPlace() {
			done[fieldLocation] = true
			done[fieldCountry] = true
			sets = m.allPlaces()
		}

		for _, set := range sets {
			if set.currency == value.AmbiguousCurrency {
				set.currency = ""
			}

			for _, column := range set.columns {
				add(column, ColumnMapping{
					Field: m.fieldOf(column).String(), Part: set.isPart, Slugs: set.slugs, Scale: int(set.scale),
					Currency: set.currency, Identity: set.identity, Use: set.use,
				})
			}
		}
	}

	return list
}

// allPlaces returns the columns of locations and countries: first those that distinguish people, in their order.
func (m *mapping) allPlaces() []columnSet {
	sets := slices.Clone(m.places)
	for _, set := range slices.Concat(m.fields[fieldLocation], m.fields[fieldCountry]) {
		isListed := func(s columnSet) bool { return s.columns[0] == set.columns[0] }
		if !slices.ContainsFunc(sets, isListed) {
			sets = append(sets, set)
		}
	}
	return sets
}

// fieldOf returns the field for which a column is read, also if it is not listed as used.
func (m *mapping) fieldOf(i int) field {
	for f := range m.fields {
		for _, set := range m.fields[f] {
			if slices.Contains(set.columns, i) {
				return field(f)
			}
		}
	}
	return fieldNone
}
