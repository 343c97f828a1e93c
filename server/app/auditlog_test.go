package app

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/server/metrics"
)

// The log says when the audit log was tampered with, and when entries are put in without a hash.
func TestCheckAuditLog(t *testing.T) {
	c := config.Default()
	c.Data = t.TempDir()
	var out bytes.Buffer
	s := &Server{config: c, log: slog.New(slog.NewTextHandler(&out, nil)), Metrics: metrics.New("test")}
	var err error
	if s.Access, err = OpenAccess(t.Context(), c, s.log); err != nil {
		t.Fatal(err)
	}
	defer s.Access.Close()

	if _, _, err := s.Keys.Create(t.Context(), audit.By{}, apikey.Request{Name: "Ada", Plan: "freelancer"}); err != nil {
		t.Fatal(err)
	}

	day := 0
	logged := func(statement string) string {
		t.Helper()
		out.Reset()
		day++
		if _, err := s.DB.Pools.Write.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
		s.checkAuditLog(t.Context(), time.Now().AddDate(0, 0, day))
		return out.String()
	}

	for _, test := range []struct {
		statement, want string
		faults          int
	}{
		{"UPDATE audit_events SET detail = detail", "", 0},
		{"INSERT INTO audit_events (at, actor, account, action, subject, detail, address) " +
			"VALUES (1, '', '', 'key.created', '', '', '')", "without a hash", 0},
		{"UPDATE audit_events SET detail = detail", "", 0},
		{"UPDATE audit_events SET detail = 'x' WHERE sequence = 1", "tampered", 1},
		{"DROP TABLE audit_chains", "not verified", 1},
	} {
		got := logged(test.statement)
		if (test.want == "") != (got == "") || !strings.Contains(got, test.want) {
			t.Errorf("after %s, the log is %q; want %q", test.statement, got, test.want)
		}

		scrape := httptest.NewRecorder()
		s.Metrics.Handler().ServeHTTP(scrape, httptest.NewRequest(http.MethodGet, "/metrics", nil))
		want := fmt.Sprint("\nmatching_audit_log_faults ", test.faults, "\n")
		if !strings.Contains(scrape.Body.String(), want) {
			t.Errorf("after %s, the metrics don't have %q", test.statement, want)
		}
	}
}
