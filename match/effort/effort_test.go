package effort_test

import (
	"math"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match/effort"
)

func load(t *testing.T) *effort.Model {
	t.Helper()
	m, err := effort.Load()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Larger works take longer, in the order that anybody would give them.
func TestEstimate_Order(t *testing.T) {
	m := load(t)
	before := 0.
	for _, w := range []effort.Work{
		{Title: "Fix a typo on my website", Description: "A small fix, it takes an hour.", Skills: []string{"HTML"}},
		{Title: "Logo design", Description: "A logo with three concepts.", Skills: []string{"Logo Design"}},
		{
			Title: "Mobile app for deliveries, iOS and Android",
			Description: "Customers order, drivers see routes and an admin panel shows live positions. Payment, chat, " +
				"push messages, ratings, reports and an API for restaurants are part of it.",
			Skills: []string{"Mobile App Development", "iOS", "Android", "Node.js", "Payment Gateway Integration"},
		},
	} {
		e := m.Estimate(&w)
		if e.Typical <= before {
			t.Errorf("%s takes %v hours, the smaller work before it %v", w.Title, e.Typical, before)
		}
		if !(e.Low < e.Typical && e.Typical < e.High) || e.From != matching.EffortFromText {
			t.Errorf("%s: %+v", w.Title, e)
		}
		before = e.Typical
	}
}

// A larger budget is evidence of more work, but of less than it buys: otherwise a client would gain nothing by it.
func TestEstimate_LargerBudgetIsNeverHarderToMeet(t *testing.T) {
	m := load(t)
	w := effort.Work{Title: "Animated video", Description: "One minute of 2D animation from our script."}
	hours, share := 0., math.Inf(1)
	for _, buys := range []float64{1e-6, .1, 1, 5, 10, 20, 50, 100, 1000, 1e9} {
		w.Buys = matching.Some(buys)
		e := m.Estimate(&w)
		if e.Typical < hours || e.Typical/buys > share || e.From != matching.EffortFromTextAndBudget {
			t.Errorf("a budget for %v hours: %+v, %v for a smaller budget", buys, e, hours)
		}
		hours, share = e.Typical, e.Typical/buys
	}
}

func TestEstimate_AnyText(t *testing.T) {
	m := load(t)
	for _, text := range []string{"", " ", "\xff\xfe", "zzz qqq", strings.Repeat("x", 1<<20), strings.Repeat("ü", 999)} {
		e := m.Estimate(&effort.Work{Title: text, Description: text, Skills: []string{text}})
		if !(e.Low > 0 && e.Typical >= .5 && e.High < 1e5) {
			t.Errorf("%.20q: %+v", text, e)
		}
	}
}
