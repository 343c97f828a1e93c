package value

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
)

func TestRating(t *testing.T) {
	unknown := matching.Optional[float64]{}
	noCount := matching.Optional[int]{}
	tests := []struct {
		name, cell string
		scale      float64
		want       matching.Optional[float64]
		count      matching.Optional[int]
		remark     string
	}{
		{"plain", "4.9", 5, matching.Some(4.9), noCount, ""},
		{"three decimals", "1.665", 5, matching.Some(1.665), noCount, ""},
		{"decimal comma", "4,9", 5, matching.Some(4.9), noCount, ""},
		{"out of 5", "4.9/5", 5, matching.Some(4.9), noCount, ""},
		{"out of 5 in words", "4.9 out of 5 stars", 5, matching.Some(4.9), noCount, ""},
		{"out of 10", "9.8/10", 5, matching.Some(4.9), noCount, ""},
		{"out of 100", "90 of 100", 5, matching.Some(4.5), noCount, ""},
		{"percentage", "98%", 5, matching.Some(4.9), noCount, ""},
		{"percentage in its column", "98 %", 100, matching.Some(4.9), noCount, ""},
		{"bare percentage", "98", 100, matching.Some(4.9), noCount, ""},
		{"rating in a column of percentages", "4.5/5", 100, matching.Some(4.5), noCount, ""},
		{"with a count", "5.0(1k+)", 5, matching.Some(5.0), matching.Some(1000), ""},
		{"with a count and a noun", "4.9 (123 reviews)", 5, matching.Some(4.9), matching.Some(123), ""},
		{"in a column of 0 to 10", "9.8", 10, matching.Some(4.9), noCount, ""},
		{"out of 5 in a column of 0 to 10", "4.9/5", 10, matching.Some(4.9), noCount, ""},
		{
			"above 10 in a column of 0 to 10", "11", 10, unknown, noCount,
			"out of range: a rating without a scale must be between 0 and 10",
		},
		{"fraction in its column", "0.98", 1, matching.Some(4.9), noCount, ""},
		{"five stars", "★★★★☆", 10, matching.Some(4.0), noCount, ""},
		{"half a star", "★★★½☆", 5, matching.Some(3.5), noCount, ""},
		{"full stars only", "⭐️⭐️⭐️⭐️", 5, matching.Some(4.0), noCount, ""},
		{"stars with a number", "★★★★★ 4.9 (87)", 5, matching.Some(4.9), matching.Some(87), ""},
		{"seven stars", "★★★★★★★", 5, unknown, noCount, remarkNotRating},
		{"empty stars only", "☆☆", 5, unknown, noCount, remarkNotRating},
		{"with a star", "★ 4.9", 5, matching.Some(4.9), noCount, ""},
		{"stars", "4 stars", 5, matching.Some(4.0), noCount, ""},
		{"not rated", "0.0", 5, unknown, noCount, ""},
		{"not rated, with a count", "0 (0)", 5, unknown, matching.Some(0), ""},
		{"unknown", "N/A", 100, unknown, noCount, ""},
		{"out of range", "9.8", 5, unknown, noCount, "out of range: a rating without a scale must be between 0 and 5"},
		{"over 100%", "120%", 5, unknown, noCount, remarkOffScale},
		{"fraction", "0.98", 100, unknown, noCount, remarkFraction},
		{"negative", "-4", 5, unknown, noCount, remarkNotRating},
		{"word", "Top Rated", 5, unknown, noCount, remarkNotRating},
		{"unusual scale", "6/7", 5, unknown, noCount, remarkNotRating},
		{"date", "Joined on May 28, 2016", 5, unknown, noCount, remarkNotRating},
		{"word in brackets", "4.9 (new)", 5, unknown, noCount, remarkNotRating},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			rating, count, remark := Rating(test.cell, test.scale)
			if diff := cmp.Diff(test.want, rating); diff != "" {
				t.Errorf("rating (-want +got)\n%s", diff)
			}

			if diff := cmp.Diff(test.count, count); diff != "" {
				t.Errorf("count (-want +got)\n%s", diff)
			}

			if remark != test.remark {
				t.Errorf("remark %q, want %q", remark, test.remark)
			}
		})
	}
}

func TestFlag(t *testing.T) {
	tests := map[bool][]string{
		true: {
			"yes", "TRUE", "1", "y", "Available", "Available now!", "full-time", "Part Time", "As Needed - Open to Offers",
			"More than 30 hrs/week", "30+ hrs/week", "40 hours per week",
		},
		false: {"no", "False", "0", "n", "Not available", "unavailable", "busy", "On vacation"},
	}
	for want, cells := range tests {
		for _, cell := range cells {
			if got, remark := Flag(cell); got != matching.Some(want) || remark != "" {
				t.Errorf("Flag(%q) = %v, %q, want %t", cell, got, remark, want)
			}
		}
	}

	for _, cell := range []string{"", "N/A", "-", "null"} {
		if got, remark := Flag(cell); got.Known || remark != "" {
			t.Errorf("Flag(%q) = %v, %q, want unknown without a remark", cell, got, remark)
		}
	}

	for _, cell := range []string{"2", "maybe", "2 weeks notice", "0 hrs/week", "98%"} {
		if got, remark := Flag(cell); got.Known || remark == "" {
			t.Errorf("Flag(%q) = %v, %q, want unknown with a remark", cell, got, remark)
		}
	}
}

func TestURL(t *testing.T) {
	tests := []struct{ cell, want, remark string }{
		{"https://example.com/f/ana", "https://example.com/f/ana", ""},
		{"HTTPS://Example.com/F/Ana?x=1#top", "https://example.com/F/Ana?x=1#top", ""},
		{"https://example.com//freelancers///ana", "https://example.com/freelancers/ana", ""},
		{"//example.com/ana", "https://example.com/ana", ""},
		{"www.example.com/ana", "https://www.example.com/ana", ""},
		{"http://example.com/josé", "http://example.com/jos%C3%A9", ""},
		{"n/a", "", ""},
		{"javascript:alert(1)", "", remarkNotURL},
		{"data:text/html,x", "", remarkNotURL},
		{"ftp://example.com/ana", "", remarkNotURL},
		{"https://", "", remarkNotURL},
		{"https://user:word@example.com/", "", remarkNotURL},
		{"https://example.com/a b", "", remarkNotURL},
		{"ana", "", remarkNotURL},
		{"$20", "", remarkNotURL},
	}
	for _, test := range tests {
		if got, remark := URL(test.cell); got != test.want || remark != test.remark {
			t.Errorf("URL(%q) = %q, %q, want %q, %q", test.cell, got, remark, test.want, test.remark)
		}
	}
}
