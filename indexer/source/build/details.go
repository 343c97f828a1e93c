package build

import (
	"cmp"
	"strings"
	"unicode"

	"github.com/freelancer-matching/service/indexer/rows"
	"github.com/freelancer-matching/service/indexer/source/columns"
	"github.com/freelancer-matching/service/indexer/source/field"
	"github.com/freelancer-matching/service/indexer/source/table"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/value"
)

// The details of a person have few different values in a file, so that parsing each of them once saves time.
const (
	maxMemo     = 10_000 // cells
	maxMemoCell = 200    // bytes
)

// A memo has the values of cells that were parsed before.
type memo map[string]parsedText

type parsedText struct{ text, remark string }

type spoken struct {
	list   []matching.SpokenLanguage
	remark string
}

// remember returns the value of a cell for a field, parsed now or before.
func (b *Builder) remember(f field.Field, cell string, parse func(string) (text, remark string)) (text, remark string) {
	if known, ok := b.memos[f][cell]; ok {
		return known.text, known.remark
	}
	text, remark = parse(cell)
	if b.memos[f] == nil {
		b.memos[f] = make(memo)
	}
	if len(b.memos[f]) < maxMemo && len(cell) <= maxMemoCell {
		b.memos[f][strings.Clone(cell)] = parsedText{strings.Clone(text), remark}
	}
	return text, remark
}

// detail returns the first known value in the columns of a field.
func (b *Builder) detail(
	cells []string, f field.Field, parse func(cell string, set columns.Set) (text, remark string),
) string {
	for _, set := range b.Mapping.Sets[f] {
		if set.Identity == field.OnlyIdentity {
			continue
		}
		column := set.Columns[0]
		cell := table.CellAt(cells, column)
		if cell == "" {
			continue
		}
		text, remark := b.remember(f, cell, func(cell string) (string, string) { return parse(cell, set) })
		b.warnIf(column, cell, remark)
		if text != "" {
			return text
		}
	}
	return ""
}

// plain adapts a parser of cells that needs no more than the cell.
func plain(parse func(string) (text, remark string)) func(string, columns.Set) (string, string) {
	return func(cell string, _ columns.Set) (string, string) { return parse(cell) }
}

// details sets the details, and those that others leave no doubt about.
func (b *Builder) details(cells []string) {
	d := &b.row.Freelancer.Details
	var where columns.Set // of the location
	d.Location, where = b.location(cells)
	d.Country = b.detail(cells, field.Country, plain(value.Country))
	d.TimeZone = b.detail(cells, field.TimeZone, plain(value.TimeZone))
	d.Languages = b.languages(cells)
	for column := field.Plain; column < field.Count; column++ {
		b.plainField(cells, column, matching.FieldNamed(column.String()))
	}
	d.AvailableFrom = b.availableFrom(cells)

	// A partial row changes some values, and must not change others.
	if !b.IsPartial {
		b.deriveAvailability(cells)
		b.derivePlace(where)
	}
}

// deriveAvailability sets when a person is available from cells that say whether, and the other way around.
func (b *Builder) deriveAvailability(cells []string) {
	for _, set := range b.Mapping.Sets[field.Availability] {
		b.fromAvailability(table.CellAt(cells, set.Columns[0]), set)
	}

	for _, set := range b.Mapping.Sets[field.AvailableFrom] {
		answer := availableNow(table.CellAt(cells, set.Columns[0]))
		if f := &b.row.Freelancer; answer.Known && !f.Availability.Known {
			f.Availability = answer
			b.row.Derived |= rows.AvailabilityFromDate
		}
	}
}

// derivePlace sets the country that a location is in, and the time zone of a country that has only one. where has the
// columns of the location.
func (b *Builder) derivePlace(where columns.Set) {
	d := &b.row.Freelancer.Details
	if d.Country == "" && d.Location != "" {
		d.Country, _ = b.remember(field.Location, d.Location, func(s string) (string, string) {
			if where.Countries && value.IsCountry(s) {
				return value.Country(s)
			}
			return value.CountryOf(s), ""
		})
		if d.Country != "" {
			b.row.Derived |= rows.CountryFromLocation
		}
	}

	if d.TimeZone == "" && d.Country != "" {
		if d.TimeZone = value.ZoneOf(d.Country); d.TimeZone != "" {
			b.row.Derived |= rows.ZoneFromCountry
		}
	}
}

// plainField sets a field for which nothing but its own cells matters.
func (b *Builder) plainField(cells []string, column field.Field, f *matching.Field) {
	switch v := f.Pointer(&b.row.Freelancer).(type) {
	case *string:
		*v = b.text(cells, column, maxTitle)
	case *optional[float64]:
		*v = firstKnown(b, cells, column, onlyCell(value.Number(f)))
	case *optional[int]:
		*v = firstKnown(b, cells, column, onlyCell(value.Count))
	case *optional[bool]:
		*v = firstKnown(b, cells, column, onlyCell(value.YesNo(f)))
	default:
		panic("the field " + f.Name + " needs a constant in package field, and a parser in package build")
	}
}

// onlyCell adapts a parser of values to firstKnown.
func onlyCell[T any](parse func(string) (optional[T], string)) func(string, columns.Set) (optional[T], string) {
	return func(cell string, _ columns.Set) (optional[T], string) { return parse(cell) }
}

