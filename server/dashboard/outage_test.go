package dashboard_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// A database that has not answered when the time of a request is over is told on a plain page, and found in the log.
func TestDatabaseThatDoesNotAnswer(t *testing.T) {
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
			got, n := httptest.NewRecorder(), len(w.log.String())
			w.handler.ServeHTTP(got, r)
			a := answer{got.Code, got.Header(), got.Body.String(), got.Header().Get("Location")}
			a.expect(t, http.StatusServiceUnavailable, "Database unavailable", "Try again")
			if a.header.Get("Retry-After") != "1" {
				t.Errorf("Retry-After is %q, want 1", a.header.Get("Retry-After"))
			}
			if log := w.log.String()[n:]; !strings.Contains(log, "level=ERROR") || !strings.Contains(log, "database_unavailable") {
				t.Errorf("the log says %q", log)
			}
			if strings.Contains(a.body, "deadline") {
				t.Errorf("the page tells of the cause:\n%s", a.text())
			}
		})
	}
}
