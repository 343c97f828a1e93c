package rows

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"freelancer-matching/internal/matching"
	"freelancer-matching/internal/value"
)

// A Person is a freelancer merged from rows. A known value completes an unknown one, skills and languages are
// collected, and the longest description is kept. If rows disagree in another field, the value comes from the row with
// the most known fields; among equals, from the row with the most finished projects; and else the highest number or the
// first text in alphabetical order is kept. A country or time zone that no row states is derived from what is kept. So
// the order of the rows doesn't matter, except for the order of skills and languages.
type Person struct {
	Freelancer matching.Freelancer
	SkillsCut  bool // there were more than value.MaxSkills; the first ones in alphabetical order were kept

	derived Derived             // of the freelancer's country and time zone
	origins [fieldCount]*origin // of the values
	lost    []lost
}

// Conflict is a field in which rows of a person disagree: the value that was kept, and one that wasn't.
type Conflict struct {
	Field      string // as in exports
	Kept, Lost Place
}

// Place is where a row has a value.
type Place struct {
	File  string
	Line  int
	Value string
}

// origin is the row of a value.
type origin struct {
	known, sales int // fields with a value, and finished projects
	file         string
	line         int
}

// lost is a value that was not kept.
type lost struct {
	field field
	value string
	from  *origin
}

// field is a field whose values can disagree, in the order of exports.
type field int

const (
	fieldName field = iota
	fieldJobTitle
	fieldExperience
	fieldRating
	fieldHourlyRate
	fieldProfileURL
	fieldAvailability
	fieldTotalSales
	fieldDescription
	fieldCountry
	fieldLocation
	fieldTimeZone
	fieldCurrency
	fieldAvailableFrom
	fieldHours
	fieldVerified
	fieldCount
)

var fieldNames = [fieldCount]string{
	"name", "job_title", "experience", "rating", "hourly_rate", "profile_url", "availability", "total_sales",
	"description", "country", "location", "time_zone", "currency", "available_from", "hours_per_week", "verified",
}

// NewPerson returns the person of a row.
func NewPerson(file string, row *Row) *Person {
	p := &Person{Freelancer: row.Freelancer, derived: row.Derived}
	from := newOrigin(file, row)
	for f := range p.origins {
		p.origins[f] = from
	}
	return p
}

func newOrigin(file string, row *Row) *origin {
	f := &row.Freelancer
	const fields = 9 // that UnknownFields lists
	known := fields - len(f.UnknownFields())
	if f.Description != "" {
		known++
	}
	return &origin{known: known, sales: f.TotalSales.Value, file: file, line: row.Line}
}

// Add merges another row of the person.
func (p *Person) Add(file string, row *Row) {
	into := &p.Freelancer
	other := row.Freelancer
	from := newOrigin(file, row)
	p.derived.clear(&into.Details)
	row.Derived.clear(&other.Details)
	merge(p, fieldName, &into.Name, other.Name, lines, from)
	merge(p, fieldJobTitle, &into.JobTitle, other.JobTitle, lines, from)
	merge(p, fieldExperience, &into.Experience, other.Experience, numbers, from)
	merge(p, fieldRating, &into.Rating, other.Rating, numbers, from)
	merge(p, fieldHourlyRate, &into.HourlyRate, other.HourlyRate, numbers, from)
	merge(p, fieldProfileURL, &into.ProfileURL, other.ProfileURL, lines, from)
	merge(p, fieldAvailability, &into.Availability, other.Availability, flags, from)
	merge(p, fieldTotalSales, &into.TotalSales, other.TotalSales, counts, from)
	merge(p, fieldDescription, &into.Description, other.Description, texts, from)
	for _, skill := range other.Skills {
		p.addSkill(skill)
	}
	p.addDetails(&other.Details, from)
}

// addDetails merges the details of another row, and derives those that no row states.
func (p *Person) addDetails(other *matching.Details, from *origin) {
	into := &p.Freelancer.Details
	merge(p, fieldCountry, &into.Country, other.Country, lines, from)
	merge(p, fieldLocation, &into.Location, other.Location, lines, from)
	merge(p, fieldTimeZone, &into.TimeZone, other.TimeZone, lines, from)
	merge(p, fieldCurrency, &into.Currency, other.Currency, lines, from)
	merge(p, fieldAvailableFrom, &into.AvailableFrom, other.AvailableFrom, lines, from)
	merge(p, fieldHours, &into.HoursPerWeek, other.HoursPerWeek, numbers, from)
	merge(p, fieldVerified, &into.Verified, other.Verified, flags, from)
	for _, l := range other.Languages {
		into.Languages, _ = value.AddLanguage(into.Languages, l) // more than the limit is no fault of the data
	}
	p.derived = Derive(into)
}

// kind says how the values of a field are compared.
type kind[T any] struct {
	isKnown func(T) bool
	agree   func(a, b T) bool // the values say the same
	prefer  func(a, b T) int  // positive to keep b, whatever rows they come from; nil for none
	order   func(a, b T) int  // negative to keep a, and positive to keep b, if the rows are equal
	format  func(T) string
}

var (
	lines = kind[string]{
		isKnown: func(s string) bool { return s != "" }, agree: strings.EqualFold, order: compareLines,
		format: func(s string) string { return s },
	}
	texts = kind[string]{
		isKnown: lines.isKnown, agree: isBeginning, order: cmp.Compare[string], format: lines.format,
		prefer: func(a, b string) int { return cmp.Compare(len(b), len(a)) },
	}
	numbers = optionals(cmp.Compare[float64], func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) })
	counts  = optionals(cmp.Compare[int], strconv.Itoa)
	flags   = optionals(CompareFlags, strconv.FormatBool)
)

