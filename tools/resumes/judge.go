package resumes

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/freelancer-matching/service/resume"
)

// A tally counts the facts of a field.
type tally struct {
	wanted int // in the truth
	found  int // by the parser
	right  int // both wanted and found
}

func (t tally) plus(other tally) tally {
	return tally{t.wanted + other.wanted, t.found + other.found, t.right + other.right}
}

// precision returns the share of the found facts that are right, NaN if none was found.
func (t tally) precision() float64 { return float64(t.right) / float64(t.found) }

// recall returns the share of the wanted facts that were found, NaN if none was wanted.
func (t tally) recall() float64 { return float64(t.right) / float64(t.wanted) }

// f1 returns the harmonic mean of precision and recall, NaN if no fact was wanted or found.
func (t tally) f1() float64 { return 2 * float64(t.right) / float64(t.wanted+t.found) }

// A verdict says how well one file was read.
type verdict struct {
	sample
	err      error
	tallies  map[string]tally
	misses   []miss
	passages int    // whose place in the text was checked
	ordered  int    // those of them that are complete and in their place
	disorder string // the first passage that is not
	took     time.Duration

	columns   bool       // the page has more than one; known of labeled files only
	quality   float64    // as the parser rates it; likewise
	estimates []estimate // likewise
}

// A miss says what is wrong in a field.
type miss struct {
	field          string
	missing, extra []string
}

// judge compares what the parser found with the truth.
func judge(s sample, document resume.Document, r resume.Resume) verdict {
	v := verdict{sample: s, tallies: make(map[string]tally)}
	got := extracted(r)
	for _, field := range judgedFields() {
		truth, judged := s.truth[field.name]
		if !judged {
			continue
		}

		// What the truth of an open field doesn't have may still be right.
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

// unmatched pairs every true fact with a found one, and returns those without a partner.
func unmatched(f field, truth, found []string) (missing, extra []string) {
	extra = slices.Clone(found)
	for _, wanted := range truth {
		i := slices.IndexFunc(extra, func(got string) bool { return got == wanted || f.same != nil && f.same(wanted, got) })
		if i < 0 {
			missing = append(missing, wanted)
			continue
		}
		extra = slices.Delete(extra, i, i+1)
	}
	return missing, extra
}

// checkOrder checks the reading order: every passage is complete in the text and follows the one before it in its
// section, and no other section starts or ends within a section. Headers and footers, which come between pages, are
// ignored.
func (v *verdict) checkOrder(document resume.Document) {
	var b strings.Builder
	for _, line := range document.Lines {
		if line.Part == resume.Body || line.Part == resume.Sidebar {
			// Only letters are compared, because line breaks and hyphens differ from the source.
			b.WriteString(letters(line.Text))
		}
	}

	text := b.String()
	type span struct{ start, end int }
	var spans []span
	for _, section := range v.order {
		first := -1
		last := 0
		for _, passage := range section {
			v.passages++
			// The search continues behind the passage before: the same words may occur in several sections.
			at := strings.Index(text[last:], passage)
			if at < 0 {
				v.noteDisorder(passage)
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
					v.noteDisorder("two sections are mixed: " + text[max(first, other.start):min(last, other.end)])
				}
			}
			spans = append(spans, span{first, last})
		}
	}
}

// noteDisorder notes the first passage that is out of place.
func (v *verdict) noteDisorder(passage string) {
	if v.disorder == "" {
		v.disorder = shorten(passage, 60)
	}
}

func shorten(text string, runes int) string {
	if r := []rune(text); len(r) > runes {
		return string(r[:runes]) + "…"
	}
	return text
}

// sum returns the tallies of several files by field.
func sum(verdicts []verdict) map[string]tally {
	all := make(map[string]tally)
	for _, v := range verdicts {
		for name, t := range v.tallies {
			all[name] = all[name].plus(t)
		}
	}
	return all
}

// failed returns the verdict on a file that could not be read: everything in it was missed.
func failed(s sample, err error) verdict {
	v := judge(s, resume.Document{}, resume.Resume{})
	v.err, v.misses, v.disorder = err, nil, fmt.Sprintf("not read: %v", err)
	return v
}
