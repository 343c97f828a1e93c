package engine_test

import (
	"testing"

	"github.com/freelancer-matching/service/engine"
)

// The expected values come from Lucene's SmallFloat.byte4ToInt, which its documentation says is exact up to 40.
func TestRoundLength(t *testing.T) {
	for n := range 41 {
		if got := engine.RoundLength(n); got != n {
			t.Errorf("RoundLength(%d) = %d, want %d", n, got, n)
		}
	}

	for n, want := range map[int]int{
		41: 40, 42: 42, 43: 42, 55: 54, 56: 56, 59: 56, 60: 60, 87: 84, 88: 88, 95: 88, 152: 152, 167: 152, 100_000: 98_328,
	} {
		if got := engine.RoundLength(n); got != want {
			t.Errorf("RoundLength(%d) = %d, want %d", n, got, want)
		}
	}

	previous := 0
	for n := range 5000 {
		got := engine.RoundLength(n)
		if got > n || got < previous || float64(got) < float64(n)*7/8 {
			t.Fatalf("RoundLength(%d) = %d after %d: want a value between 7/8·n and n that never falls", n, got, previous)
		}
		previous = got
	}
}
