package source

import (
	"fmt"
	"strings"

	"freelancer-matching/indexer/source/value"
	"freelancer-matching/internal/matching"
)

// The longest texts that are kept, in characters.
const (
	maxID          = 200
	maxName        = 200
	maxTitle       = 300
	maxDescription = 20_000
	maxValue       = 200 // of a fault
)

// Reasons that concern whole rows, and texts.
const (
	reasonNobody  = "no id, profile URL or name to tell the person by"
	reasonNothing = "no name, job title, skills or description: nothing to match"
	remarkCut     = "a text that is too long, cut"
	remarkRounded = "an id that a spreadsheet has rounded: others may have been rounded to the same"
	remarkNotDate = "not a date: the columns of this row may be shifted"
)

// builder makes freelancers of records.
type builder struct {
	headers    []string
	mapping    *mapping
	currencies value.Currencies
	isRagged   bool // rows may be short by mistake, as in CSV; elsewhere missing cells are empty
	row        Row  // being built
}

func newBuilder(t table, m *mapping, c value.Currencies, isRagged bool) *builder {
	return &builder{headers: t.headers, mapping: m, currencies: c, isRagged: isRagged}
}

// build reads the cells of a record.
func (b *builder) build(rec record) Row {
	b.row = Row{Line: rec.line, Warnings: rec.warnings}
	if rec.fault != "" {
		b.fault(rec.value, rec.fault)
		return b.row
	}
	cells := rec.cells
	if len(cells) > len(b.headers) && !isBlank(cells[len(b.headers):]) {
		b.fault(strings.Join(cells, ","), fmt.Sprintf("row has %d cells, header has %d", len(cells), len(b.headers)))
		return b.row
	}
	b.fill(cells)
	f := &b.row.Freelancer
	switch {
	case f.ID == "":
		b.fault(strings.Join(cells, ","), reasonNobody)
	case f.Name == "" && f.JobTitle == "" && f.Description == "" && len(f.Skills) == 0:
		b.fault(strings.Join(cells, ","), reasonNothing)
	}
	if b.isRagged && len(cells) < len(b.headers) {
		b.checkShort(cells)
	}
	return b.row
}

// checkShort judges a row with too few cells. Programs leave out empty cells at the end of a row; but a line break
// without quotes makes two such rows of one, whose cells are not what their columns say. So a short row is taken only
// when it has most of its cells and every one of them can be read.
func (b *builder) checkShort(cells []string) {
	reason := fmt.Sprintf("row has %d cells, header has %d", len(cells), len(b.headers))
	if len(cells)*2 < len(b.headers) || len(b.row.Warnings) > 0 {
		b.fault(strings.Join(cells, ","), reason)
		return
	}
	b.warn(-1, "", reason+": the missing ones are taken for empty")
}

func (b *builder) fill(cells []string) {
	f := &b.row.Freelancer
	f.Name = b.text(cells, fieldName, maxName)
	f.JobTitle = b.text(cells, fieldJobTitle, maxTitle)
	f.Description = b.text(cells, fieldDescription, maxDescription)
	f.Skills = b.skills(cells)
	f.ProfileURL = b.url(cells)
	f.Experience = number(b, cells, fieldExperience, func(cell string, _ columnSet) (matching.Optional[float64], string) {
		return value.Years(cell)
	})
	f.HourlyRate = number(b, cells, fieldHourlyRate, func(cell string, set columnSet) (matching.Optional[float64], string) {
		return b.currencies.HourlyRate(cell, set.currency)
	})
	f.Availability = number(b, cells, fieldAvailability, func(cell string, _ columnSet) (matching.Optional[bool], string) {
		return value.Flag(cell)
	})
	f.TotalSales = b.totalSales(cells)
	f.Rating = number(b, cells, fieldRating, func(cell string, set columnSet) (matching.Optional[float64], string) {
		rating, count, remark := value.Rating(cell, set.isPercent)
		if !f.TotalSales.Known {
			f.TotalSales = count
		}
		return rating, remark
	})
	for _, column := range b.mapping.dates {
		if cell := cellAt(cells, column); !value.Unknown(cell) && !looksLikeDate(cell) {
			b.warn(column, cell, remarkNotDate)
		}
	}
	f.ID = b.text(cells, fieldID, maxID)
	if isRounded(f.ID) {
		b.warn(b.mapping.fields[fieldID][0].columns[0], f.ID, remarkRounded)
		f.ID = ""
	}
	if f.ID == "" {
		f.ID = makeID(f.ProfileURL, f.Name, b.text(cells, fieldLocation, maxName))
	}
}

