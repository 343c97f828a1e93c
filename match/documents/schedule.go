package documents

import (
	"math"

	"github.com/freelancer-matching/service/internal/matching"
)

// schedule returns when a freelancer can work. A freelancer who is available now and gives no date could start long
// ago.
func schedule(f *matching.Freelancer) (s matching.Schedule) {
	if day, ok := matching.Day(f.AvailableFrom); ok {
		s.From = matching.Some(day)
	} else if f.Availability.Or(false) {
		s.From = matching.Some(0)
	}

	const most = 7 * 24
	if tenths := math.Round(min(f.HoursPerWeek.Or(0), most) * 10); tenths > 0 {
		s.HoursPerWeek = matching.Some(tenths / 10)
	}

	return s
}
