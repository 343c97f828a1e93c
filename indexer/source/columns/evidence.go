package columns

import (
	"fmt"
	"math"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/freelancer-matching/service/indexer/source/field"
	"github.com/freelancer-matching/service/indexer/source/headers"
	"github.com/freelancer-matching/service/indexer/source/table"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/value"
)

// The shares of cells that decide about a column.
const (
	mostCells = .8 // contradict or confirm a header
	manyCells = .6 // are enough if they can't be anything else
	someCells = .2 // raise a doubt
)

// minCells is the number of cells below which a column is judged by its header alone: a few odd cells are reported row
// by row.
const minCells = 3

// contradiction returns why the values of a column can't be those of the field that its header names, or "". It also
// returns a doubt if they may be.
func (p *profile) contradiction(f field.Field, header string) (reason, doubt string) {
	if len(p.cells) < minCells {
		return "", ""
	}
	misfit := p.misfits(f)

	switch f {
	case field.HourlyRate:
		return p.rateContradiction(header)
	case field.TotalSales:
		fractions := float64(p.fractional) / float64(len(p.cells))
		if p.shareOf(isWhole) >= someCells { // 1.230 beside 45 has a sign for thousands
			fractions = p.shareOf(isFraction)
		}

		if fractions >= someCells {
			return "the values are fractions, and a number of projects is whole", ""
		}
		if p.share(kindOtherAmount, kindPeriodRate, kindYears) >= mostCells && !p.countsProjects() {
			return "the values are " + p.main().String(), ""
		}

	case field.Rating:
		if p.kinds[kindNumber] > 0 && p.shareOf(isAboveRatings) >= someCells {
			return fmt.Sprintf("the values go up to %s, more than any rating", humanize.Ftoa(p.high)), ""
		}

	case field.JobTitle:
		areShort := p.shareOf(func(cell string) bool { return len(cell) <= len("Mme.") }) == 1
		areRepeated := len(p.cells) >= 5 && len(p.distinct) <= 8
		if areShort && areRepeated {
			return "the values are forms of address, or codes", ""
		}

	case field.ID:
		if len(p.distinct) == 1 && len(p.cells) >= 20 {
			return "all rows have the same value", ""
		}

	default: // other fields are judged by their misfits alone
	}

	// In a column of few cells, one that fits keeps the others from denying the header.
	isDenied := misfit >= mostCells && (len(p.cells) >= 5 || misfit == 1)
	switch {
	case isDenied:
		return "the values are " + p.main().String(), ""
	case misfit >= someCells && len(p.cells) >= 5:
		doubt = fmt.Sprintf("%.0f%% of the values do not fit", misfit*100)
	}

	return "", doubt
}

func isWhole(cell string) bool { return !strings.ContainsAny(cell, ".,") }

// isFraction reports whether a cell is a number with decimals, unless the digits after its sign can be thousands, as in
// "1.204 jobs", or are part of thousands, as in "2.5k".
func isFraction(cell string) bool {
	i := strings.LastIndexAny(cell, ".,")
	rest := strings.TrimLeft(cell[i+1:], "0123456789")
	digits := len(cell) - i - 1 - len(rest)
	if i < 0 || digits == 0 || rest != "" && strings.ContainsRune("kKmM", rune(rest[0])) {
		return false
	}
	return digits != len("000") || cell[0] == '0'
}

func isAboveRatings(cell string) bool {
	score, ok := value.ParseScore(cell)
	return ok && score.Scale == 0 && score.Value > 100
}

