package fields

import (
	"fmt"
	"strings"
)

// date is a month or a year. The zero date is unknown.
type date struct{ year, month int } // month 0: not told

// String is YYYY-MM or YYYY, "" where the date is unknown.
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

// span is a date, or a time between two, in a text.
type span struct {
	from, to   date // to is unknown where current, or where there is one date only
	current    bool
	start, end int // byte offsets
}

// single reports whether the text has one date only.
func (s *span) single() bool { return s.to.year == 0 && !s.current }

// firstYear is the first one that is taken for a date.
const firstYear = 1940

// dates finds dates in text.
type dates struct {
	words    *dictionary
	lastYear int // that is plausible
}

// find are the dates and times of a text, in order.
func (d *dates) find(text string) []span {
	if !strings.ContainsAny(text, "0123456789") {
		return nil
	}
	tokens := tokenize(text)
	var spans []span
	for i := 0; i < len(tokens); {
		s, next := d.span(text, tokens, i)
		if next == i {
			i++
			continue
		}
		spans = append(spans, s)
		i = next
	}
	return spans
}

// span is the date or time that begins at token i, and the token behind it; that is i where there is none.
func (d *dates) span(text string, tokens []token, i int) (span, int) {
	since, at := d.phrase(text, tokens, i, d.words.since)
	if at == i {
		since = ""
	}
	from, next, weak := d.point(text, tokens, at)
	if next == at && at > i { // the word was another one
		return span{}, i
	}
	if next == at {
		return d.sharedYear(text, tokens, i)
	}
	s := span{from: from, start: tokens[i].start, end: tokens[next-1].end}
	if to, current, behind := d.second(text, tokens, next, from); behind > next {
		s.to, s.current, s.end = to, current, tokens[behind-1].end
		if to.year != 0 && (to.year < from.year || to.year == from.year && to.month != 0 && to.month < from.month) {
			s.from, s.to = to, from
		}
		return s, behind
	}
	if weak {
		return span{}, i
	}
	s.current = d.words.open[since]
	return s, next
}

// sharedYear reads "May – Aug 2020", whose first date has no year.
func (d *dates) sharedYear(text string, tokens []token, i int) (span, int) {
	month := d.words.months[tokens[i].text]
	if month == 0 || tokens[i].number >= 0 || i+1 >= len(tokens) {
		return span{}, i
	}
	at := d.separator(text, tokens, i+1)
	if at < 0 {
		return span{}, i
	}
	to, next, weak := d.point(text, tokens, at)
	if next == at || weak || to.month == 0 {
		return span{}, i
	}
	from := date{to.year, month}
	if month > to.month {
		from.year--
	}
	return span{from: from, to: to, start: tokens[i].start, end: tokens[next-1].end}, next
}

// second is the end of a time, behind a separator at token i.
func (d *dates) second(text string, tokens []token, i int, from date) (to date, current bool, next int) {
	at := d.separator(text, tokens, i)
	if at < 0 || at >= len(tokens) {
		return date{}, false, i
	}
	if _, behind := d.phrase(text, tokens, at, d.words.present); behind > at {
		return date{}, true, behind
	}
	if to, behind, _ := d.point(text, tokens, at); behind > at {
		return to, false, behind
	}
	// "2016—18": the century is that of the first year.
	if t := tokens[at]; from.month == 0 && len(t.text) == 2 && t.number >= 0 && t.start-tokens[i-1].end <= 5 && bounded(text, t.start, t.end) {
		if year := from.year/100*100 + t.number; year >= from.year && year <= d.lastYear {
			return date{year: year}, false, at + 1
		}
	}
	return date{}, false, i
}

// separator is the token behind the sign or the words between two dates, which begin behind token i-1; -1 where there
// is no separator.
func (d *dates) separator(text string, tokens []token, i int) int {
	from := tokens[i-1].end
	to := len(text)
	if i < len(tokens) {
		to = tokens[i].start
	}
	between := strings.Trim(text[from:to], " .)(\t")
	switch between {
	case "-", "–", "—", "~", "〜", "→", "‒", "−", "--", "―", "⁃", "›", ">", "->", "- -":
		return i
	case "", ",":
	default:
		return -1
	}
	if i >= len(tokens) {
		return -1
	}
	if _, next := d.phrase(text, tokens, i, d.words.until); next > i {
		return next
	}
	return -1
}

// phrase is the longest key of words that begins at token i and is in a set, and the token behind it.
func (d *dates) phrase(text string, tokens []token, i int, phrases set) (found string, next int) {
	next = i
	phrase := ""
	for j := i; j < min(i+4, len(tokens)) && tokens[j].number < 0; j++ {
		if j > i {
			gap := text[tokens[j-1].end:tokens[j].start]
			if len(gap) > 3 || strings.ContainsAny(gap, "\t,.;|") {
				break
			}
			if gap != "" {
				phrase += " "
			}
		}
		phrase += tokens[j].text
		if phrases[phrase] {
			found, next = phrase, j+1
		}
	}
	return found, next
}

// point is the date that begins at token i and the token behind it, i where there is none. A weak one is a date only
// as a part of a time: 06/15.
func (d *dates) point(text string, tokens []token, i int) (at date, next int, weak bool) {
	if i >= len(tokens) {
		return date{}, i, false
	}
	t := tokens[i]
	if t.number < 0 && len(t.text) > 0 && (t.text[0] < '0' || t.text[0] > '9') {
		at, next = d.wordPoint(text, tokens, i)
		return at, next, false
	}
	if t.number < 0 || !leftBounded(text, t.start) {
		return date{}, i, false
	}
	if d.year(t) {
		at, next = d.yearPoint(text, tokens, i)
		return at, next, false
	}
	return d.numberPoint(text, tokens, i)
}

