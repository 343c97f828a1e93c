package playground

import (
	"testing"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/wire"
)

func TestSkillUse(t *testing.T) {
	now := time.Date(2026, time.June, 15, 12, 0, 0, 0, time.UTC)
	for want, s := range map[string]wire.ResumeSkill{
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
