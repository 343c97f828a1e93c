package entries

import (
	"math"
	"strings"

	"github.com/freelancer-matching/service/resume/wording"
)

// Limits of a window. With them, reading an entry takes a bounded time.
const (
	maxBefore = 4  // lines above the one with the date
	maxAfter  = 3  // lines below it
	maxPieces = 40 // of all lines
	maxJoin   = 5  // pieces of a fragment
)

// A window is the line with the date of an entry and the lines around it, some of which are the header of the entry.
type window struct {
	grammar     *grammar
	texts       []string    // without the date
	lineScores  []float64   // how much each line looks like a part of a header, in log odds
	startScores []float64   // how much speaks for a header that starts at a line
	breaks      []separator // between each line and the one above
	date        int         // index of the line with the date
	relation    relation    // to the entries before, by the layout
	school      int         // index of the line that has the school by its looks, negative if none
	pieces      []piece
	first       []int // the first piece of each line, followed by the number of pieces
	spans       [][maxJoin]fragmentScore
}

// A fragmentScore rates adjacent pieces as one fragment.
type fragmentScore struct {
	text   string // "" if the pieces can't be one fragment
	signs  signSet
	scores [numRoles]float64
}

// A roleSet is a set of roles.
type roleSet uint8

func (m roleSet) has(r role) bool { return m>>r&1 != 0 }

// with returns m with a role. Notes don't count, because there may be many.
func (m roleSet) with(r role) roleSet {
	if r == note {
		return m
	}
	return m | 1<<r
}

const maxRoleSets = 1 << note

// An order is how the headers of a section are written. The entries of a section mostly agree.
type order struct {
	known        bool
	slots        [numRoles]slot // of the lead, the host and the place
	leadFirst    bool
	above, below int // lines above and below the one with the date
}

// A slot is where a role stands.
type slot struct {
	line int // relative to the line with the date; noLine without the role
	sep  separator
}

const noLine = 100

// hostByLooks is how much the looks of a line speak for a school, in log odds.
const hostByLooks = 2

// Weights of agreement with the order of a section.
const (
	sameLine      = .9  // the lead or the host is in the same line
	sameSlot      = .5  // and follows the same kind of separator
	samePlace     = 1.5 // the place is in the same line, after the same kind of separator
	sameSequence  = 1.4 // lead and host follow each other in the same order
	sameShape     = .4  // as many lines above, or below, the date
	leadFirstBias = .2  // without any order, titles and degrees come first a bit more often
)

// bonus returns what the order of a section says about the role of a piece, after the roles in taken.
func (w *window) bonus(o *order, r role, p piece, taken roleSet) float64 {
	if r > where {
		return 0 // the order has no slot for it
	}

	// The second of lead and host shows which of them comes first.
	ofPair := r == lead || r == host
	isSecond := ofPair && (taken.has(lead) || taken.has(host))
	leadFirst := isSecond && r == host

	if !o.known {
		if leadFirst {
			return leadFirstBias
		}
		return 0
	}

	b := 0.0
	if isSecond && o.leadFirst == leadFirst {
		b += sameSequence
	}

	inSlotLine := p.line-w.date == o.slots[r].line
	if !inSlotLine {
		return b
	}

	// A place counts only after the same separator, because many lines end with a comma and a word.
	afterSameSeparator := p.sep == o.slots[r].sep
	switch {
	case ofPair && afterSameSeparator:
		b += sameLine + sameSlot
	case ofPair:
		b += sameLine
	case afterSameSeparator:
		b += samePlace
	}

	return b
}

// cut splits the lines of the window into pieces, and rates all fragments.
func (w *window) cut(headers *headerReader) {
	w.first = make([]int, 0, len(w.texts)+1)
	for i, text := range w.texts {
		w.first = append(w.first, len(w.pieces))
		w.pieces = headers.pieces(w.pieces, i, text)
		first := w.first[i]
		if i == 0 || first >= len(w.pieces) {
			continue
		}

		// A line may also start with a preposition, which says more than the line break does. A label starts a new line
		// however the line above ends.
		if w.pieces[first].sep == byLine && !w.isLabel(headers, first) {
			w.pieces[first].sep = w.breaks[i]
			if wrapsPhrase(w.texts[i-1], text) {
				w.pieces[first].sep = byWrap
			}
		}
	}

	// The table has a fixed size, so the time of a window is bounded.
	w.pieces = w.pieces[:min(len(w.pieces), maxPieces)]
	for i := range w.first {
		w.first[i] = min(w.first[i], len(w.pieces))
	}
	w.first = append(w.first, len(w.pieces))
	w.spans = make([][maxJoin]fragmentScore, len(w.pieces))
	for i := range w.pieces {
		w.spans[i][0] = w.rate(headers, i, 1, 0)
	}

	for i := range w.pieces {
		joined := 0.0
		for n := 2; n <= maxJoin && i+n <= len(w.pieces); n++ {
			sep := w.pieces[i+n-1].sep
			breaks := w.pieces[i+n-1].line - w.pieces[i].line

			// A fragment spans at most one line break, and no wide gap.
			wideGap := sep == byTab || sep == byLine
			tooManyBreaks := breaks > 1 || breaks == 1 && sep == byPreposition
			if wideGap || tooManyBreaks {
				break
			}

			joined += joinWeights[sep]
			w.spans[i][n-1] = w.rate(headers, i, n, joined)
		}
	}
}

