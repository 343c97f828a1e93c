package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"freelancer-matching/resume"
)

// tally counts facts of one field.
type tally struct {
	wanted int // in the truth
	found  int // by the parser
	right  int // both
}

func (t tally) plus(other tally) tally {
	return tally{t.wanted + other.wanted, t.found + other.found, t.right + other.right}
}

// precision is the share of right ones among the found; NaN where nothing was found.
func (t tally) precision() float64 { return float64(t.right) / float64(t.found) }

// recall is the share of found ones among the wanted; NaN where nothing was wanted.
func (t tally) recall() float64 { return float64(t.right) / float64(t.wanted) }

// f1 is the harmonic mean of both; NaN where nothing was wanted nor found.
func (t tally) f1() float64 { return 2 * float64(t.right) / float64(t.wanted+t.found) }

// verdict is how one file was read.
type verdict struct {
	sample
	err     error
	tallies map[string]tally
	misses  []miss
	// ordered counts the passages of text that were looked for and those found whole and in their place.
	passages, ordered int
	disorder          string // the first passage out of place
	took              time.Duration
}

// miss is what is not as it should be in a field.
type miss struct {
	field          string
	missing, extra []string
}

// judge compares what was found with the truth.
func judge(s sample, document resume.Document, r resume.Resume) verdict {
	v := verdict{sample: s, tallies: make(map[string]tally)}
	got := found(r)
	for _, field := range judgedFields() {
		truth, judged := s.truth[field.name]
		if !judged {
			continue
		}
		missing, extra := unmatched(field, truth, got[field.name])
		if field.open {
			extra = nil
		}
		right := len(truth) - len(missing)
		v.tallies[field.name] = tally{wanted: len(truth), found: right + len(extra), right: right}
		if len(missing)+len(extra) > 0 {
			v.misses = append(v.misses, miss{field.name, missing, extra})
		}
	}
	v.checkOrder(document)
	return v
}

// unmatched pairs every true fact with one found, each found one once, and returns those without a partner.
func unmatched(f field, truth, found []string) (missing, extra []string) {
	extra = slices.Clone(found)
	for _, wanted := range truth {
		i := slices.IndexFunc(extra, func(one string) bool { return one == wanted || f.same != nil && f.same(wanted, one) })
		if i < 0 {
			missing = append(missing, wanted)
			continue
		}
		extra = slices.Delete(extra, i, i+1)
	}
	return missing, extra
}

// checkOrder checks the reading order: every passage stands whole in the text, after the one before it in its section, and no other
// section begins or ends between the first and the last passage of one. Headers and footers are not looked at: they come between pages.
func (v *verdict) checkOrder(document resume.Document) {
	var b strings.Builder
	for _, line := range document.Lines {
		if line.Part == resume.Body || line.Part == resume.Sidebar {
			b.WriteString(letters(line.Text))
		}
	}
	text := b.String()
	type span struct{ start, end int }
	var spans []span
	for _, section := range v.order {
		first, last := -1, 0
		for _, passage := range section {
			v.passages++
			at := strings.Index(text[last:], passage)
			if at < 0 {
				v.outOfOrder(passage)
				continue
			}
			at += last
			if last = at + len(passage); first < 0 {
				first = at
			}
			v.ordered++
		}
		if first >= 0 {
			for _, other := range spans {
				if first < other.end && other.start < last {
					v.outOfOrder("two sections are mixed: " + text[max(first, other.start):min(last, other.end)])
				}
			}
			spans = append(spans, span{first, last})
		}
	}
}

func (v *verdict) outOfOrder(what string) {
	if v.disorder == "" {
		v.disorder = shorten(what, 60)
	}
}

func shorten(text string, runes int) string {
	if r := []rune(text); len(r) > runes {
		return string(r[:runes]) + "…"
	}
	return text
}

// sum adds the tallies of several files by field.
func sum(verdicts []verdict) map[string]tally {
	all := make(map[string]tally)
	for _, v := range verdicts {
		for name, t := range v.tallies {
			all[name] = all[name].plus(t)
		}
	}
	return all
}

// failed is the verdict on a file that could not be read: everything in it was missed.
func failed(s sample, err error) verdict {
	v := judge(s, resume.Document{}, resume.Resume{})
	v.err, v.misses, v.disorder = err, nil, fmt.Sprintf("not read: %v", err)
	return v
}
