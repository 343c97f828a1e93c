package value

import (
	"cmp"
	"iter"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/freelancer-matching/service/internal/exchange"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/wordbook"
)

// Remarks on dates, weekly hours and verification.
const (
	remarkNotDate       = "not a date; use one such as 2026-12-31"
	remarkAmbiguousDate = "day and month can't be told apart, and no other value shows their order; use 2026-12-31"
	remarkNotHours      = "not a number of hours per week from 1 to 168"
	remarkUpperHours    = "an upper limit of hours per week; the hours are unknown"
	remarkHoursRange    = "a range of hours per week; the lower end is used"
	remarkNotVerified   = "neither verified nor unverified"
)

// DateOrder is the order of day and month in a column of dates such as 12/01/2026.
type DateOrder int

// The orders of day and month.
const (
	UnclearOrder DateOrder = iota
	DayFirst
	MonthFirst
)

// maxDate is the length in bytes of the longest date and time.
const maxDate = 60

// JudgeDates returns the order of day and month in dates, as a DateJudge does.
func JudgeDates(dates iter.Seq[string]) DateOrder {
	var j DateJudge
	for s := range dates {
		j.Add(s)
	}
	return j.Order()
}

// A DateJudge finds out the order of day and month in the dates of a column. The zero DateJudge has seen none.
type DateJudge struct{ dayFirst, monthFirst, isAmbiguous bool }

// Add adds a date.
func (j *DateJudge) Add(s string) {
	s, shown, _ := cutDateWords(fold(strings.TrimSpace(s)))
	a, b, _, ok := numericDate(s)
	j.dayFirst = j.dayFirst || ok && (shown == DayFirst || a > 12 && b <= 12)
	j.monthFirst = j.monthFirst || ok && b > 12 && a <= 12
	j.isAmbiguous = j.isAmbiguous || ok && a <= 12 && b <= 12 && a != b && strings.Count(s, ".") < 2
}

// IsOpen reports whether there is a date that Order doesn't settle.
func (j *DateJudge) IsOpen() bool { return j.isAmbiguous && j.Order() == UnclearOrder }

// Order returns the order. It is unclear if no date shows it, or if dates contradict each other.
func (j *DateJudge) Order() DateOrder {
	switch {
	case j.dayFirst == j.monthFirst:
		return UnclearOrder
	case j.dayFirst:
		return DayFirst
	}
	return MonthFirst
}

// monthNames has the numbers of months by folded name, and other words of dates with the number 0.
var monthNames = sync.OnceValue(func() map[string]int {
	names := make(map[string]int)
	for _, list := range wordbook.Lists() {
		switch list.Name {
		case wordbook.Months:
			for name, number := range list.MonthNames {
				names[fold(name)] = number
			}
		case wordbook.MonthOf, wordbook.DateFiller:
			for _, word := range list.Items {
				names[fold(word)] = 0
			}
		}
	}
	return names
})

// Date parses a date with a year, with or without a time: "2026-12-31", "31.12.2026", "12/31/2026", "31 December 2026",
// "Dec 31, 2026", and words such as "available from" and "unavailable until" before it. A month without a day stands
// for its first day. order is the one of the column, for dates with slashes or hyphens; with UnclearOrder, 1/2/2026 is
// unknown and 1/1/2026 is not. It returns the date as YYYY-MM-DD.
func Date(text string, order DateOrder) (date, remark string) {
	text = strings.TrimSpace(text)
	if Unknown(text) {
		return "", ""
	}
	if len(text) > maxDate {
		return "", remarkNotDate
	}

	text, shown, _ := cutDateWords(fold(text))
	if order == UnclearOrder {
		order = shown
	}

	text = withoutDateCharacters(text)

	month, day, year, ok := numericDate(text)
	if ok {
		// 13/1/2026 has no other reading, and dates with points are written in countries where the day comes first.
		isDayFirst := order == DayFirst || month > 12 || strings.Count(text, ".") == 2
		readsBothWays := month <= 12 && day <= 12 && month != day
		isUnclear := order == UnclearOrder && !isDayFirst
		if isUnclear && readsBothWays {
			return "", remarkAmbiguousDate
		}

		if isDayFirst {
			day, month = month, day
		}
	}
	if !ok {
		year, month, day, ok = isoDate(text)
	}
	if !ok {
		year, month, day, ok = writtenDate(text)
	}

	isPlausible := year >= 1970 && year <= 2199
	if !ok || !isPlausible {
		return "", remarkNotDate
	}

	// time.Date turns February 30 into a day of March.
	parsed := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if parsed.Day() != day || int(parsed.Month()) != month {
		return "", remarkNotDate
	}

	return parsed.Format(time.DateOnly), ""
}

