package dashboard_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"freelancer-matching/internal/lastload"
)

// loadHistory returns a load with a warning and a damaged entry.
func loadHistory() (lastload.History, error) {
	at := time.Date(2030, 5, 19, 8, 0, 0, 0, time.UTC)
	return lastload.History{Unreadable: []string{"damaged.json"}, Entries: []lastload.Entry{{
		Result: lastload.Result{
			Command: "load", Started: at, Finished: at, Rows: 4, Freelancers: 2, Merged: 1, Rejected: 1, Warnings: 1,
		},
		Files: []lastload.File{{Name: "people.csv"}},
		Warnings: []lastload.Reason{{
			Column: "rate", Text: "not a number", Count: 1, Places: []lastload.Place{{File: "people.csv", Line: 3}},
		}},
	}}}, nil
}

// Administrators see the loads. Others don't see the names of files.
func TestData_ShowsLoads(t *testing.T) {
	w := newWorld(t)
	w.as(w.admin).get("/dashboard/data").expect(t, http.StatusOK, "4 rows read, 2 loaded, 1 merged, 1 rejected",
		"rate : not a number people.csv, line 3", "damaged.json")
	if text := w.as(w.owner).get("/dashboard/data").text(); strings.Contains(text, "people.csv") {
		t.Errorf("an owner sees the names of files: %s", text)
	}
}
