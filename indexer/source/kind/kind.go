// Package kind recognizes tables that are not about freelancers: job postings, gigs and products. They have columns
// with titles, prices and skills, too, so that the rest of the indexer would load each row as a person.
//
// A table earns points for each kind: for headers, such as "proposals", and for what its cells say, such as "$250 -
// $750" or "I need a logo". It also earns points for being about people. kinds.txt lists the evidence, explains the
// points, and is the place to change them. A table is refused if a kind has at least four points, and more than being
// about people has.
package kind

import (
	_ "embed"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A Table is the beginning of a file.
type Table struct {
	Headers []string
	Rows    [][]string // cells, in the order of the headers; rows may be short
	// Fields holds the names of the fields, as in exports, that headers were recognized as.
	Fields []string
}

// A Verdict says what a table is about.
type Verdict struct {
	Kind     string   // "job posting", "gig" or "product"; empty if it may be about people
	Evidence []string // up to three examples, the strongest first
}

// The points of a table that is refused.
const enoughPoints = 4

// person is the kind of the tables that the indexer loads.
const person = "person"

// fieldPoints are the points for being about people that a recognized field earns.
var fieldPoints = map[string]float64{
	"name": 2, "hourly_rate": 2, "experience": 2, "profile_url": 1, "availability": 1, "rating": 1,
}

const (
	minShare  = .1 // of the cells of a column that must match
	maxCell   = 60 // characters of a cell that is compared with patterns
	maxStart  = 150
	maxText   = 600 // characters of a cell that are searched for phrases
	maxQuote  = 60  // characters of a cell that are quoted
	maxQuotes = 3
)

// A rule is a line of kinds.txt.
type rule struct {
	kind    string
	points  float64
	headers []string
	cells   *regexp.Regexp // matches normalized text
	isStart bool           // cells begin with one of the phrases
	isText  bool           // cells contain one of the phrases
}

// A phrase belongs to a rule about texts or starts.
type phrase struct {
	kind    string
	text    string // with a space after each word
	isStart bool
}

//go:embed kinds.txt
var rulesFile string

// A Judge judges tables.
type Judge struct {
	rules   []rule
	phrases map[string][]phrase // by their first word
	skipped []string            // headers of columns whose cells say nothing
}

// NewJudge returns a Judge with the evidence in kinds.txt.
func NewJudge() *Judge {
	j := &Judge{phrases: make(map[string][]phrase)}
	kind := ""
	for line := range strings.Lines(rulesFile) {
		line = strings.TrimSpace(line)
		label, list, ok := strings.Cut(line, ": ")
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			kind = strings.Trim(line, "[]")
		case label == "skip":
			j.skipped = strings.Split(list, "; ")
		case ok:
			j.add(kind, label, strings.Split(list, "; "))
		}
	}
	return j
}

// add adds a line such as "header 3: average bid; bids". All lines with texts of a kind, or starts, are one rule, so
// that a cell counts once. Tests keep the file valid.
func (j *Judge) add(kind, label string, items []string) {
	what, points, _ := strings.Cut(label, " ")
	r := rule{kind: kind}
	r.points, _ = strconv.ParseFloat(points, 64)
	switch what {
	case "header":
		r.headers = items
	case "cell":
		r.cells = compile(items)
	case "start", "text":
		r.isStart = what == "start"
		r.isText = what == "text"
		for _, item := range items {
			first, _, _ := strings.Cut(item, " ")
			j.phrases[first] = append(j.phrases[first], phrase{kind, item + " ", r.isStart})
		}

		if slices.ContainsFunc(j.rules, func(known rule) bool {
			return known.kind == kind && known.isStart == r.isStart && known.isText == r.isText
		}) {
			return
		}
	}

	j.rules = append(j.rules, r)
}

const (
	numberPattern = `\d+`
	moneyPattern  = `(?:[$€£₹¥] ?\d+|\d+ ?(?:[$€£₹¥]|usd|eur|gbp|inr))`
)

