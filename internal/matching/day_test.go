package matching_test

import (
	"testing"

	"github.com/freelancer-matching/service/internal/matching"
)

func TestDay(t *testing.T) {
	for _, c := range []struct {
		date string
		want int
		ok   bool
	}{
		{"1970-01-01", 0, true},
		{"1970-01-02", 1, true},
		{"1969-12-31", -1, true},
		{"2026-12-01", 20788, true},
		{"0001-01-01", -719162, true},
		{"2026-02-30", 0, false},
		{"2026-12-01T00:00:00Z", 0, false},
		{"", 0, false},
	} {
		if got, ok := matching.Day(c.date); got != c.want || ok != c.ok {
			t.Errorf("Day(%q) = %d, %v; want %d, %v", c.date, got, ok, c.want, c.ok)
		}
	}
}
