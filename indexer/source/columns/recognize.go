package columns

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/freelancer-matching/service/indexer/source/field"
	"github.com/freelancer-matching/service/indexer/source/headers"
	"github.com/freelancer-matching/service/indexer/source/ratings"
	"github.com/freelancer-matching/service/indexer/source/table"
	"github.com/freelancer-matching/service/internal/value"
)

// recognizer finds the field of each column by its header and its values. A header that names a field decides, unless
// the values contradict it. Values alone decide only about fields that no header names.
type recognizer struct {
	table.Table
	words    Vocabulary
	profiles []*profile // by column; nil until needed
}

func newRecognizer(t table.Table, words Vocabulary) *recognizer {
	if words == nil {
		words = noVocabulary{}
	}
	return &recognizer{Table: t, words: words, profiles: make([]*profile, len(t.Headers))}
}

func (r *recognizer) profile(i int) *profile {
	if r.profiles[i] == nil {
		r.profiles[i] = newProfile(r.Sample, i)
	}
	return r.profiles[i]
}

// recognize maps the columns. chosen has the fields that the options settle.
func (r *recognizer) recognize(m *Mapping, chosen [field.Count]bool) {
	known := headers.LookupAll(r.Headers)
	for i, header := range r.Headers {
		// A spreadsheet names its columns by letters, but a Chinese character is a word.
		if r := []rune(header); len(r) == 1 && unicode.Is(unicode.Latin, r[0]) {
			known[i] = headers.Known{}
		}

		// A currency may also look like a part of another word: "rate (Rs)" and "raters".
		if known[i].Group == nil || value.Currency(header, "") != "" {
			if h, ok := lookupWithoutUnit(header); ok {
				known[i] = h
			}
		}
	}

	var order []int // known columns, the preferred ones first
	for i := range known {
		if known[i].Group != nil {
			order = append(order, i)
		}
	}

	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(known[a].Rank, known[b].Rank) })
	for _, i := range order {
		switch {
		case m.Columns[i].Field == field.None:
			r.place(m, i, known[i].Group, chosen)
		case m.Columns[i].Field == field.Country && known[i].Field.IsPlace() && !chosen[field.Location]: // by -map
			m.Places = append(m.Places, Set{Columns: []int{i}})
		}
	}

	r.addGuesses(m, known, chosen)
}

// lookupWithoutUnit looks up a header without its currency or scale: "Rate €/h" and "stars out of 5". A header that is
// nothing but a unit, such as "€/h" and "€ / Tag", is a rate.
func lookupWithoutUnit(header string) (headers.Known, bool) {
	if unit := value.AmountUnit("1 " + header); unit != value.NoUnit {
		return rateHeader(unit)
	}
	bare := header

	if ratings.HeaderScale(header) > 0 {
		bare = strings.TrimRight(header, "0123456789%()[] ")
	}

	for word := range strings.FieldsSeq(bare) {
		if value.Currency(word, "") != "" {
			bare, _, _ = strings.Cut(bare, word)
			break
		}
	}

	if bare == header {
		return lookupUnitRate(header)
	}

	// "rate in €" still ends with "in" after its unit is gone.
	words := headers.Words(bare)
	for range maxConnectors + 1 {
		if h, ok := headers.Lookup(strings.Join(words, " ")); ok {
			return h, true
		}
		if len(words) < 2 || len(words[len(words)-1]) > maxConnector {
			break
		}

		words = words[:len(words)-1]
	}

	return lookupUnitRate(header)
}

// Up to maxConnectors words of up to maxConnector letters, such as "in" and "out of", may connect a header with its
// unit.
const (
	maxConnectors = 2
	maxConnector  = 3
)

// place uses a column for the field of its header unless its values contradict it.
func (r *recognizer) place(m *Mapping, i int, group *headers.Group, chosen [field.Count]bool) {
	f := group.Field
	if f == field.Country {
		r.placeCountry(m, i, group, chosen)
		return
	}

	if f == field.None || chosen[f] {
		m.place(i, group, chosen)
		return
	}

	reason, doubt := r.profile(i).contradiction(f, r.Headers[i])
	c := &m.Columns[i]
	switch {
	case reason == "":
		m.place(i, group, chosen)
		c.Doubt = doubt
	case f == field.Location:
		// Numbers of places still tell people with the same name apart.
		m.add(i, f, ByHeader, Set{Identity: field.OnlyIdentity})
		c.Field = field.None
		c.Note = "not used as a place, because " + reason + "; distinguishes people with the same name and no id"

	default:
		c.How, c.Note = ByHeader, "not used for "+f.String()+", because "+reason
	}
}

