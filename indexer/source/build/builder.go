// Package build turns records into rows: freelancers, or the reasons why a record can't be one.
package build

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/freelancer-matching/service/indexer/rows"
	"github.com/freelancer-matching/service/indexer/source/columns"
	"github.com/freelancer-matching/service/indexer/source/field"
	"github.com/freelancer-matching/service/indexer/source/repair"
	"github.com/freelancer-matching/service/indexer/source/table"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/value"
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
	reasonNoID      = "no id, profile URL, e-mail address or name identifies the person; "
	adviceNoID      = "-id row loads such rows"
	ReasonNothing   = "no name, job title, skills or description to match"
	remarkCut       = "the text is too long and was cut"
	RemarkRounded   = "a spreadsheet has rounded this id, so other people may have the same one"
	RemarkNotDate   = "not a date; the cells of this row may be in the wrong columns"
	reasonCellCount = "the row has %d cells, but the header has %d"
)

type optional[T any] = matching.Optional[T]

// Options say how to read the rows of a file.
type Options struct {
	Currencies   value.Currencies
	IsPartial    bool   // rows change freelancers, and may say nothing to match
	IsRagged     bool   // a short row may be a mistake, as in CSV; in other formats, missing cells are empty
	IDPrefix     string // of all IDs
	IDByPosition bool
	IDAdvice     string // how to identify rows without an identity; empty to advise -id row
	Year         int    // of the load, up to which experience since a year counts; 0 to leave such experience unknown
	// Keeps reports whether a row isn't left out. It is nil to keep all rows.
	Keeps func(cells []string) bool
}

// Builder turns records into rows.
type Builder struct {
	Options
	Headers  []string
	byHeader []int // the columns in the order of their headers
	Mapping  *columns.Mapping
	row      rows.Row // the row being built
	memos    [field.Count]memo
	spoken   map[string]spoken // by cell
	cells    []string          // of this row, for Record
	repaired repair.Row

	idAdvice string // how to identify rows that have nothing to identify the person

	notes int // among the warnings of this row: conversions, which show no fault of the file

	currencyCell, currency string // the last cell with a currency, and its code
}

// New returns a builder for rows with these headers.
func New(headers []string, m *columns.Mapping, o Options) *Builder {
	b := &Builder{Options: o, Headers: headers, Mapping: m, byHeader: make([]int, len(headers))}
	b.idAdvice = cmp.Or(o.IDAdvice, adviceNoID)
	for i := range b.byHeader {
		b.byHeader[i] = i
	}
	slices.SortStableFunc(b.byHeader, func(i, j int) int { return cmp.Compare(headers[i], headers[j]) })
	return b
}

// Build returns the row of a record. position is its position in the file, from 1.
func (b *Builder) Build(rec table.Record, position int) rows.Row {
	b.row = rows.Row{Line: rec.Line, Warnings: rec.Warnings, Raw: b, Position: position}
	b.cells = rec.Cells
	b.notes = 0

	if rec.Fault != "" {
		b.reject(rec.Value, rec.Fault)
		return b.row
	}

	cells := b.repair(rec.Cells)
	repairs := len(b.row.Warnings)
	if remark := cmp.Or(rec.Skip, notPerson(cells, b.Headers)); remark != "" {
		b.row.Skipped = true
		b.warn(-1, strings.Join(cells, ","), remark)
		return b.row
	}

	text := func() string { return strings.Join(cells, ",") }
	if len(cells) > len(b.Headers) && !table.IsBlank(cells[len(b.Headers):]) {
		b.reject(text(), fmt.Sprintf(reasonCellCount, len(cells), len(b.Headers)))
		return b.row
	}

	// A row that nobody asked for has no faults that anybody must know.
	if b.Keeps != nil && !b.Keeps(cells) {
		b.row.LeftOut = true
		b.row.Warnings = nil
		return b.row
	}

	b.fill(cells)
	f := &b.row.Freelancer
	switch {
	case f.ID == "":
		b.reject(text(), reasonNoID+b.idAdvice)
	case b.row.Deleted || b.IsPartial: // needs nothing but an ID
	case f.Name == "" && !describes(f):
		b.reject(text(), ReasonNothing)
	}

	// Programs leave out empty cells at the end of a row. But a line break without quotes also splits a row into two
	// short ones, whose cells are in the wrong columns. So a short row must have at least half of its cells, all valid.
	if b.IsRagged && len(cells) < len(b.Headers) {
		reason := fmt.Sprintf(reasonCellCount, len(cells), len(b.Headers))
		hasFewCells := len(cells)*2 < len(b.Headers)
		hasInvalid := len(b.row.Warnings) > repairs+b.notes // repairs and notes are warnings about valid cells
		if hasFewCells || hasInvalid {
			b.reject(text(), reason)
		} else {
			b.warn(-1, "", reason+"; the missing cells are treated as empty")
		}
	}

	hasTexts := describes(f) || f.ProfileURL != ""
	isOnlyName := f.Name != "" && !hasTexts && f.Signals == (matching.Signals{})
	if isOnlyName && len(b.row.Faults) == 0 && b.Mapping.HasMoreThanNames() {
		b.warn(-1, f.Name, remarkOnlyName)
	}

	return b.row
}

