package source

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"freelancer-matching/internal/value"
)

// recognizer finds the field of each column by its header and its values. A header that names a field decides, unless
// the values contradict it. Values alone decide only about fields that no header names.
type recognizer struct {
	table
	words    Vocabulary
	profiles []*profile // by column; nil until needed
}

func newRecognizer(t table, words Vocabulary) *recognizer {
	if words == nil {
		words = noVocabulary{}
	}
	return &recognizer{table: t, words: words, profiles: make([]*profile, len(t.headers))}
}

func (r *recognizer) profile(i int) *profile {
	if r.profiles[i] == nil {
		r.profiles[i] = newProfile(r.sample, i)
	}
	return r.profiles[i]
}

// recognize maps the columns. chosen has the fields that the options settle.
func (r *recognizer) recognize(m *mapping, chosen [fieldCount]bool) {
	known := lookupAll(r.headers)
	for i, header := range r.headers {
		if r := []rune(header); len(r) == 1 && unicode.IsLetter(r[0]) { // the name of a column in a spreadsheet
			known[i] = knownHeader{}
		}

		// A currency may also look like a part of another word: "rate (Rs)" and "raters".
		if known[i].headerGroup == nil || value.Currency(header, "") != "" {
			if h, ok := lookupWithoutUnit(header); ok {
				known[i] = h
			}
		}
	}

	var order []int // known columns, the preferred ones first
	for i := range known {
		if known[i].headerGroup != nil {
			order = append(order, i)
		}
	}

	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(known[a].rank, known[b].rank) })
	for _, i := range order {
		switch {
		case m.columns[i].field == fieldNone:
			r.place(m, i, known[i].headerGroup, chosen)
		case m.columns[i].field == fieldCountry && known[i].field.isPlace() && !chosen[fieldLocation]: // by -map
			m.places = append(m.places, columnSet{columns: []int{i}})
		}
	}

	r.addGuesses(m, known, chosen)
}

// lookupWithoutUnit looks up a header without its currency or scale: "Rate €/h" and "stars out of 5". A header that is
// nothing but a unit, such as "€/h", is an hourly rate.
func lookupWithoutUnit(header string) (knownHeader, bool) {
	if kind, _ := value.Amount("1 " + header); kind == value.HourlyAmount {
		return lookup("hourly rate")
	}
	bare := header

	if headerScale(header) > 0 {
		bare = strings.TrimRight(header, "0123456789%()[] ")
	}

	for word := range strings.FieldsSeq(bare) {
		if value.Currency(word, "") != "" {
			bare, _, _ = strings.Cut(bare, word)
			break
		}
	}

	if bare == header {
		return lookupHourlyRate(header)
	}
	words := headerWords(bare)
	for range maxConnectors + 1 {
		if h, ok := lookup(strings.Join(words, " ")); ok {
			return h, true
		}
		if len(words) < 2 || len(words[len(words)-1]) > maxConnector {
			break
		}

		words = words[:len(words)-1]
	}

	return lookupHourlyRate(header)
}

// lookupHourlyRate looks up a header that names a rate, its unit and perhaps its currency: "Bill rate/hr" and
// "rate_gbp_per_hr".
func lookupHourlyRate(header string) (knownHeader, bool) {
	words := slices.DeleteFunc(headerWords(header), func(word string) bool {
		return len(word) == 3 && word != "per" && word != "fee" && word != "pay" && value.Currency(word, "") != ""
	})
	n := len(words)
	for n > 0 && slices.Contains([]string{"per", "an", "h", "hr", "hrs", "hour"}, words[n-1]) {
		n--
	}
	if n == 0 || n == len(words) {
		return knownHeader{}, false
	}
	h, ok := lookup(strings.Join(words[:n], " "))
	return h, ok && h.field == fieldHourlyRate
}

// Up to maxConnectors words of up to maxConnector letters, such as "in" and "out of", may connect a header with its
// unit.
const (
	maxConnectors = 2
	maxConnector  = 3
)

// place uses a column for the field of its header unless its values contradict it.
func (r *recognizer) place(m *mapping, i int, group *headerGroup, chosen [fieldCount]bool) {
	f := group.field
	if f == fieldCountry {
		r.placeCountry(m, i, group, chosen)
		return
	}

	if f == fieldNone || chosen[f] {
		m.place(i, group, chosen)
		return
	}

	reason, doubt := r.profile(i).contradiction(f, r.headers[i])
	c := &m.columns[i]
	switch {
	case reason == "":
		m.place(i, group, chosen)
		c.doubt = doubt
	case f == fieldLocation:
		// Numbers of places still tell people with the same name apart.
		m.use(i, f, ByHeader, columnSet{identity: onlyIdentity})
		c.field = fieldNone
		c.note = "not used as a place, because " + reason + "; distinguishes people with the same name and no id"

	default:
		c.how, c.note = ByHeader, "not used for "+f.String()+", because "+reason
	}
}

