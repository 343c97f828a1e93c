package entries

import (
	"math"
)

// maxOrders bounds the orders that are tried for a section.
const maxOrders = 12

// neutral is the order of a section about which nothing is known.
var neutral order

// dropText drops the anchors whose best reading is less likely a header than running text.
func dropText(anchors []anchor, windows []*window) ([]anchor, []*window) {
	var t table
	n := 0
	for k, w := range windows {
		scores := w.shapes(&neutral, &t)
		if best, _, _ := scores.best(maxBefore, maxAfter); best+anchors[k].score() > 0 {
			anchors[n] = anchors[k]
			windows[n] = w
			n++
		}
	}
	return anchors[:n], windows[:n]
}

// score returns how much a date speaks for an entry, in log odds.
func (a *anchor) score() float64 {
	if a.span.Single() {
		return 2.5
	}
	return 4
}

// best returns the best score of a header with at most above lines above the date and below lines below it, and its
// number of lines.
func (s *shapeScores) best(above, below int) (score float64, a, b int) {
	score = math.Inf(-1)
	for i := 0; i <= min(above, maxBefore); i++ {
		for j := 0; j <= min(below, maxAfter); j++ {
			if s[i][j] > score {
				score = s[i][j]
				a = i
				b = j
			}
		}
	}
	return score, a, b
}

// readAll returns the best readings of the headers of a section. Each entry proposes the order of its own best reading.
// The order with which all entries together score best decides how each is read. No line belongs to two headers.
func readAll(anchors []anchor, windows []*window) []reading {
	var t table
	if len(windows) == 0 {
		return nil
	}
	best := neutral
	bestTotal := math.Inf(-1)
	for _, o := range proposals(windows, &t) {
		total := 0.0
		for _, w := range windows {
			scores := w.shapes(&o, &t)
			score, _, _ := scores.best(maxBefore, maxAfter)
			total += score
		}

		if total > bestTotal {
			best = o
			bestTotal = total
		}
	}

	return readApart(anchors, windows, &best, &t)
}

// proposals returns the orders that the entries of a section follow if each is read on its own, and the same orders
// with lead and host exchanged. A single entry follows no order.
func proposals(windows []*window, t *table) []order {
	orders := []order{neutral}
	if len(windows) == 1 {
		return orders
	}

	propose := func(o order) {
		for _, known := range orders {
			if known == o || len(orders) == maxOrders {
				return
			}
		}
		orders = append(orders, o)
	}

	// An entry on its own may be read the wrong way round, so both orders of title and employer compete.
	for _, w := range windows {
		scores := w.shapes(&neutral, t)
		_, a, b := scores.best(maxBefore, maxAfter)
		o := w.read(&neutral, a, b, t).order
		propose(o)
		o.slots[lead], o.slots[host], o.leadFirst = o.slots[host], o.slots[lead], !o.leadFirst
		propose(o)
	}

	return orders
}

// readApart reads the headers by an order, so that no two headers have a line in common: it finds the numbers of lines
// with the best total score. What an entry may take from the lines above it depends only on how many lines the entry
// before takes below its date, so one pass keeps the best total for each such number.
func readApart(anchors []anchor, windows []*window, o *order, t *table) []reading {
	choices := make([]shapeChoices, len(windows))
	for k, w := range windows {
		scores := w.shapes(o, t)
		if k == 0 {
			choices[k] = firstChoices(&scores)
			continue
		}
		between := anchors[k].line - anchors[k-1].line - 1
		choices[k] = choices[k-1].next(&scores, between)
	}

	below := 0 // the lines of the last entry below its date
	last := choices[len(windows)-1]
	for b := range last {
		if last[b].total > last[below].total {
			below = b
		}
	}

	// Each choice knows that of the entry before, so they are read backward.
	readings := make([]reading, len(windows))
	for k := len(windows) - 1; k >= 0; k-- {
		c := choices[k][below]
		readings[k] = windows[k].read(o, c.above, below, t)
		below = c.belowBefore
	}

	return readings
}

// A shapeChoice is the best way to read an entry and all before it, if the entry has a certain number of lines below
// its date.
type shapeChoice struct {
	total       float64 // of the scores
	above       int     // lines of the entry above its date
	belowBefore int     // lines of the entry before, below its date
}

// shapeChoices are the choices for an entry by its lines below the date.
type shapeChoices [maxAfter + 1]shapeChoice

// firstChoices returns the choices for the first entry of a section.
func firstChoices(scores *shapeScores) (first shapeChoices) {
	for below := range first {
		first[below].total = math.Inf(-1)
		first[below].improve(0, 0, scores, below, maxBefore)
	}
	return first
}

// next returns the choices for the next entry. between is the number of lines between both dates.
func (c *shapeChoices) next(scores *shapeScores, between int) (next shapeChoices) {
	for below := range next {
		next[below].total = math.Inf(-1)
		for belowBefore, before := range c {
			next[below].improve(before.total, belowBefore, scores, below, between-belowBefore)
		}
	}
	return next
}

// improve keeps the best number of lines above the date, of which there may be up to room, after the entries before
// with a total score and a number of lines below the last date.
func (c *shapeChoice) improve(total float64, belowBefore int, scores *shapeScores, below, room int) {
	for above := 0; above <= min(room, maxBefore); above++ {
		if sum := total + scores[above][below]; sum > c.total {
			*c = shapeChoice{total: sum, above: above, belowBefore: belowBefore}
		}
	}
}
