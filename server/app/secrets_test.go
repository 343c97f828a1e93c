package app

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/setup"
)

// A start encrypts the secrets that are in the database, and says so if it can't decrypt them.
func TestResealSecrets(t *testing.T) {
	c := config.Default()
	c.Data = t.TempDir()
	db, err := setup.CreateDatabase(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2031, 5, 17, 9, 30, 0, 0, time.UTC)
	err = db.Users.Register(t.Context(), account.Registration{
		Account: &account.Account{ID: "acc_1", Name: "Kiln", Plan: "freelancer", PlanSince: at, Created: at},
		User: account.User{
			ID: "usr_1", Account: "acc_1", Email: "ada@example.com", Role: account.Owner, Password: "hash", Created: at,
			TwoFactor: account.TwoFactor{Secret: "JBSWY3DPEHPK3PXP", Since: at},
		},
	}, at)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	for _, step := range []struct{ name, keys, log string }{
		{"a first key", "YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWE=", "secrets in the database encrypted"},
		{"the same key", "YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWE=", ""},
		{"another key", "YmJiYmJiYmJiYmJiYmJiYmJiYmJiYmJiYmJiYmJiYmI=", "can't be decrypted"},
		{"an invalid key", "secret", "line 1"},
	} {
		t.Run(step.name, func(t *testing.T) {
			c.Database.Secrets = config.NewSecret(step.keys)
			var log bytes.Buffer
			s := &Server{config: c, log: slog.New(slog.NewTextHandler(&log, nil))}
			if s.Access, err = OpenAccess(t.Context(), c, s.log); err != nil {
				log.WriteString(err.Error())
			} else {
				err = s.resealSecrets(t.Context())
				defer s.Access.Close()
			}
			if !strings.Contains(log.String(), step.log) || step.log == "" && log.Len() > 0 {
				t.Errorf("got %q and %v, want %q", log.String(), err, step.log)
			}
		})
	}

	for _, name := range []string{"matching.db", "matching.db-wal"} {
		content, err := os.ReadFile(filepath.Join(c.Data, name))
		if err == nil && bytes.Contains(content, []byte("JBSWY3DPEHPK3PXP")) {
			t.Errorf("%s has the secret as it is", name)
		}
	}
}