// misfits returns the share of cells that a field can't hold.
func (p *profile) misfits(f field.Field) float64 {
	addresses := []cellKind{kindURL, kindPicture, kindEmail}
	measures := []cellKind{
		kindDate, kindPhone, kindNumber, kindPercent, kindScore, kindYears, kindMoney, kindRate, kindPeriodRate,
		kindOtherAmount, kindCount,
	}

	switch f {
	case field.ID:
		return p.share(kindProse, kindPercent, kindScore, kindMoney, kindRate, kindPeriodRate, kindYears, kindPicture)
	case field.Name:
		return p.share(append(addresses, kindDate, kindPhone, kindPercent, kindScore, kindMoney, kindRate, kindPeriodRate,
			kindYears, kindProse)...)
	case field.JobTitle, field.Skills:
		return p.share(append(append(addresses, kindFlag, kindCurrency), measures...)...)
	case field.Description, field.Location:
		return p.share(append(append(addresses, kindFlag), measures...)...)
	case field.Country:
		return p.shareOf(func(cell string) bool { code, _ := value.Country(cell); return code == "" })
	case field.TimeZone:
		return p.shareOf(func(cell string) bool { zone, _ := value.TimeZone(cell); return zone == "" })
	case field.Languages:
		return p.shareOf(func(cell string) bool { return !isSpoken(cell) })
	case field.AvailableFrom:
		return p.shareOf(func(cell string) bool { return !isStart(cell) })
	case field.Email:
		return 1 - p.share(kindEmail)
	case field.Currency:
		return 1 - p.share(kindCurrency)
	case field.Experience:
		return p.shareOf(func(cell string) bool { return !isExperience(cell) })
	case field.Rating:
		return p.shareOf(func(cell string) bool { _, ok := value.ParseScore(cell); return !ok })
	case field.TotalSales:
		return p.shareOf(func(cell string) bool { count, _ := value.Count(cell); return !count.Known })
	case field.Availability, field.Deleted:
		return p.shareOf(func(cell string) bool { flag, _ := value.Flag(cell); return !flag.Known })
	case field.ProfileURL:
		return p.shareOf(func(cell string) bool {
			address, _ := value.URL(cell)
			return address == "" || kindPicture == p.kindOfCell(cell)
		})

	default:
		if f >= field.Plain {
			return p.plainMisfits(matching.FieldNamed(f.String()))
		}
		return 0
	}
}

// plainMisfits returns misfits for a field for which nothing but its own cells matters.
func (p *profile) plainMisfits(f *matching.Field) float64 {
	switch f.Kind {
	case matching.KindNumber:
		parse := value.Number(f)
		return p.shareOf(func(cell string) bool { n, _ := parse(cell); return !n.Known })
	case matching.KindInteger:
		return p.shareOf(func(cell string) bool { n, _ := value.Count(cell); return !n.Known })
	case matching.KindFlag:
		parse := value.YesNo(f)
		return p.shareOf(func(cell string) bool { flag, _ := parse(cell); return !flag.Known })
	default:
		return 0
	}
}

// isSpoken reports whether a cell has languages, or a level in a column about one language.
func isSpoken(cell string) bool {
	list, _ := value.SpokenLanguages(cell)
	level, _ := value.LanguageLevel(cell)
	flag, _ := value.Flag(cell)
	return len(list) > 0 || level != "" || flag.Known
}

// isExperience reports whether a cell says how long, or since when, somebody has worked.
func isExperience(cell string) bool {
	years, _ := value.Years(cell)
	_, isStartYear := value.StartYear(cell)
	return years.Known || isStartYear
}

// isStart reports whether a cell says when somebody is available.
func isStart(cell string) bool {
	date, _ := value.Date(cell, value.DayFirst)
	flag, _ := value.Flag(cell)
	return date != "" || flag.Known
}

func (p *profile) kindOfCell(cell string) cellKind { k, _ := kindOf(cell); return k }

// rateContradiction judges the values of a column whose header names a rate.
func (p *profile) rateContradiction(header string) (reason, doubt string) {
	misfit := p.shareOf(func(cell string) bool {
		kind, _ := value.Amount(cell)
		hasOtherUnit := kind == value.OtherAmount && value.AmountUnit(cell) == value.NoUnit
		return kind == value.NotAmount || hasOtherUnit
	})
	hasManyCells := len(p.cells) >= 5
	isDenied := misfit >= mostCells && (hasManyCells || misfit == 1)

	// The values may be ratings only if they are numbers, enough to tell, and the header doesn't say "per day".
	named, _ := lookupRate(header)
	isPeriod := named.Group != nil && named.Unit != value.NoUnit
	hasManyNumbers := len(p.cells) >= 10 && p.share(kindNumber) >= mostCells
	mayBeRatings := hasManyNumbers && !isPeriod

	switch {
	case isDenied:
		return "the values are " + p.main().String(), ""
	case !mayBeRatings:
	case p.high <= 1 && p.fractional > 0:
		return "the values are fractions from 0 to 1, not amounts", ""
	case p.high <= 5 && p.fractional*2 > p.numbers:
		// "rate" may mean a rating. "hourly rate" doesn't, so cheap people stay possible.
		if len(headers.Words(header)) == 1 {
			return "the values look like ratings: none exceeds 5", ""
		}
		return "", "the values look like ratings: none exceeds 5"

	case p.shareOf(func(cell string) bool { _, n := value.Amount(cell); return n > 1000 }) > .5:
		return "", "most values exceed 1,000, which is much for an hour; they may be for another unit, or in another currency"
	}

	if misfit >= someCells && hasManyCells {
		return "", fmt.Sprintf("%.0f%% of the values are not amounts per hour", misfit*100)
	}

	return "", ""
}

