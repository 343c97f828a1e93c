package app

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/setup"
)

// What the retention periods cover is gone or pseudonymous when they end, and not before.
func TestExpire_AppliesRetention(t *testing.T) {
	c := config.Default()
	c.Data = t.TempDir()
	c.Retention.Audit = 48 * time.Hour
	c.Retention.DeadLetters = 24 * time.Hour
	s, err := Open(t.Context(), c, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()

	by := audit.By{Actor: "usr_000000000001", Address: "192.0.2.7"}
	if _, _, err := s.Keys.Create(t.Context(), by, apikey.Request{Name: "Ada", Plan: "freelancer"}); err != nil {
		t.Fatal(err)
	}
	letters := setup.DeadLetterFile(c.Data, "index")
	if err := os.MkdirAll(filepath.Dir(letters), 0o700); err != nil {
		t.Fatal(err)
	}

	if err := os.WriteFile(letters, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}

	for _, test := range []struct {
		after                time.Duration
		address, haveLetters bool
	}{
		{23 * time.Hour, true, true}, {25 * time.Hour, true, false}, {49 * time.Hour, false, false},
	} {
		if err := s.expire(t.Context(), time.Now().Add(test.after)); err != nil {
			t.Fatal(err)
		}
		events, err := s.AuditLog.Events(t.Context(), audit.Query{Limit: 10})
		if err != nil || len(events) != 1 {
			t.Fatalf("events %v (%v), want one", events, err)
		}

		if address := events[0].Address != "" && events[0].Actor == by.Actor; address != test.address {
			t.Errorf("after %s, the entry is %+v", test.after, events[0])
		}

		if _, err := os.Stat(letters); (err == nil) != test.haveLetters {
			t.Errorf("after %s, the dead letters: %v", test.after, err)
		}
	}
}
