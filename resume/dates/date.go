package dates

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/freelancer-matching/service/resume/lexicon"
	"github.com/freelancer-matching/service/resume/wording"
)

// A Date is a year, or a month of a year. The zero date is unknown.
type Date struct{ Year, Month int } // month 0: only the year is known

// String returns YYYY-MM or YYYY, "" for an unknown date.
func (d Date) String() string {
	switch {
	case d.Year == 0:
		return ""
	case d.Month == 0:
		return fmt.Sprintf("%04d", d.Year)
	default:
		return fmt.Sprintf("%04d-%02d", d.Year, d.Month)
	}
}

// A Span is a date or a date range in a text.
type Span struct {
	wording.Range
	From, To Date // to is unknown if current, or if the text has only one date
	Current  bool
}

// Single reports whether the text has only one date.
func (s *Span) Single() bool { return s.To.Year == 0 && !s.Current }

// Numbers of four digits are years from firstYear until futureYears from now, when studies may end. Numbers of two
// digits that may also be days are years from firstTwoDigits until now.
const (
	firstYear      = 1940
	firstTwoDigits = 1970
	futureYears    = 8
)

// Finder finds dates in text.
type Finder struct {
	words *lexicon.DateWords
	now   func() time.Time
	order dayOrder // of dates in numbers with slashes
}

// NewFinder returns a finder for dates that aren't far later than now.
func NewFinder(words *lexicon.DateWords, now func() time.Time) *Finder {
	return &Finder{words: words, now: now}
}

// Today returns the month in which now is.
func (d *Finder) Today() Date {
	now := d.now().UTC()
	return Date{now.Year(), int(now.Month())}
}

func (d *Finder) lastYear() int { return d.now().UTC().Year() + futureYears }

// isYear reports whether a token is a plausible year.
func (d *Finder) isYear(t token) bool {
	return len(t.text) == 4 && t.number >= firstYear && t.number <= d.lastYear()
}

// yearOf returns the latest plausible year that is written with two digits.
func (d *Finder) yearOf(twoDigits int) int {
	if 2000+twoDigits <= d.lastYear() {
		return 2000 + twoDigits
	}
	return 1900 + twoDigits
}

