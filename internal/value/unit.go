package value

import "fmt"

// Unit is the time that an amount of money pays for.
type Unit int

// The units. A cell or header with NoUnit names none.
const (
	NoUnit Unit = iota
	PerHour
	PerDay
	PerWeek
	PerMonth
	PerYear
)

// Units are the units that are converted to hours, the shortest first.
var Units = []Unit{PerDay, PerWeek, PerMonth, PerYear}

// unitNames has the names of the units, as in "per day".
var unitNames = [...]string{"", "hour", "day", "week", "month", "year"}

// String returns the unit's name, such as "day", or "".
func (u Unit) String() string { return unitNames[u] }

// UnitNamed returns the unit with a name such as "day", or NoUnit.
func UnitNamed(name string) Unit {
	for u, known := range unitNames {
		if known == name {
			return Unit(u)
		}
	}
	return NoUnit
}

// Days of work. A month is a twelfth of a year.
const (
	daysPerWeek  = 5
	weeksPerYear = 52
)

// DefaultHoursPerDay is the usual number of hours in a day of work.
const DefaultHoursPerDay = 8

// Hours returns the hours of work in the unit if a day has hoursPerDay: a week has 5 days, and a year 52 weeks.
func (u Unit) Hours(hoursPerDay float64) float64 {
	switch u {
	case PerDay:
		return hoursPerDay
	case PerWeek:
		return daysPerWeek * hoursPerDay
	case PerMonth:
		return weeksPerYear * daysPerWeek * hoursPerDay / 12
	case PerYear:
		return weeksPerYear * daysPerWeek * hoursPerDay
	default:
		return 1
	}
}

// UnitWord returns the unit that a word of an amount names, or NoUnit.
func UnitWord(word string) Unit {
	_, kind := classify(word)
	return unitOfList[kind]
}

// unitOfList has the unit of each list of words for one.
var unitOfList = map[string]Unit{
	"hour": PerHour, "per day": PerDay, "per week": PerWeek, "per month": PerMonth, "per year": PerYear,
}

// A Range of amounts. Both ends belong to it.
type Range struct{ Low, High float64 }

// Bounds are the plausible amounts by unit, in the currency of the data set. Units without bounds accept every amount.
type Bounds map[Unit]Range

// DefaultBounds returns the plausible amounts in a currency whose unit is worth about as much as a dollar.
func DefaultBounds() Bounds {
	return Bounds{
		PerHour: {0, 2000}, PerDay: {10, 10_000}, PerWeek: {50, 50_000}, PerMonth: {200, 200_000}, PerYear: {2000, 2_000_000},
	}
}

// IsLargeCurrency reports whether one unit of a currency is worth so much that nobody charges thousands an hour.
func IsLargeCurrency(code string) bool { return words["large currency"].has(fold(code)) }

// excludes reports whether an amount is implausible for a unit.
func (b Bounds) excludes(amount float64, unit Unit) bool {
	bounds, ok := b[unit]
	return ok && (amount < bounds.Low || amount > bounds.High)
}

// remark returns why an amount is implausible, or "".
func (b Bounds) remark(amount float64, unit Unit) string {
	if !b.excludes(amount, unit) {
		return ""
	}
	bounds := b[unit]
	return fmt.Sprintf("not from %v to %v, the plausible rates per %s; set other bounds with -rate-bounds %s=LOW:HIGH",
		bounds.Low, bounds.High, unit, unit)
}
