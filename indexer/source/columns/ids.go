package columns

import (
	"fmt"
	"slices"
	"strings"

	"freelancer-matching/indexer/source/field"
	"freelancer-matching/indexer/source/headers"
	"freelancer-matching/indexer/source/table"
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
