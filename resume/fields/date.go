package fields

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A date is a year, or a month of a year. The zero date is unknown.
type date struct{ year, month int } // month 0: only the year is known

// String returns YYYY-MM or YYYY, "" for an unknown date.
func (d date) String() string {
	switch {
	case d.year == 0:
		return ""
	case d.month == 0:
		return fmt.Sprintf("%04d", d.year)
	default:
		return fmt.Sprintf("%04d-%02d", d.year, d.month)
	}
}

// A span is a date or a date range in a text.
type span struct {
	textRange
	from, to date // to is unknown if current, or if the text has only one date
	current  bool
}

// single reports whether the text has only one date.
func (s *span) single() bool { return s.to.year == 0 && !s.current }

// Numbers of four digits are years from firstYear until futureYears from now, when studies may end.
const (
	firstYear   = 1940
	futureYears = 8
)

// dates finds dates in text.
type dates struct {
	words *dateWords
	now   func() time.Time
}

// newFinder returns a finder for dates that aren't far later than now.
func newFinder(words *dateWords, now func() time.Time) *dates { return &dates{words, now} }

// today returns the month in which now is.
func (d *dates) today() date {
	now := d.now().UTC()
	return date{now.Year(), int(now.Month())}
}

func (d *dates) lastYear() int { return d.now().UTC().Year() + futureYears }

// isYear reports whether a token is a plausible year.
func (d *dates) isYear(t token) bool {
	return len(t.text) == 4 && t.number >= firstYear && t.number <= d.lastYear()
}

// yearOf returns the latest plausible year that is written with two digits.
func (d *dates) yearOf(twoDigits int) int {
	if 2000+twoDigits <= d.lastYear() {
		return 2000 + twoDigits
	}
	return 1900 + twoDigits
}

// find returns the spans of a text in order.
func (d *dates) find(text string) []span {
	if !hasDigit(text) {
		return nil
	}
	r := &dateReader{dates: d, text: text, tokens: tokenize(text, d.words.dateCharacters)}
	var spans []span
	for i := 0; i < len(r.tokens); {
		s, next := r.span(i)
		if next == i {
			i++
			continue
		}
		spans = append(spans, s)
		i = next
	}
	return spans
}

// separate removes the last date or date range from a line. It returns the rest, and the start date.
func (d *dates) separate(text string) (rest, start string) {
	spans := d.find(text)
	if len(spans) == 0 {
		return text, ""
	}
	last := spans[len(spans)-1]
	return d.without(text, last), last.from.String()
}

// without replaces a span in a text by a tab, together with the brackets around it and a duration after it.
func (d *dates) without(text string, s span) string {
	left := strings.TrimRight(text[:s.start], " ([,:")
	if i := strings.LastIndexAny(left, " \t"); d.words.expected[key(left[i+1:])] {
		left = left[:max(i, 0)]
	}
	right := strings.TrimLeft(text[s.end:], " )],:")
	if rest, ok := strings.CutPrefix(right, "("); ok {
		if inside, after, ok := strings.Cut(rest, ")"); ok && d.words.duration(inside) {
			right = strings.TrimLeft(after, " )")
		}
	}
	if cell, after, _ := strings.Cut(right, "\t"); d.words.duration(strings.Trim(cell, " ·•-–|")) {
		right = after
	}
	return left + "\t" + right
}

// duration reports whether text is a duration: "2 years and 3 months", "6 mois".
func (d *dateWords) duration(text string) bool {
	k := key(text)
	if strings.Contains(k, " ") && d.timeUnits[k] { // "less than a year"
		return true
	}
	units := 0
	for word := range strings.FieldsSeq(k) {
		unit := strings.TrimLeft(word, "0123456789")
		switch {
		case d.timeUnits[unit], d.timeUnits[strings.TrimSuffix(unit, "s")]:
			units++
		case unit != "" && !d.joiners[unit]:
			return false
		}
	}
	return units > 0 && hasDigit(k)
}

// A dateReader reads the dates of one text. Its methods take the index of a token. They return the index of the token
// after what they read, or the same index if they read nothing.
type dateReader struct {
	*dates
	text   string
	tokens []token
}

// has reports whether tokens i to i+n-1 exist.
func (r *dateReader) has(i, n int) bool { return i+n <= len(r.tokens) }

// gap returns the text between token i and the token before it.
func (r *dateReader) gap(i int) string {
	end := len(r.text)
	if i < len(r.tokens) {
		end = r.tokens[i].start
	}
	return r.text[r.tokens[i-1].end:end]
}

