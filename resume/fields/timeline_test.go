package fields

import (
	"math/rand/v2"
	"testing"

	"freelancer-matching/internal/matching"
)

func TestSpan_MonthsIncludeBothEnds(t *testing.T) {
	now := date{2026, 6}
	for _, c := range []struct {
		span span
		want matching.Optional[int]
	}{
		{span{from: date{2019, 1}, to: date{2019, 3}}, matching.Some(3)},
		{span{from: date{2019, 1}, to: date{2019, 1}}, matching.Some(1)},
		{span{from: date{2016, 0}, to: date{2018, 0}}, matching.Some(24)},
		{span{from: date{2018, 0}, to: date{2018, 0}}, matching.Optional[int]{}}, // the length is unknown
		{span{from: date{2018, 5}}, matching.Optional[int]{}},
		{span{from: date{2026, 1}, current: true}, matching.Some(6)},
		{span{from: date{2030, 1}, current: true}, matching.Optional[int]{}},
	} {
		if got := c.span.months(now); got != c.want {
			t.Errorf("%s has %v months, want %v", written(c.span), got, c.want)
		}
	}
}

func TestYears_CountOverlapsOnceAndNoFuture(t *testing.T) {
	months := func(first, last int) period { return period{12*2020 + first, 12*2020 + last} }
	got := years([]period{months(12, 23), months(0, 11), months(6, 17), months(100, 200)}, date{2022, 6})
	if want := matching.Some(2.0); got != want {
		t.Errorf("years = %v, want %v", got, want)
	}
}

func TestYears_NeverExceedTheTimeBetweenTheEnds(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	for range 500 {
		var periods []period
		first := 1 << 30
		last := 0
		sum := 0
		for range 1 + random.IntN(6) {
			p := period{first: 12*2000 + random.IntN(300)}
			p.last = p.first + random.IntN(40)
			periods = append(periods, p)
			first, last, sum = min(first, p.first), max(last, p.last), sum+p.last-p.first+1
		}
		got := years(periods, date{2026, 6}).Value
		if limit := float64(min(last-first+1, sum))/12 + .051; got > limit || got < 0 {
			t.Fatalf("%v cover %v years, want at most %v", periods, got, limit)
		}
	}
}
