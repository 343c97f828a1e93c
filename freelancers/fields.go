package freelancers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"freelancer-matching/internal/matching"
	"freelancer-matching/internal/value"
)

// A field is one member that a record may have.
type field struct {
	name string
	// parse returns what sets the field, or nil if there is a fault or nothing to set.
	parse func(p *parser, name string, raw json.RawMessage) setter
}

// fields returns the members of a record in the order of exports. The last one marks deletions.
func fields() []field {
	type freelancer = matching.Freelancer

	return []field{
		{"id", (*parser).id},
		text("name", maxName, value.Line, func(f *freelancer) *string { return &f.Name }),
		text("job_title", maxTitle, value.Line, func(f *freelancer) *string { return &f.JobTitle }),
		{"skills", (*parser).skills},
		known("experience", value.Years, func(f *freelancer) *matching.Optional[float64] { return &f.Experience }),
		{"rating", (*parser).rating},
		{"hourly_rate", (*parser).hourlyRate},
		word("profile_url", value.URL, func(f *freelancer) *string { return &f.ProfileURL }),
		flag("availability", value.Flag, func(f *freelancer) *matching.Optional[bool] { return &f.Availability }),
		known("total_sales", value.Count, func(f *freelancer) *matching.Optional[int] { return &f.TotalSales }),
		text("description", maxDescription, value.Text, func(f *freelancer) *string { return &f.Description }),
		word("country", value.Country, func(f *freelancer) *string { return &f.Country }),
		text("location", maxName, value.Line, func(f *freelancer) *string { return &f.Location }),
		word("time_zone", value.TimeZone, func(f *freelancer) *string { return &f.TimeZone }),
		{"languages", (*parser).languages},
		{"currency", (*parser).currency},
		word("available_from", date, func(f *freelancer) *string { return &f.AvailableFrom }),
		known("hours_per_week", value.HoursPerWeek, func(f *freelancer) *matching.Optional[float64] {
			return &f.HoursPerWeek
		}),
		flag("verified", value.Verified, func(f *freelancer) *matching.Optional[bool] { return &f.Verified }),
		// Not a value of a freelancer: it marks a deletion.
		{"deleted", (*parser).deleted},
	}
}

// text returns the field of a text.
func text(
	name string, limit int, clean func(string, int) (string, bool), of func(*matching.Freelancer) *string,
) field {
	return field{name, func(p *parser, name string, raw json.RawMessage) setter {
		cell, ok := p.text(name, raw)
		if !ok {
			return nil
		}
		if value.Unknown(cell) {
			cell = ""
		}
		cleaned, cut := clean(cell, limit)
		if cut {
			p.fault(name, codeTooLong, "%s must have at most %d characters; got %d.", name, limit,
				utf8.RuneCountInString(cell))
			return nil
		}
		return func(f *matching.Freelancer) { *of(f) = cleaned }
	}}
}

// word returns the field of a text with rules of its own, which is "" if it is unknown.
func word(
	name string, parse func(string) (text, remark string), of func(*matching.Freelancer) *string,
) field {
	return field{name, func(p *parser, name string, raw json.RawMessage) setter {
		cell, ok := p.text(name, raw)
		if !ok {
			return nil
		}
		text, remark := parse(cell)
		p.remark(name, cell, remark, text == "")
		return func(f *matching.Freelancer) { *of(f) = text }
	}}
}

// known returns the field of a value that may be unknown.
func known[T any](
	name string, parse func(string) (matching.Optional[T], string), of func(*matching.Freelancer) *matching.Optional[T],
) field {
	return field{name, func(p *parser, name string, raw json.RawMessage) setter {
		cell, ok := p.cell(name, raw)
		if !ok {
			return nil
		}
		v, remark := parse(cell)
		p.remark(name, cell, remark, !v.Known)
		return func(f *matching.Freelancer) { *of(f) = v }
	}}
}

func (p *parser) id(name string, raw json.RawMessage) setter {
	cell, ok := p.cell(name, raw)
	if !ok || cell == "" {
		return nil
	}
	if !ValidID(cell) {
		p.fault(name, codeInvalid, "%s", InvalidID(cell))
		return nil
	}
	p.record.ID = cell
	return nil
}

// ValidID reports whether an ID is one that a load would keep as it is.
func ValidID(id string) bool {
	clean, cut := value.Line(id, maxID)
	return !cut && clean == id && !value.Unknown(id)
}

// InvalidID says which IDs are valid.
func InvalidID(id string) string {
	return fmt.Sprintf("id must have 1 to %d characters, without markup, control characters, and spaces at its ends; "+
		"got %q.", maxID, shorten(id))
}