// number reports whether token i is a number from low to high with at most two digits.
func (r *dateReader) number(i, low, high int) bool {
	return r.has(i, 1) && len(r.tokens[i].text) <= 2 && r.tokens[i].number >= low && r.tokens[i].number <= high
}

// span reads a date or a date range.
func (r *dateReader) span(i int) (span, int) {
	since, first := r.phrase(i, r.words.since)
	from, next, weak := r.point(first)
	if next == first {
		return r.sharedYear(i)
	}

	s := span{from: from, textRange: textRange{r.tokens[i].start, r.tokens[next-1].end}}
	if to, current, end := r.second(next, from); end > next {
		s.to = to
		s.current = current
		s.end = r.tokens[end-1].end

		if to.year != 0 && (to.year < from.year || to.year == from.year && to.month != 0 && to.month < from.month) {
			s.from, s.to = to, from
		}
		return s, end
	}

	if weak {
		return span{}, i
	}
	s.current = r.words.openSince[since]

	return s, next
}

// sharedYear reads a date range in which only the second date has a year: "May – Aug 2020", "from May to Aug 2020".
func (r *dateReader) sharedYear(i int) (span, int) {
	_, first := r.phrase(i, r.words.since)
	if !r.has(first, 2) {
		return span{}, i
	}
	month := r.words.months[r.tokens[first].text]
	last := r.separator(first + 1)
	if month == 0 || last < 0 {
		return span{}, i
	}
	to, next, weak := r.point(last)
	if next == last || weak || to.month == 0 {
		return span{}, i
	}
	from := date{to.year, month}
	if month > to.month {
		from.year--
	}
	return span{from: from, to: to, textRange: textRange{r.tokens[i].start, r.tokens[next-1].end}}, next
}

// second reads the rest of a date range, whose first date ends before token i: a separator, and a date or a word for
// today.
func (r *dateReader) second(i int, from date) (to date, current bool, next int) {
	start := r.separator(i)
	if start < 0 || !r.has(start, 1) {
		return date{}, false, i
	}
	if _, end := r.phrase(start, r.words.present); end > start {
		return date{}, true, end
	}
	if to, end, _ := r.point(start); end > start {
		return to, false, end
	}

	// "2016—18": the second year is of the same century.
	t := r.tokens[start]
	bounded := leftBounded(r.text, t.start) && rightBounded(r.text, t.end)
	if from.month == 0 && len(t.text) == 2 && t.number >= 0 && t.start-r.tokens[i-1].end <= 5 && bounded {
		if year := from.year/100*100 + t.number; year >= from.year && year <= r.lastYear() {
			return date{year: year}, false, start + 1
		}
	}

	return date{}, false, i
}

// separators are the signs between the two dates of a range.
var separators = []string{
	"-", "–", "—", "~", "〜", "→", "‒", "−", "--", "―", "⁃", "›", ">", "->", "- -",
}

// separator reads the sign or the words between two dates, which follow token i-1. It returns the index of the next
// token, which may be i, or -1 if there is no separator.
func (r *dateReader) separator(i int) int {
	between := strings.Trim(r.gap(i), " .)(\t")
	if slices.Contains(separators, between) {
		return i
	}
	if between == "" || between == "," {
		if _, next := r.phrase(i, r.words.until); next > i {
			return next
		}
	}
	return -1
}

// phrase reads the longest phrase of up to four words that is in a set. It returns the key of the phrase.
func (r *dateReader) phrase(i int, phrases set) (found string, next int) {
	next = i
	phrase := ""
	for j := i; j < min(i+4, len(r.tokens)) && r.tokens[j].number < 0; j++ {
		if j > i {
			gap := r.gap(j)
			if len(gap) > 3 || strings.ContainsAny(gap, "\t,.;|") {
				break
			}

			if gap != "" {
				phrase += " "
			}
		}

		phrase += r.tokens[j].text
		if phrases[phrase] {
			found = phrase
			next = j + 1
		}
	}

	return found, next
}

// point reads one date. A weak date, such as 06/15, counts only as part of a date range.
func (r *dateReader) point(i int) (at date, next int, weak bool) {
	if !r.has(i, 1) {
		return date{}, i, false
	}

	switch t := r.tokens[i]; {
	case !hasDigit(t.text):
		at, next = r.wordDate(i)
		return at, next, false
	case t.number < 0 || !leftBounded(r.text, t.start):
		return date{}, i, false
	case r.isYear(t):
		at, next = r.yearDate(i)
		return at, next, false
	case !r.number(i, 0, 31) || !r.has(i, 2):
		return date{}, i, false
	case r.words.months[r.tokens[i+1].text] != 0: // 15 March 2018
		if at, next = r.wordDate(i + 1); next == i+1 || strings.Trim(r.gap(i+1), " .") != "" {
			return date{}, i, false
		}
		return at, next, false

	default:
		return r.numberDate(i)
	}
}