// rate rates n pieces from piece i on as one fragment. joined is the weight of the separators between them.
func (w *window) rate(headers *headerReader, i, n int, joined float64) fragmentScore {
	first := w.pieces[i]
	last := w.pieces[i+n-1]
	f := fragmentScore{text: w.textOf(i, n)}

	f.signs = headers.signs(f.text)
	f.signs.add(afterAt, first.sep == byPreposition)
	f.signs.add(tail, w.isTail(i, n, f.text))

	f.signs.add(nameLater, w.isNameAfterTitle(headers, i, f.text))
	afterTitle := i > 0 && w.spans[i-1][0].signs.has(titleOutside)
	f.signs.add(remark, first.sep == byBracket && afterTitle && !f.signs.has(placeName))
	if label := w.labelBefore(headers, i); label != "" {
		f.signs.add(titleLabel, label == "title")
		f.signs.add(hostLabel, label == "employer" || label == "school")
		f.signs.add(degreeLabel, label == "degree")
		f.signs.add(fieldLabel, label == "field")
	}

	if last.line > first.line {
		firstLine := strings.TrimSpace(w.texts[first.line][first.Start:])
		f.signs.add(phraseAcross, headers.words.DegreeEnd(f.text) > len(firstLine))
	}

	if n == 1 {
		isLabel := w.isLabel(headers, i)
		f.signs.add(labelOnly, isLabel)
		f.signs.add(labelBefore, isLabel)
		f.signs.add(bracketed, first.sep == byBracket && w.closes(i))
	} else {
		w.addSignsOfPieces(&f.signs, i, n)
	}

	for _, r := range w.grammar.roles {
		f.scores[r] = joined + w.grammar.weights.score(f.signs, r) + w.relation.score(r)
	}
	if w.school >= 0 && first.line == w.school {
		f.scores[host] += hostByLooks
	}

	return f
}

// addSignsOfPieces adds what n pieces from piece i on show one by one, and their joined text hides. The pieces were
// rated before.
func (w *window) addSignsOfPieces(signs *signSet, i, n int) {
	const organization signSet = 1<<schoolWord | 1<<legalForm | 1<<organizationLast | 1<<placeName
	const named = organization&^(1<<placeName) | 1<<organizationWord
	first := w.spans[i][0].signs
	signs.add(knownTitle, first.has(knownTitle) && signs.has(titleOutside))

	titles := first.has(titleOutside)
	for j := i + 1; j < i+n; j++ {
		later := w.spans[j][0].signs
		titles = titles && later.has(titleOutside) && !later.has(nameLater)
		signs.add(organizationLater, later&named != 0 && first&(named|1<<titleOutside) == 0)
		signs.add(degreeLater, later.has(degreeFirst))
		signs.add(schoolLater, later.has(schoolWord) && !first.has(schoolWord))
		signs.add(schoolFirst, first.has(schoolWord) && later&organization == 0)
	}
	signs.add(allTitles, titles)
}

// isNameAfterTitle reports whether a text from piece i on follows a job title, and starts with a word of job titles
// that is part of a name there: "Manager Magazin". A title ends with such a word, or goes on in lower case: "Head of".
func (w *window) isNameAfterTitle(headers *headerReader, i int, text string) bool {
	p := w.pieces[i]
	follows := i > 0 && w.pieces[i-1].line == p.line && (p.sep == byComma || p.sep == byDash)
	if !follows || !w.spans[i-1][0].signs.has(titleOutside) {
		return false
	}

	for word := range strings.FieldsSeq(text) {
		if !wording.Capitalized(word) {
			return false
		}
	}
	words := strings.Fields(wording.Key(text))
	if len(words) < 2 || headers.words.Seniority[words[0]] {
		return false
	}
	return headers.words.TitleWord(words[0]) && !headers.words.TitleWord(words[len(words)-1])
}