// cutDateWords cuts words such as "available from" and "unavailable until" off the start of a folded text. It returns
// the order of day and month that the language of the words shows, if it does.
func cutDateWords(text string) (date string, shown DateOrder, ok bool) {
	if date, ok = cutWord(text, "available from"); ok {
		return date, UnclearOrder, true
	}

	rest, isUnavailable := cutWord(text, "no")
	if !isUnavailable {
		return text, UnclearOrder, false
	}
	if date, ok = cutWord(rest, "until"); ok {
		return date, UnclearOrder, true
	}
	if date, ok = cutWord(rest, "day-first until"); ok {
		return date, DayFirst, true
	}
	return text, UnclearOrder, false
}

// withoutDateCharacters returns a date such as 2027年1月12日 as 2027-1-12. Japanese and Chinese have no names of months. A
// day or a month may be missing, and a word such as 以降 (from then on) may follow.
func withoutDateCharacters(s string) string {
	before, after, ok := strings.Cut(s, "年")
	if !ok {
		return s
	}
	month, day, _ := strings.Cut(strings.TrimSpace(after), "月")
	date := strings.TrimSpace(before) + "-" + strings.TrimSpace(month)
	day, rest, ok := strings.Cut(strings.TrimSpace(day), "日")
	if !ok {
		day, rest, _ = strings.Cut(day, "号")
	}
	if day = strings.TrimSpace(day); day != "" {
		date += "-" + day
	}
	if rest = strings.TrimSpace(rest); rest != "" && !words["from then on"].has(rest) {
		return s
	}
	return date
}

// isoDate parses "2026-12-31" and "2026-12", also with other separators, and anything that may be a time after them.
func isoDate(text string) (year, month, day int, ok bool) {
	numbers, rest := leadingNumbers(text)
	if len(numbers) < 2 || len(numbers[0]) != 4 {
		return 0, 0, 0, false
	}

	mayBeTime := rest == "" || strings.IndexByte("t ,", rest[0]) >= 0
	if !mayBeTime {
		return 0, 0, 0, false
	}
	if strings.ContainsFunc(strings.TrimPrefix(rest, "t"), func(r rune) bool { return unicode.IsLetter(r) && r != 'z' }) {
		return 0, 0, 0, false
	}
	year, _ = strconv.Atoi(numbers[0])
	month, _ = strconv.Atoi(numbers[1])
	day = 1
	if len(numbers) > 2 {
		day, _ = strconv.Atoi(numbers[2])
	}
	return year, month, day, rest == "" || len(numbers) == 3
}

// numericDate parses three numbers of which the last is the year, such as 31/12/2026 and 1-2-26, and a time after them.
func numericDate(text string) (first, second, year int, ok bool) {
	numbers, rest := leadingNumbers(text)
	if len(numbers) != 3 {
		return 0, 0, 0, false
	}

	isDayAndMonth := len(numbers[0]) <= 2 && len(numbers[1]) <= 2
	isYear := len(numbers[2]) == 4 || len(numbers[2]) == 2
	isTime := rest == "" || rest[0] == ' ' && strings.Trim(rest, " 0123456789:.,apm") == ""
	isDate := isDayAndMonth && isYear && isTime
	if !isDate {
		return 0, 0, 0, false
	}

	first, _ = strconv.Atoi(numbers[0])
	second, _ = strconv.Atoi(numbers[1])
	year, _ = strconv.Atoi(numbers[2])
	if len(numbers[2]) == 2 {
		year += 2000
	}
	return first, second, year, true
}

// leadingNumbers returns up to three numbers with the same separator, a point, slash or hyphen, and the rest of a text.
func leadingNumbers(text string) (numbers []string, rest string) {
	var separator byte
	for len(numbers) < 3 {
		end := 0
		for end < len(text) && isDigit(text[end]) {
			end++
		}
		if end == 0 {
			return nil, text
		}
		numbers = append(numbers, text[:end])
		text = text[end:]
		if text == "" || len(numbers) == 3 {
			break
		}

		// All separators of a date are alike.
		isSeparator := strings.IndexByte("./-", text[0]) >= 0 && (separator == 0 || text[0] == separator)
		if !isSeparator {
			break
		}

		separator = text[0]
		text = text[1:]
	}
	return numbers, text
}

// writtenDate parses a folded date with the name of its month.
func writtenDate(s string) (year, month, day int, ok bool) {
	isSeparator := func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(".,-/'", r) }
	for token := range strings.FieldsFuncSeq(s, isSeparator) {
		n, isNumber := smallNumber(strings.TrimRight(token, "abcdefghijklmnopqrstuvwxyzºª"))
		name, isName := monthNames()[token]
		switch {
		case isName && name > 0 && month == 0:
			month = name
		case isName && name == 0:
		case isNumber && n >= 1000 && year == 0:
			year = n
		case isNumber && n >= 1 && n <= 31 && day == 0 && (token == strconv.Itoa(n) || isOrdinal(token)):
			day = n
		default:
			return 0, 0, 0, false
		}
	}

	if day == 0 {
		day = 1
	}

	return year, month, day, year > 0 && month > 0
}

// isOrdinal reports whether a token is a number of up to two digits with an ending such as "st", or a leading zero.
func isOrdinal(token string) bool {
	ending := strings.TrimLeft(token, "0123456789")
	name, ok := monthNames()[ending]
	return len(token)-len(ending) <= 2 && (ending == "" || ok && name == 0)
}