// Find returns the spans of a text in order.
func (d *Finder) Find(text string) []Span {
	if !wording.HasDigit(text) {
		return nil
	}
	r := &dateReader{Finder: d, text: text, tokens: tokenize(text, d.words.DateCharacters)}
	var spans []Span
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
func (d *Finder) separate(text string) (rest, start string) {
	spans := d.Find(text)
	if len(spans) == 0 {
		return text, ""
	}
	last := spans[len(spans)-1]
	return d.Without(text, last), last.From.String()
}

// Without replaces a span in a text by a tab, together with the brackets around it and a duration after it.
func (d *Finder) Without(text string, s Span) string {
	left := strings.TrimRight(text[:s.Start], " ([,:")
	if i := strings.LastIndexAny(left, " \t"); d.words.Expected[wording.Key(left[i+1:])] {
		left = left[:max(i, 0)]
	}
	right := strings.TrimLeft(text[s.End:], " )],:")
	if rest, ok := strings.CutPrefix(right, "("); ok {
		if inside, after, ok := strings.Cut(rest, ")"); ok && d.words.Duration(inside) {
			right = strings.TrimLeft(after, " )")
		}
	}
	if cell, after, _ := strings.Cut(right, "\t"); d.words.Duration(strings.Trim(cell, " ·•-–|")) {
		right = after
	}
	return left + "\t" + right
}

// A dateReader reads the dates of one text. Its methods take the index of a token. They return the index of the token
// after what they read, or the same index if they read nothing.
type dateReader struct {
	*Finder
	text   string
	tokens []token
}

// has reports whether tokens i to i+n-1 exist.
func (r *dateReader) has(i, n int) bool { return i+n <= len(r.tokens) }

// gap returns the text between token i and the token before it.
func (r *dateReader) gap(i int) string {
	end := len(r.text)
	if i < len(r.tokens) {
		end = r.tokens[i].Start
	}
	return r.text[r.tokens[i-1].End:end]
}

// number reports whether token i is a number from low to high with at most two digits.
func (r *dateReader) number(i, low, high int) bool {
	return r.has(i, 1) && len(r.tokens[i].text) <= 2 && r.tokens[i].number >= low && r.tokens[i].number <= high
}

// span reads a date or a date range.
func (r *dateReader) span(i int) (Span, int) {
	since, first := r.phrase(i, r.words.Since)
	from, next, weak := r.point(first)
	if next == first {
		return r.sharedYear(i)
	}

	s := Span{From: from, Range: wording.Range{Start: r.tokens[i].Start, End: r.tokens[next-1].End}}
	if to, current, end := r.second(next, from); end > next {
		// "May 10 – May 12, 2020": the first number is a day if the second date has one.
		secondHasDay := !current && end-r.separator(next) == 3
		if weak && secondHasDay && r.words.Months[r.tokens[first].text] != 0 {
			s.From.Year = to.Year
		}

		s.To = to
		s.Current = current
		s.End = r.tokens[end-1].End

		if to.Year != 0 && (to.Year < from.Year || to.Year == from.Year && to.Month != 0 && to.Month < from.Month) {
			s.From, s.To = to, from
		}
		return s, end
	}

	if weak {
		return Span{}, i
	}

	s.Current = r.words.OpenSince[since]

	return s, next
}

// sharedYear reads a date range in which only the second date has a year: "May – Aug 2020", "from May to Aug 2020".
func (r *dateReader) sharedYear(i int) (Span, int) {
	_, first := r.phrase(i, r.words.Since)
	if !r.has(first, 2) {
		return Span{}, i
	}
	month := r.words.Months[r.tokens[first].text]
	last := r.separator(first + 1)
	if month == 0 || last < 0 {
		return Span{}, i
	}
	to, next, weak := r.point(last)
	if next == last || weak || to.Month == 0 {
		return Span{}, i
	}
	from := Date{to.Year, month}
	if month > to.Month {
		from.Year--
	}
	return Span{From: from, To: to, Range: wording.Range{Start: r.tokens[i].Start, End: r.tokens[next-1].End}}, next
}

// second reads the rest of a date range, whose first date ends before token i: a separator, and a date or a word for
// today.
func (r *dateReader) second(i int, from Date) (to Date, current bool, next int) {
	start := r.separator(i)
	if start < 0 || !r.has(start, 1) {
		return Date{}, false, i
	}
	if _, end := r.phrase(start, r.words.Present); end > start {
		return Date{}, true, end
	}
	if to, end, _ := r.point(start); end > start {
		return to, false, end
	}
	if to, end := r.lastMonth(start, i-1, from); end > start {
		return to, false, end
	}

	// "2016—18": the second year is of the same century.
	t := r.tokens[start]
	bounded := leftBounded(r.text, t.Start) && rightBounded(r.text, t.End)
	if from.Month == 0 && len(t.text) == 2 && t.number >= 0 && t.Start-r.tokens[i-1].End <= 5 && bounded {
		if year := from.Year/100*100 + t.number; year >= from.Year && year <= r.lastYear() {
			return Date{Year: year}, false, start + 1
		}
	}

	return Date{}, false, i
}

// lastMonth reads the second month of "2014 Aug – Dec", which ends its cell and has the year of the first. The first
// date ends with token last.
func (r *dateReader) lastMonth(i, last int, from Date) (Date, int) {
	month := r.words.Months[r.tokens[i].text]
	yearFirst := r.words.Months[r.tokens[last].text] == from.Month && from.Month != 0
	if month == 0 || !yearFirst {
		return Date{}, i
	}

	rest := strings.TrimLeft(r.text[r.tokens[i].End:], " .")
	if rest != "" && !strings.ContainsAny(rest[:1], "\t,;|)") {
		return Date{}, i
	}

	to := Date{from.Year, month}
	if month < from.Month {
		to.Year++
	}
	return to, i + 1
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
		if _, next := r.phrase(i, r.words.Until); next > i {
			return next
		}
	}
	return -1
}

