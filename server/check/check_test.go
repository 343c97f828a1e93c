package check_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/internal/synthetic"
	"github.com/freelancer-matching/service/notices/mail/smtptest"
	"github.com/freelancer-matching/service/people"
	"github.com/freelancer-matching/service/server/check"
	"github.com/freelancer-matching/service/setup"
	"github.com/freelancer-matching/service/store"
)

var now = time.Date(2031, 5, 17, 9, 30, 0, 0, time.UTC)

// newInstallation returns the settings of a data folder with a database, a key that was created now, and an index.
func newInstallation(t *testing.T) config.Config {
	t.Helper()
	c := config.Default()
	c.Data = filepath.Join(t.TempDir(), "data")
	c.Version = "1.2.3"
	db, err := setup.CreateDatabase(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}

	keys := apikey.NewService(db.Keys, func() time.Time { return now })
	_, _, err = keys.Create(t.Context(), audit.By{Actor: audit.System}, apikey.Request{Name: "Test", Plan: "freelancer"})
	if err != nil {
		t.Fatal(err)
	}

	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	generator, err := synthetic.New()
	if err != nil {
		t.Fatal(err)
	}

	index, err := setup.OpenIndex(c, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}

	if err := index.Fill(t.Context(), generator.Freelancers(20, 1), "generated", "USD"); err != nil {
		t.Fatal(err)
	}

	if err := index.Close(); err != nil {
		t.Fatal(err)
	}

	return c
}

