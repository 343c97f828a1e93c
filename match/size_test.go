package match

import (
	"strings"
	"testing"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/ranking"
)

// The kind of a budget comes from the client, or else from its size, and the answer says how it was read.
func TestSize_KindOfBudget(t *testing.T) {
	s, _ := newLimitsService(t)
	profile := s.profiles[""]
	median := matching.Some(20.)
	for _, c := range []struct {
		name    string
		budget  matching.Budget
		median  matching.Optional[float64]
		kind    matching.BudgetKind
		assumed bool
		buys    matching.Optional[float64]
		want    string
	}{
		{
			"small",
			matching.Budget{High: 80},
			median, matching.BudgetHourly, true,
			matching.Optional[float64]{},
			"read as an hourly rate, because it is at most 4 times the median rate of 20 USD/h; send budget_type",
		},
		{
			"large",
			matching.Budget{High: 193},
			median, matching.BudgetFixed, true, matching.Some(9.7),
			"read as the price of the whole project; at the median rate of 20 USD/h it buys about 9.7 hours",
		},
		{
			"small, said to be fixed",
			matching.Budget{High: 40, Kind: matching.BudgetFixed},
			median,
			matching.BudgetFixed, false, matching.Some(2.), "at the median rate of 20 USD/h it buys about 2 hours",
		},
		{
			"large, said to be hourly",
			matching.Budget{High: 193, Kind: matching.BudgetHourly},
			median,
			matching.BudgetHourly, false,
			matching.Optional[float64]{},
			"compared with hourly rates, of which half are at most 20 USD/h",
		},
		{
			"no rates",
			matching.Budget{High: 10},
			matching.Optional[float64]{},
			matching.BudgetFixed, true,
			matching.Optional[float64]{},
			"no freelancer has an hourly rate",
		},
		{
			"hardly anything",
			matching.Budget{High: 5e-324, Kind: matching.BudgetFixed},
			matching.Some(1.),
			matching.BudgetFixed, false, matching.Some(5e-324), "it buys less than 0.1 hours",
		},
		{
			"nothing",
			matching.Budget{Kind: matching.BudgetFixed},
			median, matching.BudgetFixed, false,
			matching.Optional[float64]{},
			"it buys nothing",
		},
	} {
		written := &matching.Brief{Description: "One minute of 2D animation", Budget: matching.Some(c.budget)}
		d := demand{headline: written.Description, money: ranking.Money{Currency: "USD", DataCurrency: "USD"}}
		d.stats.RateMedian = c.median
		var sized *matching.Brief
		d.effort, sized = s.reader.size(written, &d, profile)
		got := d.budgetReading(written, sized)
		if got.Type != c.kind || got.Assumed != c.assumed || got.Buys != c.buys || !strings.Contains(got.Message, c.want) {
			t.Errorf("%s: %+v, want %v %v %v %q", c.name, got, c.kind, c.assumed, c.buys, c.want)
		}
	}
}

func TestSize_ComplexityAndClient(t *testing.T) {
	s, _ := newLimitsService(t)
	size := func(b matching.Brief) matching.Effort {
		b.Description = "A website for a bakery"
		e, _ := s.reader.size(&b, &demand{headline: b.Description}, s.profiles[""])
		return e
	}

	usual := size(matching.Brief{})
	for complexity, factor := range map[matching.Complexity]float64{"low": .6, "medium": 1, "high": 1.25} {
		if e := size(matching.Brief{Complexity: complexity}); e.Typical != usual.Typical*factor {
			t.Errorf("%s: %v hours, want %v × %v", complexity, e.Typical, factor, usual.Typical)
		}
	}

	given := size(matching.Brief{EffortHours: matching.Some(7.), Complexity: "high"})
	if want := (matching.Effort{Low: 7, Typical: 7, High: 7, From: matching.EffortFromClient}); given != want {
		t.Errorf("given 7 hours: %+v", given)
	}
}

func TestTwoDigits(t *testing.T) {
	for x, want := range map[float64]float64{
		0: 0, 5e-324: 5e-324, 1e-12: 1e-12, 1.24e-7: 1.2e-7, .514: .51, 9.65: 9.7, 51.4: 51, 187: 190, 1234: 1200,
	} {
		if got := twoDigits(x); got != want {
			t.Errorf("%v: %v, want %v", x, got, want)
		}
	}
}
