package signals

import (
	"math"
	"testing"

	"github.com/freelancer-matching/service/internal/matching"
)

func TestSchedules(t *testing.T) {
	some := func(day int, hours float64) matching.Schedule {
		return matching.Schedule{From: matching.Some(day), HoursPerWeek: matching.Some(hours)}
	}
	var s Schedules
	for i, c := range []struct{ added, want matching.Schedule }{
		{matching.Schedule{}, matching.Schedule{}},
		{some(20_000, 37.5), some(20_000, 37.5)},
		{some(-5, .1), some(-5, .1)},
		{some(math.MinInt, 168), some(math.MinInt32, 168)},
		{some(math.MaxInt, 33.3), some(UnknownDay-1, 33.3)},
	} {
		s.Add(c.added)
		if got := s.At(i); got != c.want {
			t.Errorf("%+v became %+v, want %+v", c.added, got, c.want)
		}
	}

	if err := s.Check(5); err != nil {
		t.Error(err)
	}
	s.Tenths = s.Tenths[:4]
	if s.Check(5) == nil {
		t.Error("a column is too short: no error")
	}
}
