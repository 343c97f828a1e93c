package columns

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/indexer/source/field"
	"github.com/freelancer-matching/service/indexer/source/headers"
	"github.com/freelancer-matching/service/indexer/source/table"
	"github.com/freelancer-matching/service/internal/value"
)

// PositionID stands for the position of a row in its file, in place of a column in Options.ID.
const PositionID = "row"

// IDColumn is a column that is the ID, or a part of it.
type IDColumn struct {
	Index   int
	IsEmail bool // must not be stored
}

// ChooseID sets the columns that form the ID to those that the options name, instead of those of the field id.
func (m *Mapping) ChooseID(headers, names []string, overrides headers.Overrides) error {
	mappedTo := overrides[field.ID.String()]
	if len(names) > 0 && mappedTo != "" {
		return fmt.Errorf("the field id is mapped to %q, and -id names %s; use one of them",
			mappedTo, strings.Join(names, ","))
	}

	if len(names) == 1 && names[0] == PositionID {
		return nil
	}

	for _, header := range names {
		i := slices.IndexFunc(headers, func(h string) bool { return strings.EqualFold(h, strings.TrimSpace(header)) })
		if i < 0 {
			return fmt.Errorf("no column %q for the id; the columns are %s", header, table.Quoted(headers))
		}
		m.Ids = append(m.Ids, IDColumn{i, m.Columns[i].Field == field.Email})
		m.addNote(i, "part of the id, because of -id")

		if m.Columns[i].Field == field.None {
			m.Columns[i].How = ByFlag
		}
	}

	isChosen := func(i int) bool {
		return slices.ContainsFunc(m.Ids, func(c IDColumn) bool { return c.Index == i })
	}
	for _, set := range m.Sets[field.ID] {
		if i := set.Columns[0]; len(m.Ids) > 0 && !isChosen(i) {
			m.addNote(i, "not used, because -id names other columns")
		}
	}

	return nil
}

// JudgeIDs finds the columns of IDs whose values are all whole numbers, some with decimals, such as 1001.0. A program
// writes them so if the column has an empty cell: pandas has no missing integers.
func (m *Mapping) JudgeIDs(sample []table.Record) {
	for _, column := range m.idColumns() {
		if areWholeDecimals(sample, column) {
			m.wholeIDs = append(m.wholeIDs, column)
			m.addNote(column, "numbers such as 1001.0 are the ID 1001")
		}
	}
}

// idColumns returns the columns that have IDs or parts of them.
func (m *Mapping) idColumns() (list []int) {
	for _, set := range m.Sets[field.ID] {
		list = append(list, set.Columns...)
	}
	for _, column := range m.Ids {
		list = append(list, column.Index)
	}
	return list
}

// ReadWithoutSample settles what a sample would show, for rows of which none is known yet: numbers such as 1001.0 are
// the ID 1001, and ratings that name no scale go up to 5.
func (m *Mapping) ReadWithoutSample() {
	m.wholeIDs = m.idColumns()
	for i := range m.Sets[field.Rating] {
		set := &m.Sets[field.Rating][i]
		set.Scale = cmp.Or(set.Scale, value.MaxRating)
	}
}

// areWholeDecimals reports whether the known values of a column are whole numbers, and at least one is a decimal.
func areWholeDecimals(sample []table.Record, column int) bool {
	hasDecimal := false
	for _, record := range sample {
		cell := strings.TrimSpace(table.CellAt(record.Cells, column))
		if value.Unknown(cell) {
			continue
		}

		whole := withoutZeros(cell)
		if whole == "" || strings.Trim(whole, "0123456789") != "" {
			return false
		}
		hasDecimal = hasDecimal || whole != cell
	}
	return hasDecimal
}

// withoutZeros returns a decimal without the zeros after its point.
func withoutZeros(decimal string) string {
	if whole, fraction, ok := strings.Cut(decimal, "."); ok && strings.Trim(fraction, "0") == "" {
		return whole
	}
	return decimal
}

// ID returns the ID in a cell of a column, without the decimals that a program added to a whole number.
func (m *Mapping) ID(column int, id string) string {
	if !slices.Contains(m.wholeIDs, column) {
		return id
	}
	if whole := withoutZeros(id); strings.Trim(whole, "0123456789") == "" {
		return whole
	}
	return id
}
