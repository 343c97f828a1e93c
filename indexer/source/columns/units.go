package columns

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/indexer/source/field"
	"github.com/freelancer-matching/service/indexer/source/headers"
	"github.com/freelancer-matching/service/internal/value"
)

// rateNames are the names by which -map chooses a column of rates for other units than an hour.
var rateNames = map[value.Unit]string{
	value.PerDay: "daily_rate", value.PerWeek: "weekly_rate", value.PerMonth: "monthly_rate", value.PerYear: "yearly_rate",
}

// overridden returns the field that -map sets by a name, and the unit of its amounts if it has one.
func overridden(name string) (f field.Field, unit value.Unit) {
	for unit, known := range rateNames {
		if known == name {
			return field.HourlyRate, unit
		}
	}
	return field.Named(name), value.NoUnit
}

// overridable returns the names that -map knows.
func overridable() []string {
	names := slices.Clone(field.Names[1:])
	for _, unit := range value.Units {
		names = append(names, rateNames[unit])
	}
	return names
}

// checkUnit returns an error if -map uses a column for hourly rates, or for rates per another unit, although its header
// names a different one. Its amounts would be stored as several times the rate.
func checkUnit(header, name string, f field.Field, unit value.Unit) error {
	if f != field.HourlyRate {
		return nil
	}
	h, ok := lookupRate(header)
	if !ok || h.Unit == unit {
		return nil
	}

	isHourly := h.Unit == value.NoUnit
	if isHourly && !namesHour(header) {
		return nil // a rate for an unknown unit
	}
	right := field.HourlyRate.String()
	named := value.PerHour
	if !isHourly {
		right = rateNames[h.Unit]
		named = h.Unit
	}
	return fmt.Errorf("-map %s=%s: the header says that the rates are per %s; write -map %s=%q. If the header is wrong, "+
		"say so in a mapping file, with per: %s", name, header, named, right, header, max(unit, value.PerHour))
}

// lookupRate looks up a header that names a rate, with or without its unit and currency.
func lookupRate(header string) (headers.Known, bool) {
	h, ok := headers.Lookup(header)
	if !ok || h.Field == field.None {
		h, ok = lookupWithoutUnit(header)
	}
	return h, ok && h.Field == field.HourlyRate
}

// namesHour reports whether a header says that its rates are per hour, as "hourly rate" does and "rate" doesn't.
func namesHour(header string) bool {
	return slices.ContainsFunc(headers.Words(header), func(word string) bool {
		return value.UnitWord(word) == value.PerHour || strings.HasPrefix(word, "stunden")
	})
}

// judgeUnit returns the unit of the rates in a column that name none: the one in the header, or else the one that the
// other cells name. It is value.NoUnit if they don't agree.
func judgeUnit(header string, cells iter.Seq[string]) value.Unit {
	if namesHour(header) {
		return value.PerHour
	}

	count := make(map[value.Unit]int)
	named := 0
	for cell := range cells {
		if unit := value.AmountUnit(cell); unit != value.NoUnit {
			count[unit]++
			named++
		}
	}

	for unit, n := range count {
		isMost := 2*n > named && unit == value.PerHour
		isAll := n == named && n >= minCells
		if isMost || isAll {
			return unit
		}
	}
	return value.NoUnit
}

// lookupUnitRate looks up a header that names a rate, its unit and perhaps its currency: "Bill rate/hr",
// "rate_gbp_per_day" and "rate (weekly)".
func lookupUnitRate(header string) (headers.Known, bool) {
	words := slices.DeleteFunc(headers.Words(header), func(word string) bool {
		return len(word) == 3 && word != "per" && word != "fee" && word != "pay" && value.Currency(word, "") != ""
	})

	n := len(words)
	unit := value.NoUnit
	for n > 0 {
		word := words[n-1]
		named := value.UnitWord(word)
		isOther := named != value.NoUnit && unit != value.NoUnit && named != unit
		isPart := named != value.NoUnit || word == "per" || word == "an" || word == "a"
		if isOther || !isPart {
			break
		}
		unit = max(unit, named)
		n--
	}

	if n == 0 || unit == value.NoUnit {
		return headers.Known{}, false
	}
	h, ok := headers.Lookup(strings.Join(words[:n], " "))
	if !ok || h.Field != field.HourlyRate || h.Unit != value.NoUnit {
		return headers.Known{}, false
	}
	return rateHeader(unit)
}

// rateHeader returns the usual header of rates per unit.
func rateHeader(unit value.Unit) (headers.Known, bool) {
	return headers.Lookup(map[value.Unit]string{
		value.PerHour: "hourly rate", value.PerDay: "day rate", value.PerWeek: "weekly rate", value.PerMonth: "monthly rate",
		value.PerYear: "yearly rate",
	}[unit])
}
