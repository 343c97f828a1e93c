package dashboard_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// If the database doesn't respond within the time of a request, a plain page says so, and the log has the error.
func TestDatabaseOutage(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.owner)
	for _, tt := range []struct {
		name, method, path string
		signedIn           bool
		form               []string
	}{
		{"a page", http.MethodGet, "/dashboard", true, nil},
		{"a form", http.MethodPost, "/dashboard/keys/new", true, []string{"name", "Website"}},
		{"signing up", http.MethodPost, "/dashboard/sign-up", false, []string{
			"email", "new@example.com", "password", password, "account_name", "New",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
			defer cancel()

			r := httptest.NewRequestWithContext(ctx, tt.method, tt.path, strings.NewReader(form(tt.form...).Encode()))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			if tt.signedIn {
				r.AddCookie(&http.Cookie{Name: "matching_session", Value: b.session()})
			}

			response := httptest.NewRecorder()
			logged := len(w.log.String())
			w.handler.ServeHTTP(response, r)
			a := answer{status: response.Code, header: response.Header(), body: response.Body.String()}
			a.expect(t, http.StatusServiceUnavailable, "Database unavailable", "Try again")

			if a.header.Get("Retry-After") != "1" {
				t.Errorf("Retry-After is %q, want 1", a.header.Get("Retry-After"))
			}
			log := w.log.String()[logged:]
			if !strings.Contains(log, "level=ERROR") || !strings.Contains(log, "database_unavailable") {
				t.Errorf("the log is %q", log)
			}

			if strings.Contains(a.body, "deadline") {
				t.Errorf("the page shows the cause:\n%s", a.text())
			}
		})
	}
}
