package events

import "time"

// A Tally is the number of events of a type that were reported in a week, about people with ranks from one on.
type Tally struct {
	Week time.Time // its Monday, UTC
	Rank int       // the lowest of the range, see Ranks
	Type Type
	N    int
}

// Ranks returns the lowest rank of each range of a Tally.
func Ranks() []int { return []int{1, 4, 11, 21, 51} }

// WeekOf returns the Monday of a week, UTC.
func WeekOf(t time.Time) time.Time {
	day := t.UTC().Truncate(24 * time.Hour)
	return day.AddDate(0, 0, -(int(day.Weekday())+6)%7)
}