// location returns the first location, and the columns that have it.
func (b *Builder) location(cells []string) (text string, where columns.Set) {
	for _, set := range b.Mapping.Sets[field.Location] {
		if set.Identity == field.OnlyIdentity {
			continue
		}
		if text = b.textOf(cells, field.Location, set, maxName); text != "" {
			return text, set
		}
	}
	return "", columns.Set{}
}

// charged returns the currency that the person charges in: the one in a column of currencies, or else the one of the
// hourly rate, unless the file has columns for both, as exports do. It warns about an unreadable column if nothing else
// did.
func (b *Builder) charged(cells []string, ofRate string, warn bool) string {
	hasRate := false
	hasOther := false
	for _, set := range b.Mapping.Sets[field.Currency] {
		hasRate = hasRate || set.Use == field.UseForRate
		hasOther = hasOther || set.Use != field.UseForRate
	}

	for _, set := range b.Mapping.Sets[field.Currency] {
		cell := table.CellAt(cells, set.Columns[0])
		if set.Use == field.UseForRate || cell == "" {
			continue
		}

		code, remark := b.remember(field.Currency, cell, func(cell string) (string, string) {
			return value.ChargedCurrency(cell, b.Currencies.Base)
		})

		if warn {
			b.warnIf(set.Columns[0], cell, remark)
		}

		if code != "" {
			return code
		}
	}

	// The file tells both apart, so the currency of the rate isn't what the freelancer charges in.
	if hasRate && hasOther {
		return ""
	}

	return ofRate
}

// languages returns the languages of all columns.
func (b *Builder) languages(cells []string) (list []matching.SpokenLanguage) {
	for _, set := range b.Mapping.Sets[field.Languages] {
		column := set.Columns[0]
		cell := table.CellAt(cells, column)
		if cell == "" {
			continue
		}

		key := set.Use + "\n" + cell
		s, ok := b.spoken[key]
		if !ok {
			s.list, s.remark = spokenIn(cell, set.Use)
			if b.spoken == nil {
				b.spoken = make(map[string]spoken)
			}

			if len(b.spoken) < maxMemo && len(cell) <= maxMemoCell {
				b.spoken[key] = s
			}
		}

		b.warnIf(column, cell, s.remark)
		if list == nil {
			list = s.list
			continue
		}

		for _, l := range s.list {
			var remark string
			list, remark = value.AddLanguage(list, l)
			b.warnIf(column, cell, remark)
		}
	}

	return list
}

// spokenIn parses a cell of a column with a use: languages that the person speaks natively, or how well they speak one.
func spokenIn(cell, use string) (list []matching.SpokenLanguage, remark string) {
	if use != "" && use != field.UseNative {
		level, remark := value.LanguageLevel(cell)
		if level != "" {
			return []matching.SpokenLanguage{{Tag: use, Level: level}}, ""
		}

		// A column such as "Speaks English" may have nothing but yes and no.
		if flag, _ := value.Flag(cell); flag.Known && flag.Value {
			return []matching.SpokenLanguage{{Tag: use}}, ""
		} else if flag.Known || value.Unknown(cell) {
			return nil, ""
		}

		if list, other := value.SpokenLanguages(cell); len(list) > 0 {
			return list, other
		}
		return nil, remark
	}

	list, remark = value.SpokenLanguages(cell)
	for i := range list {
		if use == field.UseNative {
			list[i].Level = cmp.Or(list[i].Level, matching.LevelNative)
		}
	}

	return list, remark
}

// availableFrom returns the date in a column of dates. A cell such as "now" says whether the person is available,
// unless another column does.
func (b *Builder) availableFrom(cells []string) string {
	return b.detail(cells, field.AvailableFrom, func(cell string, set columns.Set) (string, string) {
		date, remark := value.Date(cell, set.Dates)
		if remark != "" && availableNow(cell).Known {
			remark = ""
		}
		return date, remark
	})
}

// availableNow returns the answer that a word such as "now" gives in a column of dates.
func availableNow(cell string) (answer optional[bool]) {
	if strings.ContainsFunc(cell, unicode.IsLetter) {
		answer, _ = value.Flag(cell)
	}
	return answer
}

// fromAvailability takes a date or weekly hours from a text about availability, unless other columns have them: "from
// 1 December 2026" and "30+ hrs/week". A number alone is no answer to either question.
func (b *Builder) fromAvailability(cell string, set columns.Set) {
	if !strings.ContainsFunc(cell, unicode.IsLetter) && !strings.ContainsAny(cell, "./-") {
		return
	}
	d := &b.row.Freelancer.Details
	if d.AvailableFrom == "" && strings.ContainsAny(cell, "0123456789") {
		if d.AvailableFrom, _ = value.Date(cell, set.Dates); d.AvailableFrom != "" {
			b.row.Derived |= rows.DateFromAvailability
			return
		}
	}
	if !d.HoursPerWeek.Known && strings.ContainsFunc(cell, unicode.IsLetter) {
		if hours, _ := value.HoursPerWeek(cell); hours.Known {
			d.HoursPerWeek = hours
			b.row.Derived |= rows.HoursFromAvailability
		}
	}
}

// place returns the text that distinguishes people with the same name: the first known one in the columns of locations
// and countries.
func (b *Builder) place(cells []string) string {
	for _, set := range b.Mapping.Places {
		if cell := table.CellAt(cells, set.Columns[0]); !value.Unknown(cell) {
			if text, _ := value.Line(cell, maxName); !value.Unknown(text) {
				return text
			}
		}
	}
	return ""
}