// wordPoint reads "Jan. 2019", "January 15, 2019", "marzo de 2019", "Jan '19", "Q3 2019", "Summer 2015".
func (d *dates) wordPoint(text string, tokens []token, i int) (date, int) {
	word := tokens[i].text
	month := d.words.months[word]
	j := i + 1
	switch {
	case month != 0:
		if j < len(tokens) && (tokens[j].text == "de" || tokens[j].text == "of" || tokens[j].text == "del") {
			j++
		}
		if j+1 < len(tokens) && tokens[j].number > 0 && tokens[j].number <= 31 && len(tokens[j].text) <= 2 && d.year(tokens[j+1]) &&
			near(text, tokens, j+1) {
			j++
		}
	case (word == "q" || word == "t") && j+1 < len(tokens) && tokens[j].number >= 1 && tokens[j].number <= 4 && tokens[j].start == tokens[i].end:
		month = 3*tokens[j].number - 2
		j++
	case d.words.seasons[word]:
	default:
		return date{}, i
	}
	if j >= len(tokens) || !near(text, tokens, j) {
		return date{}, i
	}
	if d.year(tokens[j]) && rightBounded(text, tokens[j].end) {
		return date{tokens[j].number, month}, j + 1
	}
	gap := text[tokens[j-1].end:tokens[j].start]
	if month != 0 && len(tokens[j].text) == 2 && tokens[j].number >= 0 && strings.ContainsAny(gap, "'’‘") {
		return d.century(tokens[j].number, month), j + 1
	}
	return date{}, i
}

// century is the latest plausible date of a year of two digits.
func (d *dates) century(year, month int) date {
	if 2000+year <= d.lastYear {
		return date{2000 + year, month}
	}
	return date{1900 + year, month}
}

// near reports whether only spaces and light punctuation stand before token i.
func near(text string, tokens []token, i int) bool {
	return strings.Trim(text[tokens[i-1].end:tokens[i].start], " .,'’‘-/") == ""
}

// yearPoint reads "2019", "2019-03", "2019/3", "2019.03.15", "2019年3月", "2019 Q3".
func (d *dates) yearPoint(text string, tokens []token, i int) (date, int) {
	year := tokens[i].number
	if !yearBounded(text, tokens[i].end) {
		return date{}, i
	}
	j := i + 1
	if j < len(tokens) && tokens[j].text == "年" {
		j++
		if j+1 < len(tokens) && tokens[j].number >= 1 && tokens[j].number <= 12 && tokens[j+1].text == "月" {
			month := tokens[j].number
			j += 2
			if j+1 < len(tokens) && tokens[j].number >= 1 && tokens[j].number <= 31 && tokens[j+1].text == "日" {
				j += 2
			}
			return date{year, month}, j
		}
		return date{year: year}, j
	}
	month, next := d.isoMonth(text, tokens, j)
	if next > j {
		return date{year, month}, next
	}
	return date{year: year}, j
}

// isoMonth is the month behind a year, and a day behind it.
func (d *dates) isoMonth(text string, tokens []token, j int) (month, next int) {
	if j >= len(tokens) {
		return 0, j
	}
	gap, t := text[tokens[j-1].end:tokens[j].start], tokens[j]
	if gap != "-" && gap != "/" && gap != "." || t.number < 1 || t.number > 12 || len(t.text) > 2 || gap == "-" && len(t.text) != 2 {
		return 0, j
	}
	next = j + 1
	if next < len(tokens) && text[t.end:tokens[next].start] == gap && tokens[next].number >= 1 && tokens[next].number <= 31 &&
		len(tokens[next].text) <= 2 {
		next++
	}
	if !rightBounded(text, tokens[next-1].end) {
		return 0, j
	}
	return t.number, next
}

// numberPoint reads "03/2018", "03.2018", "15.03.2018", "15 March 2018", "3/15".
func (d *dates) numberPoint(text string, tokens []token, i int) (at date, next int, weak bool) {
	t := tokens[i]
	if i+1 >= len(tokens) || t.number > 31 || len(t.text) > 2 {
		return date{}, i, false
	}
	gap, second := text[t.end:tokens[i+1].start], tokens[i+1]
	if month := d.words.months[second.text]; month != 0 && strings.Trim(gap, " .") == "" {
		if at, next := d.wordPoint(text, tokens, i+1); next > i+1 {
			return at, next, false
		}
		return date{}, i, false
	}
	gap = strings.TrimSpace(gap)
	if gap != "/" && gap != "." && gap != "-" {
		return date{}, i, false
	}
	if d.year(second) && t.number >= 1 && t.number <= 12 && yearBounded(text, second.end) {
		return date{second.number, t.number}, i + 2, false
	}
	if i+2 < len(tokens) && d.year(tokens[i+2]) && text[second.end:tokens[i+2].start] == gap && second.number > 0 && second.number <= 31 {
		year := tokens[i+2].number
		switch {
		case second.number > 12:
			return date{year, min(t.number, 12)}, i + 3, false
		case t.number > 12 || gap != "/" || t.number == second.number:
			return date{year, second.number}, i + 3, false
		default: // of day and month either may come first
			return date{year: year}, i + 3, false
		}
	}
	if gap == "/" && len(second.text) == 2 && second.number >= 0 && t.number >= 1 && t.number <= 12 && rightBounded(text, second.end) {
		return d.century(second.number, t.number), i + 2, true
	}
	return date{}, i, false
}

// year reports whether a token is a plausible year.
func (d *dates) year(t token) bool {
	return len(t.text) == 4 && t.number >= firstYear && t.number <= d.lastYear
}
