package copies_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match/copies"
)

// ferry is a brief, invented, long enough to recognize copies.
const ferry = "We run two ferries between the mainland and an island and still take every reservation by phone. " +
	"Passengers choose a crossing, add cars and bicycles, and pay by card. Staff need a calendar with the load of " +
	"each crossing. Cancellations because of weather must reach passengers by text message within minutes."

func TestDetector_Repeats(t *testing.T) {
	words := strings.Fields(ferry)
	backwards := slices.Clone(words)
	slices.Reverse(backwards)
	apart := strings.Join(words, " one two three four five six seven eight nine ten ") // words that the brief lacks
	const short = "React developer for a booking site"
	for _, c := range []struct {
		name       string
		brief      string
		freelancer matching.Freelancer
		want       bool
	}{
		{"the brief", ferry, matching.Freelancer{Description: ferry}, true},
		{"its first half", ferry, matching.Freelancer{Description: strings.Join(words[:len(words)/2], " ")}, true},
		{"in another order", ferry, matching.Freelancer{Description: strings.Join(backwards, " ")}, true},
		{"as skills", ferry, matching.Freelancer{Skills: strings.Split(ferry, ".")}, true},
		{"words far apart", ferry, matching.Freelancer{Description: apart}, false},
		{"one run", ferry, matching.Freelancer{Description: "I built a calendar with the load of each ship."}, false},
		{"nothing", ferry, matching.Freelancer{}, false},
		{"a short brief", short, matching.Freelancer{Description: short}, false},
		{"an empty brief", "", matching.Freelancer{}, false},
	} {
		detector := copies.New(analysis.New(), &matching.Brief{Description: c.brief}, analysis.English)
		if got := detector.Repeats(&c.freelancer); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}
