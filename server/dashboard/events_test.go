package dashboard_test

import (
	"encoding/csv"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
)

// recordEvent adds an entry to the audit log.
func (w *world) recordEvent(e audit.Event) {
	w.t.Helper()
	w.must(w.db.Keys.Update(w.t.Context(), "", func([]apikey.Key) (apikey.Changes, error) {
		return apikey.Changes{Events: []audit.Event{e}}, nil
	}))
}

// rows parses a CSV file and returns its rows without the header.
func (a answer) rows(t *testing.T) [][]string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(a.body)).ReadAll()
	if err != nil || len(rows) == 0 {
		t.Fatalf("no CSV file: %v\n%s", err, a.body)
	}
	return rows[1:]
}

// The audit log filters by actor, action, account and days, on the page and in the export.
func TestAudit_Filters(t *testing.T) {
	w := newWorld(t)
	day := time.Date(2030, 3, 7, 23, 59, 59, 0, time.UTC)
	w.recordEvent(audit.Event{
		At: day, Actor: w.owner.ID, Account: w.owner.Account, Action: audit.KeyRenamed, Subject: "key_1", Detail: "=1+1",
	})
	w.recordEvent(audit.Event{
		At: day.Add(time.Second), Actor: audit.System, Account: w.stranger.Account, Action: audit.KeyDisabled,
		Subject: "key_2",
	})

	b := w.as(w.admin)
	for query, want := range map[string]string{
		"from=2030-03-07&to=2030-03-07":            "key_1",
		"from=2030-03-08&to=2030-03-08":            "key_2",
		"to=2030-03-08":                            "key_2 key_1",
		"to=2030-03-08&actor=OWNER@example.com":    "key_1",
		"to=2030-03-08&actor=" + w.owner.ID:        "key_1",
		"to=2030-03-08&actor=system":               "key_2",
		"to=2030-03-08&action=key.disabled":        "key_2",
		"to=2030-03-08&account=elsewhere":          "key_2",
		"to=2030-03-08&account=" + w.owner.Account: "key_1",
		"account=nobody":                           "",
		"actor=nobody%40example.com":               "",
		"to=2030-03-08&before=" + day.Add(time.Microsecond).Format(time.RFC3339Nano): "key_1",
	} {
		page := b.get("/dashboard/admin/audit?"+query).expect(t, http.StatusOK)
		shown := strings.Join(regexp.MustCompile(`\bkey_\d\b`).FindAllString(page.text(), -1), " ")
		if shown != want {
			t.Errorf("%s: the page shows %q, want %q", query, shown, want)
		}

		if strings.Contains(query, "before") {
			continue // a position, not a filter
		}
		var exported []string
		for _, row := range b.get("/dashboard/admin/audit.csv?"+query).expect(t, http.StatusOK).rows(t) {
			exported = append(exported, row[5])
		}

		if got := strings.Join(exported, " "); got != want {
			t.Errorf("%s: the file has %q, want %q", query, got, want)
		}
	}

	b.get("/dashboard/admin/audit?from=yesterday").
		expect(t, http.StatusUnprocessableEntity, "Enter a date such as 2030-12-31.")
	b.get("/dashboard/admin/audit.csv?from=yesterday").expect(t, http.StatusUnprocessableEntity)
	b.get("/dashboard/admin/audit?actor=%00").expect(t, http.StatusBadRequest)
	row := b.get("/dashboard/admin/audit.csv?to=2030-03-07").rows(t)[0]
	want := "2030-03-07T23:59:59Z|key.renamed|owner@example.com|" + w.owner.ID + "|" + w.owner.Account + "|key_1|'=1+1|"
	if got := strings.Join(row, "|"); got != want {
		t.Errorf("row %q, want %q", got, want)
	}
}