func optionals[T comparable](order func(a, b T) int, format func(T) string) kind[matching.Optional[T]] {
	return kind[matching.Optional[T]]{
		isKnown: func(v matching.Optional[T]) bool { return v.Known },
		agree:   func(a, b matching.Optional[T]) bool { return a == b },
		order:   func(a, b matching.Optional[T]) int { return order(b.Value, a.Value) },
		format:  func(v matching.Optional[T]) string { return format(v.Value) },
	}
}

// CompareFlags returns a positive number if only a is set.
func CompareFlags(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	default:
		return -1
	}
}

// compareLines orders texts alphabetically. Texts that differ only in case come in the order of their quality: "Ada",
// "ada", "ADA".
func compareLines(a, b string) int {
	if !strings.EqualFold(a, b) {
		return cmp.Compare(a, b)
	}
	isMixed := func(s string) int {
		if strings.ContainsFunc(s, unicode.IsUpper) && strings.ContainsFunc(s, unicode.IsLower) {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(isMixed(b), isMixed(a)), cmp.Compare(b, a))
}

// isBeginning reports whether one text is the beginning of the other one, which may be cut with an ellipsis.
func isBeginning(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return strings.HasPrefix(b, strings.TrimRight(a, ".… "))
}

// merge merges the value of a field. The outcome doesn't depend on the order of the rows, because it is the greatest
// value in a fixed order: preferred values, then the rank of the row, then the order of values.
func merge[T any](p *Person, f field, into *T, other T, k kind[T], from *origin) {
	if !k.isKnown(other) {
		return
	}
	known := k.isKnown(*into)
	kept := p.origins[f]
	better := 1

	if known {
		if better = 0; k.prefer != nil {
			better = k.prefer(*into, other)
		}
		better = cmp.Or(better, cmp.Compare(from.known, kept.known), cmp.Compare(from.sales, kept.sales),
			k.order(*into, other))
	}

	agree := !known || k.agree(*into, other)
	switch {
	case better > 0 && !agree:
		p.lose(lost{f, k.format(*into), kept})
		*into = other
		p.origins[f] = from

	case better > 0:
		*into = other
		p.origins[f] = from
	case !agree && !p.hasLost(f):
		p.lose(lost{f, k.format(other), from})
	}
}

// lose remembers the last value of a field that another one replaced.
func (p *Person) lose(l lost) {
	l.value = strings.Clone(value.Truncate(l.value, maxLost))
	if i := slices.IndexFunc(p.lost, func(other lost) bool { return other.field == l.field }); i >= 0 {
		p.lost[i] = l
		return
	}
	p.lost = append(p.lost, l)
}

// maxLost is the length of the values in conflicts, in characters.
const maxLost = 80

func (p *Person) hasLost(f field) bool {
	return slices.ContainsFunc(p.lost, func(l lost) bool { return l.field == f })
}

// addSkill adds a skill that the person doesn't have yet.
func (p *Person) addSkill(skill string) {
	skills := p.Freelancer.Skills
	if i := slices.IndexFunc(skills, func(s string) bool { return strings.EqualFold(s, skill) }); i >= 0 {
		if compareLines(skill, skills[i]) < 0 {
			skills[i] = skill
		}
		return
	}

	if len(skills) < value.MaxSkills {
		p.Freelancer.Skills = append(p.Freelancer.Skills, skill)
		return
	}

	p.SkillsCut = true
	last := 0
	for i := range skills {
		if compareFolded(skills[i], skills[last]) > 0 {
			last = i
		}
	}

	if compareFolded(skill, skills[last]) < 0 {
		skills[last] = skill
	}
}

func compareFolded(a, b string) int { return cmp.Compare(strings.ToLower(a), strings.ToLower(b)) }

// Conflicts returns the fields in which the rows disagree, in the order of exports.
func (p *Person) Conflicts() []Conflict {
	conflicts := make([]Conflict, 0, len(p.lost))
	for _, l := range p.lost {
		kept := p.origins[l.field]
		conflicts = append(conflicts, Conflict{
			Field: fieldNames[l.field],
			Kept:  Place{kept.file, kept.line, value.Truncate(p.text(l.field), maxLost)},
			Lost:  Place{l.from.file, l.from.line, l.value},
		})
	}
	slices.SortFunc(conflicts, func(a, b Conflict) int {
		return cmp.Compare(slices.Index(fieldNames[:], a.Field), slices.Index(fieldNames[:], b.Field))
	})
	return conflicts
}

// text formats the value of a field.
func (p *Person) text(f field) string {
	switch v := &p.Freelancer; f {
	case fieldName:
		return v.Name
	case fieldJobTitle:
		return v.JobTitle
	case fieldExperience:
		return numbers.format(v.Experience)
	case fieldRating:
		return numbers.format(v.Rating)
	case fieldHourlyRate:
		return numbers.format(v.HourlyRate)
	case fieldProfileURL:
		return v.ProfileURL
	case fieldAvailability:
		return flags.format(v.Availability)
	case fieldTotalSales:
		return counts.format(v.TotalSales)
	case fieldCountry, fieldLocation, fieldTimeZone, fieldCurrency, fieldAvailableFrom, fieldHours, fieldVerified:
		return v.Texts()[slices.Index(matching.DetailFields[:], fieldNames[f])]
	default:
		return v.Description
	}
}
