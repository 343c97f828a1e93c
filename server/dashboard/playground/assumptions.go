package playground

import (
	"net/url"
	"strings"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

// An assumption is what an answer took from the text of its brief, or assumed without it. Its buttons change that and
// match again.
type assumption struct {
	Title string
	Chips []assumedChip
	Field string // assumedSize, assumedStart or assumedCurrency: the page has a field for another value
	// Choices has the options of the field, if it is a list.
	Choices []page.Option
}

// The assumptions with a field.
const (
	assumedSize  = "effort_hours"
	assumedStart = "start_date"

	assumedCurrency = "currency"
)

// assumedChip is one thing that was assumed.
type assumedChip struct {
	Label   string
	Actions []chipAction
}

// chipAction is a button of a chip.
type chipAction struct {
	Label string // what the button does
	Full  string // the same for those who don't see the chip
	Set   string // fields that the button sets, as a query
}

// add adds a button to the chip. Its value sets fields, given as pairs.
func (c *assumedChip) add(label, full string, pairs ...string) {
	c.Actions = append(c.Actions, chipAction{label, full, change(pairs...)})
}

// assumptions returns what an answer to a brief assumed. The brief can be in one of the currencies.
func assumptions(form url.Values, answer *wire.MatchAnswer, currencies currencyChoice) []assumption {
	var list []assumption
	add := func(title string, chips []assumedChip) {
		if len(chips) > 0 {
			list = append(list, assumption{Title: title, Chips: chips})
		}
	}
	add("Required, by the description", derivedChips(form, answer))
	add("Nice to have, by the description", niceChips(form, answer))
	add("Excluded by the description", excludedChips(form, answer))
	add("Corrected skills", correctedChips(form, answer))
	add("Budget", budgetChips(answer))
	if chips := currencyChips(form, answer); len(chips) > 0 {
		currency := assumption{Title: "Currency", Chips: chips}
		if currencies.Data != "" {
			currency.Field = assumedCurrency
			currency.Choices = currencies.Choices(form.Get("currency"))
			currency.Choices[0].Value = currencies.Data // an empty field would change nothing
		}
		list = append(list, currency)
	}

	if e := answer.Effort; e != nil && e.From != matching.EffortFromClient {
		size := "about " + page.Decimal(1, e.Typical) + " hours (" + page.Decimal(1, e.Low) + " to " +
			page.Decimal(1, e.High) + ")"
		list = append(list, assumption{
			Title: "Size of the work, estimated", Chips: []assumedChip{{Label: size}}, Field: assumedSize,
		})
	}
	if form.Get("start_date") == "" {
		list = append(list, assumption{Title: "Start", Chips: []assumedChip{{Label: "today"}}, Field: assumedStart})
	}
	return list
}

// fits reports whether the form can hold the name of a skill. Commas separate the skills of a field.
func fits(skill string) bool { return !strings.Contains(skill, ",") }

// wanted returns the skills that are nice to have, as listed or by the text.
func wanted(form url.Values, answer *wire.MatchAnswer) []string {
	return append(page.SplitList(form.Get("nice_to_have_skills")), answer.NiceToHave...)
}

// derivedChips returns the skills that the text requires. Changing one lists them all, because a brief that lists
// skills derives none.
func derivedChips(form url.Values, answer *wire.MatchAnswer) (chips []assumedChip) {
	required := answer.DerivedSkills
	nice := wanted(form, answer)
	for _, skill := range required {
		chip := assumedChip{Label: skill}
		isOnly := len(required) == 1 // without any, they would be derived again
		if fits(skill) && !isOnly {
			chip.add("Nice to have", "make "+skill+" nice to have",
				"required_skills", without(required, skill), "nice_to_have_skills", with(nice, skill))
			chip.add("×", "remove "+skill,
				"required_skills", without(required, skill), "nice_to_have_skills", strings.Join(nice, ", "))
		}
		chips = append(chips, chip)
	}
	return chips
}

// niceChips returns the skills that the text calls nice to have.
func niceChips(form url.Values, answer *wire.MatchAnswer) (chips []assumedChip) {
	nice := wanted(form, answer)
	for _, skill := range answer.NiceToHave {
		chip := assumedChip{Label: skill}
		if fits(skill) {
			chip.add("Require", "require "+skill,
				"required_skills", with(answer.DerivedSkills, skill), "nice_to_have_skills", without(nice, skill))
			if len(answer.DerivedSkills) > 0 {
				chip.add("×", "remove "+skill, "required_skills", strings.Join(answer.DerivedSkills, ", "),
					"nice_to_have_skills", without(nice, skill))
			}
		}
		chips = append(chips, chip)
	}
	return chips
}

// excludedChips returns the skills that the text doesn't want. It only leaves their words out of the search; a filter
// excludes the people who have them.
func excludedChips(form url.Values, answer *wire.MatchAnswer) (chips []assumedChip) {
	required := page.SplitList(form.Get("required_skills"))
	if len(required) == 0 {
		required = answer.DerivedSkills
	}
	excluded := page.SplitList(form.Get("exclude_skills"))
	for _, skill := range answer.ExcludedSkills {
		chip := assumedChip{Label: "not " + skill}
		if fits(skill) {
			// A skill that is listed is wanted, whatever the text says. A filter would still exclude it.
			rest := without(excluded, skill)
			chip.add("Require", "require "+skill, "required_skills", with(required, skill), "exclude_skills", rest,
				"nice_to_have_skills", strings.Join(wanted(form, answer), ", "))
			chip.add("Nice to have", "make "+skill+" nice to have", "required_skills", strings.Join(required, ", "),
				"exclude_skills", rest, "nice_to_have_skills", with(wanted(form, answer), skill))
			if with(excluded, skill) != strings.Join(excluded, ", ") {
				chip.add("Exclude people with it", "exclude people with "+skill, "exclude_skills", with(excluded, skill))
			}
		}
		chips = append(chips, chip)
	}
	return chips
}

// correctedChips returns the skills that another name took the place of.
func correctedChips(form url.Values, answer *wire.MatchAnswer) (chips []assumedChip) {
	for i := range answer.UnknownSkills {
		unknown := &answer.UnknownSkills[i]
		if unknown.CorrectedTo == "" {
			continue
		}
		chip := assumedChip{Label: unknown.Skill + " → " + unknown.CorrectedTo}
		for _, field := range []string{"required_skills", "nice_to_have_skills"} {
			list := page.SplitList(form.Get(field))
			rest := without(list, unknown.Skill)
			if rest == strings.Join(list, ", ") {
				continue
			}
			for _, other := range unknown.Suggestions {
				if fits(other) && other != unknown.CorrectedTo {
					chip.add(other, "use "+other+" instead of "+unknown.Skill,
						field, with(page.SplitList(rest), other))
				}
			}
			chip.add("×", "remove "+unknown.Skill, field, rest)
		}
		chips = append(chips, chip)
	}
	return chips
}

// currencyChips returns in which currency the amounts of the brief were read, and how they were converted.
func currencyChips(form url.Values, answer *wire.MatchAnswer) []assumedChip {
	if rate := answer.ExchangeRate; rate != nil {
		label := "Exchange rate of " + rate.Date
		if rate.Source != "" {
			label += " (" + rate.Source + ")"
		}
		chip := assumedChip{Label: label + ": 1 " + rate.From + " = " + page.Decimal(4, rate.Rate) + " " + rate.To}
		chip.add("Amounts are in "+rate.From, "the amounts are in "+rate.From+", don't convert them",
			"currency", rate.From)
		return []assumedChip{chip}
	}

	hasAmounts := form.Get("budget_high") != "" || form.Get("max_hourly_rate") != ""
	if !hasAmounts || form.Get("currency") != "" || answer.Currency == "" {
		return nil
	}
	return []assumedChip{{Label: "Amounts in " + answer.Currency + ", as in the data"}}
}

// budgetChips returns how the budget was read.
func budgetChips(answer *wire.MatchAnswer) []assumedChip {
	b := answer.Budget
	if b == nil {
		return nil
	}

	message, _, _ := strings.Cut(b.Message, "; send budget_type") // words for programs
	chip := assumedChip{Label: message}
	if b.Type == matching.BudgetHourly {
		chip.add("It is for the whole project", "the budget is for the whole project",
			"budget_type", string(matching.BudgetFixed))
	} else {
		chip.add("It is per hour", "the budget is per hour", "budget_type", string(matching.BudgetHourly))
	}
	return []assumedChip{chip}
}
