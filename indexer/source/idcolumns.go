package source

import (
	"fmt"
	"slices"
	"strings"
)

// PositionID stands for the position of a row in its file, in place of a column in Options.ID.
const PositionID = "row"

// idColumn is a column that is the ID, or a part of it.
type idColumn struct {
	index   int
	isEmail bool // must not be stored
}

// chooseID sets the columns that form the ID to those that the options name, instead of those of the field id.
func (m *mapping) chooseID(headers, names []string, overrides headerOverrides) error {
	mappedTo := overrides[fieldID.String()]
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
			return fmt.Errorf("no column %q for the id; the columns are %s", header, quoted(headers))
		}
		m.ids = append(m.ids, idColumn{i, m.columns[i].field == fieldEmail})
		m.addNote(i, "part of the id, because of -id")

		if m.columns[i].field == fieldNone {
			m.columns[i].how = ByFlag
		}
	}

	isChosen := func(i int) bool {
		return slices.ContainsFunc(m.ids, func(c idColumn) bool { return c.index == i })
	}
	for _, set := range m.fields[fieldID] {
		if i := set.columns[0]; len(m.ids) > 0 && !isChosen(i) {
			m.addNote(i, "not used, because -id names other columns")
		}
	}

	return nil
}