// A guess is the field of a column whose header doesn't name one.
type guess struct {
	column   int
	field    field.Field
	how      How
	strength float64 // up to maxStrength; of two columns for one field, the stronger one is used
	reason   string  // "the values are amounts per hour"
	isSure   bool    // the values can hardly be anything else
}

// maxStrength is more than the strength of a guess by values, among which the mean length of long texts is the largest.
const maxStrength = table.MaxCell

// guess returns the field that the values of a column show by themselves. Its field is field.None if they don't.
func (p *profile) guess(words Vocabulary) guess {
	// An amount per hour or day is unmistakable, so even a single cell is enough.
	if share := p.share(kindRate, kindPeriodRate); share >= manyCells && len(p.cells) > 0 {
		reason := "the values are amounts per hour"
		if p.kinds[kindPeriodRate] > 0 {
			reason = "the values are amounts per hour, day, week, month or year"
		}
		return guess{field: field.HourlyRate, strength: share, isSure: share >= mostCells, reason: reason}
	}

	if len(p.cells) < minCells {
		return guess{}
	}

	switch main := p.main(); main {
	case kindScore:
		if share := p.share(kindScore, kindNumber); share >= mostCells && p.share(kindScore) >= manyCells {
			return guess{field: field.Rating, strength: share, reason: "the values are ratings on a scale", isSure: true}
		}

	case kindYears:
		// Ages are numbers of years, too.
		if p.share(kindYears) >= mostCells && p.low < 18 {
			return guess{field: field.Experience, strength: p.share(kindYears), reason: "the values are numbers of years"}
		}

	case kindURL:
		if share := p.hostShare(); share >= mostCells && p.variety() >= manyCells {
			return guess{field: field.ProfileURL, strength: share * p.variety(), reason: "the values are pages of one site"}
		}

	case kindEmail:
		if p.share(kindEmail) >= mostCells && p.variety() >= .9 { // people with one address are merged
			return guess{field: field.Email, strength: p.variety(), reason: "the values are e-mail addresses"}
		}

	case kindFlag:
		if p.share(kindFlag) >= mostCells && p.isAvailability() {
			return guess{
				field: field.Availability, strength: p.share(kindFlag),
				reason: "the values say whether somebody is available",
			}
		}

	case kindCount, kindOtherAmount: // "12 projects" could be a price for projects
		if p.countsProjects() {
			return guess{field: field.TotalSales, strength: p.share(main), reason: "the values count projects"}
		}

	case kindCurrency:
		if p.share(kindCurrency) >= mostCells && p.shareOf(isCommonCurrency) >= mostCells {
			return guess{field: field.Currency, strength: p.share(kindCurrency), reason: "the values are currencies"}
		}

	case kindPlace:
		if p.share(kindPlace) >= manyCells {
			return guess{field: field.Location, strength: p.share(kindPlace), reason: "the values are places"}
		}

	case kindLanguage:
		if p.share(kindLanguage) >= mostCells {
			return guess{
				field: field.Languages, strength: p.share(kindLanguage), reason: "the values are languages that people speak",
			}
		}

	case kindProse:
		// One text in many rows says nothing about the people.
		describesPeople := p.variety() >= .5 && p.meanLength() >= 2*maxItem
		if p.share(kindProse) >= manyCells && describesPeople {
			return guess{field: field.Description, strength: p.meanLength(), reason: "the values are long texts"}
		}

	case kindText, kindName, kindList, kindToken:
		return p.guessText(words)
	default: // numbers, dates and the like may mean anything
	}

	return guess{}
}

