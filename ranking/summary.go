package ranking

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// maxNames is the number of skills or words a summary lists before it counts the rest.
const maxNames = 8

// summary returns a short sentence with the facts behind a feature's value.
func (s *Scorer) summary(f feature, c *Candidate, value float64) string {
	switch f {
	case skills:
		return s.skills.summary(c)
	case text:
		return textSummary(value, &c.Facts)
	case semantic:
		return s.meaning.summary(c, value)
	case budget:
		return s.budget.summary(&c.Signals)
	case timeline:
		return s.timeline.summary(c)
	case experience:
		return s.experience.summary(&c.Signals)
	default:
		return s.quality.summary(&c.Signals)
	}
}

// textSummary describes how well the words match, and lists the main words that were found and not found, if known.
func textSummary(value float64, facts *Facts) string {
	if value == 0 {
		return "title, skills and description share no words with the brief"
	}
	// A profile of average length with each main word of the brief once earns .5. So does one that repeats some of them.
	var text string
	switch {
	case value >= .5 && len(facts.MissingWords) == 0:
		text = "title, skills and description cover the brief's main words"
	case value >= .3:
		text = "title, skills and description cover much of the brief"
	case value >= .15:
		text = "title, skills and description cover some of the brief"
	default:
		text = "title, skills and description cover little of the brief"
	}

	if len(facts.FoundWords) > 0 {
		text += "; found: " + enumerate(facts.FoundWords)
	}

	if len(facts.MissingWords) > 0 {
		text += "; not found: " + enumerate(facts.MissingWords)
	}

	return text
}

// over describes a value above a limit: "over " or, from one and a half times the limit, "about 2.5 times ".
func over(value, limit float64) string {
	if limit == 0 || value < 1.5*limit {
		return "over "
	}
	return "about " + amount(value/limit) + " times "
}

// enumerate joins the first names and counts the rest.
func enumerate(names []string) string {
	if len(names) <= maxNames {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNames], ", "), len(names)-maxNames)
}

// plural returns a number with a noun: "1 project", "1.5 years", "1,200 projects".
func plural(n float64, thing string) string {
	number := amount(n)
	if number != "1" {
		thing += "s"
	}
	return number + " " + thing
}

// amount formats a number with commas between thousands: one decimal below 100, none above.
func amount(x float64) string {
	if math.Abs(x) < 100 {
		return decimal(x, 1)
	}
	digits := strconv.FormatFloat(math.Round(x), 'f', 0, 64)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// decimal formats a number with up to the given number of decimals.
func decimal(x float64, decimals int) string {
	unit := math.Pow10(decimals)
	return strconv.FormatFloat(math.Round(x*unit)/unit, 'f', -1, 64)
}