// describes reports whether a freelancer has texts about their work.
func describes(f *matching.Freelancer) bool {
	return f.JobTitle != "" || f.Description != "" || len(f.Skills) > 0
}

// repair returns the cells of a row without what programs did to them.
func (b *Builder) repair(cells []string) []string {
	return b.repaired.Repair(cells, func(column int, cell, remark string) {
		if column < len(b.Headers) {
			b.warn(column, cell, remark)
		}
	})
}

// fill sets the fields of the freelancer.
func (b *Builder) fill(cells []string) {
	f := &b.row.Freelancer
	f.Name = b.text(cells, field.Name, maxName)
	f.JobTitle = b.text(cells, field.JobTitle, maxTitle)
	f.Description = b.text(cells, field.Description, maxDescription)
	f.Skills = b.skills(cells)
	f.ProfileURL = firstKnown(b, cells, field.ProfileURL, func(cell string, set columns.Set) (optional[string], string) {
		address, remark := value.URL(cell)
		b.row.IsWebsite = set.Group != nil && set.Group.IsWebsite
		return optional[string]{Value: address, Known: address != ""}, remark
	}).Value

	f.Experience = firstKnown(b, cells, field.Experience, onlyCell(b.years))
	charged := ""
	warnings := len(b.row.Warnings)
	f.HourlyRate = firstKnown(b, cells, field.HourlyRate, func(cell string, set columns.Set) (optional[float64], string) {
		charge := b.Currencies.Charge(set.Decimals.Clarify(cell), b.currencyOf(cells, set), set.Unit)
		charged = cmp.Or(charge.Currency, charged)
		if !charge.Rate.Known {
			return charge.Rate, charge.Remark
		}

		if charge.Currency != "" && charge.Currency != b.Currencies.Base {
			b.row.From = charge.Currency
		}
		if charge.Unit != value.PerHour {
			b.row.FromUnit = charge.Unit
		}
		if charge.IsConverted {
			b.notes++
		}
		return charge.Rate, charge.Remark
	})

	b.row.RateIn = charged
	f.Currency = b.charged(cells, charged, len(b.row.Warnings) == warnings+b.notes)
	f.Availability = firstKnown(b, cells, field.Availability, onlyCell(value.Flag))
	b.row.Deleted = firstKnown(b, cells, field.Deleted, onlyCell(value.Flag)).Value

	// Projects come before the rating, whose cells may also have their number, as in "4.9 (120)".
	f.TotalSales = b.totalSales(cells)
	f.Rating = firstKnown(b, cells, field.Rating, func(cell string, set columns.Set) (optional[float64], string) {
		rating, count, remark := value.Rating(set.Decimals.Clarify(cell), set.Scale)
		if !f.TotalSales.Known {
			f.TotalSales = count
		}
		return rating, remark
	})

	b.details(cells)

	// Dates of joining aren't stored, but a cell that is no date shows that the cells of the row are shifted.
	for _, column := range b.Mapping.Dates {
		if cell := table.CellAt(cells, column); !value.Unknown(cell) && !looksLikeDate(cell) {
			b.warn(column, cell, RemarkNotDate)
		}
	}

	b.identify(cells)
}

// years parses a length of time in years, or the year in which it began: "since 2009" is 18 years in 2027.
func (b *Builder) years(cell string) (years optional[float64], remark string) {
	if start, ok := value.StartYear(cell); ok && start <= b.Year {
		cell = strconv.Itoa(b.Year - start)
	}
	return value.Years(cell)
}

