package dates

import (
	"math/rand/v2"
	"testing"

	"github.com/freelancer-matching/service/internal/matching"
)

func TestSpan_MonthsIncludeBothEnds(t *testing.T) {
	now := Date{2026, 6}
	for _, c := range []struct {
		span Span
		want matching.Optional[int]
	}{
		{Span{From: Date{2019, 1}, To: Date{2019, 3}}, matching.Some(3)},
		{Span{From: Date{2019, 1}, To: Date{2019, 1}}, matching.Some(1)},
		{Span{From: Date{2016, 0}, To: Date{2018, 0}}, matching.Some(24)},
		{Span{From: Date{2018, 0}, To: Date{2018, 0}}, matching.Optional[int]{}}, // the length is unknown
		{Span{From: Date{2018, 5}}, matching.Optional[int]{}},
		{Span{From: Date{2026, 1}, Current: true}, matching.Some(6)},
		{Span{From: Date{2030, 1}, Current: true}, matching.Optional[int]{}},
		{Span{To: Date{2018, 5}}, matching.Optional[int]{}}, // the start is unknown
	} {
		if got := c.span.Months(now); got != c.want {
			t.Errorf("%s has %v months, want %v", written(c.span), got, c.want)
		}
	}
}

func TestYears_CountOverlapsOnceAndNoFuture(t *testing.T) {
	months := func(first, last int) Period { return Period{12*2020 + first, 12*2020 + last} }
	got := Years([]Period{months(12, 23), months(0, 11), months(6, 17), months(100, 200)}, Date{2022, 6})
	if want := matching.Some(2.0); got != want {
		t.Errorf("years = %v, want %v", got, want)
	}
}

func TestYears_NeverExceedTheTimeBetweenTheEnds(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	for range 500 {
		var periods []Period
		first := 1 << 30
		last := 0
		sum := 0
		for range 1 + random.IntN(6) {
			p := Period{first: 12*2000 + random.IntN(300)}
			p.last = p.first + random.IntN(40)
			periods = append(periods, p)
			first, last, sum = min(first, p.first), max(last, p.last), sum+p.last-p.first+1
		}
		got := Years(periods, Date{2026, 6}).Value
		if limit := float64(min(last-first+1, sum))/12 + .051; got > limit || got < 0 {
			t.Fatalf("%v cover %v years, want at most %v", periods, got, limit)
		}
	}
}
