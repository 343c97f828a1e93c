// Package schedule finds in the text of a brief when the work starts and how long it may take. It knows which words
// stand before a time; package value reads the time itself.
package schedule

import (
	_ "embed" // for the cues
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/value"
)

//go:embed cues.txt
var cuesFile string

// The kinds of cues.
const (
	start     = "start"
	timeFor   = "time"
	deadline  = "deadline"
	finishing = "finishing"
	between   = "between"
)

const (
	// maxText limits the text that is read, in bytes. Few briefs are half as long.
	maxText = 20_000
	// maxTime limits the words of a time, such as "the 1st of March 2027".
	maxTime = 5
	// maxBetween limits the words between a cue and the time.
	maxBetween = 4
	// nearby is how many words before a deadline may say that work is finished.
	nearby = 8
	// maxDays is the longest time that the API accepts.
	maxDays = 3650
	// maxAhead is how far ahead a start may be, in days. Other dates are of something else.
	maxAhead = 3 * 365
)

// A Schedule is what a text says about the time of the work.
type Schedule struct {
	Start matching.Optional[int] // the first day, in days since 1970-01-01
	Days  matching.Optional[int] // until the end
}

// A Reader reads schedules. It is safe for concurrent use.
type Reader struct {
	cues map[string][]string // by kind and first word, the whole cues, longest first
}

// New returns a Reader. It fails only if its own data is invalid.
func New() (*Reader, error) {
	r := &Reader{cues: map[string][]string{}}
	for number, line := range strings.Split(cuesFile, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}

		kind, words, ok := strings.Cut(line, ": ")
		isKind := slices.Contains([]string{start, timeFor, deadline, finishing, between}, kind)
		if !ok || !isKind {
			return nil, fmt.Errorf("cues.txt: line %d: %q is no list of cues", number+1, line)
		}

		// Cues are looked up by their first word.
		for cue := range strings.SplitSeq(words, "; ") {
			first, _, _ := strings.Cut(cue, " ")
			key := kind + " " + first
			r.cues[key] = append(r.cues[key], cue)
		}
	}

	// The longest cue wins: "project start" before "project".
	for _, list := range r.cues {
		slices.SortFunc(list, func(a, b string) int { return len(b) - len(a) })
	}
	return r, nil
}

// A text is a brief as words.
type text struct {
	written []string
	plain   []string // in lower case, without punctuation
}

// Read returns the first start and the first length of time that a text names. today is in days since 1970-01-01; a
// date without a year is the next one.
func (r *Reader) Read(brief string, today int) Schedule {
	brief = strings.ToValidUTF8(brief[:min(len(brief), maxText)], "")

	// A colon may stand between a cue and its time without a space.
	t := text{written: strings.Fields(strings.ReplaceAll(brief, ":", ": "))}
	for _, word := range t.written {
		t.plain = append(t.plain, strings.ToLower(strings.TrimFunc(word, isMark)))
	}

	var s Schedule
	lastFinishing := -nearby - 1
	for i := range t.plain {
		if r.cueAt(finishing, t.plain, i) > 0 {
			lastFinishing = i
		}

		if n := r.cueAt(start, t.plain, i); n > 0 && !s.Start.Known {
			s.Start = r.startAt(&t, i+n, today)
		}

		// "In two weeks" may be about anything, unless work is finished then.
		n := r.cueAt(timeFor, t.plain, i)
		if n == 0 && i-lastFinishing <= nearby {
			n = r.cueAt(deadline, t.plain, i)
		}
		if n > 0 && !s.Days.Known {
			s.Days = r.daysAt(&t, i+n, s.Start.Or(today), today)
		}
	}

	return s
}

// isMark reports whether a character is punctuation around a word.
func isMark(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }

// cueAt returns the number of words of the longest cue that begins at a word, or 0.
func (r *Reader) cueAt(kind string, words []string, at int) int {
	for _, cue := range r.cues[kind+" "+words[at]] {
		parts := strings.Fields(cue)
		if at+len(parts) <= len(words) && slices.Equal(parts, words[at:at+len(parts)]) {
			return len(parts)
		}
	}
	return 0
}

// startAt returns the day that the words at a position name.
func (r *Reader) startAt(t *text, at, today int) (day matching.Optional[int]) {
	for candidate := range r.times(t, at) {
		day = dateOf(candidate, today)
		if days := daysOf(candidate); days.Known {
			day = matching.Some(today + days.Value) // "starting in two weeks"
		}

		// A date in the past, or far ahead, is about something else.
		isPlausible := day.Value >= today && day.Value <= today+maxAhead
		if day.Known && isPlausible {
			return day
		}
	}
	return matching.Optional[int]{}
}

// daysAt returns the length of time that the words at a position name: itself, or by the day on which it ends.
func (r *Reader) daysAt(t *text, at, first, today int) matching.Optional[int] {
	for candidate := range r.times(t, at) {
		days := daysOf(candidate)
		if end := dateOf(candidate, today); end.Known {
			days = matching.Some(end.Value - first)
		}
		if days.Known && days.Value > 0 && days.Value <= maxDays {
			return days
		}
	}
	return matching.Optional[int]{}
}

// times yields the texts that may be a time at a position, the longest first. Words such as "about" may stand before.
func (r *Reader) times(t *text, at int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for range maxBetween {
			isBetween := at < len(t.plain) && (t.plain[at] == "" || r.cueAt(between, t.plain, at) > 0)
			if !isBetween {
				break
			}
			at++
		}

		// "1 June 2030" comes before "1 June", which would be of the next year.
		for size := min(maxTime, len(t.written)-at); size > 0; size-- {
			candidate := strings.TrimFunc(strings.Join(t.written[at:at+size], " "), isMark)
			if candidate != "" && !yield(candidate) {
				return
			}
		}
	}
}

// daysOf returns the days of a time with a unit, such as "two weeks".
func daysOf(candidate string) (days matching.Optional[int]) {
	duration, remark := value.TypedDuration(candidate)
	n, ok := duration.Days()
	if remark != "" || !ok || n > maxDays {
		return days
	}
	return matching.Some(int(math.Ceil(n)))
}

// dateOf returns the day of a date. One without a year is the next one.
func dateOf(candidate string, today int) (day matching.Optional[int]) {
	if date, _ := value.Date(candidate, value.UnclearOrder); date != "" {
		return dayOf(date)
	}

	// A number alone is no date, but the name of a month is. Short names such as "out" are words, too.
	first, _ := utf8.DecodeRuneInString(candidate)
	isName := unicode.IsUpper(first) || len(candidate) > len("out")
	if !isName || !strings.ContainsFunc(candidate, unicode.IsLetter) {
		return day
	}

	year, _ := strconv.Atoi(matching.Date(today)[:4])
	for _, y := range []int{year, year + 1} {
		date, _ := value.Date(candidate+" "+strconv.Itoa(y), value.UnclearOrder)
		if date == "" {
			return day
		}
		if day = dayOf(date); day.Value >= today {
			return day
		}
	}
	return day
}

func dayOf(date string) matching.Optional[int] {
	parsed, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return matching.Optional[int]{} // value.Date returns no such date
	}
	return matching.Some(matching.DayOf(parsed))
}
