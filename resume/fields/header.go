package fields

import (
	"math/bits"
	"strings"

	"freelancer-matching/taxonomy"
)

// A headerReader reads the headers of entries.
type headerReader struct {
	words    *dictionary
	taxonomy *taxonomy.Taxonomy
}

// A role is what a fragment of a header is for. The same roles serve positions and degrees.
type role uint8

const (
	lead  role = iota // the job title, or the degree
	host              // the employer, or the institution
	where             // a place
	field             // of study
	note              // anything else
	numRoles
)

// A sign is a property of a fragment that speaks for or against its roles.
type sign uint8

const (
	always           sign = iota
	titleOutside          // its first or last word, or the head of a phrase, is a word of job titles
	titleInside           // another word of it is one
	seniorFirst           // it starts with a seniority, and has no word of job titles
	knownTitle            // the taxonomy has this job title
	legalForm             // it ends with a legal form
	organizationLast      // its last word is a word for organizations
	organizationWord      // another word of it is one
	schoolWord            // it has a word for schools
	schoolLater           // its first piece has none, but another piece has
	schoolFirst           // only its first piece has one
	onlyKind              // a word for organizations alone: "Academy"
	phraseAcross          // a line break divides its degree
	placeName             // it is a place by name
	placeForm             // it has the form of a place
	contractWord          // it is a kind of contract
	webPage               // it is a web address with a path
	gradeWord             // it starts like a grade
	duration              // it is a duration
	afterAt               // it follows "at"
	bracketed             // it is in brackets
	lowerFirst            // it starts with a small letter
	longText              // it has more than eight words
	sentenceLike          // it reads like running text
	numbered              // it has digits
	degreeFirst           // it starts with a degree
	degreeWord            // it has a degree elsewhere
	degreeField           // a degree and its field
	degreeLink            // a degree, a word such as "in", and its field
	degreeLater           // another piece than the first starts with a degree
	placeParts            // a place by name, in several parts
	labeled               // it has a label: "Technologies: Go"
	tail                  // a few words at the end of a line, after a comma, a dash or a gap
	subjectWord           // it ends with a word for fields of study
	allTitles             // each of its pieces has a word of job titles outside
	labelOnly             // it is a label without its value
	numSigns
)

// weights has the weights of the signs for each role, in log odds.
type weights [numSigns][numRoles]float64

// A grammar says how the header of an entry is read.
type grammar struct {
	weights *weights
	missing [numRoles]float64 // what it costs if no fragment has the role
	roles   []role
}

// positionGrammar reads the headers of positions. The weights are set by hand.
var positionGrammar = grammar{
	roles:   []role{lead, host, where, note},
	missing: [numRoles]float64{lead: -1.5, host: -1},
	weights: &weights{
		//                 title employer place field  note
		always:           {0, .4, -2.5, 0, -.8},
		titleOutside:     {2.5, -2.8, -3, 0, -1.8},
		titleInside:      {1.2, -.6, -1, 0, -.3},
		seniorFirst:      {1, -.3, 0, 0, 0},
		knownTitle:       {1.2, -1, -1, 0, -.5},
		legalForm:        {-5, 4, -4, 0, -2},
		organizationLast: {-1.5, 1.6, -1, 0, -.4},
		organizationWord: {-.4, .7, -.5, 0, -.1},
		schoolWord:       {-1.5, 2, -2, 0, -.5},
		onlyKind:         {0, -2, 0, 0, 0},
		placeName:        {-4, -2.5, 5, 0, 0},
		placeForm:        {-1, -.8, 3.2, 0, 0},
		contractWord:     {-3, -2, 0, 0, 2.5},
		webPage:          {-4, -2, -4, 0, 1.5},
		gradeWord:        {-1, -1, -1, 0, 1},
		duration:         {-5, -5, -5, 0, 2},
		afterAt:          {-2, 2.5, 0, 0, 0},
		bracketed:        {-1.5, -.8, 0, 0, .5},
		lowerFirst:       {-1, -.7, -2, 0, .3},
		longText:         {-1, -.8, -2, 0, .4},
		sentenceLike:     {-4, -4, -5, 0, .2},
		numbered:         {-.5, -.3, 0, 0, .2},
		labeled:          {-2, -2, -2, 0, -.5},
		placeParts:       {0, 0, 1, 0, 0},
		tail:             {-.2, -.4, 1.6, 0, 0},
		labelOnly:        {-3, -3, -3, 0, 1},
		allTitles:        {1.5, 0, 0, 0, 0},
	},
}

