package columns

import (
	"fmt"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/indexer/source/field"
	"github.com/freelancer-matching/service/indexer/source/mappingfile"
	"github.com/freelancer-matching/service/internal/value"
)

// apply maps the columns by a mapping file. Fields that the options settle are left out.
func (m *Mapping) apply(file *mappingfile.File, headers []string, chosen [field.Count]bool) error {
	for i := range m.Columns {
		if m.Columns[i].Field == field.None {
			m.Columns[i].Note = "not listed in the mapping file"
		}
	}

	for _, column := range file.Columns {
		i, err := column.Find(headers)
		if err != nil {
			return err
		}

		// Flags of the command line come before the file.
		c := &m.Columns[i]
		f := field.Named(column.Field)
		switch {
		case c.How == ByFlag:
			continue
		case c.How == ByMapping:
			return fmt.Errorf("line %d of the mapping file: column %q is listed twice", column.Line(), column.Column)
		case chosen[f] && f != field.None:
			c.How = ByFlag
			c.Note = "not used, because -map sets this field"
			continue
		}

		m.applyColumn(&column, i, f)
	}

	return nil
}

// applyColumn uses the column with an index for a field, as the mapping file says.
func (m *Mapping) applyColumn(column *mappingfile.Column, i int, f field.Field) {
	c := &m.Columns[i]
	c.How = ByMapping
	c.Note = ""
	if column.Date {
		m.Dates = append(m.Dates, i)
	}

	// Columns in a row that are parts of one value, such as first and last name, share a set.
	sets := m.Sets[f]
	continuesValue := column.Part && len(sets) > 0 && sets[len(sets)-1].isPart
	if continuesValue {
		last := &sets[len(sets)-1]
		last.Columns = append(last.Columns, i)
		c.Field = f
		return
	}

	if f == field.None {
		return
	}
	m.add(i, f, ByMapping, Set{
		isPart: column.Part, slugs: column.Slugs, Scale: float64(column.Scale), Currency: column.Currency,
		Unit: value.UnitNamed(column.Per), Identity: column.Identity, Use: column.Use,
	})
	if column.Identity == field.OnlyIdentity {
		c.Field = field.None
	}
}

// FileColumns returns how the columns are used, in the form of a mapping file.
func (m *Mapping) FileColumns(headers []string) []mappingfile.Column {
	list := []mappingfile.Column{}
	add := func(i int, c mappingfile.Column) {
		use := m.Columns[i]
		c.Column, c.Date = headers[i], slices.Contains(m.Dates, i)

		// If several columns have this header, only its number tells which one is meant.
		if slices.Index(headers, c.Column) != i || slices.Contains(headers[i+1:], c.Column) {
			c.Number = i + 1
		}

		comment := use.Note
		if use.Doubt != "" {
			comment = strings.TrimPrefix(comment+"; not certain: "+use.Doubt, "; ")
		}
		c.SetComment(comment)
		list = append(list, c)
	}

	var done [field.Count]bool
	for i := range headers {
		f := m.fieldOf(i)
		if f == field.None {
			add(i, mappingfile.Column{Field: mappingfile.NoField})
		}

		if f == field.None || done[f] {
			continue
		}
		done[f] = true
		sets := m.Sets[f]

		// Countries and locations tell people with the same name apart in one order, so they are listed in it.
		if f.IsPlace() {
			done[field.Location] = true
			done[field.Country] = true
			sets = m.allPlaces()
		}

		for _, set := range sets {
			if set.Currency == value.AmbiguousCurrency {
				set.Currency = ""
			}

			per := "" // an hour
			if set.Unit > value.PerHour {
				per = set.Unit.String()
			}

			for _, column := range set.Columns {
				add(column, mappingfile.Column{
					Field: m.fieldOf(column).String(), Part: set.isPart, Slugs: set.slugs, Scale: int(set.Scale),
					Currency: set.Currency, Per: per, Identity: set.Identity, Use: set.Use,
				})
			}
		}
	}

	return list
}

// allPlaces returns the columns of locations and countries: first those that distinguish people, in their order.
func (m *Mapping) allPlaces() []Set {
	sets := slices.Clone(m.Places)
	for _, set := range slices.Concat(m.Sets[field.Location], m.Sets[field.Country]) {
		isListed := func(s Set) bool { return s.Columns[0] == set.Columns[0] }
		if !slices.ContainsFunc(sets, isListed) {
			sets = append(sets, set)
		}
	}
	return sets
}

// fieldOf returns the field for which a column is read, also if it is not listed as used.
func (m *Mapping) fieldOf(i int) field.Field {
	for f := range m.Sets {
		for _, set := range m.Sets[f] {
			if slices.Contains(set.Columns, i) {
				return field.Field(f)
			}
		}
	}
	return field.None
}
