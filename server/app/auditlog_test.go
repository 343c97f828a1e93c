package app

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"freelancer-matching/access/apikey"
	"freelancer-matching/access/audit"
	"freelancer-matching/internal/config"
)

// The log says when the audit log was tampered with, and when entries are put in without a hash.
func TestCheckAuditLog(t *testing.T) {
	c := config.Default()
	c.Data = t.TempDir()
	var out bytes.Buffer
	s := &Server{config: c, log: slog.New(slog.NewTextHandler(&out, nil))}
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

	for _, test := range []struct{ statement, want string }{
		{"UPDATE audit_events SET detail = detail", ""},
		{"INSERT INTO audit_events (at, actor, account, action, subject, detail, address) " +
			"VALUES (1, '', '', 'key.created', '', '', '')", "without a hash"},
		{"UPDATE audit_events SET detail = detail", ""},
		{"UPDATE audit_events SET detail = 'x' WHERE sequence = 1", "tampered"},
		{"DROP TABLE audit_chains", "not verified"},
	} {
		if got := logged(test.statement); (test.want == "") != (got == "") || !strings.Contains(got, test.want) {
			t.Errorf("after %s, the log is %q; want %q", test.statement, got, test.want)
		}
	}
}