// currencyOf returns the currency of an amount in a row that names none.
func (b *Builder) currencyOf(cells []string, set columns.Set) string {
	if set.CurrencyAt < 0 {
		return set.Currency
	}
	cell := table.CellAt(cells, set.CurrencyAt)
	if cell != b.currencyCell || b.currency == "" {
		code, ok := value.CurrencyCode(cell, b.Currencies.Base)
		switch {
		case ok:
		case set.Currency != "" && value.Unknown(cell):
			code = set.Currency
		default:
			code = value.UnknownCurrency
		}
		b.currencyCell = strings.Clone(cell)
		b.currency = code
	}
	return b.currency
}

// text returns the first text in the columns of a field.
func (b *Builder) text(cells []string, f field.Field, limit int) string {
	for _, set := range b.Mapping.Sets[f] {
		if text := b.textOf(cells, f, set, limit); text != "" {
			return text
		}
	}
	return ""
}

// textOf returns the text in the columns of a set, or "".
func (b *Builder) textOf(cells []string, f field.Field, set columns.Set, limit int) (text string) {
	for _, column := range set.Columns {
		cell := table.CellAt(cells, column)
		if value.Unknown(cell) {
			continue
		}
		part, cut := value.Line(cell, limit)
		if f == field.Description {
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
	b *Builder, cells []string, f field.Field, parse func(cell string, set columns.Set) (optional[T], string),
) optional[T] {
	isUnread := false
	for _, set := range b.Mapping.Sets[f] {
		for _, column := range set.Columns {
			cell := table.CellAt(cells, column)
			v, remark := parse(cell, set)
			b.warnIf(column, cell, remark)
			if v.Known {
				return v
			}
			isUnread = isUnread || remark != "" && hasNumber(cell)
		}
	}

	isNumber := f == field.HourlyRate || f == field.Experience || f == field.Rating
	if isNumber && isUnread {
		b.row.Unread = append(b.row.Unread, f.String())
	}
	return optional[T]{}
}

// hasNumber reports whether a cell has a number other than 0, which stands for nothing in many files.
func hasNumber(cell string) bool { return strings.ContainsAny(cell, "123456789") }

// totalSales returns the sum of the first column set with a known count.
func (b *Builder) totalSales(cells []string) (total optional[int]) {
	for _, set := range b.Mapping.Sets[field.TotalSales] {
		for _, column := range set.Columns {
			cell := table.CellAt(cells, column)
			clear := cell
			if b.IsRagged { // in other formats, programs wrote 1.234
				clear = set.Decimals.Clarify(cell)
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
func (b *Builder) skills(cells []string) (skills []string) {
	for _, set := range b.Mapping.Sets[field.Skills] {
		for _, column := range set.Columns {
			cell := table.CellAt(cells, column)
			more, remark := value.Skills(cell, set.IsSlug())
			b.warnIf(column, cell, remark)
			skills = value.AddSkills(skills, more)
		}
	}
	return skills
}

// reject adds a fault of the whole row.
func (b *Builder) reject(text, reason string) {
	b.row.Faults = append(b.row.Faults, b.newFault(-1, text, reason))
}

// warn adds a warning about a cell, or about the whole row if column is -1.
func (b *Builder) warn(column int, cell, reason string) {
	b.row.Warnings = append(b.row.Warnings, b.newFault(column, cell, reason))
}

func (b *Builder) warnIf(column int, cell, remark string) {
	if remark != "" {
		b.warn(column, cell, remark)
	}
}

func (b *Builder) newFault(column int, cell, reason string) rows.Fault {
	fault := rows.Fault{Line: b.row.Line, Value: strings.Clone(value.Truncate(cell, table.MaxValue)), Reason: reason}
	if column >= 0 {
		fault.Column = b.Headers[column]
	}
	return fault
}

// looksLikeDate reports whether a cell can be a date rather than a value from another column.
func looksLikeDate(cell string) bool {
	return strings.ContainsAny(cell, "0123456789") && !strings.ContainsAny(cell, "%$€£")
}

// Record implements rows.Raw for the last row that was built.
func (b *Builder) Record() rows.Record { return table.RawRecord(b.Headers, b.cells, b.IsRagged) }