// The usual hours of a week, which stand for "full-time" and "part-time".
const (
	fullTimeHours = 40
	partTimeHours = 20
	maxHours      = 168
)

// HoursPerWeek parses how many hours a person offers per week: "40", "30+ hrs/week", "20 Std. pro Woche". "full-time"
// means 40 and "part-time" means 20 unless there is also a number, as in "part-time, 25h". Of a range, it returns the
// lower end. An upper limit is unknown.
func HoursPerWeek(cell string) (hours matching.Optional[float64], remark string) {
	cell = strings.TrimSpace(cell)
	if Unknown(cell) {
		return hours, ""
	}
	if len(cell) > maxFlag {
		return hours, remarkNotHours
	}

	var usual matching.Optional[float64] // of somebody who works full-time or part-time
	isSeparator := func(r rune) bool { return strings.ContainsRune(";,|()[]•·", r) }
	for part := range strings.FieldsFuncSeq(fold(cell), isSeparator) {
		text := strings.Trim(withPlainSpaces(part), " .:")
		if text == "" {
			continue
		}

		if fromWords := usualHours(text); fromWords.Known {
			// "Full-time, part-time" offers no certain hours.
			if usual.Known && usual != fromWords {
				return matching.Optional[float64]{}, remarkNotHours
			}
			usual = fromWords
			continue
		}

		// A cell has only one number of hours.
		if hours.Known {
			return matching.Optional[float64]{}, remarkNotHours
		}
		if hours, remark = hoursOf(text); !hours.Known {
			return hours, remark
		}
	}

	if !hours.Known {
		hours = usual
	}

	if !hours.Known {
		remark = remarkNotHours
	}

	return hours, remark
}

// withPlainSpaces replaces each run of white space and underscores by one space.
func withPlainSpaces(text string) string {
	isSpace := func(r rune) bool { return unicode.IsSpace(r) || r == '_' }
	return strings.Join(strings.FieldsFunc(text, isSpace), " ")
}

// usualHours returns the hours of a word such as "full-time", in a folded text with nothing else.
func usualHours(text string) (hours matching.Optional[float64]) {
	plain := strings.ReplaceAll(text, "-", " ")
	switch {
	case words["full time"].has(plain):
		return matching.Some(float64(fullTimeHours))
	case words["part time"].has(plain):
		return matching.Some(float64(partTimeHours))
	default:
		return hours
	}
}

// hoursOf parses a folded text with one number of hours, or a range.
func hoursOf(text string) (hours matching.Optional[float64], remark string) {
	if rest, ok := cutWord(text, "less than"); ok {
		if _, rest, ok := number(rest); ok && isHours(rest) {
			return hours, remarkUpperHours
		}
		return hours, remarkNotHours
	}

	text, _ = cutWord(text, "more than")
	n, rest, ok := number(text)
	if !ok {
		return hours, remarkNotHours
	}

	rest = strings.TrimLeft(rest, "+ ")
	if after, isRange := cutWord(rest, "range"); isRange {
		if high, after, ok := number(after); ok {
			n = min(n, high)
			rest = strings.TrimLeft(after, "+ ")
			remark = remarkHoursRange
		}
	}

	inRange := n > 0 && n <= maxHours
	if !inRange || !isHours(rest) {
		return hours, remarkNotHours
	}

	return matching.Some(n), remark
}

// isHours reports whether a text is empty, or a unit such as "hours", "h" or "hrs per week".
func isHours(s string) bool {
	s = strings.Trim(s, " .")
	return s == "" || words["hour"].has(s) || isWeeklyHours(s)
}

// Verified parses whether a marketplace has verified a person: a yes or no, "verified" or "not verified".
func Verified(s string) (verified matching.Optional[bool], remark string) {
	if answer, ok := shortAnswer(s); ok {
		return matching.Some(answer), ""
	}
	if Unknown(s) {
		return verified, ""
	}
	if len(s) <= maxFlag {
		text := strings.Join(strings.FieldsFunc(fold(s), func(r rune) bool {
			return unicode.IsSpace(r) || strings.ContainsRune("-_.!", r)
		}), " ")
		switch {
		case words["verified"].has(text):
			return matching.Some(true), ""
		case words["unverified"].has(text):
			return matching.Some(false), ""
		}
	}
	return verified, remarkNotVerified
}

// ChargedCurrency parses the currency in which a person charges: an ISO 4217 code, a sign or a name. base is the
// currency of the data set, which a sign such as $ stands for if it can.
func ChargedCurrency(s, base string) (code, remark string) {
	if Unknown(s) {
		return "", ""
	}
	code, _ = CurrencyCode(s, base)
	if code == AmbiguousCurrency {
		return "", remarkAmbiguousSign
	}
	if code, err := exchange.Code(cmp.Or(code, s)); err == nil {
		return code, ""
	}
	return "", remarkNotCurrency
}

const remarkNotCurrency = "not a currency; use an ISO 4217 code, such as EUR"
