package ranking

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"freelancer-matching/internal/matching"
)

// maxNames is the number of skills or words a summary lists before it counts the rest.
const maxNames = 8

// summary returns a short sentence with the facts behind a feature's value.
func (s *Scorer) summary(f feature, c *Candidate, value float64) string {
	switch f {
	case skills:
		return s.skillsSummary(c)
	case text:
		return textSummary(value, &c.Facts)
	case semantic:
		return s.semanticSummary(c, value)
	case budget:
		return s.budgetSummary(&c.Signals)
	case timeline:
		return s.timelineSummary(c)
	case experience:
		return s.experienceSummary(&c.Signals)
	default:
		return s.qualitySummary(&c.Signals)
	}
}

// skillsSummary counts the matched skills and groups all skills by their evidence.
func (s *Scorer) skillsSummary(c *Candidate) string {
	var sentences []string
	for _, kind := range []struct {
		name string
		nice bool
	}{{"required", false}, {"nice-to-have", true}} {
		var names [matching.Listed + 1][]string
		var contradicted []string
		matched, all := 0, 0
		for _, i := range s.byName {
			if s.request.Skills[i].Nice != kind.nice {
				continue
			}

			all++

			if c.Evidence[i].Matches() {
				matched++
			}

			name := s.request.Skills[i].Name
			if len(c.Facts.Through) > 0 && c.Facts.Through[i] != "" {
				name += " through " + c.Facts.Through[i]
			}

			if len(c.Facts.Contradicted) > 0 && c.Facts.Contradicted[i] {
				contradicted = append(contradicted, name)
				continue
			}

			names[c.Evidence[i]] = append(names[c.Evidence[i]], name)
		}

		if all == 0 {
			continue
		}

		var groups []string

		// The strongest evidence comes first.
		for e := matching.Listed; ; e-- {
			if len(names[e]) > 0 {
				groups = append(groups, e.String()+": "+enumerate(names[e]))
			}

			if e == matching.InText && len(contradicted) > 0 {
				groups = append(groups, "listed, but nothing in title or description supports it: "+enumerate(contradicted))
			}

			if e == matching.NoEvidence {
				break
			}
		}

		sentences = append(sentences, fmt.Sprintf("%d of %s (%s)",
			matched, plural(float64(all), kind.name+" skill"), strings.Join(groups, "; ")))
	}

	return strings.Join(sentences, ", ")
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

// semanticSummary describes the similarity in meaning, and how it is composed if a model takes part.
func (s *Scorer) semanticSummary(c *Candidate, value float64) string {
	text := "brief and profile have nothing in common in meaning"
	switch {
	case value >= .75:
		text = "brief and profile mean nearly the same"
	case value >= .5:
		text = "brief and profile are close in meaning"
	case value >= .25:
		text = "brief and profile are related in meaning"
	case value > 0:
		text = "brief and profile are far apart in meaning"
	}

	if s.modelShare == 0 {
		return text
	}

	// The value has two sources with a model, and the client should see both.
	var parts []string
	if s.modelShare < 1 {
		parts = append(parts, decimal(c.Semantic, 3)+" by the built-in vectors")
	}

	model := "the embeddings server's model"
	if s.request.HasEncoder {
		model = "the sentence encoder"
	}
	switch {
	case c.Unencoded:
		parts = append(parts, fmt.Sprintf("not read by %s yet; until then, the profile counts like the mean of the others, "+
			"%s", model, decimal(c.Model.Value, 3)))
	case c.Model.Known:
		parts = append(parts, decimal(c.Model.Value, 3)+" by "+model)
	default:
		parts = append(parts, fmt.Sprintf("not compared by %s, which compares the best %d only",
			model, s.profile.Semantic.Compared))
	}

	return text + ": " + strings.Join(parts, ", ")
}

func (s *Scorer) budgetSummary(sig *matching.Signals) string {
	b := s.request.Budget.Value
	price := s.price(sig)
	unit := ""
	rate := s.request.Money.HourlyRate(s.hourlyRate(sig))
	subject := rate + " is"

	if s.hourly() {
		unit = "/h"
	} else {
		// The hours are shown with one decimal, so the cost follows from the hours shown.
		hours, rounding := tenths(s.workHours(sig))
		subject = decimal(hours, 1) + " h at " + rate + " cost " + s.money(price*rounding) + ","
	}

	if !sig.HourlyRate.Known {
		subject = "unknown rate, counted as the median; " + subject
	}

	limit := "the budget up to " + s.money(b.High) + unit

	switch {
	case price > b.High:
		return subject + " " + over(price, b.High) + limit
	case price < b.Low:
		return subject + " below the budget from " + s.money(b.Low) + unit + ", which doesn't lower the score"
	default:
		return subject + " within " + limit
	}
}

// over describes a value above a limit: "over " or, from one and a half times the limit, "about 2.5 times ".
func over(value, limit float64) string {
	if limit == 0 || value < 1.5*limit {
		return "over "
	}
	return "about " + amount(value/limit) + " times "
}

// money formats an amount of the data set in the client's currency: "1,200 EUR".
func (s *Scorer) money(x float64) string { return s.request.Money.format(x) }

func (m Money) format(x float64) string { return withUnit(amount(m.of(x)), m.Currency) }

// HourlyRate formats an hourly rate of the data set in the client's currency, and a converted one also as it is in the
// data: "48 EUR/h (60 USD/h)".
func (m Money) HourlyRate(x float64) string {
	text := m.format(x) + "/h"
	if m.Currency != m.DataCurrency {
		text += " (" + withUnit(amount(x), m.DataCurrency) + "/h)"
	}
	return text
}

func withUnit(number, unit string) string {
	if unit == "" {
		return number
	}
	return number + " " + unit
}

func (s *Scorer) experienceSummary(sig *matching.Signals) string {
	if !sig.Experience.Known {
		return "unknown experience, counted as neutral"
	}
	return fmt.Sprintf("%s of experience; %s complexity asks for %s", plural(sig.Experience.Value, "year"),
		s.request.Complexity, amount(s.profile.Experience.Years[s.request.Complexity]))
}

func (s *Scorer) qualitySummary(sig *matching.Signals) string {
	mean := decimal(s.request.Corpus.MeanRating.Value, 2)
	if !sig.Rating.Known {
		return "unknown rating, counted as the mean of " + mean
	}
	projects := "an unknown number of projects"
	if sig.TotalSales.Known {
		projects = plural(float64(sig.TotalSales.Value), "project")
	}
	return fmt.Sprintf("rated %s over %s; counts as %[4]s, because it is drawn toward the mean of %[3]s",
		decimal(sig.Rating.Value, 2), projects, mean, decimal(s.rating(sig), 2))
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
