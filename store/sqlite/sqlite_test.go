package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/access/quota"
	"github.com/freelancer-matching/service/access/quota/quotatest"
	"github.com/freelancer-matching/service/access/usage"
	"github.com/freelancer-matching/service/store"
	"github.com/freelancer-matching/service/store/migration"
	"github.com/freelancer-matching/service/store/storetest"
)

func TestKeys(t *testing.T)     { storetest.Keys(t, openEmpty) }
func TestAccounts(t *testing.T) { storetest.Accounts(t, openEmpty) }
func TestUsage(t *testing.T)    { storetest.Usage(t, openEmpty) }
func TestQuota(t *testing.T) {
	quotatest.Store(t, func(t *testing.T) quota.Store { return newDB(t).Quotas })
}

// Two servers share a file while one replaces the other.
func TestQuota_TwoServers(t *testing.T) {
	quotatest.Shared(t, func(t *testing.T) []quota.Store {
		path := filepath.Join(t.TempDir(), "service.db")
		return []quota.Store{openFile(t, path).Quotas, openFile(t, path).Quotas}
	})
}

func TestSessions(t *testing.T) {
	storetest.Sessions(t, func(t *testing.T) storetest.SessionStore { return newDB(t).Sessions })
}

func openEmpty(t *testing.T) *store.DB { return newDB(t) }

func newDB(t testing.TB) *store.DB { return openFile(t, filepath.Join(t.TempDir(), "service.db")) }

func openFile(t testing.TB, path string) *store.DB {
	t.Helper()
	db, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// connectRaw returns a connection that bypasses the store.
func connectRaw(t testing.TB, path string) *sql.DB {
	t.Helper()
	pool, err := connect(path, 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pool.Close() })
	return pool
}

func key(n string) apikey.Key {
	return apikey.Key{
		ID: "key_" + n, Name: n, Plan: "freelancer", Prefix: "svc_fr_", Last4: "wxyz",
		Hash: apikey.HashOf(n), Counter: "key_" + n,
		PlanSince: time.Unix(1, 0).UTC(), Created: time.Unix(1, 0).UTC(),
	}
}

func insert(t testing.TB, db *store.DB, keys ...apikey.Key) {
	t.Helper()
	err := db.Keys.Update(t.Context(), "", func([]apikey.Key) (apikey.Changes, error) {
		return apikey.Changes{Keys: keys}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The driver ignores pragmas that it does not understand, so the test reads them back from a connection.
func TestConnect_PragmasTakeEffect(t *testing.T) {
	path := filepath.Join(t.TempDir(), "with space, 100% and ?.db")
	openFile(t, path)
	if _, err := os.Stat(path); err != nil {
		t.Errorf("the file does not have the given name: %v", err)
	}
	pool := connectRaw(t, path)
	want := map[string]string{"busy_timeout": "5000", "journal_mode": "wal", "synchronous": "1", "foreign_keys": "1"}
	for pragma, value := range want {
		var got string
		if err := pool.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got); err != nil || got != value {
			t.Errorf("%s is %q (%v), want %q", pragma, got, err, value)
		}
	}
}

func TestOpen_ExistingDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "service.db")
	insert(t, openFile(t, path), key("1"))
	second := openFile(t, path) // while the first is open, as another process would open it
	if _, err := second.Keys.FindByHash(t.Context(), key("1").Hash); err != nil {
		t.Error(err)
	}
}

// Passwords are hashed, but nobody else should be able to guess them offline.
func TestOpen_FilesAreReadableByTheirOwnerOnly(t *testing.T) {
	folder := t.TempDir()
	insert(t, openFile(t, filepath.Join(folder, "service.db")), key("1"))
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) < 2 {
		t.Fatalf("files %v (%v), want the database and its log", entries, err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v (%v), want 0600", e.Name(), info.Mode(), err)
		}
	}
}

// firstVersion creates a database with the schema of the first release and two keys.
func firstVersion(t *testing.T, path string) {
	t.Helper()
	script, err := fs.ReadFile(migrations, "migrations/0001_keys.sql")
	if err != nil {
		t.Fatal(err)
	}

	pool := connectRaw(t, path)
	old := fstest.MapFS{"0001_keys.sql": {Data: script}}
	if err := migration.Run(t.Context(), pool, dialect().LockSchema, old); err != nil {
		t.Fatal(err)
	}

	for n, created := range map[string]int64{"1": 1_000_000, "2": 2_000_000} {
		hash := apikey.HashOf(n)
		_, err := pool.ExecContext(t.Context(), `
			INSERT INTO api_keys (id, name, plan, prefix, last4, hash, created)
			VALUES ($1, $2, 'freelancer', 'svc_fr_', 'wxyz', $3, $4)`, "key_"+n, n, hash[:], created)
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestOpen_MigratesKeysOfTheFirstVersion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "service.db")
	firstVersion(t, path)
	second := key("2")
	second.PlanSince, second.Created = time.Unix(2, 0).UTC(), time.Unix(2, 0).UTC()
	got, err := openFile(t, path).Keys.ListOf(t.Context(), "")
	if diff := cmp.Diff([]apikey.Key{key("1"), second}, got); diff != "" || err != nil {
		t.Errorf("keys: %v (-want +got):\n%s", err, diff)
	}
}