// wordDate reads "Jan. 2019", "January 15, 2019", "marzo de 2019", "Jan '19", "Q3 2019", "Summer 2015".
func (r *dateReader) wordDate(i int) (date, int) {
	word := r.tokens[i].text
	month := r.words.months[word]
	next := i + 1
	switch {
	case month != 0:
		if r.has(next, 1) && r.words.monthOf[r.tokens[next].text] {
			next++
		}
		if r.number(next, 1, 31) && r.has(next, 2) && r.isYear(r.tokens[next+1]) && r.near(next+1) {
			next++ // the day
		}

	case r.words.quarters[word] && r.number(next, 1, 4) && r.gap(next) == "" && r.has(next, 2):
		month = 3*r.tokens[next].number - 2
		next++
	case !r.words.seasons[word]:
		return date{}, i
	}

	if !r.has(next, 1) || !r.near(next) {
		return date{}, i
	}
	year := r.tokens[next]
	switch {
	case r.isYear(year) && rightBounded(r.text, year.end):
		return date{year.number, month}, next + 1
	case month != 0 && len(year.text) == 2 && year.number >= 0 && strings.ContainsAny(r.gap(next), "'’‘"):
		return date{r.yearOf(year.number), month}, next + 1
	default:
		return date{}, i
	}
}

// near reports whether only spaces and light punctuation precede token i.
func (r *dateReader) near(i int) bool { return strings.Trim(r.gap(i), " .,'’‘-/") == "" }

// yearDate reads "2019", "2019-03", "2019/3", "2019.03.15", "2019年3月".
func (r *dateReader) yearDate(i int) (date, int) {
	year := r.tokens[i].number
	if !yearBounded(r.text, r.tokens[i].end) {
		return date{}, i
	}
	if r.has(i, 2) && r.tokens[i+1].text == "年" {
		if !r.number(i+2, 1, 12) || !r.has(i+2, 2) || r.tokens[i+3].text != "月" {
			return date{year: year}, i + 2
		}
		next := i + 4
		if r.number(next, 1, 31) && r.has(next, 2) && r.tokens[next+1].text == "日" {
			next += 2
		}
		return date{year, r.tokens[i+2].number}, next
	}
	if month, next := r.isoMonth(i + 1); next > i+1 {
		return date{year, month}, next
	}
	return date{year: year}, i + 1
}

// isoMonth reads the month after a year, and the day after the month if there is one.
func (r *dateReader) isoMonth(i int) (month, next int) {
	if !r.number(i, 1, 12) {
		return 0, i
	}
	gap := r.gap(i)
	t := r.tokens[i]
	if gap != "-" && gap != "/" && gap != "." || gap == "-" && len(t.text) != 2 {
		return 0, i
	}
	next = i + 1
	if r.number(next, 1, 31) && r.gap(next) == gap {
		next++
	}
	if !rightBounded(r.text, r.tokens[next-1].end) {
		return 0, i
	}
	return t.number, next
}

// numberDate reads "03/2018", "03.2018", "15.03.2018" and, as a weak date, "3/15".
func (r *dateReader) numberDate(i int) (at date, next int, weak bool) {
	first := r.tokens[i].number
	second := r.tokens[i+1]
	gap := strings.TrimSpace(r.gap(i + 1))
	if gap != "/" && gap != "." && gap != "-" {
		return date{}, i, false
	}
	if r.isYear(second) && first >= 1 && first <= 12 && yearBounded(r.text, second.end) {
		return date{second.number, first}, i + 2, false
	}

	if r.has(i, 3) && r.isYear(r.tokens[i+2]) && r.gap(i+2) == gap && second.number > 0 && second.number <= 31 {
		year := r.tokens[i+2].number
		switch {
		case second.number > 12:
			return date{year, min(first, 12)}, i + 3, false
		case first > 12 || gap != "/" || first == second.number:
			return date{year, second.number}, i + 3, false
		default: // either may be the month
			return date{year: year}, i + 3, false
		}
	}

	twoDigits := len(second.text) == 2 && second.number >= 0 && rightBounded(r.text, second.end)
	if gap == "/" && twoDigits && first >= 1 && first <= 12 {
		return date{r.yearOf(second.number), first}, i + 2, true
	}

	return date{}, i, false
}
