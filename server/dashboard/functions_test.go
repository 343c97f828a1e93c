package dashboard

import (
	"testing"
	"time"

	"freelancer-matching/internal/matching"
	"freelancer-matching/server/api"
)

func TestDecimal_Rounds(t *testing.T) {
	for _, test := range []struct {
		decimals int
		n        float64
		want     string
	}{{0, 5896.65, "5,897"}, {1, 8, "8"}, {1, 2.25, "2.3"}, {2, 4.899, "4.9"}, {2, 1234.5, "1,234.5"}} {
		if got := decimal(test.decimals, test.n); got != test.want {
			t.Errorf("decimal(%d, %g) = %q, want %q", test.decimals, test.n, got, test.want)
		}
	}
}

func TestSpan(t *testing.T) {
	for length, want := range map[time.Duration]string{
		-time.Second:                    "0 seconds",
		time.Second:                     "1 second",
		42 * time.Second:                "42 seconds",
		time.Minute:                     "1 minute",
		59*time.Minute + 29*time.Second: "59 minutes",
		time.Hour:                       "1 hour",
		24 * time.Hour:                  "24 hours",
		48 * time.Hour:                  "2 days",
		30 * 24 * time.Hour:             "30 days",
	} {
		if got := span(length); got != want {
			t.Errorf("span(%s) = %q, want %q", length, got, want)
		}
	}
}

func TestSkillUse(t *testing.T) {
	now := time.Date(2026, time.June, 15, 12, 0, 0, 0, time.UTC)
	for want, s := range map[string]api.ResumeSkill{
		"":                           {LastUsed: "2020"},
		"2 years":                    {Months: matching.Some(24), LastUsed: "2026-06"},
		"1 month":                    {Months: matching.Some(1), LastUsed: "2026"},
		"1 year":                     {Months: matching.Some(12)},
		"1 year, until Mar 2020":     {Months: matching.Some(12), LastUsed: "2020-03"},
		"3 months, until May 2026":   {Months: matching.Some(3), LastUsed: "2026-05"},
		"1 year 1 month, until 2019": {Months: matching.Some(13), LastUsed: "2019"},
	} {
		if got := skillUse(s, now); got != want {
			t.Errorf("%+v was used %q, want %q", s, got, want)
		}
	}
}
