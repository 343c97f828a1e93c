package dashboard

import (
	"testing"
	"time"

	"freelancer-matching/access/usage"
)

func TestSetRange_ChoosesTheDays(t *testing.T) {
	for name, want := range map[string]int{"7d": 7, "30d": 30, "": 30, "1y": 30} {
		var view usageView
		if view.setRange(name, ""); view.Days != want {
			t.Errorf("range %q: %d days, want %d", name, view.Days, want)
		}
	}
}

func TestAddError_CountsByCode(t *testing.T) {
	var view usageView
	at := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	for i, code := range []string{"wrong_type", "not_found", "wrong_type"} {
		view.addError(usage.Failure{Code: code, Status: 422, At: at.Add(-time.Duration(i) * time.Hour)})
	}
	if len(view.Errors) != 2 || view.Errors[0].Requests != 2 || !view.Errors[0].Last.Equal(at) {
		t.Errorf("%+v", view.Errors)
	}
}

func TestErrorRate_LeavesOutRejectedRequests(t *testing.T) {
	since := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	view := homeView{Week: newChart(since, 7, []usage.Count{
		{Day: since, Status: 200, Requests: 6},
		{Day: since, Status: 422, Requests: 2},
		{Day: since, Status: 429, Requests: 2},
	})}
	if got := view.ErrorRate(); got != 20 {
		t.Errorf("%v percent, want 20", got)
	}
	if got := (homeView{}).ErrorRate(); got != 0 {
		t.Errorf("%v percent without requests", got)
	}
}