// labelBefore returns the kind of the label right before piece i in its line, "" without one: "Position: Analyst".
func (w *window) labelBefore(headers *headerReader, i int) string {
	if i == 0 || w.pieces[i-1].line != w.pieces[i].line || w.pieces[i].sep != byColon && w.pieces[i].sep != byTab {
		return ""
	}
	if !w.isLabel(headers, i-1) {
		return ""
	}
	return headers.words.Labels[wording.Key(w.textOf(i-1, 1))]
}

// isTail reports whether n pieces from piece i on, which are a text, are the end of a line and may be a place there.
func (w *window) isTail(i, n int, text string) bool {
	p := w.pieces[i]
	switch p.sep {
	case byComma, byDash, byTab, byBracket:
	default:
		return false
	}
	last := i+n == w.first[p.line]+w.lineCount(p.line)
	return last && strings.Count(text, " ") < 4 && !wording.FirstIsLower(text) && !wording.HasDigit(text)
}

// lineCount returns the number of pieces of a line.
func (w *window) lineCount(line int) int {
	if line+1 < len(w.first) {
		return w.first[line+1] - w.first[line]
	}
	return len(w.pieces) - w.first[line]
}

// isLabel reports whether piece i is a label before a colon.
func (w *window) isLabel(headers *headerReader, i int) bool {
	p := w.pieces[i]
	text := w.texts[p.line]
	return strings.HasPrefix(text[p.End:], ":") && headers.words.Labels[wording.Key(text[p.Start:p.End])] != ""
}

// closes reports whether a bracket closes behind a piece.
func (w *window) closes(i int) bool {
	rest := w.texts[w.pieces[i].line][w.pieces[i].End:]
	return strings.HasPrefix(rest, ")") || strings.HasPrefix(rest, "]")
}

// textOf returns the text of n pieces from piece i on.
func (w *window) textOf(i, n int) string {
	from := w.pieces[i]
	to := w.pieces[i+n-1]
	text := w.texts[to.line]
	end := to.End

	// A closing bracket is no part of its piece, but of a text that has the opening one as well.
	closes := end < len(text) && (text[end] == ')' || text[end] == ']')
	opened := closes && (from.line != to.line || strings.ContainsAny(text[from.Start:end], "(["))
	if opened {
		end++
	}

	if from.line == to.line {
		return text[from.Start:end]
	}

	// A word that a hyphen divides at the end of the line is whole again.
	firstLine := strings.TrimSpace(w.texts[from.line][from.Start:])
	secondLine := text[w.pieces[w.first[to.line]].Start:end]
	between, divided := wording.Joint(firstLine, secondLine)
	if divided {
		firstLine = firstLine[:len(firstLine)-1]
	}
	return firstLine + between + secondLine
}

// wrapsPhrase reports whether a line break divides a phrase: the first line ends with, or the second starts with, what
// no phrase ends or starts with.
func wrapsPhrase(before, text string) bool {
	before = strings.TrimRight(before, " ") // a long line is cut, perhaps between two words
	inCells := strings.HasSuffix(before, "\t") || strings.HasPrefix(text, "\t")
	isEmpty := before == "" || text == ""
	if inCells || isEmpty {
		return false
	}

	lastWord := before[strings.LastIndexAny(before, " \t")+1:]
	endsOpen := strings.ContainsAny(lastWord[len(lastWord)-1:], "&/,-+") || // "Research &"
		len(lastWord) < 4 && wording.FirstIsLower(lastWord) // "Head of"
	continues := strings.HasPrefix(text, "& ") ||
		wording.FirstIsLower(text) && strings.Count(text, " ") < 4 // longer texts are sentences
	return endsOpen || continues
}

// A cell is the best way to give roles to the pieces before a piece, so that a certain set of roles is taken.
type cell struct {
	ok    bool
	score float64
	// The last fragment: its first piece, its role, and the roles taken before it.
	from   uint8
	role   role
	before roleSet
}

// A table has the cells by the number of pieces and the set of roles.
type table [maxPieces + 1][maxRoleSets]cell

// An exclusion excludes one fragment from one role, to find the best other reading.
type exclusion struct {
	role    role
	from, n int // n 0: nothing is excluded
}

// excludes reports whether n pieces from piece i on must not have a role.
func (x exclusion) excludes(i, n int, r role) bool { return x.n == n && x.from == i && x.role == r }

