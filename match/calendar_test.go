package match_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/synthetic"
)

func dayOf(t *testing.T, date string) int {
	t.Helper()
	day, ok := matching.Day(date)
	if !ok {
		t.Fatalf("%s is no date", date)
	}
	return day
}

// With a timeline, available means available before the work must begin. Work of 100 hours takes 17.5 days, and today
// is 2026-11-22.
func TestMatch_AvailableInTime(t *testing.T) {
	w := newWorld(t, people()...)
	newService(t, w, nil)
	for _, c := range []struct {
		name     string
		start    string // "" for none
		timeline int
		by       string // filters.available_by; "" for none
		want     string // ids
		message  string
	}{
		{
			"from today", "", 20, "", "recife",
			"availability by 2026-11-24, so that 17.5 days of work end within the timeline of 20: 3 of 4 freelancers " +
				"excluded, 1 of them because their first available day is unknown",
		},
		{
			"too little time", "", 10, "", "recife",
			"availability by 2026-11-22, because 17.5 days of work take longer than the timeline of 10: 3 of 4 freelancers " +
				"excluded, 1 of them because their first available day is unknown",
		},
		{
			"from a date", "2026-12-01", 18, "", "berlin recife",
			"availability by 2026-12-01, so that 17.5 days of work end within the timeline of 18: 2 of 4 freelancers " +
				"excluded, 1 of them because their first available day is unknown",
		},
		{
			"time enough for all", "", 90, "", "berlin recife vienna",
			"availability by 2027-02-02, so that 17.5 days of work end within the timeline of 90: 1 of 4 freelancers " +
				"excluded, 1 of them because their first available day is unknown",
		},
		{
			"an earlier day", "", 90, "2026-12-01", "berlin recife",
			"availability by 2027-02-02, so that 17.5 days of work end within the timeline of 90: 1 of 4 freelancers " +
				"excluded, 1 of them because their first available day is unknown",
		},
		{
			"a later day", "", 20, "2027-03-01", "recife",
			"availability by 2026-11-24, so that 17.5 days of work end within the timeline of 20: 3 of 4 freelancers " +
				"excluded, 1 of them because their first available day is unknown",
		},
	} {
		b := matching.Brief{
			RequiredSkills: []string{"React"}, EffortHours: matching.Some(100.), TimelineDays: matching.Some(c.timeline),
			Filters: matching.Filters{Available: matching.Some(true)},
		}
		if c.start != "" {
			b.StartDay = matching.Some(dayOf(t, c.start))
		}
		if c.by != "" {
			b.Filters.AvailableBy = matching.Some(dayOf(t, c.by))
		}

		answer := w.match(b)
		if got := sorted(ids(answer)); got != c.want || answer.Filters[0].Message != c.message {
			t.Errorf("%s: matches %s, want %s; message %q, want %q", c.name, got, c.want, answer.Filters[0].Message, c.message)
		}
	}

	late := matching.Brief{
		RequiredSkills: []string{"React"}, EffortHours: matching.Some(100.), TimelineDays: matching.Some(20),
		Filters: matching.Filters{Available: matching.Some(true), Countries: []string{"AT"}},
	}
	if answer := w.match(late); answer.Reason != "filter:available" {
		t.Errorf("reason %s, want filter:available", answer.Reason)
	}
	excluded := w.explain(late, "vienna").ExcludedBy
	if len(excluded) != 1 || excluded[0].Actual.Value != "available from 2027-02-01" {
		t.Errorf("vienna is excluded by %+v", excluded)
	}
}

// Nobody who becomes available after the deadline is among the available ones or said to be within the timeline.
func TestMatch_NobodyAfterTheDeadline(t *testing.T) {
	generator, err := synthetic.New()
	if err != nil {
		t.Fatal(err)
	}

	const timeline = 20
	start := dayOf(t, "2027-01-01") // the first date in generated records
	w := newWorld(t, slices.Collect(generator.DetailedFreelancers(400, 1))...)
	brief := matching.Brief{
		Description: "A web shop with a design and a mobile app", EffortHours: matching.Some(60.), Explain: true, Limit: 100,
		TimelineDays: matching.Some(timeline), StartDay: matching.Some(start),
	}
	isLate := func(f *matching.Freelancer) bool {
		day, known := matching.Day(f.AvailableFrom)
		return known && day > start+timeline
	}

	late := 0
	for _, m := range w.match(brief).Matches {
		if !isLate(&m.Freelancer) {
			continue
		}
		late++
		summary := m.Explanation[slices.IndexFunc(m.Explanation, func(f matching.Feature) bool {
			return f.Name == "timeline"
		})].Summary
		want := fmt.Sprintf("available from %s, after the deadline", m.Freelancer.AvailableFrom)
		if !strings.HasPrefix(summary, want) {
			t.Errorf("%s: %q", m.Freelancer.ID, summary)
		}
	}
	if late == 0 {
		t.Fatal("nobody is late")
	}

	brief.Filters.Available = matching.Some(true)
	matches := w.match(brief).Matches
	if len(matches) < 50 {
		t.Fatalf("%d matches", len(matches))
	}
	for i, m := range matches {
		if isLate(&m.Freelancer) {
			t.Errorf("match %d is available from %s", i+1, m.Freelancer.AvailableFrom)
		}
	}
}
