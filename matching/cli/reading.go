package cli

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/freelancer-matching/service/indexer/format"
)

// A reading is what was taken out of a brief's text. Zero values are absent.
type reading struct {
	budget   []float64 // low and high
	hourly   bool
	currency string
	days     int
	text     string // the rest
}

const (
	amountPattern = `(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?k?`
	symbols       = `[$€£]`
	hourPattern   = `(?i:( ?/ ?hr?\.?| ?/ ?hour| per hour| an hour| hourly))`
)

// The parts of a text that are read: a budget such as "5k", "3k-5k EUR" or "$40-60/h", and a time such as "30 days" or
// "within 6 weeks".
var (
	budgetPart = regexp.MustCompile(`^(?i:up to |max\.? |budget:? )?(` + symbols + `)?(` + amountPattern + `)(?: ?[-–] ?` +
		symbols + `?(` + amountPattern + `))? ?(` + symbols + `|[A-Z]{3})?` + hourPattern + `?$`)
	timePart = regexp.MustCompile(`^(?i:in |within )?(\d{1,4}) (?i:(day|week|month)s?)$`)
)

// read takes the budget and the time out of a text: parts between commas or semicolons that consist of nothing else.
// All other words stay in the text, for the server to understand.
func read(text string) reading {
	var r reading
	var others []string
	for _, part := range splitParts(text) {
		word := strings.Trim(part, separators)
		switch {
		case r.days == 0 && r.readTime(word):
		case r.budget == nil && r.readBudget(word):
		default:
			others = append(others, part)
		}
	}
	if r.days == 0 && r.budget == nil {
		return reading{text: text}
	}
	r.text = strings.Trim(strings.Join(others, ""), separators)
	return r
}

// separators are around the parts of a text.
const separators = " ,;\t\r\n"

// splitParts splits a text after semicolons and commas, but not after the comma in 5,000.
func splitParts(text string) []string {
	var parts []string
	begin := 0
	for i, char := range text {
		isThousands := char == ',' && i+1 < len(text) && text[i+1] >= '0' && text[i+1] <= '9'
		if (char == ',' || char == ';') && !isThousands {
			parts = append(parts, text[begin:i+1])
			begin = i + 1
		}
	}
	return append(parts, text[begin:])
}

// maxDays is the longest time that the API accepts.
const maxDays = 3650

func (r *reading) readTime(part string) bool {
	found := timePart.FindStringSubmatch(part)
	if found == nil {
		return false
	}
	n, err := strconv.Atoi(found[1])
	if err != nil {
		return false
	}
	days := n * map[string]int{"day": 1, "week": 7, "month": 30}[strings.ToLower(found[2])]
	if days == 0 || days > maxDays {
		return false
	}
	r.days = days
	return true
}

// minBareBudget is the least number that is a budget without a currency, a unit or a k: "2" may be a number of people.
const minBareBudget = 100

func (r *reading) readBudget(part string) bool {
	found := budgetPart.FindStringSubmatch(part)
	if found == nil {
		return false
	}

	// A single amount is the most that the client pays.
	low := 0.0
	high := amount(found[2])
	if found[3] != "" {
		low = high
		high = amount(found[3])
	}

	// "2" may be a number of people, but "2k", "2 EUR" and "2/h" are money.
	hourly := found[5] != ""
	named := found[1]+found[4] != "" || hourly || strings.Contains(strings.ToLower(part), "k") ||
		strings.Contains(strings.ToLower(part), "budget")
	if low > high || !named && high < minBareBudget {
		return false
	}

	r.budget = []float64{low, high}
	r.hourly = hourly
	r.currency = currency(found[1] + found[4])
	return true
}

func amount(text string) float64 {
	text = strings.ToLower(strings.ReplaceAll(text, ",", ""))
	digits, thousands := strings.CutSuffix(text, "k")
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return math.NaN() // compares as no budget; the pattern allows nothing else
	}
	if thousands {
		n *= 1000
	}
	return n
}

// currency returns the code of a currency with a symbol or a code. "" is the currency of the data.
func currency(written string) string {
	if code, ok := map[string]string{"$": "USD", "€": "EUR", "£": "GBP"}[written]; ok {
		return code
	}
	return written
}

// describe returns what was read as a text, or "" if nothing was.
func (r *reading) describe() string {
	var parts []string
	if r.budget != nil {
		parts = append(parts, "budget "+describeBudget(r.budget, r.currency, r.hourly))
	}
	if r.days != 0 {
		parts = append(parts, "timeline "+format.Count(r.days, "day", "days"))
	}
	return strings.Join(parts, ", ")
}

func describeBudget(budget []float64, currency string, hourly bool) string {
	text := fmt.Sprintf("%s to %s %s", money(budget[0]), money(budget[1]), currency)
	if budget[0] == 0 {
		text = fmt.Sprintf("up to %s %s", money(budget[1]), currency)
	}
	if hourly {
		text = strings.TrimSpace(text) + " per hour"
	}
	return strings.TrimSpace(text)
}