// compile returns an expression that matches normalized text in which one of the patterns occurs.
func compile(patterns []string) *regexp.Regexp {
	for i, p := range patterns {
		p = regexp.QuoteMeta(p)
		p = strings.NewReplacer(`\{n\}`, numberPattern, `\{money\}`, moneyPattern).Replace(p)
		patterns[i] = strings.ReplaceAll(p, " ", " ?")
	}
	return regexp.MustCompile(`(?:^| )(?:` + strings.Join(patterns, "|") + `)(?: |$)`)
}

// A finding is one piece of evidence.
type finding struct {
	points float64
	text   string
}

// Judge returns what a table is about.
func (j *Judge) Judge(t Table) Verdict {
	columns := j.columns(t)
	points := make(map[string]float64)
	found := make(map[string][]finding)

	for _, field := range t.Fields {
		points[person] += fieldPoints[field]
	}

	for i := range j.rules {
		r := &j.rules[i]
		for _, f := range r.findings(columns) {
			points[r.kind] += f.points
			found[r.kind] = append(found[r.kind], f)
		}
	}

	// People win ties, because a false alarm would stop a valid load. Kinds are sorted, so that equal tables get equal
	// verdicts.
	best := ""
	for _, kind := range slices.Sorted(maps.Keys(points)) {
		p := points[kind]
		isSure := kind != person && p >= enoughPoints && p > points[person]
		isBest := best == "" || p > points[best]
		if isSure && isBest {
			best = kind
		}
	}

	if best == "" {
		return Verdict{}
	}
	v := Verdict{Kind: best}
	slices.SortStableFunc(found[best], func(a, b finding) int { return int(10*b.points) - int(10*a.points) })

	for _, f := range found[best][:min(len(found[best]), maxQuotes)] {
		v.Evidence = append(v.Evidence, f.text)
	}

	return v
}

// A column is a column of a table, normalized.
type column struct {
	header string // as in the file
	key    string // normalized
	cells  []cell // without blank ones
}

// A cell is a filled cell.
type cell struct {
	original, text string
	found          map[string]int // where in the text the first phrase of each kind begins
	starts         string         // the kind of the phrase that the text begins with; "" if there is none
}

func (j *Judge) columns(t Table) []column {
	columns := make([]column, len(t.Headers))
	for i, header := range t.Headers {
		columns[i] = column{header: header, key: strings.TrimSpace(normalize(splitCamelCase(header)))}
	}
	for _, row := range t.Rows {
		for i, text := range row[:min(len(row), len(columns))] {
			if strings.TrimSpace(text) == "" || slices.Contains(j.skipped, columns[i].key) {
				continue
			}
			c := cell{original: text, text: normalize(cut(text, maxText))}
			j.search(&c)
			columns[i].cells = append(columns[i].cells, c)
		}
	}
	return columns
}

// findings returns the evidence that a rule finds: one for each header, and one for the best column of a rule about
// cells.
func (r *rule) findings(columns []column) (list []finding) {
	var best finding
	for i := range columns {
		c := &columns[i]
		if slices.Contains(r.headers, c.key) {
			list = append(list, finding{r.points, fmt.Sprintf("a column %q", cut(c.header, maxQuote))})
		}
		matches, example := 0, ""
		for _, cell := range c.cells {
			if at, ok := r.match(&cell); ok {
				if matches++; example == "" {
					example = cell.quote(at)
				}
			}
		}

		// A few matches among many cells prove nothing: descriptions of people mention jobs and bids, too.
		share := float64(matches) / float64(max(len(c.cells), 1))
		if points := r.points * share; share >= minShare && points > best.points {
			best = finding{points, fmt.Sprintf("%q in the column %q", example, cut(c.header, maxQuote))}
		}
	}

	if best.points > 0 {
		list = append(list, best)
	}

	return list
}