// change opens the database.
func change(t *testing.T, c config.Config, change func(db *store.DB) error) {
	t.Helper()
	db, err := setup.CreateDatabase(t.Context(), c)
	if err == nil {
		err = errors.Join(change(db), db.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// erase puts a freelancer on the list of erased people.
func erase(t *testing.T, c config.Config, id string) {
	t.Helper()
	key := bytes.Repeat([]byte{7}, 32)
	h := hmac.New(sha256.New, key)
	h.Write([]byte(id))
	entry := people.Entry{Key: key, Kind: people.KindID, Hash: hex.EncodeToString(h.Sum(nil)), Erased: now}
	change(t, c, func(db *store.DB) error {
		if err := db.ErasedPeople.MergeErased(t.Context(), []people.Entry{entry}); err != nil {
			return err
		}
		_, err := setup.OpenErased(c, db).Sync(t.Context())
		return err
	})
}

// mailServer starts a mail server and configures it, with a password that may be wrong.
func mailServer(t *testing.T, c *config.Config, password string) {
	t.Helper()
	s := smtptest.Start(t, smtptest.STARTTLS)
	c.Notices.SMTP = "smtp://" + smtptest.User + "@" + s.Address
	c.Notices.From = "matching@example.com"
	c.Notices.CACert = s.CA
	c.Notices.SMTPPassword = config.NewSecret(password)
}

// firstID returns the ID of a freelancer of the live index.
func firstID(t *testing.T) string {
	t.Helper()
	generator, err := synthetic.New()
	if err != nil {
		t.Fatal(err)
	}
	for f := range generator.Freelancers(1, 1) {
		return f.ID
	}
	t.Fatal("no freelancer")
	return ""
}

// overwrite changes the bytes in the middle of a file.
func overwrite(t *testing.T, path string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	middle := len(content) / 2
	copy(content[middle:], bytes.Repeat([]byte{0xA5}, min(8192, len(content)-middle)))
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestRun(t *testing.T) {
	must := func(t *testing.T, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}

	database := func(c config.Config) string { return filepath.Join(c.Data, "matching.db") }
	var clock time.Duration // that the machine is ahead
	for _, tt := range []struct {
		name    string
		change  func(t *testing.T, c *config.Config)
		subject string
		state   string
		text    string // part of the text
		next    string // part of what to do
	}{
		{"healthy database", nil, "database", check.OK, "schema version", ""},
		{"healthy index", nil, "index", check.OK, "20 freelancers", ""},
		{"clock", nil, "clock", check.OK, "agrees", ""},
		{"disk", nil, "disk", check.OK, "free", ""},
		{"data folder", nil, "data folder", check.OK, "-rwxr-x---", ""},
		{
			"no data folder", func(_ *testing.T, c *config.Config) { c.Data += "x" },
			"data folder", check.Error, "does not exist", "-data",
		},
		{
			"mail server", func(t *testing.T, c *config.Config) { mailServer(t, c, smtptest.Password) },
			"notices", check.OK, "accepts the connection and the user", "",
		},
		{
			"wrong password of the mail server", func(t *testing.T, c *config.Config) { mailServer(t, c, "wrong") },
			"notices", check.Error, "wrong user or password", "-smtp-password-file",
		},
		{
			"endpoint of notices", func(_ *testing.T, c *config.Config) {
				c.Notices.WebhookURL = "https://example.com/notices"
				c.Notices.WebhookSecret = config.NewSecret("whsec_" + strings.Repeat("YWFh", 8))
			},
			"notices", check.OK, "server notices test", "",
		},
		{
			"secret of notices", func(_ *testing.T, c *config.Config) {
				c.Notices.WebhookURL = "https://example.com/notices"
				c.Notices.WebhookSecret = config.NewSecret("wrong")
			},
			"notices", check.Error, "must be whsec_", "correct the settings",
		},
		{
			"open data folder", func(t *testing.T, c *config.Config) { must(t, os.Chmod(c.Data, 0o755)) },
			"data folder", check.Warning, "open to all users", "chmod o-rwx",
		},
		{
			"open database", func(t *testing.T, c *config.Config) { must(t, os.Chmod(database(*c), 0o644)) },
			"secrets", check.Warning, "matching.db", "chmod o-rwx",
		},
		{
			"damaged database", func(t *testing.T, c *config.Config) { overwrite(t, database(*c)) },
			"database", check.Error, "damaged", "server restore FILE",
		},
		{
			"other file", func(t *testing.T, c *config.Config) {
				must(t, os.WriteFile(database(*c), []byte(strings.Repeat("text\n", 2000)), 0o600))
			},
			"database", check.Error, "not a database", "server restore FILE",
		},
		{
			"lost database", func(t *testing.T, c *config.Config) { must(t, os.Remove(database(*c))) },
			"database", check.Error, "there was one", "server -new-database",
		},
		{
			"emptied database", func(t *testing.T, c *config.Config) { must(t, os.Truncate(database(*c), 0)) },
			"database", check.Error, "there was one", "server restore FILE",
		},
		{
			"no database yet", func(t *testing.T, c *config.Config) {
				must(t, os.Remove(database(*c)))
				must(t, os.Remove(database(*c)+".created"))
			},
			"database", check.Warning, "no database yet", "start the server",
		},
		{
			"damaged list of erased people", func(t *testing.T, c *config.Config) {
				must(t, os.WriteFile(filepath.Join(c.Data, people.CopyFile), nil, 0o600))
			},
			"erased people", check.Error, "damaged", "erase the people again",
		},
		{
			"list of erased people", func(t *testing.T, c *config.Config) { erase(t, *c, "somebody") },
			"erased people", check.OK, "1 ID or address", "",
		},
		{
			"lost list of erased people", func(t *testing.T, c *config.Config) {
				change(t, *c, func(db *store.DB) error {
					return db.AuditLog.Record(t.Context(), audit.Event{At: now, Action: audit.PersonErased})
				})
			},
			"erased people", check.Warning, "the list of them is missing", people.CopyFile,
		},
		{
			"database older than the list of erased people", func(t *testing.T, c *config.Config) {
				before, err := os.ReadFile(database(*c))
				must(t, err)
				erase(t, *c, "somebody")
				must(t, os.WriteFile(database(*c), before, 0o600))
			},
			"erased people", check.Warning, "has 1 entry", "start the server",
		},
		{
			"no database beside the list of erased people", func(t *testing.T, c *config.Config) {
				erase(t, *c, "somebody")
				must(t, os.Remove(database(*c)))
				must(t, os.Remove(database(*c)+".created"))
			},
			"erased people", check.Warning, "there is no database", "-database-url",
		},
		{
			"erased person in the live index", func(t *testing.T, c *config.Config) { erase(t, *c, firstID(t)) },
			"erased people", check.Error, "the live index has 1 person", "indexer reindex",
		},
		{
			"clock set back", func(*testing.T, *config.Config) { clock = -time.Hour },
			"clock", check.Warning, "1h0m0s behind", "NTP",
		},
		{
			"damaged record", func(t *testing.T, c *config.Config) {
				files, err := filepath.Glob(filepath.Join(c.Data, "indexes", "*", "records.ndjson"))
				if err != nil || len(files) != 1 {
					t.Fatal(files, err)
				}
				overwrite(t, files[0])
			},
			"index", check.Error, "damaged", "indexer load -upsert",
		},
		{
			"damaged alias", func(t *testing.T, c *config.Config) {
				must(t, os.WriteFile(filepath.Join(c.Data, "indexes", "freelancers.alias"), nil, 0o600))
			},
			"alias", check.Error, "alias", "indexer rollback",
		},
		{
			"no freelancers", func(t *testing.T, c *config.Config) {
				must(t, os.RemoveAll(filepath.Join(c.Data, "indexes")))
			},
			"index", check.Warning, "no freelancers are loaded", "indexer load FILE",
		},
		{
			"redis without a response", func(_ *testing.T, c *config.Config) { c.Quota.RedisURL = "redis://127.0.0.1:1" },
			"redis", check.Error, "refused", "-redis-url",
		},
		{
			"clock of redis", func(t *testing.T, c *config.Config) {
				server := miniredis.RunT(t)
				server.SetTime(now.Add(-time.Hour))
				c.Quota.RedisURL = "redis://" + server.Addr()
			},
			"clock", check.Warning, "ahead of the clock of Redis", "NTP",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newInstallation(t)
			clock = 0

			if tt.change != nil {
				tt.change(t, &c)
			}
			before := files(t, c.Data)
			findings := check.Run(t.Context(), c, func() time.Time { return now.Add(clock) }, slog.New(slog.DiscardHandler))
			found := false
			for _, f := range findings {
				if f.Subject == tt.subject && f.State == tt.state {
					found = found || strings.Contains(f.Text, tt.text) && strings.Contains(f.Next, tt.next)
				}
				if (f.State == check.OK) != (f.Next == "") || strings.Contains(f.Text, "\n") {
					t.Errorf("finding %+v: want something to do unless it is OK, and a single line", f)
				}
			}

			if !found {
				t.Errorf("no %s about %s with %q and %q in %+v", tt.state, tt.subject, tt.text, tt.next, findings)
			}

			if after := files(t, c.Data); after != before {
				t.Errorf("the check changed the files from\n%s\nto\n%s", before, after)
			}
		})
	}
}

// files lists the files of a folder, except for those that SQLite keeps while a database is open.
func files(t *testing.T, folder string) string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if !strings.HasSuffix(path, "-wal") && !strings.HasSuffix(path, "-shm") {
			names = append(names, path)
		}
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Join(names, "\n")
}