// phrase reads the longest phrase of up to four words that is in a set. It returns the key of the phrase.
func (r *dateReader) phrase(i int, phrases lexicon.Set) (found string, next int) {
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
func (r *dateReader) point(i int) (at Date, next int, weak bool) {
	if !r.has(i, 1) {
		return Date{}, i, false
	}

	switch t := r.tokens[i]; {
	case !wording.HasDigit(t.text):
		return r.wordDate(i)
	case t.number < 0 || !leftBounded(r.text, t.Start):
		return Date{}, i, false
	case r.isYear(t):
		at, next = r.yearDate(i)
		return at, next, false
	case !r.number(i, 0, 31) || !r.has(i, 2):
		return Date{}, i, false
	case r.words.Months[r.tokens[i+1].text] != 0: // 15 March 2018
		if at, next, weak = r.wordDate(i + 1); next == i+1 || strings.Trim(r.gap(i+1), " .") != "" {
			return Date{}, i, false
		}
		return at, next, weak

	default:
		return r.numberDate(i)
	}
}

// wordDate reads "Jan. 2019", "January 15, 2019", "marzo de 2019", "March (2019)", "Jan '19", "Q3 2019", "Summer 2015",
// and, as a weak date, "Jan 19".
func (r *dateReader) wordDate(i int) (at Date, next int, weak bool) {
	month, next := r.monthWord(i)
	if next == i || !r.has(next, 1) || !r.near(next) {
		return Date{}, i, false
	}

	year := r.tokens[next]
	if r.isYear(year) && rightBounded(r.text, year.End) {
		return Date{year.number, month}, next + 1, false
	}

	twoDigits := len(year.text) == 2 && year.number >= 0 && rightBounded(r.text, year.End)
	if month == 0 || !twoDigits {
		return Date{}, i, false
	}

	// Two digits are surely a year after an apostrophe. Otherwise they may be the day.
	at = Date{r.yearOf(year.number), month}
	if strings.ContainsAny(r.gap(next), "'’‘") {
		return at, next + 1, false
	}
	if at.Year < firstTwoDigits || at.Year > r.now().UTC().Year() {
		return Date{}, i, false
	}
	return at, next + 1, true
}

// monthWord reads what may precede a year: a month, with "de" or the day after it, the first month of a quarter, or a
// season, which has no month. It returns the index of the next token, or i if there is no such word.
func (r *dateReader) monthWord(i int) (month, next int) {
	word := r.tokens[i].text
	month = r.words.Months[word]
	next = i + 1
	if month != 0 {
		if r.has(next, 1) && r.words.MonthOf[r.tokens[next].text] {
			next++
		}

		maybeDay := r.number(next, 1, 31) && r.has(next, 2)
		if maybeDay && r.isYear(r.tokens[next+1]) && r.near(next+1) {
			next++
		}
		return month, next
	}

	// "Q3" is two tokens.
	isQuarter := r.words.Quarters[word] && r.number(next, 1, 4) && r.gap(next) == ""
	switch {
	case isQuarter && r.has(next, 2):
		return 3*r.tokens[next].number - 2, next + 1
	case r.words.Seasons[word]:
		return 0, next
	default:
		return 0, i
	}
}

// near reports whether only spaces and light punctuation precede token i.
func (r *dateReader) near(i int) bool { return strings.Trim(r.gap(i), " .,'’‘-/(") == "" }

// yearDate reads "2019", "2019-03", "2019/3", "2019.03.15", "2019年3月", "2019 Mar".
func (r *dateReader) yearDate(i int) (Date, int) {
	year := r.tokens[i].number
	if !yearBounded(r.text, r.tokens[i].End) {
		return Date{}, i
	}
	if r.has(i, 2) && r.tokens[i+1].text == "年" {
		if !r.number(i+2, 1, 12) || !r.has(i+2, 2) || r.tokens[i+3].text != "月" {
			return Date{Year: year}, i + 2
		}
		next := i + 4
		if r.number(next, 1, 31) && r.has(next, 2) && r.tokens[next+1].text == "日" {
			next += 2
		}
		return Date{year, r.tokens[i+2].number}, next
	}
	if month, next := r.isoMonth(i + 1); next > i+1 {
		return Date{year, month}, next
	}
	if month := r.monthAfter(i); month != 0 {
		return Date{year, month}, i + 2
	}
	return Date{Year: year}, i + 1
}

// monthAfter returns the month that follows a year, token i: "2019 Mar". It returns 0 for a month with a year of its
// own, and for one in the middle of other words: "2019 May Day Committee".
func (r *dateReader) monthAfter(i int) int {
	if !r.has(i+1, 1) || strings.Trim(r.gap(i+1), " .") != "" {
		return 0
	}
	if _, next, _ := r.wordDate(i + 1); next > i+1 && !strings.ContainsAny(r.gap(next-1), "-–") {
		return 0
	}
	end := strings.TrimLeft(r.text[r.tokens[i+1].End:], " .")
	first, _ := utf8.DecodeRuneInString(end)
	if end != "" && (unicode.IsLetter(first) || unicode.IsDigit(first)) && r.separatorWord(i+2) == i+2 {
		return 0
	}
	return r.words.Months[r.tokens[i+1].text]
}

// separatorWord returns the index of the token after a word that separates two dates, such as "to", or i.
func (r *dateReader) separatorWord(i int) int {
	_, next := r.phrase(i, r.words.Until)
	return next
}

// isoMonth reads the month after a year, and the day after the month if there is one.
func (r *dateReader) isoMonth(i int) (month, next int) {
	if !r.number(i, 1, 12) {
		return 0, i
	}

	gap := r.gap(i)
	t := r.tokens[i]
	if gap != "-" && gap != "/" && gap != "." {
		return 0, i
	}

	// "2019-03" is a month, but "2019-3" may be anything.
	if gap == "-" && len(t.text) != 2 {
		return 0, i
	}

	next = i + 1
	if r.number(next, 1, 31) && r.gap(next) == gap {
		next++
	}
	if !rightBounded(r.text, r.tokens[next-1].End) {
		return 0, i
	}
	return t.number, next
}

// numberDate reads "03/2018", "03.2018", "15.03.2018" and, as weak dates, "3/15" and "15.03.18".
func (r *dateReader) numberDate(i int) (at Date, next int, weak bool) {
	first := r.tokens[i].number
	second := r.tokens[i+1]
	sign := strings.TrimSpace(r.gap(i + 1))
	if sign != "/" && sign != "." && sign != "-" {
		return Date{}, i, false
	}

	firstIsMonth := first >= 1 && first <= 12
	if firstIsMonth && r.isYear(second) && yearBounded(r.text, second.End) {
		return Date{second.number, first}, i + 2, false
	}

	threeNumbers := r.has(i, 3) && r.isYear(r.tokens[i+2]) && r.gap(i+2) == sign
	if threeNumbers && second.number > 0 && second.number <= 31 {
		year := r.tokens[i+2].number
		return Date{year, r.order.month(first, second.number, sign)}, i + 3, false
	}
	if year, ok := r.shortYear(i, sign); ok && first <= 31 && second.number > 0 && second.number <= 31 {
		return Date{year, r.order.month(first, second.number, sign)}, i + 3, true
	}

	// "3/15" may also be a day or a fraction, so it counts only in a range.
	twoDigits := len(second.text) == 2 && second.number >= 0 && rightBounded(r.text, second.End)
	if twoDigits && firstIsMonth && sign == "/" {
		return Date{r.yearOf(second.number), first}, i + 2, true
	}

	return Date{}, i, false
}

// shortYear returns the year at the end of three numbers, of which token i is the first: 18 in "15.03.18".
func (r *dateReader) shortYear(i int, sign string) (year int, ok bool) {
	if !r.has(i, 3) || r.gap(i+2) != sign {
		return 0, false
	}
	t := r.tokens[i+2]
	year = r.yearOf(max(t.number, 0))
	return year, len(t.text) == 2 && t.number >= 0 && rightBounded(r.text, t.End) && year >= firstTwoDigits
}

// IsDate reports whether a text is a date or a date range and nothing else.
func (d *Finder) IsDate(text string) bool {
	spans := d.Find(text)
	return len(spans) == 1 && spans[0].Start == 0 && spans[0].End == len(strings.TrimRight(text, " ."))
}

// OnlyDate reports whether a text is nothing but a date.
func (d *Finder) OnlyDate(text string) bool {
	rest, date := d.separate(text)
	return date != "" && strings.TrimSpace(rest) == ""
}