// placeCountry uses a column whose header names a country. If most values aren't countries, it is a location. If -map
// sets the country or the location, the column still distinguishes people as it does without -map, or doesn't.
func (r *recognizer) placeCountry(m *Mapping, i int, group *headers.Group, chosen [field.Count]bool) {
	c := &m.Columns[i]
	doubt := ""
	switch p := r.profile(i); {
	case chosen[field.Country] && chosen[field.Location]:
		m.place(i, group, chosen)
		return
	case chosen[field.Country]:
		m.add(i, field.Location, ByHeader, Set{Identity: field.OnlyIdentity})
		c.Field = field.None
		c.Note = "not used for country, because -map sets this field; distinguishes people with the same name and no id"
		return

	case len(p.cells) >= minCells && p.misfits(field.Country) >= mostCells:
		r.place(m, i, headers.GroupLabeled("location"), chosen)
		return
	case len(p.cells) >= 5 && p.misfits(field.Country) >= someCells:
		doubt = fmt.Sprintf("%.0f%% of the values are not countries", p.misfits(field.Country)*100)
	}

	set := Set{Group: group}
	if chosen[field.Location] {
		set.Identity = field.NeverIdentity
	}
	m.add(i, field.Country, ByHeader, set)
	c.Note = group.Note
	c.Doubt = doubt
}

// addGuesses uses columns without a known header for fields that no other column has, if their values, or parts of
// their header and their values, show what they hold.
func (r *recognizer) addGuesses(m *Mapping, known []headers.Known, chosen [field.Count]bool) {
	var guesses []guess
	for i := range r.Headers {
		c := &m.Columns[i]
		isSettled := c.Field != field.None || c.How == ByFlag || slices.Contains(m.Dates, i) || isLocation(m, i)
		if isSettled {
			continue
		}

		// A header that is known, but has no use here, has no other use either. A price is an exception: it may be per hour.
		g := r.guess(i, known[i].Group)
		isEarned := known[i].Group == headers.GroupLabeled("earnings") // per month or year
		isRate := g.field == field.HourlyRate
		if isUnused(known[i].Group) && (!isRate || isEarned) {
			continue
		}

		// Codes may look like amounts, and are none under the header of an id.
		isID := known[i].Group != nil && known[i].Field == field.ID
		if isID && isRate {
			continue
		}

		if g.field != field.None {
			guesses = append(guesses, g)
		}
	}

	// A single column of long texts or lists could be about anything.
	if !isTableOfPeople(m, guesses) {
		return
	}
	slices.SortStableFunc(guesses, func(a, b guess) int { return cmp.Compare(b.strength, a.strength) })

	for _, g := range guesses {
		c := &m.Columns[g.column]
		user := r.userOf(m, g.field)
		if user == "" && g.field == field.Location {
			user = r.placeOf(m)
		}

		if user != "" || chosen[g.field] {
			if c.Note == "" && user != "" {
				c.Note = "not used, because column " + user + " holds " + g.field.String() + "; " + g.reason
			}
			continue
		}

		isDenied := c.Note != ""
		m.add(g.column, g.field, g.how, Set{})
		c.Note = g.reason
		switch {
		case g.isSure && !isDenied:
		case g.how == ByBoth:
			c.Doubt = "only a part of the header is known"
		default:
			c.Doubt = "the header does not say so"
		}
	}
}

// isUnused reports whether a header is known, but stands for nothing or for a detail.
func isUnused(group *headers.Group) bool {
	return group != nil && (group.Field == field.None || group.Field >= field.Country)
}

// isLocation reports whether a column distinguishes people although it is not listed as used.
func isLocation(m *Mapping, i int) bool {
	return slices.ContainsFunc(m.Sets[field.Location], func(set Set) bool {
		return slices.Contains(set.Columns, i)
	})
}

// guess returns the field that the values of a column show, or that its header hints at if the values agree. group is
// nil if the header is unknown.
func (r *recognizer) guess(i int, group *headers.Group) guess {
	p := r.profile(i)
	if group == nil {
		if f := hint(r.Headers[i]); f != field.None && p.agrees(f, r.words) {
			return guess{i, f, ByBoth, 2 * maxStrength, "the values fit the known part of the header", false}
		}
	}
	g := p.guess(r.words)
	g.column = i
	g.how = ByValues
	return g
}

// userOf returns the quoted header of the column that holds a field, or "".
func (r *recognizer) userOf(m *Mapping, f field.Field) string {
	for i := range m.Columns {
		if m.Columns[i].Field == f {
			return strconv.Quote(r.Headers[i])
		}
	}
	return ""
}

// placeOf returns the quoted header of a column that distinguishes people by its header, or "". A guessed location
// would distinguish them, too.
func (r *recognizer) placeOf(m *Mapping) string {
	for _, set := range m.Places {
		if set.Group != nil {
			return strconv.Quote(r.Headers[set.Columns[0]])
		}
	}
	return ""
}

// coreFields are the fields of which a freelancer must have one.
var coreFields = []field.Field{field.Name, field.JobTitle, field.Skills, field.Description}

// isTableOfPeople reports whether a header names one of the core fields, or the values show two of them. A table with
// one column of long texts can be anything.
func isTableOfPeople(m *Mapping, guesses []guess) bool {
	for _, f := range coreFields {
		if len(m.Sets[f]) > 0 {
			return true
		}
	}
	shown := make(map[field.Field]bool)
	for _, g := range guesses {
		if slices.Contains(coreFields, g.field) {
			shown[g.field] = true
		}
	}
	return len(shown) >= 2
}
