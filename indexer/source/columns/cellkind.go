package columns

import (
	"net/url"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/freelancer-matching/service/indexer/source/table"
	"github.com/freelancer-matching/service/internal/value"
)

// cellKind is what a cell looks like, whatever its header says.
type cellKind int

const (
	kindText  cellKind = iota // a few words
	kindToken                 // one word with digits, such as an ID
	kindList                  // names between separators
	kindProse                 // sentences
	kindName                  // words that all begin with a capital, as in names of people
	kindURL
	kindPicture // the URL of a picture
	kindEmail
	kindDate
	kindPhone
	kindFlag // a word for yes or no
	kindCurrency
	kindPlace    // ends with a country
	kindLanguage // languages that people speak
	kindNumber   // a number without a unit
	kindPercent
	kindScore      // a number or stars on a scale, or with a count in brackets
	kindYears      // with a unit
	kindCount      // a number of things, such as "12 projects"
	kindMoney      // with a currency
	kindRate       // money per hour
	kindPeriodRate // money per day, week, month or year
	kindOtherAmount
	kindCounts
)

// kindNames has the plural of each kind for messages.
var kindNames = [kindCounts]string{
	"short texts", "codes", "lists", "long texts", "names", "web addresses", "addresses of pictures", "e-mail addresses",
	"dates", "phone numbers", "words for yes and no", "currencies", "places", "languages", "numbers", "percentages",
	"ratings", "numbers of years", "counts", "amounts of money", "amounts per hour",
	"amounts per day, week, month or year", "amounts for other units than these",
}

// String returns the plural of the kind for messages.
func (k cellKind) String() string { return kindNames[k] }

// The lengths that tell texts apart.
const (
	maxItem      = 40 // characters of an item of a list
	maxItemWords = 5
	minProse     = 12 // words
)

// kindOf returns what a cell that says something looks like. The amount is 0 unless the kind
// is numeric and the amount is known.
func kindOf(cell string) (k cellKind, amount float64) {
	cell = strings.TrimSpace(cell)
	if k, ok := addressKind(cell); ok {
		return k, 0
	}
	if strings.ContainsAny(cell, "0123456789★⭐") && len(cell) <= table.MaxValue {
		if k, amount, ok := numericKind(cell); ok {
			return k, amount
		}
	}
	if _, remark := value.Flag(cell); remark == "" {
		return kindFlag, 0
	}
	if _, ok := value.CurrencyCode(cell, ""); ok {
		return kindCurrency, 0
	}
	return textKind(cell), 0
}

// addressKind recognizes web and e-mail addresses.
func addressKind(cell string) (cellKind, bool) {
	if local, domain, ok := strings.Cut(cell, "@"); ok && local != "" && strings.Contains(domain, ".") &&
		!strings.ContainsAny(cell, " /\n") {
		return kindEmail, true
	}
	if !strings.Contains(cell, ".") || strings.ContainsAny(cell, " \n") {
		return 0, false
	}
	address, _ := value.URL(cell)
	if address == "" {
		return 0, false
	}
	if u, err := url.Parse(address); err == nil && isPicture[strings.ToLower(path.Ext(u.Path))] {
		return kindPicture, true
	}
	return kindURL, true
}

var isPicture = map[string]bool{
	".jpg": true, ".jpeg": true, ".png": true, ".gif": true, ".webp": true, ".svg": true, ".avif": true,
}

// numericKind recognizes cells that are numbers with or without a unit, dates and phone numbers.
func numericKind(cell string) (k cellKind, amount float64, ok bool) {
	score, isScore := value.ParseScore(cell)
	switch {
	case isScore && strings.HasSuffix(cell, "%"):
		return kindPercent, score.Value, true
	case isScore && score.IsMarked():
		return kindScore, score.Value, true
	case isPhone(cell):
		return kindPhone, 0, true
	case isDate(cell):
		return kindDate, 0, true
	}

	// A number of years needs its unit here: a bare number may be anything.
	hasLetters := strings.IndexFunc(cell, unicode.IsLetter) >= 0
	if years, _ := value.Years(cell); hasLetters && years.Known {
		return kindYears, years.Value, true
	}

	if isUnitCode(cell) {
		return kindToken, 0, true
	}

	switch kind, amount := value.Amount(cell); kind {
	case value.HourlyAmount:
		return kindRate, amount, true
	case value.MoneyAmount:
		return kindMoney, amount, true
	case value.PeriodAmount:
		return kindPeriodRate, amount, true
	case value.OtherAmount:
		return kindOtherAmount, 0, true
	case value.BareAmount:
		return kindNumber, amount, true
	case value.NotAmount:
	}

	if count, _ := value.Count(cell); count.Known {
		return kindCount, float64(count.Value), true
	}

	return 0, 0, false
}