// fill fills a table for headers that start at a line.
func (w *window) fill(t *table, o *order, start int, without exclusion) {
	for i := w.first[start]; i <= len(w.pieces); i++ {
		t[i] = [maxRoleSets]cell{}
	}
	t[w.first[start]][0].ok = true

	// Every way to reach a piece with the same roles continues in the same way, so only the best one is kept.
	for i := w.first[start]; i < len(w.pieces); i++ {
		for m := range roleSet(maxRoleSets) {
			if !t[i][m].ok {
				continue
			}

			for n := 1; n <= maxJoin && i+n <= len(w.pieces); n++ {
				f := &w.spans[i][n-1]
				if f.text == "" {
					break
				}

				for _, r := range w.grammar.roles {
					if m.has(r) || without.excludes(i, n, r) {
						continue
					}
					score := t[i][m].score + f.scores[r] + w.bonus(o, r, w.pieces[i], m)
					next := m.with(r)

					// "BSc in Physics" takes the role of the field, too.
					if r == lead && f.signs.has(degreeField) {
						if m.has(field) {
							continue
						}
						next = next.with(field)
					}

					if c := &t[i+n][next]; !c.ok || score > c.score {
						*c = cell{true, score, uint8(i), r, m}
					}
				}
			}
		}
	}
}

// end returns the best total for the pieces before line end, and the roles of that reading.
func (w *window) end(t *table, end int) (best float64, roles roleSet) {
	best = math.Inf(-1)
	for m := range roleSet(maxRoleSets) {
		c := t[w.first[end]][m]
		if !c.ok {
			continue
		}
		score := c.score
		for r, cost := range w.grammar.missing {
			if !m.has(role(r)) {
				score += cost + w.relation.missing(role(r))
			}
		}
		if score > best {
			best = score
			roles = m
		}
	}
	return best, roles
}

// A reading is one way to read the header of an entry.
type reading struct {
	texts        [numRoles]string
	lines        [numRoles]int // relative to the line with the date
	order        order
	score        float64
	margin       float64 // to the best reading with another lead or host
	above, below int
}

// shapeScores has the scores of headers by the lines above and below the one with the date.
type shapeScores [maxBefore + 1][maxAfter + 1]float64

// shapes returns the best score for every number of lines above and below the date.
func (w *window) shapes(o *order, t *table) (scores shapeScores) {
	for a := range scores {
		for b := range scores[a] {
			scores[a][b] = math.Inf(-1)
		}
	}
	for a := 0; a <= min(maxBefore, w.date); a++ {
		w.fill(t, o, w.date-a, exclusion{})
		for b := 0; b <= maxAfter && w.date+b < len(w.texts); b++ {
			score, _ := w.end(t, w.date+b+1)
			scores[a][b] = score + w.shape(o, a, b)
		}
	}
	return scores
}

// shape returns what speaks for a header of a lines above the date and b lines below it, apart from their words.
func (w *window) shape(o *order, a, b int) float64 {
	score := w.startScores[w.date-a]
	for i := w.date - a; i <= w.date+b; i++ {
		score += w.lineScores[i]
	}
	if o.known && a == o.above {
		score += sameShape
	}
	if o.known && b == o.below {
		score += sameShape
	}
	return score
}

// read returns the best reading of a header with a number of lines above the date, and of lines below it.
func (w *window) read(o *order, above, below int, t *table) reading {
	start := w.date - above
	end := w.date + below + 1
	w.fill(t, o, start, exclusion{})
	best, taken := w.end(t, end)

	r := reading{above: above, below: below, score: best + w.shape(o, above, below), margin: math.Inf(1)}
	r.order = order{known: true, above: above, below: below}
	for role := range r.order.slots {
		r.order.slots[role] = slot{line: noLine}
	}

	// Each cell knows the fragment before it, so the table is read backward, from the last piece to the first.
	var choices []exclusion
	var firstPiece [numRoles]int
	for i := w.first[end]; i > w.first[start]; {
		c := t[i][taken]
		from := int(c.from)

		if c.role != note {
			firstPiece[c.role] = from
			r.texts[c.role] = w.spans[from][i-from-1].text
			r.lines[c.role] = w.pieces[from].line - w.date
		}

		if c.role == lead || c.role == host {
			choices = append(choices, exclusion{c.role, from, i - from})
		}

		i = from
		taken = c.before
	}

	for role := lead; role <= where; role++ {
		if r.texts[role] != "" {
			r.order.slots[role] = slot{r.lines[role], w.pieces[firstPiece[role]].sep}
		}
	}
	r.order.leadFirst = firstPiece[lead] < firstPiece[host]

	// The second best reading without one of the choices shows how sure each choice is.
	for _, choice := range choices {
		w.fill(t, o, start, choice)
		other, _ := w.end(t, end)
		r.margin = min(r.margin, best-other)
	}

	return r
}

// strength returns how sure a reading is: its score, or its margin if another reading is close.
func (r *reading) strength() float64 { return min(r.score, r.margin) }
