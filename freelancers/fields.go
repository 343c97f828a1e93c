package freelancers

import (
	"encoding/json"
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
		{"profile_url", (*parser).profileURL},
		flag("availability", func(f *freelancer) *matching.Optional[bool] { return &f.Availability }),
		known("total_sales", value.Count, func(f *freelancer) *matching.Optional[int] { return &f.TotalSales }),
		text("description", maxDescription, value.Text, func(f *freelancer) *string { return &f.Description }),
		{"deleted", (*parser).deleted},
	}
}

// text returns the field of a text.
func text(
	name string, limit int, clean func(string, int) (string, bool), of func(*matching.Freelancer) *string,
) field {
	return field{name, func(p *parser, name string, raw json.RawMessage) setter {
		cell, ok := p.cell(name, raw)
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
	if !validID(cell) {
		p.fault(name, codeInvalid, "id must have 1 to %d characters, without markup, control characters and spaces at "+
			"its ends; got %q.", maxID, shorten(cell))
		return nil
	}
	p.record.ID = cell
	return nil
}

// validID reports whether an ID is one that a load would keep as it is.
func validID(id string) bool {
	clean, cut := value.Line(id, maxID)
	return !cut && clean == id && !value.Unknown(id)
}

// skills parses a list of skills, or a text with separators.
func (p *parser) skills(name string, raw json.RawMessage) setter {
	cell := string(raw)
	if raw[0] != '[' {
		var ok bool
		if cell, ok = p.cell(name, raw); !ok {
			return nil
		}
	}
	skills, remark := value.Skills(cell, false)
	p.remark(name, cell, remark, false)
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
	rate, remark := p.currencies.HourlyRate(decimals.Clarify(cell), "")
	p.remark(name, cell, remark, !rate.Known)
	return func(f *matching.Freelancer) { f.HourlyRate = rate }
}

func (p *parser) profileURL(name string, raw json.RawMessage) setter {
	cell, ok := p.cell(name, raw)
	if !ok {
		return nil
	}
	address, remark := value.URL(cell)
	p.remark(name, cell, remark, address == "")
	return func(f *matching.Freelancer) { f.ProfileURL = address }
}

// flag returns the field of a yes or no, which JSON may also write as true or false.
func flag(name string, of func(*matching.Freelancer) *matching.Optional[bool]) field {
	words := known(name, value.Flag, of)
	return field{name, func(p *parser, name string, raw json.RawMessage) setter {
		if raw[0] == 't' || raw[0] == 'f' {
			return func(f *matching.Freelancer) { *of(f) = matching.Some(raw[0] == 't') }
		}
		return words.parse(p, name, raw)
	}}
}

func (p *parser) deleted(name string, raw json.RawMessage) setter {
	switch strings.TrimSpace(string(raw)) {
	case "true":
		p.record.Deleted = true
	case "false", "null":
	default:
		p.fault(name, codeWrongType, "%s must be true or false; got %s.", name, describe(raw))
	}
	return nil
}