// search finds the phrases in a cell.
func (j *Judge) search(c *cell) {
	atStart := len(c.text) <= maxStart

	// A normalized text begins and ends with a space, so phrases match whole words only.
	for at := 1; at < len(c.text); {
		word, _, _ := strings.Cut(c.text[at:], " ")
		for _, p := range j.phrases[word] {
			isElsewhere := p.isStart && (!atStart || at > 1)
			if isElsewhere || !strings.HasPrefix(c.text[at:], p.text) {
				continue
			}

			if p.isStart {
				c.starts = p.kind
				continue
			}

			if c.found == nil {
				c.found = make(map[string]int)
			}

			if _, ok := c.found[p.kind]; !ok {
				c.found[p.kind] = at
			}
		}

		at += len(word) + 1
	}
}

// match reports whether a cell matches the rule, and where in its text.
func (r *rule) match(c *cell) (at int, ok bool) {
	_, isPerson := c.found[person]
	switch {
	case r.cells != nil:
		return 0, len(c.text) <= maxCell && strings.ContainsAny(c.text, "0123456789") && r.cells.MatchString(c.text)
	case isPerson && r.kind != person:
		return 0, false
	case r.isStart:
		return 0, c.starts == r.kind
	case r.isText:
		at, ok = c.found[r.kind]
		return at, ok
	default:
		return 0, false
	}
}

// quote returns the beginning of a cell on one line, or the part of its text that begins at a place.
func (c *cell) quote(at int) string {
	line := strings.Join(strings.Fields(cut(c.original, 4*maxQuote)), " ")
	before, after := "", ""
	if at > maxQuote/2 {
		line = strings.TrimSpace(c.text[at:])
		before = "…"
	}
	if short := cut(line, maxQuote); short != line {
		line = short
		after = "…"
	}
	return before + line + after
}

// normalize returns the words of a text in lower case, each between spaces. It keeps apostrophes within words, hyphens
// and currency signs, which are words of their own.
func normalize(text string) string {
	var b strings.Builder
	b.Grow(len(text) + 2)
	b.WriteByte(' ')
	endsInSpace := true
	addSpace := func() {
		if !endsInSpace {
			b.WriteByte(' ')
			endsInSpace = true
		}
	}

	previous := ' '
	for _, r := range text {
		// 1,500 and 2.50 are one word; so is 3.5 in front of a word.
		isInNumber := (r == ',' || r == '.') && unicode.IsDigit(previous)
		if isInNumber {
			continue
		}

		r = normalizeRune(r)
		isOwnWord := r == '-' || unicode.Is(unicode.Sc, r)
		entersNumber := unicode.IsDigit(r) && unicode.IsLetter(previous)
		leavesNumber := unicode.IsLetter(r) && unicode.IsDigit(previous)
		startsWord := isOwnWord || entersNumber || leavesNumber
		previous = r

		if r == ' ' {
			addSpace()
			continue
		}

		if startsWord {
			addSpace()
		}
		b.WriteRune(r)
		endsInSpace = false
		if isOwnWord {
			addSpace()
		}
	}
	addSpace()

	return b.String()
}

// normalizeRune returns a letter in lower case, the plain form of an apostrophe or hyphen, and a space for other signs.
// Currency signs stay, because amounts tell a job's budget from text.
func normalizeRune(r rune) rune {
	switch {
	case r == '’', r == '\'':
		return '\''
	case r == '–', r == '—', r == '-':
		return '-'
	case unicode.IsLetter(r), unicode.IsDigit(r), unicode.Is(unicode.Mn, r):
		return unicode.ToLower(r)
	case unicode.Is(unicode.Sc, r):
		return r
	default:
		return ' '
	}
}

// splitCamelCase puts spaces between the words of a header such as averageBid.
func splitCamelCase(header string) string {
	var b strings.Builder
	wasLower := false
	for _, r := range header {
		if unicode.IsUpper(r) && wasLower {
			b.WriteByte(' ')
		}
		wasLower = unicode.IsLower(r)
		b.WriteRune(r)
	}
	return b.String()
}

// cut returns at most limit characters of a text.
func cut(text string, limit int) string {
	n := 0
	for i := range text {
		if n++; n > limit {
			return text[:i]
		}
	}
	return text
}
