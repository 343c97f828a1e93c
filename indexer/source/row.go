package source

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"freelancer-matching/indexer/rows"
	"freelancer-matching/internal/matching"
	"freelancer-matching/internal/value"
)

// The maximum lengths of texts, in characters.
const (
	maxID          = 200
	maxName        = 200
	maxTitle       = 300
	maxDescription = 20_000
)

// Reasons that concern whole rows, and texts.
const (
	reasonNoID      = "no id, profile URL, e-mail address or name identifies the person; -id row loads such rows"
	reasonNothing   = "no name, job title, skills or description to match"
	remarkCut       = "the text is too long and was cut"
	remarkRounded   = "a spreadsheet has rounded this id, so other people may have the same one"
	remarkNotDate   = "not a date; the cells of this row may be in the wrong columns"
	reasonCellCount = "the row has %d cells, but the header has %d"
)

type optional[T any] = matching.Optional[T]

// builderOptions say how to read the rows of a file.
type builderOptions struct {
	currencies   value.Currencies
	isPartial    bool   // rows change freelancers, and may say nothing to match
	isRagged     bool   // a short row may be a mistake, as in CSV; in other formats, missing cells are empty
	idPrefix     string // of all IDs
	idByPosition bool
}

// builder turns records into rows.
type builder struct {
	builderOptions
	headers  []string
	byHeader []int // the columns in the order of their headers
	mapping  *mapping
	row      rows.Row // the row being built
	memos    [fieldCount]memo
	spoken   map[string]spoken // by cell
	cells    []string          // of this row, for Record

	currencyCell, currency string // the last cell with a currency, and its code
}

// newBuilder returns a builder for rows with these headers.
func newBuilder(headers []string, m *mapping, o builderOptions) *builder {
	b := &builder{builderOptions: o, headers: headers, mapping: m, byHeader: make([]int, len(headers))}
	for i := range b.byHeader {
		b.byHeader[i] = i
	}
	slices.SortStableFunc(b.byHeader, func(i, j int) int { return cmp.Compare(headers[i], headers[j]) })
	return b
}

// build returns the row of a record. position is its position in the file, from 1.
func (b *builder) build(rec record, position int) rows.Row {
	b.row = rows.Row{Line: rec.line, Warnings: rec.warnings, Raw: b, Position: position}
	b.cells = rec.cells

	if rec.fault != "" {
		b.reject(rec.value, rec.fault)
		return b.row
	}

	cells := rec.cells
	if remark := cmp.Or(rec.skip, notPerson(cells, b.headers)); remark != "" {
		b.row.Skipped = true
		b.warn(-1, strings.Join(cells, ","), remark)
		return b.row
	}

	text := func() string { return strings.Join(cells, ",") }
	if len(cells) > len(b.headers) && !isBlank(cells[len(b.headers):]) {
		b.reject(text(), fmt.Sprintf(reasonCellCount, len(cells), len(b.headers)))
		return b.row
	}

	b.fill(cells)
	f := &b.row.Freelancer
	switch {
	case f.ID == "":
		b.reject(text(), reasonNoID)
	case b.row.Deleted || b.isPartial:
	case f.Name == "" && f.JobTitle == "" && f.Description == "" && len(f.Skills) == 0:
		b.reject(text(), reasonNothing)
	}

	if b.isRagged && len(cells) < len(b.headers) {
		// Programs leave out empty cells at the end of a row. But a line break without quotes also splits a row into two
		// short ones, whose cells are in the wrong columns. So a short row must have at least half of its cells, all valid.
		reason := fmt.Sprintf(reasonCellCount, len(cells), len(b.headers))
		if len(cells)*2 < len(b.headers) || len(b.row.Warnings) > len(rec.warnings) {
			b.reject(text(), reason)
		} else {
			b.warn(-1, "", reason+"; the missing cells are treated as empty")
		}
	}

	if f.Name != "" && f.JobTitle == "" && f.Description == "" && len(f.Skills) == 0 && f.ProfileURL == "" &&
		f.Signals == (matching.Signals{}) && len(b.row.Faults) == 0 && b.mapping.hasMoreThanNames() {
		b.warn(-1, f.Name, remarkOnlyName)
	}

	return b.row
}