// placeCountry uses a column whose header names a country. If most values aren't countries, it is a location. If -map
// sets the country or the location, the column still distinguishes people as it does without -map, or doesn't.
func (r *recognizer) placeCountry(m *mapping, i int, group *headerGroup, chosen [fieldCount]bool) {
	c := &m.columns[i]
	doubt := ""
	switch p := r.profile(i); {
	case chosen[fieldCountry] && chosen[fieldLocation]:
		m.place(i, group, chosen)
		return
	case chosen[fieldCountry]:
		m.use(i, fieldLocation, ByHeader, columnSet{identity: onlyIdentity})
		c.field = fieldNone
		c.note = "not used for country, because -map sets this field; distinguishes people with the same name and no id"
		return

	case len(p.cells) >= minCells && p.misfits(fieldCountry) >= mostCells:
		r.place(m, i, groupLabeled("location"), chosen)
		return
	case len(p.cells) >= 5 && p.misfits(fieldCountry) >= someCells:
		doubt = fmt.Sprintf("%.0f%% of the values are not countries", p.misfits(fieldCountry)*100)
	}

	set := columnSet{group: group}
	if chosen[fieldLocation] {
		set.identity = neverIdentity
	}
	m.use(i, fieldCountry, ByHeader, set)
	c.note = group.note
	c.doubt = doubt
}

// addGuesses uses columns without a known header for fields that no other column has, if their values, or parts of
// their header and their values, show what they hold.
func (r *recognizer) addGuesses(m *mapping, known []knownHeader, chosen [fieldCount]bool) {
	var guesses []guess
	for i := range r.headers {
		c := &m.columns[i]
		if c.field != fieldNone || c.how == ByFlag || slices.Contains(m.dates, i) || isLocation(m, i) {
			continue
		}
		g := r.guess(i, known[i].headerGroup)
		// A header that is known, but has no use here, has no other use either.
		isUnused := known[i].headerGroup != nil && (known[i].field == fieldNone || known[i].field >= fieldCountry)
		if isUnused && g.field != fieldHourlyRate {
			continue
		}

		if g.field != fieldNone {
			guesses = append(guesses, g)
		}
	}

	if !isTableOfPeople(m, guesses) {
		return
	}
	slices.SortStableFunc(guesses, func(a, b guess) int { return cmp.Compare(b.strength, a.strength) })

	for _, g := range guesses {
		c := &m.columns[g.column]
		user := r.userOf(m, g.field)
		if user == "" && g.field == fieldLocation {
			user = r.placeOf(m)
		}

		if user != "" || chosen[g.field] {
			if c.note == "" && user != "" {
				c.note = "not used, because column " + user + " holds " + g.field.String() + "; " + g.reason
			}
			continue
		}

		isDenied := c.note != ""
		m.use(g.column, g.field, g.how, columnSet{})
		c.note = g.reason
		switch {
		case g.isSure && !isDenied:
		case g.how == ByBoth:
			c.doubt = "only a part of the header is known"
		default:
			c.doubt = "the header does not say so"
		}
	}
}

// isLocation reports whether a column distinguishes people although it is not listed as used.
func isLocation(m *mapping, i int) bool {
	return slices.ContainsFunc(m.fields[fieldLocation], func(set columnSet) bool {
		return slices.Contains(set.columns, i)
	})
}

// guess returns the field that the values of a column show, or that its header hints at if the values agree. group is
// nil if the header is unknown.
func (r *recognizer) guess(i int, group *headerGroup) guess {
	p := r.profile(i)
	if group == nil {
		if f := hint(r.headers[i]); f != fieldNone && p.agrees(f, r.words) {
			return guess{i, f, ByBoth, 2 * maxStrength, "the values fit the known part of the header", false}
		}
	}
	g := p.guess(r.words)
	g.column = i
	g.how = ByValues
	return g
}

// userOf returns the quoted header of the column that holds a field, or "".
func (r *recognizer) userOf(m *mapping, f field) string {
	for i := range m.columns {
		if m.columns[i].field == f {
			return strconv.Quote(r.headers[i])
		}
	}
	return ""
}

// placeOf returns the quoted header of a column that distinguishes people by its header, or "". A guessed location
// would distinguish them, too.
func (r *recognizer) placeOf(m *mapping) string {
	for _, set := range m.places {
		if set.group != nil {
			return strconv.Quote(r.headers[set.columns[0]])
		}
	}
	return ""
}

// coreFields are the fields of which a freelancer must have one.
var coreFields = []field{fieldName, fieldJobTitle, fieldSkills, fieldDescription}

// isTableOfPeople reports whether a header names one of the core fields, or the values show two of them. A table with
// one column of long texts can be anything.
func isTableOfPeople(m *mapping, guesses []guess) bool {
	for _, f := range coreFields {
		if len(m.fields[f]) > 0 {
			return true
		}
	}
	shown := make(map[field]bool)
	for _, g := range guesses {
		if slices.Contains(coreFields, g.field) {
			shown[g.field] = true
		}
	}
	return len(shown) >= 2
}