// The second version did not store the end of grace periods or who created links. The migration reconstructs both.
func TestOpen_MigratesKeysAndLinksOfTheSecondVersion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "service.db")
	second := fstest.MapFS{}
	for _, name := range []string{"0001_keys.sql", "0002_accounts.sql"} {
		script, err := fs.ReadFile(migrations, "migrations/"+name)
		if err != nil {
			t.Fatal(err)
		}
		second[name] = &fstest.MapFile{Data: script}
	}

	pool := connectRaw(t, path)
	if err := migration.Run(t.Context(), pool, dialect().LockSchema, second); err != nil {
		t.Fatal(err)
	}

	for n, plan := range map[string]string{"current prefix": "freelancer", "earlier prefix": "enterprise"} {
		hash := apikey.HashOf(n)
		_, err := pool.ExecContext(t.Context(), `
			INSERT INTO api_keys (id, name, plan, prefix, last4, hash, created, expires)
			VALUES ($1, $1, $2, 'svc_fr_', 'wxyz', $3, 0, 1000000)`, n, plan, hash[:])
		if err != nil {
			t.Fatal(err)
		}
	}

	for n, creator := range map[string]string{"lnk_1": "usr_1", "lnk_2": audit.CommandLine} {
		token := sha256.Sum256([]byte(n))
		_, err := pool.ExecContext(t.Context(), `
			INSERT INTO links (id, token, purpose, email, account, plan, role, user_id, created, expires)
			VALUES ($1, $2, 'invitation', '', '', '', '', '', 0, 1000000)`, n, token[:])
		if err != nil {
			t.Fatal(err)
		}

		_, err = pool.ExecContext(t.Context(), `
			INSERT INTO audit_events (at, actor, account, action, subject, detail, address)
			VALUES (0, $1, '', 'link.made', $2, '', '')`, creator, n)
		if err != nil {
			t.Fatal(err)
		}
	}

	db := openFile(t, path)
	end := time.Unix(1, 0).UTC()
	for id, grace := range map[string]time.Time{"current prefix": {}, "earlier prefix": end} {
		if k, err := db.Keys.Find(t.Context(), id); err != nil || k.Expires != end || k.GraceEnd != grace {
			t.Errorf("%s: expires at %v with grace until %v (%v), want %v and %v", id, k.Expires, k.GraceEnd, err, end, grace)
		}
	}

	links, err := db.Links.List(t.Context(), "", time.Unix(0, 0))
	if err != nil || len(links) != 2 || links[0].CreatedBy != audit.CommandLine || links[1].CreatedBy != "usr_1" {
		t.Errorf("Links = %+v, %v; want their creators", links, err)
	}
}

func TestOpen_ConcurrentMigrations(t *testing.T) {
	for name, prepare := range map[string]func(t *testing.T, path string){
		"empty database":                func(*testing.T, string) {},
		"database of the first version": firstVersion,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "service.db")
			prepare(t, path)
			var group sync.WaitGroup
			for range 8 {
				group.Go(func() {
					db, err := Open(t.Context(), path)
					if err != nil {
						t.Error(err)
						return
					}

					if err := db.Ping(t.Context()); err != nil {
						t.Error(err)
					}

					if err := db.Close(); err != nil {
						t.Error(err)
					}
				})
			}

			group.Wait()
		})
	}
}