// isUnitCode reports whether a cell is a code that begins or ends with a short word for an hour or another time, such
// as u7 and 7-u. Amounts have a sign, a slash or a space beside it.
func isUnitCode(cell string) bool {
	isDigit := func(r rune) bool { return r >= '0' && r <= '9' }
	before := strings.TrimRightFunc(cell, isDigit)
	after := strings.TrimLeftFunc(cell, isDigit)
	switch {
	case after == "": // a number
		return false
	case before != cell:
		return value.UnitWord(strings.TrimRight(before, ".-")) != value.NoUnit
	default:
		word, ok := strings.CutPrefix(after, "-")
		return ok && value.UnitWord(word) != value.NoUnit
	}
}

// isPhone reports whether a cell is a telephone number: a plus sign and digits, or groups of digits.
func isPhone(cell string) bool {
	digits, signs := 0, 0
	for i, r := range cell {
		switch {
		case r >= '0' && r <= '9':
			digits++
		case strings.ContainsRune(" ()-/.", r) || r == '+' && i == 0:
			signs++
		default:
			return false
		}
	}
	return digits >= 8 && digits <= 15 && (cell[0] == '+' || cell[0] == '(' || signs >= 2) && !isDate(cell)
}

// isDate reports whether a cell is a date: a year with a month or a day, in any order and with up to three other words.
func isDate(cell string) bool {
	if len(cell) > len("Joined on Wednesday, September 10, 2005 at 12:00:00.000000 +00:00") {
		return false
	}
	years := 0
	days := 0
	words := 0
	isSeparator := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	for token := range strings.FieldsFuncSeq(cell, isSeparator) {
		switch number, isNumber := dateNumber(token); {
		case !isNumber:
			words++
		case number >= 1900 && number <= 2100:
			years++
		case number <= 59 || years > 0: // days, months, hours, minutes; fractions of seconds come last
			days++
		default:
			return false
		}
	}

	hasThreeNumbers := years == 0 && days == 3 && words == 0 // 31/12/19
	if hasThreeNumbers {
		return strings.Count(cell, "/") == 2 || strings.Count(cell, ".") == 2 || strings.Count(cell, "-") == 2
	}

	if years != 1 {
		return false
	}
	if words > 0 {
		return words <= 4 // the month, and three others
	}

	// Numbers alone are a date only with the signs of one: 2020-05, but neither "2000 10" nor $2000.50.
	hasDateSign := strings.ContainsAny(cell, "-/.")
	isMoney := strings.ContainsAny(cell, "$€£")
	return days >= 1 && hasDateSign && !isMoney
}

// dateNumber parses a part of a date, which may have a letter as in 2020-01-02T03:04:05Z, and 10th.
func dateNumber(token string) (n int, ok bool) {
	for i, r := range token {
		if r < '0' || r > '9' {
			return n, i > 0
		}
		n = min(n*10+int(r-'0'), 1e6)
	}
	return n, true
}

// textKind tells texts without a number apart.
func textKind(cell string) cellKind {
	words := len(strings.Fields(cell))
	isToken := words == 1 && utf8.RuneCountInString(cell) <= maxItem && strings.ContainsAny(cell, "0123456789")
	if isToken {
		return kindToken
	}

	// "Porto, Portugal" has the form of a list, so places come first.
	if places().isPlace(cell) {
		return kindPlace
	}

	if items := listItems(cell); len(items) > 1 {
		switch {
		case places().areLanguages(items):
			return kindLanguage
		case areShort(items):
			return kindList
		}
	} else if places().areLanguages([]string{cell}) {
		return kindLanguage
	}

	switch {
	case words >= minProse:
		return kindProse
	case isName(cell):
		return kindName
	}

	return kindText
}

// listItems returns the items of a cell with a list, or one item.
func listItems(cell string) []string {
	if !strings.ContainsAny(cell, ",;|\n•·[{/\t") {
		return []string{cell}
	}
	items, _ := value.Skills(cell, false)
	return items
}

// areShort reports whether the items of a list are names rather than parts of sentences.
func areShort(items []string) bool {
	long := 0
	for _, item := range items {
		if utf8.RuneCountInString(item) > maxItem || len(strings.Fields(item)) > maxItemWords {
			long++
		}
	}
	return long*10 <= len(items)
}

// isName reports whether a cell can be the name of a person: two to four words, each with a capital, without digits.
// Particles such as "van" may begin with a small letter.
func isName(cell string) bool {
	words := strings.Fields(cell)
	if len(words) < 2 || len(words) > 4 || utf8.RuneCountInString(cell) > maxItem {
		return false
	}
	for i, word := range words {
		first, _ := utf8.DecodeRuneInString(word)
		isParticle := i > 0 && i < len(words)-1 && len(word) <= 3
		if !unicode.IsUpper(first) && !isParticle {
			return false
		}
		for _, r := range word {
			if !unicode.IsLetter(r) && !strings.ContainsRune("'’.-", r) && !unicode.Is(unicode.Mn, r) {
				return false
			}
		}
	}
	return true
}
