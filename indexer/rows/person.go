package rows

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/value"
)

// A Person is a freelancer merged from rows. A known value completes an unknown one, skills and languages are
// collected, and the longest description is kept. If rows disagree in another field, the value comes from the row with
// the most known fields; among equals, from the row with the most finished projects; and else the highest number or the
// first text in alphabetical order is kept. A country or time zone that no row states is derived from what is kept. So
// the order of the rows doesn't matter, except for the order of skills and languages.
type Person struct {
	Freelancer matching.Freelancer
	SkillsCut  bool // there were more than value.MaxSkills; the first ones in alphabetical order were kept

	derived Derived                       // of the freelancer's country and time zone
	origins [len(matching.Fields)]*origin // of the values
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
	field int // position in matching.Fields
	value string
	from  *origin
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
	known := 0
	for i := range matching.Fields {
		if d := &matching.Fields[i]; d.Scope != matching.ScopeDetails && d.Known(f) {
			known++
		}
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
	for i := range matching.Fields {
		p.mergeField(i, &other, from)
	}

	for _, skill := range other.Skills {
		p.addSkill(skill)
	}
	for _, l := range other.Languages {
		into.Languages, _ = value.AddLanguage(into.Languages, l) // more than the limit is no fault of the data
	}
	p.derived = Derive(&into.Details)
}

// mergeField merges another row's value of the ith field. Skills and languages are lists that Add unites.
func (p *Person) mergeField(i int, other *matching.Freelancer, from *origin) {
	field := &matching.Fields[i]
	switch into := field.Pointer(&p.Freelancer).(type) {
	case *string:
		compared := lines
		if field.Kind == matching.KindLongText {
			compared = texts
		}
		merge(p, i, into, *field.Pointer(other).(*string), compared, from)

	case *matching.Optional[float64]:
		merge(p, i, into, *field.Pointer(other).(*matching.Optional[float64]), numbers, from)
	case *matching.Optional[int]:
		merge(p, i, into, *field.Pointer(other).(*matching.Optional[int]), counts, from)
	case *matching.Optional[bool]:
		merge(p, i, into, *field.Pointer(other).(*matching.Optional[bool]), flags, from)
	}
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
func merge[T any](p *Person, f int, into *T, other T, k kind[T], from *origin) {
	if !k.isKnown(other) {
		return
	}
	known := k.isKnown(*into)
	kept := p.origins[f]
	better := 1

	// A preference of the field comes first, then the better row. The values decide last, so that the order of rows
	// never does.
	if known {
		if better = 0; k.prefer != nil {
			better = k.prefer(*into, other)
		}
		better = cmp.Or(better, cmp.Compare(from.known, kept.known), cmp.Compare(from.sales, kept.sales),
			k.order(*into, other))
	}

	// Compared before the value is replaced, since both branches need the old one.
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

func (p *Person) hasLost(f int) bool {
	return slices.ContainsFunc(p.lost, func(l lost) bool { return l.field == f })
}

// addSkill adds a skill that the person doesn't have yet.
func (p *Person) addSkill(skill string) {
	skills := p.Freelancer.Skills

	// Spellings that differ in case are one skill. Which one stays must not depend on the order of the rows.
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

	// At the limit, the last skill of the alphabet goes, for the same reason.
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
	slices.SortFunc(p.lost, func(a, b lost) int { return cmp.Compare(a.field, b.field) })
	conflicts := make([]Conflict, 0, len(p.lost))
	for _, l := range p.lost {
		field := &matching.Fields[l.field]
		kept := p.origins[l.field]
		conflicts = append(conflicts, Conflict{
			Field: field.Name,
			Kept:  Place{kept.file, kept.line, value.Truncate(field.Text(&p.Freelancer), maxLost)},
			Lost:  Place{l.from.file, l.from.line, l.value},
		})
	}
	return conflicts
}