func TestOpen_Errors(t *testing.T) {
	newer := filepath.Join(t.TempDir(), "newer.db")
	openFile(t, newer)
	if _, err := connectRaw(t, newer).ExecContext(t.Context(), "UPDATE schema_version SET version = 999"); err != nil {
		t.Fatal(err)
	}

	text := filepath.Join(t.TempDir(), "text.db")
	if err := os.WriteFile(text, []byte(strings.Repeat("not a database\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}

	tests := []struct{ name, path, want string }{
		{"newer schema", newer, "schema version 999"},
		{"missing folder", filepath.Join(t.TempDir(), "none", "x.db"), "open database"},
		{"other file", text, "not a database"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Open(t.Context(), tt.path); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

func TestMigrate_RollsBackFailedScripts(t *testing.T) {
	good := &fstest.MapFile{Data: []byte("CREATE TABLE good (x); INSERT INTO good VALUES (1)")}
	tests := []struct {
		name, want string
		files      fstest.MapFS
		tables     map[string]bool
	}{
		{"second statement fails", "0002_b.sql", fstest.MapFS{
			"0001_a.sql": good, "0002_b.sql": {Data: []byte("CREATE TABLE half (x); CREATE TABLE broken (")},
		}, map[string]bool{"good": true, "half": false}},
		{"missing number", "migration 2 is missing", fstest.MapFS{
			"0001_a.sql": good, "0003_c.sql": {Data: []byte("CREATE TABLE c (x)")},
		}, map[string]bool{"good": false, "c": false}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			pool := connectRaw(t, filepath.Join(t.TempDir(), "service.db"))
			for range 2 { // the second call starts from what the first one left
				err := migration.Run(t.Context(), pool, dialect().LockSchema, tt.files)
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("error %v, want %q", err, tt.want)
				}
			}

			for table, want := range tt.tables {
				var n int
				err := pool.QueryRowContext(t.Context(), "SELECT count(*) FROM "+table).Scan(&n)
				if (err == nil) != want || want && n != 1 {
					t.Errorf("table %s has %d rows (%v), want that it exists: %t", table, n, err, want)
				}
			}
		})
	}
}

func TestPing(t *testing.T) {
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "service.db"))
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Ping(t.Context()); err != nil {
		t.Error(err)
	}
	if db.Type() != "sqlite" {
		t.Errorf("Type = %q, want sqlite", db.Type())
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := db.Ping(t.Context()); err == nil {
		t.Error("Ping succeeded on a closed database")
	}
}

func TestBackup_Restores(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "service.db")
	db := openFile(t, path)
	insert(t, db, key("1"))
	used := usage.Batch{LastUsed: map[string]usage.Use{"key_1": {At: time.Unix(9, 0)}}}
	if err := db.Usage.AddUsage(t.Context(), used); err != nil {
		t.Fatal(err)
	}

	copyPath := filepath.Join(folder, "file:copy?.db")
	if err := Backup(t.Context(), path, copyPath); err != nil {
		t.Fatal(err)
	}

	insert(t, db, key("2")) // after the backup

	if info, err := os.Stat(copyPath); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the copy is %v (%v), want a file that only its owner can read", info, err)
	}

	want := key("1")
	want.LastUsed = time.Unix(9, 0).UTC()
	restored := openFile(t, copyPath)
	got, err := restored.Keys.List(t.Context())
	if diff := cmp.Diff([]apikey.Key{want}, got); diff != "" || err != nil {
		t.Errorf("keys of the copy: %v (-want +got):\n%s", err, diff)
	}

	insert(t, restored, key("3"))
}

func TestBackup_OverwritesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "service.db")
	openFile(t, path)
	existing := filepath.Join(t.TempDir(), "existing")
	if err := os.WriteFile(existing, nil, 0o600); err != nil { // SQLite would overwrite an empty file
		t.Fatal(err)
	}
	if err := Backup(t.Context(), path, existing); err == nil {
		t.Error("an existing file was overwritten")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	unfinished := filepath.Join(t.TempDir(), "unfinished")
	if err := Backup(ctx, path, unfinished); err == nil {
		t.Error("a canceled backup returns no error")
	}
	if _, err := os.Stat(unfinished); !os.IsNotExist(err) {
		t.Errorf("an unfinished backup remains: %v", err)
	}
}

// A misspelled path is an error rather than the backup of an empty database.
func TestBackup_CreatesNoDatabase(t *testing.T) {
	folder := t.TempDir()
	into := filepath.Join(folder, "copy.db")
	if err := Backup(t.Context(), filepath.Join(folder, "none.db"), into); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Backup: %v, want fs.ErrNotExist", err)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) > 0 {
		t.Errorf("the folder contains %v (%v), want nothing", entries, err)
	}
}

// A new release can back up the database of an old one that is still in use.
func TestBackup_KeepsTheSchema(t *testing.T) {
	path := filepath.Join(t.TempDir(), "service.db")
	into := filepath.Join(t.TempDir(), "copy.db")
	firstVersion(t, path)
	if err := Backup(t.Context(), path, into); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{path, into} {
		var version int
		row := connectRaw(t, file).QueryRowContext(t.Context(), "SELECT version FROM schema_version")
		if err := row.Scan(&version); err != nil || version != 1 {
			t.Errorf("%s has schema version %d (%v), want 1", filepath.Base(file), version, err)
		}
	}
}