// fill sets the fields of the freelancer.
func (b *builder) fill(cells []string) {
	f := &b.row.Freelancer
	f.Name = b.text(cells, fieldName, maxName)
	f.JobTitle = b.text(cells, fieldJobTitle, maxTitle)
	f.Description = b.text(cells, fieldDescription, maxDescription)
	f.Skills = b.skills(cells)
	f.ProfileURL = firstKnown(b, cells, fieldProfileURL, func(cell string, set columnSet) (optional[string], string) {
		address, remark := value.URL(cell)
		b.row.IsWebsite = set.group != nil && set.group.isWebsite
		return optional[string]{Value: address, Known: address != ""}, remark
	}).Value

	f.Experience = firstKnown(b, cells, fieldExperience, func(cell string, _ columnSet) (optional[float64], string) {
		return value.Years(cell)
	})
	charged := ""
	warnings := len(b.row.Warnings)
	f.HourlyRate = firstKnown(b, cells, fieldHourlyRate, func(cell string, set columnSet) (optional[float64], string) {
		rate, code, remark := b.currencies.ChargedRate(set.decimals.Clarify(cell), b.currencyOf(cells, set))
		charged = cmp.Or(code, charged)
		if rate.Known && code != "" && code != b.currencies.Base {
			b.row.From = code
		}
		return rate, remark
	})

	f.Currency = b.charged(cells, charged, len(b.row.Warnings) == warnings)
	f.Availability = firstKnown(b, cells, fieldAvailability, func(cell string, _ columnSet) (optional[bool], string) {
		return value.Flag(cell)
	})
	b.row.Deleted = firstKnown(b, cells, fieldDeleted, func(cell string, _ columnSet) (optional[bool], string) {
		return value.Flag(cell)
	}).Value
	f.TotalSales = b.totalSales(cells)
	f.Rating = firstKnown(b, cells, fieldRating, func(cell string, set columnSet) (optional[float64], string) {
		rating, count, remark := value.Rating(set.decimals.Clarify(cell), set.scale)
		if !f.TotalSales.Known {
			f.TotalSales = count
		}
		return rating, remark
	})

	b.details(cells)
	for _, column := range b.mapping.dates {
		if cell := cellAt(cells, column); !value.Unknown(cell) && !looksLikeDate(cell) {
			b.warn(column, cell, remarkNotDate)
		}
	}

	b.identify(cells)
}

// currencyOf returns the currency of an amount in a row that names none.
func (b *builder) currencyOf(cells []string, set columnSet) string {
	if set.currencyAt < 0 {
		return set.currency
	}
	cell := cellAt(cells, set.currencyAt)
	if cell != b.currencyCell || b.currency == "" {
		code, ok := value.CurrencyCode(cell, b.currencies.Base)
		switch {
		case ok:
		case set.currency != "" && value.Unknown(cell):
			code = set.currency
		default:
			code = value.UnknownCurrency
		}
		b.currencyCell = strings.Clone(cell)
		b.currency = code
	}
	return b.currency
}

// text returns the first text in the columns of a field.
func (b *builder) text(cells []string, f field, limit int) string {
	for _, set := range b.mapping.fields[f] {
		if text := b.textOf(cells, f, set, limit); text != "" {
			return text
		}
	}
	return ""
}

// textOf returns the text in the columns of a set, or "".
func (b *builder) textOf(cells []string, f field, set columnSet, limit int) (text string) {
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
	if value.Unknown(text) {
		return ""
	}
	return value.Truncate(text, limit)
}

// firstKnown returns the first known value in the columns of a field.
func firstKnown[T any](
	b *builder, cells []string, f field, parse func(cell string, set columnSet) (optional[T], string),
) optional[T] {
	for _, set := range b.mapping.fields[f] {
		for _, column := range set.columns {
			cell := cellAt(cells, column)
			v, remark := parse(cell, set)
			b.warnIf(column, cell, remark)
			if v.Known {
				return v
			}
		}
	}
	return optional[T]{}
}

// totalSales returns the sum of the first column set with a known count.
func (b *builder) totalSales(cells []string) (total optional[int]) {
	for _, set := range b.mapping.fields[fieldTotalSales] {
		for _, column := range set.columns {
			cell := cellAt(cells, column)
			clear := cell
			if b.isRagged { // in other formats, programs wrote 1.234
				clear = set.decimals.Clarify(cell)
			}
			count, remark := value.Count(clear)
			b.warnIf(column, cell, remark)
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

// skills returns the skills of all columns.
func (b *builder) skills(cells []string) (skills []string) {
	for _, set := range b.mapping.fields[fieldSkills] {
		for _, column := range set.columns {
			cell := cellAt(cells, column)
			more, remark := value.Skills(cell, set.isSlug())
			b.warnIf(column, cell, remark)
			skills = value.AddSkills(skills, more)
		}
	}
	return skills
}

// reject adds a fault of the whole row.
func (b *builder) reject(text, reason string) {
	b.row.Faults = append(b.row.Faults, b.newFault(-1, text, reason))
}

// warn adds a warning about a cell, or about the whole row if column is -1.
func (b *builder) warn(column int, cell, reason string) {
	b.row.Warnings = append(b.row.Warnings, b.newFault(column, cell, reason))
}

func (b *builder) warnIf(column int, cell, remark string) {
	if remark != "" {
		b.warn(column, cell, remark)
	}
}

func (b *builder) newFault(column int, cell, reason string) rows.Fault {
	fault := rows.Fault{Line: b.row.Line, Value: strings.Clone(value.Truncate(cell, maxValue)), Reason: reason}
	if column >= 0 {
		fault.Column = b.headers[column]
	}
	return fault
}

// looksLikeDate reports whether a cell can be a date rather than a value from another column.
func looksLikeDate(cell string) bool {
	return strings.ContainsAny(cell, "0123456789") && !strings.ContainsAny(cell, "%$€£")
}

// Record implements rows.Raw for the last row that was built.
func (b *builder) Record() rows.Record { return rawRecord(b.headers, b.cells, b.isRagged) }
