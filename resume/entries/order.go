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
// with the best total score.
func readApart(anchors []anchor, windows []*window, o *order, t *table) []reading {
	type choice struct {
		total        float64
		above, below int // of this entry
		before       int // lines below the entry before
	}

	choices := make([][maxAfter + 1]choice, len(windows))
	for k, w := range windows {
		scores := w.shapes(o, t)
		for b := range maxAfter + 1 {
			c := choice{total: math.Inf(-1), below: b}
			for before := range maxAfter + 1 {
				total := 0.0
				room := maxBefore

				if k > 0 {
					total = choices[k-1][before].total
					room = anchors[k].line - anchors[k-1].line - 1 - before
				} else if before > 0 {
					break
				}

				for a := 0; a <= min(room, maxBefore); a++ {
					if sum := total + scores[a][b]; sum > c.total {
						c.total = sum
						c.above = a
						c.before = before
					}
				}
			}

			choices[k][b] = c
		}
	}

	last := 0
	for b := range maxAfter + 1 {
		if choices[len(windows)-1][b].total > choices[len(windows)-1][last].total {
			last = b
		}
	}

	readings := make([]reading, len(windows))
	for k := len(windows) - 1; k >= 0; k-- {
		c := choices[k][last]
		readings[k] = windows[k].read(o, c.above, c.below, t)
		last = c.before
	}

	return readings
}