// degreeGrammar reads the headers of degrees. The weights are set by hand.
var degreeGrammar = grammar{
	roles:   []role{lead, host, where, field, note},
	missing: [numRoles]float64{lead: -1.2, host: -1.2},
	weights: &weights{
		//                 degree school place field  note
		always:           {-1.8, .2, -2.5, 0, -.8},
		titleOutside:     {-.3, -.5, 0, -.3, 0},
		legalForm:        {-3, 3, -4, -3, 0},
		organizationLast: {-.5, 1, -1, 0, 0},
		organizationWord: {0, .3, 0, 0, 0},
		schoolWord:       {-2.5, 3.5, -2, -3, -1},
		schoolLater:      {0, -1.5, 0, 0, 0},
		onlyKind:         {0, -2, 0, 0, 0},
		phraseAcross:     {4, 0, 0, 0, 0},
		placeName:        {-4, -1.5, 5, -4, 0},
		placeForm:        {-1, -.5, 2, -.5, 0},
		contractWord:     {-3, -2, 0, -3, 1.5},
		webPage:          {-4, -2, -4, -4, 1.5},
		gradeWord:        {-3.5, -3, -3, -3.5, 2.5},
		duration:         {-5, -5, -5, -5, 2},
		afterAt:          {-2, 2.5, 0, -2, 0},
		bracketed:        {-.5, -1.5, 0, .3, .3},
		lowerFirst:       {-1, -1, -2, -1, .3},
		longText:         {0, -.8, -2, -.5, .2},
		sentenceLike:     {-2, -4, -5, -4, .2},
		numbered:         {-.3, -.5, 0, -1, .3},
		degreeFirst:      {5, -3.5, -3, -2, -1.5},
		degreeWord:       {3.2, -3, -2, -1, -1},
		degreeField:      {.8, 0, 0, 1.2, 0},
		degreeLink:       {1.2, 0, 0, -2, 0},
		degreeLater:      {-2, -4, 0, -2, 0},
		schoolFirst:      {0, -.3, 0, 0, 0},
		tail:             {0, 0, 1, 0, 0},
		subjectWord:      {.3, -1.5, -2, 1.5, -.4},
		labelOnly:        {-3, -3, -3, -3, 1},
		placeParts:       {0, 0, 1, 0, 0},
		labeled:          {-1, -2, -2, -1, .5},
	},
}

// A signSet is a set of signs.
type signSet uint64

func (s *signSet) add(x sign, ok bool) {
	if ok {
		*s |= 1 << x
	}
}

func (s signSet) has(x sign) bool { return s>>x&1 != 0 }

// score returns what the signs of a fragment say about a role.
func (w *weights) score(s signSet, r role) float64 {
	total := 0.0
	for ; s != 0; s &= s - 1 {
		total += w[bits.TrailingZeros64(uint64(s))][r]
	}
	return total
}

// signs returns the signs of the text of a fragment.
func (h *headerReader) signs(text string) signSet {
	d := h.words
	var s signSet
	s.add(always, true)
	k := key(text)
	if k == "" {
		return s
	}

	words := strings.Fields(k)
	last := words[len(words)-1]

	switch d.place(text) {
	case placeByName, placeByLabel:
		s.add(placeName, true)
		first, rest, several := strings.Cut(text, ", ")
		s.add(placeParts, several && (!strings.Contains(rest, ", ") || d.knownPlace(key(first))))

	case placeByForm:
		s.add(placeForm, !strings.Contains(text, "/"))
	case notPlace, placeByNeighbors:
	}

	outside, inside := h.words.titleWords(text, words)
	s.add(titleOutside, outside)
	s.add(titleInside, !outside && inside)
	s.add(seniorFirst, !outside && !inside && len(words) > 1 && d.seniority[words[0]])

	if len(words) < 9 && (outside || inside) {
		_, known := h.taxonomy.JobTitle(text)
		s.add(knownTitle, known)
	}

	s.add(legalForm, d.endsLegal(k))
	inOrganization := d.organizations.has(last) || d.severalPeople(last)
	s.add(organizationLast, inOrganization)
	s.add(organizationWord, !inOrganization && d.organizations.any(k))
	s.add(schoolWord, d.schools.any(k))
	s.add(onlyKind, len(words) == 1 && (d.organizations.words[k] || d.schools.words[k]))
	s.add(contractWord, d.contracts[k])
	s.add(webPage, webAddress(text) != "" && strings.Contains(text, "/"))
	s.add(subjectWord, d.subjects.has(last) && !d.schools.any(k))
	s.add(labelOnly, len(words) < 4 && entryLabels[d.labels[k]])
	s.add(gradeWord, d.grade(k))
	s.add(duration, d.duration(text))
	s.add(lowerFirst, firstIsLower(text))
	s.add(sentenceLike, sentence(text) || len(words) > 14)
	s.add(longText, len(words) > 8)
	s.add(numbered, hasDigit(text))
	label, _, colon := strings.Cut(text, ": ")
	s.add(labeled, colon && strings.Count(label, " ") < 3)

	if end := d.degreeEnd(text); end > 0 {
		first := d.startsWithDegree(text)
		s.add(degreeFirst, first)
		s.add(degreeWord, !first)

		if first && !wide(text) {
			_, field := d.splitField(text, end)
			s.add(degreeField, field != "" && strings.IndexAny(text[end:], ",;|:") != 0)
			s.add(degreeLink, field != "" && startsWithAny(strings.TrimLeft(text[end:], " "), d.degreeField) > 0)
		}
	}

	return s
}

// entryLabels are the kinds of labels that entries contain and that have no other meaning there.
var entryLabels = set{"date": true, "employer": true, "school": true, "degree": true, "web": true}

// titleWords reports whether words of job titles are where titles have them: first, last, or before a word in small
// letters or a comma ("Head of Data", "Director, Product"); and whether any other word is one.
func (d *jobWords) titleWords(text string, words []string) (outside, inside bool) {
	if len(words) > 14 {
		return false, false
	}
	raw := strings.Fields(text)
	for i, word := range words {
		switch {
		case !d.titleWord(word):
		case i == 0, i == len(words)-1, wide(word):
			return true, false
		case len(raw) == len(words) && (strings.HasSuffix(raw[i], ",") || firstIsLower(raw[i+1])):
			return true, false
		default:
			inside = true
		}
	}
	return false, inside
}