// skills parses a list of skills, or a text with separators.
func (p *parser) skills(name string, raw json.RawMessage) setter {
	cell, ok := p.list(name, raw, "a string", func(item json.RawMessage) bool { return item[0] == '"' })
	if !ok {
		return nil
	}
	skills, remark := value.Skills(cell, false)
	p.remark(name, cell, remark, true) // it was cut or left out
	return func(f *matching.Freelancer) { f.Skills = skills }
}

// rating parses a rating from 0 to 5, or one that names its scale. The number of ratings after it, as in "4.9 (120)",
// is the number of finished projects if that is unknown.
func (p *parser) rating(name string, raw json.RawMessage) setter {
	cell, ok := p.cell(name, raw)
	if !ok {
		return nil
	}
	rating, count, remark := value.Rating(cell, value.MaxRating)
	p.remark(name, cell, remark, !rating.Known)
	return func(f *matching.Freelancer) {
		f.Rating = rating
		if count.Known && !f.TotalSales.Known {
			f.TotalSales = count
		}
	}
}

func (p *parser) hourlyRate(name string, raw json.RawMessage) setter {
	cell, ok := p.cell(name, raw)
	if !ok {
		return nil
	}
	decimals := value.UnclearDecimals
	if raw[0] != '"' { // JSON writes decimals with a point
		decimals = value.PointDecimals
	}
	rate, currency, remark := p.currencies.ChargedRate(decimals.Clarify(cell), "")
	remark, _, _ = strings.Cut(remark, "; set one with -rate") // advice for the indexer
	p.remark(name, cell, remark, !rate.Known)
	p.record.charged = currency
	return func(f *matching.Freelancer) { f.HourlyRate = rate }
}

// languages parses a list of languages with levels, or a text with separators.
func (p *parser) languages(name string, raw json.RawMessage) setter {
	cell, ok := p.list(name, raw, `a string, or an object such as {"language": "de", "level": "B2"}`, isLanguage)
	if !ok {
		return nil
	}
	languages, remark := value.SpokenLanguages(cell)
	p.remark(name, cell, remark, true)
	return func(f *matching.Freelancer) { f.Languages = languages }
}

// isLanguage reports whether a JSON value can be an item of languages.
func isLanguage(item json.RawMessage) bool {
	var language struct {
		Language *string `json:"language"`
		Level    *string `json:"level"`
	}
	decoder := json.NewDecoder(bytes.NewReader(item))
	decoder.DisallowUnknownFields()
	return item[0] == '"' || item[0] == '{' && decoder.Decode(&language) == nil && language.Language != nil
}

// list returns a list as the cell of a file would have it, or the cell of a text. ok is false if the value has another
// type, or an item has, which is a fault.
func (p *parser) list(
	name string, raw json.RawMessage, expected string, isItem func(json.RawMessage) bool,
) (cell string, ok bool) {
	if raw[0] != '[' {
		return p.cell(name, raw)
	}
	var items []json.RawMessage
	_ = json.Unmarshal(raw, &items) // a valid list
	ok = true
	for i, item := range items {
		if !isItem(item) {
			at := fmt.Sprintf("%s[%d]", name, i)
			p.fault(at, codeWrongType, "%s must be %s; got %s.", at, expected, describe(item))
			ok = false
		}
	}
	return string(raw), ok
}

// currency parses the currency in which a freelancer charges. It doesn't say what currency hourly_rate is in.
func (p *parser) currency(name string, raw json.RawMessage) setter {
	parse := func(cell string) (string, string) { return value.ChargedCurrency(cell, p.currencies.Base) }
	return word(name, parse, func(f *matching.Freelancer) *string { return &f.Currency }).parse(p, name, raw)
}

// date parses a date of a single record, which shows no order of day and month.
func date(cell string) (date, remark string) { return value.Date(cell, value.UnclearOrder) }

// flag returns the field of a yes or no, which JSON may also write as true or false.
func flag(
	name string, parse func(string) (matching.Optional[bool], string),
	of func(*matching.Freelancer) *matching.Optional[bool],
) field {
	return field{name, func(p *parser, name string, raw json.RawMessage) setter {
		answer, ok := p.flag(name, raw, parse)
		if !ok {
			return nil
		}
		return func(f *matching.Freelancer) { *of(f) = answer }
	}}
}

// flag returns a yes or no. ok is false for another type, which is a fault.
func (p *parser) flag(
	name string, raw json.RawMessage, parse func(string) (matching.Optional[bool], string),
) (answer matching.Optional[bool], ok bool) {
	if raw[0] == 't' || raw[0] == 'f' {
		return matching.Some(raw[0] == 't'), true
	}
	cell, ok := p.cell(name, raw)
	if !ok {
		return answer, false
	}
	answer, remark := parse(cell)
	p.remark(name, cell, remark, !answer.Known)
	return answer, true
}

func (p *parser) deleted(name string, raw json.RawMessage) setter {
	deleted, _ := p.flag(name, raw, value.Flag)
	p.record.Deleted = deleted.Value
	return nil
}
