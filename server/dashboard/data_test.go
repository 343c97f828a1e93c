package dashboard_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/internal/lastload"
	"github.com/freelancer-matching/service/server/dashboard"
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

// The page names all files that the live index comes from. A refused load has loaded nobody. A rollback is offered if
// the index that it leads to exists.
func TestData_ShowsWhereTheFreelancersComeFrom(t *testing.T) {
	at := time.Date(2030, 5, 19, 8, 0, 0, 0, time.UTC)
	live := healthy().DataSource.Index
	entry := func(command, index, file, failure string) lastload.Entry {
		result := lastload.Result{Command: command, Index: index, Error: failure, Started: at, Finished: at, Rows: 1}
		result.Freelancers = 1
		return lastload.Entry{Result: result, Files: []lastload.File{{Name: file}}, Previous: "older"}
	}
	entries := []lastload.Entry{
		entry("load", "", "refused.csv", "would_shrink"),
		entry("upsert", live, "freelancer.json", ""),
		entry("load", live, "people.csv", ""),
	}
	history := func(c *dashboard.Config, _ *account.Config) {
		c.Loads = func() (lastload.History, error) { return lastload.History{Entries: entries}, nil }
	}

	w := newWorld(t, history)
	admin := w.as(w.admin)
	text := admin.get("/dashboard/data").expect(t, http.StatusOK,
		"08:00 UTC : freelancer.json people.csv", "Previous index None", "1 row read, 1 not loaded").text()
	if strings.Contains(text, "rollback") {
		t.Error("the page offers a rollback to an index that was dropped")
	}

	w.previous = "older"
	admin.get("/dashboard/data").expect(t, http.StatusOK, "older (run indexer rollback to return to it)")
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