// cellAt is a cell, "" beyond the end of a short row.
func cellAt(cells []string, column int) string {
	if column >= len(cells) {
		return ""
	}
	return cells[column]
}

// text is the first text that the columns of a field have.
func (b *builder) text(cells []string, f field, limit int) string {
	for _, set := range b.mapping.fields[f] {
		text := ""
		for _, column := range set.columns {
			cell := cellAt(cells, column)
			if value.Unknown(cell) {
				continue
			}
			part, cut := value.Line(cell, limit)
			if f == fieldDescription {
				part, cut = value.Text(cell, limit)
			}
			if cut {
				b.warn(column, cell, remarkCut)
			}
			text = strings.TrimSpace(text + " " + part)
		}
		if !value.Unknown(text) {
			return value.Truncate(text, limit)
		}
	}
	return ""
}

// number is the first number or flag that the columns of a field have.
func number[T any](b *builder, cells []string, f field,
	read func(cell string, set columnSet) (matching.Optional[T], string),
) matching.Optional[T] {
	for _, set := range b.mapping.fields[f] {
		for _, column := range set.columns {
			cell := cellAt(cells, column)
			v, remark := read(cell, set)
			if remark != "" {
				b.warn(column, cell, remark)
			}
			if v.Known {
				return v
			}
		}
	}
	return matching.Optional[T]{}
}

// totalSales adds up the parts of the first column set that knows any.
func (b *builder) totalSales(cells []string) (total matching.Optional[int]) {
	for _, set := range b.mapping.fields[fieldTotalSales] {
		for _, column := range set.columns {
			cell := cellAt(cells, column)
			count, remark := value.Count(cell)
			if remark != "" {
				b.warn(column, cell, remark)
			}
			if count.Known {
				total = matching.Some(total.Value + count.Value)
			}
		}
		if total.Known {
			break
		}
	}
	return total
}

// skills is the union of all columns of skills.
func (b *builder) skills(cells []string) (skills []string) {
	for _, set := range b.mapping.fields[fieldSkills] {
		for _, column := range set.columns {
			cell := cellAt(cells, column)
			more, remark := value.Skills(cell, set.isSlug)
			if remark != "" {
				b.warn(column, cell, remark)
			}
			skills = union(skills, more)
		}
	}
	return skills
}

func (b *builder) url(cells []string) string {
	for _, set := range b.mapping.fields[fieldProfileURL] {
		for _, column := range set.columns {
			cell := cellAt(cells, column)
			address, remark := value.URL(cell)
			if remark != "" {
				b.warn(column, cell, remark)
			}
			if address != "" {
				return address
			}
		}
	}
	return ""
}

// fault rejects the row.
func (b *builder) fault(text, reason string) {
	b.row.Faults = append(b.row.Faults, b.newFault(-1, text, reason))
}

// warn reports a cell, or the whole row where column is -1.
func (b *builder) warn(column int, cell, reason string) {
	b.row.Warnings = append(b.row.Warnings, b.newFault(column, cell, reason))
}

func (b *builder) newFault(column int, cell, reason string) Fault {
	fault := Fault{Line: b.row.Line, Value: strings.Clone(value.Truncate(cell, maxValue)), Reason: reason}
	if column >= 0 {
		fault.Column = b.headers[column]
	}
	return fault
}

// isRounded reports ids such as 1.23457E+18: a spreadsheet took a long number for an amount.
func isRounded(id string) bool {
	mantissa, exponent, ok := strings.Cut(id, "E+")
	return ok && mantissa != "" && strings.Trim(mantissa, "0123456789.,") == "" &&
		exponent != "" && strings.Trim(exponent, "0123456789") == ""
}

// looksLikeDate tells dates from what shifted columns hold in their place.
func looksLikeDate(cell string) bool {
	return strings.ContainsAny(cell, "0123456789") && !strings.ContainsAny(cell, "%$€£")
}