// guessText tells columns of skills, job titles and names apart.
func (p *profile) guessText(words Vocabulary) guess {
	if p.share(kindText, kindName, kindList, kindToken, kindProse, kindPlace, kindLanguage, kindCurrency) < mostCells {
		return guess{}
	}
	jobs := p.shareOf(words.IsJob)
	if jobs >= manyCells && p.share(kindList) < manyCells {
		return guess{field: field.JobTitle, strength: jobs, reason: "the values are job titles"}
	}

	items, total := p.items()
	known := 0
	for item, n := range items {
		isSkill := words.IsSkill(item) && !words.IsJob(item) && !places().languages[item]
		if isSkill {
			known += n
		}
	}

	skills := float64(known) / float64(max(1, total))
	isShared := total >= 3*len(items)/2 // many items occur in several lists
	switch lists := p.share(kindList); {
	case lists >= manyCells && skills >= .5, lists >= mostCells && isShared && skills >= someCells:
		return guess{field: field.Skills, strength: skills * lists, reason: "the values are lists of skills"}
	case lists < someCells && skills >= mostCells && jobs < someCells && p.variety() >= someCells: // no categories
		return guess{field: field.Skills, strength: skills / 2, reason: "the values are skills"}
	}

	names := p.share(kindName)
	areNames := names >= mostCells && p.variety() >= manyCells
	areOthers := jobs >= .3 || skills >= someCells
	if areNames && !areOthers {
		return guess{field: field.Name, strength: names * p.variety(), reason: "the values look like names of people"}
	}

	return guess{}
}

// countsProjects reports whether the words after the numbers stand for finished projects, according to the headers.
func (p *profile) countsProjects() bool {
	return p.shareOf(func(cell string) bool {
		thing := strings.TrimLeft(cell, "0123456789.,+KkM ")
		for _, header := range []string{thing, "total " + thing, "completed " + thing} {
			if h, ok := headers.Lookup(header); ok && h.Field == field.TotalSales {
				return true
			}
		}
		return false
	}) >= mostCells
}

func isCommonCurrency(cell string) bool {
	code, _ := value.CurrencyCode(cell, "")
	return code == value.AmbiguousCurrency || value.HasSign(code)
}

// agrees reports whether the values of a column fit a field that its header only hints at, and returns what they are.
func (p *profile) agrees(f field.Field, words Vocabulary) bool {
	if len(p.cells) < minCells || f == field.ID {
		return false
	}

	// A hint is weaker than a header, so a mere doubt denies it.
	if reason, doubt := p.contradiction(f, ""); reason != "" || doubt != "" {
		return false
	}

	texts := p.share(kindText, kindName, kindList, kindToken, kindPlace, kindLanguage)
	switch f {
	case field.HourlyRate:
		return p.share(kindMoney, kindRate, kindPeriodRate, kindNumber) >= mostCells && p.high <= 1000
	case field.Rating:
		return p.high <= 100 && !math.IsInf(p.high, -1)
	case field.Experience:
		return p.high <= 60
	case field.Name:
		return p.share(kindName) >= manyCells && p.shareOf(words.IsJob) < .3 && p.variety() >= manyCells
	case field.JobTitle:
		return p.shareOf(words.IsJob) >= .3
	case field.Skills:
		return p.share(kindList) >= manyCells || p.guessText(words).field == field.Skills
	case field.Description:
		return p.share(kindProse) >= manyCells
	case field.Location:
		return texts >= mostCells && p.share(kindPlace) >= someCells
	case field.Availability, field.Deleted:
		return p.share(kindFlag, kindNumber) >= mostCells
	case field.TotalSales, field.ProfileURL, field.Email, field.Currency:
		return true
	default:
		return false
	}
}

// hint returns the field that parts of a header name, if all known parts name the same one: "hourly rate asked" hints
// at a rate, and "hourly rate of the employer" at nothing, because an employer is not the freelancer. One known word is
// too little, as in "exchange rate", except for skills, whose values are checked well. A unit of a year, such as "yrs",
// hints at experience.
func hint(header string) field.Field {
	if years, _ := value.Years("1 " + header); years.Value == 1 && len(header) > len("yr") {
		return field.Experience
	}
	words := headers.Words(header)
	if len(words) > 8 {
		return field.None
	}

	found := field.None
	longest := 0 // words in the longest known part
	for start := 0; start < len(words); {
		size := 0
		for end := len(words); end > start; end-- {
			h, ok := headers.Lookup(strings.Join(words[start:end], " "))
			if !ok {
				continue
			}
			isOther := found != field.None && found != h.Field
			if h.Field == field.None || isOther {
				return field.None
			}

			found = h.Field
			size = end - start
			break
		}

		longest = max(longest, longWords(words[start:start+size]))
		start += max(1, size)
	}

	if longest < 2 && found != field.Skills {
		return field.None
	}

	return found
}

// longWords counts the words that are not as short as "of" and "in".
func longWords(words []string) (n int) {
	for _, word := range words {
		if len(word) > maxConnector {
			n++
		}
	}
	return n
}