// The page of all accounts says whether the audit log was tampered with, as far as a server has verified it.
func TestAudit_Chains(t *testing.T) {
	w := newWorld(t)
	w.recordEvent(audit.Event{At: w.clock.now(), Actor: w.owner.ID, Account: w.owner.Account, Action: audit.KeyRenamed})
	admin := w.as(w.admin)
	const page = "/dashboard/admin/audit"
	admin.get(page).expect(t, http.StatusOK, "have not been verified yet")

	w.must(w.db.AuditLog.VerifyDaily(t.Context(), w.clock.now()))
	admin.get(page).expect(t, http.StatusOK, "no entry was changed, removed or inserted until then")

	text := w.as(w.owner).get("/dashboard/activity").expect(t, http.StatusOK).text()
	if strings.Contains(text, "Verified") {
		t.Error("the activity of an account says what holds for all accounts")
	}

	_, err := w.db.Pools.Write.ExecContext(t.Context(), "DELETE FROM audit_events WHERE chain = 'main' AND sequence = 1")
	w.must(err)
	if err := w.db.AuditLog.VerifyDaily(t.Context(), w.clock.now().AddDate(0, 0, 1)); err == nil {
		t.Fatal("a removed entry was not found")
	}
	admin.get(page).expect(t, http.StatusOK, "was tampered with: chain main breaks at record 1", "server audit verify")
}

func TestAudit_ShowsErasure(t *testing.T) {
	w := newWorld(t)
	old := w.clock.now().AddDate(-1, 0, 0)
	w.recordEvent(audit.Event{At: old, Actor: w.owner.ID, Account: w.owner.Account, Action: audit.KeyRenamed})
	const page = "/dashboard/admin/audit?action=key.renamed"
	if text := w.as(w.admin).get(page).expect(t, http.StatusOK).text(); strings.Contains(text, "personal data erased") {
		t.Error("an entry with its content is shown as erased")
	}
	w.must(w.db.AuditLog.Pseudonymize(t.Context(), w.clock.now()))
	w.as(w.admin).get(page).expect(t, http.StatusOK, "personal data erased")
}

// The activity of an account contains no event of another account, whatever the filters are.
func TestActivity_Filters(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.owner)
	w.key(w.owner, "Website")
	b.get("/dashboard/activity?action=key.created").expect(t, http.StatusOK, "Key created", "Clear filters")
	b.get("/dashboard/activity?action=key.revoked").expect(t, http.StatusOK, "No events match.")
	for _, path := range []string{"/dashboard/activity", "/dashboard/activity.csv"} {
		a := b.get(path+"?account="+w.stranger.Account).expect(t, http.StatusOK)
		if strings.Contains(a.body, w.stranger.ID) || !strings.Contains(a.body, w.owner.Account) {
			t.Errorf("%s shows another account", path)
		}
	}
	if file := b.get("/dashboard/activity.csv").header.Get("Content-Type"); file != "text/csv; charset=utf-8" {
		t.Errorf("the file has the type %q", file)
	}
	w.as(w.member).get("/dashboard/activity.csv").expect(t, http.StatusForbidden)
	b.get("/dashboard/admin/audit.csv").expect(t, http.StatusForbidden)
}

// The filters are kept on every page of the log, and an export has the events of all pages.
func TestAudit_PagesKeepTheFilters(t *testing.T) {
	w := newWorld(t)
	for i := range 60 {
		w.recordEvent(audit.Event{
			At: w.clock.now().Add(-time.Duration(i) * time.Minute), Actor: audit.System, Action: audit.KeyDisabled,
			Subject: "key_1",
		})
	}

	b := w.as(w.admin)
	first := b.get("/dashboard/admin/audit?action=key.disabled").expect(t, http.StatusOK, "Older")
	next := regexp.MustCompile(`href="([^"]*)" rel="next"`).FindStringSubmatch(first.body)
	if next == nil || !strings.Contains(next[1], "action=key.disabled") {
		t.Fatalf("next page %q", next)
	}

	second := b.get(strings.ReplaceAll(next[1], "&amp;", "&")).expect(t, http.StatusOK, "Newest", "Key disabled")
	if n := strings.Count(second.body, `data-label="Details"`); n != 10 {
		t.Errorf("%d events on the second page, want 10", n)
	}

	if n := len(b.get("/dashboard/admin/audit.csv?action=key.disabled").rows(t)); n != 60 {
		t.Errorf("%d exported events, want 60", n)
	}
}
