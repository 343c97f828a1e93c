package freelancers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/value"
)

// A field is one member that a record may have.
type field struct {
	name  string
	parse rule
}

// A rule returns what sets a field, or nil if there is a fault or nothing to set.
type rule func(p *parser, name string, raw json.RawMessage) setter

// fields are the members of a record in the order of exports. The last one marks deletions.
var fields = recordFields()

func recordFields() []field {
	members := []field{{"id", (*parser).id}}
	for i := range matching.Fields {
		members = append(members, field{matching.Fields[i].Name, ruleOf(&matching.Fields[i])})
	}
	return append(members, field{"deleted", (*parser).deleted})
}

// ruleOf returns how the value of a field is parsed: as its name requires, or else as its kind does.
func ruleOf(d *matching.Field) rule {
	switch d.Name {
	case "job_title":
		return text(d, maxTitle, value.Line)
	case "rating":
		return (*parser).rating
	case "hourly_rate":
		return (*parser).hourlyRate
	case "profile_url":
		return word(d, value.URL)
	case "country":
		return word(d, value.Country)
	case "time_zone":
		return word(d, value.TimeZone)
	case "currency":
		return (*parser).currency
	}

	switch d.Kind {
	case matching.KindText:
		return text(d, maxName, value.Line)
	case matching.KindLongText:
		return text(d, maxDescription, value.Text)
	case matching.KindDate:
		return word(d, date)
	case matching.KindInteger:
		return known(d, value.Count)
	case matching.KindFlag:
		return flag(d, value.YesNo(d))
	case matching.KindNumber:
		return known(d, value.Number(d))
	case matching.KindSkills:
		return (*parser).skills
	case matching.KindLanguages:
		return (*parser).languages
	default:
		panic("the field " + d.Name + " needs a case in ruleOf")
	}
}

// pointer returns the address of the value of a field in a freelancer.
func pointer[T any](d *matching.Field, f *matching.Freelancer) *T { return d.Pointer(f).(*T) }

// text returns the rule of a text.
func text(
	d *matching.Field, limit int, clean func(string, int) (string, bool),
) rule {
	return func(p *parser, name string, raw json.RawMessage) setter {
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
		return func(f *matching.Freelancer) { *pointer[string](d, f) = cleaned }
	}
}

// word returns the rule of a text that a function of its own parses, and which is "" if it is unknown.
func word(
	d *matching.Field, parse func(string) (text, remark string),
) rule {
	return func(p *parser, name string, raw json.RawMessage) setter {
		cell, ok := p.text(name, raw)
		if !ok {
			return nil
		}
		text, remark := parse(cell)
		p.remark(name, cell, remark, text == "")
		return func(f *matching.Freelancer) { *pointer[string](d, f) = text }
	}
}

// known returns the rule of a value that may be unknown.
func known[T any](
	d *matching.Field, parse func(string) (matching.Optional[T], string),
) rule {
	return func(p *parser, name string, raw json.RawMessage) setter {
		cell, ok := p.cell(name, raw)
		if !ok {
			return nil
		}
		v, remark := parse(cell)
		p.remark(name, cell, remark, !v.Known)
		return func(f *matching.Freelancer) { *pointer[matching.Optional[T]](d, f) = v }
	}
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
	charge := p.currencies.Charge(decimals.Clarify(cell), "", value.NoUnit)
	remark, _, _ := strings.Cut(charge.Remark, value.RateAdvice)
	p.remark(name, cell, remark, !charge.Rate.Known)
	p.record.charged = charge.Currency
	return func(f *matching.Freelancer) { f.HourlyRate = charge.Rate }
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
	return word(matching.FieldNamed(name), parse)(p, name, raw)
}

// date parses a date of a single record, which shows no order of day and month.
func date(cell string) (date, remark string) { return value.Date(cell, value.UnclearOrder) }

// flag returns the rule of a yes or no, which JSON may also write as true or false.
func flag(
	d *matching.Field, parse func(string) (matching.Optional[bool], string),
) rule {
	return func(p *parser, name string, raw json.RawMessage) setter {
		answer, ok := p.flag(name, raw, parse)
		if !ok {
			return nil
		}
		return func(f *matching.Freelancer) { *pointer[matching.Optional[bool]](d, f) = answer }
	}
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
