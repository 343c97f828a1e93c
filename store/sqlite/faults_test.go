package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/usage"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/skills"
	"github.com/freelancer-matching/service/store"
	"github.com/freelancer-matching/service/store/sqldb"
)

// openPragma opens the database in a file on a single connection with a pragma.
func openPragma(t *testing.T, path, pragma string) *store.DB {
	t.Helper()
	pool := connectRaw(t, path)
	if _, err := pool.ExecContext(t.Context(), "PRAGMA "+pragma); err != nil {
		t.Fatal(err)
	}
	db, err := store.New(t.Context(), dialect(), sqldb.Pools{Write: pool, Read: pool, Count: pool, Health: pool})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// fillPages fills the pages of the database in a file, so that the next row needs another page.
func fillPages(t *testing.T, db *store.DB) {
	t.Helper()
	for _, size := range []int{64 << 10, 100} {
		for n := range 5000 {
			token := time.Duration(size + n).String()
			err := db.Sessions.CommitCtx(t.Context(), token, make([]byte, size), time.Now().Add(time.Hour))
			if matching.CodeOf(err) == matching.CodeStorageFull {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// writes returns an operation of every kind that changes the database.
func writes(db *store.DB) map[string]func(ctx context.Context) error {
	now := time.Now()
	return map[string]func(ctx context.Context) error{
		"sign up": func(ctx context.Context) error {
			return db.Users.Register(ctx, account.Registration{
				Account: &account.Account{
					ID: "acc_2", Name: string(make([]byte, 8<<10)), Plan: "freelancer", PlanSince: now, Created: now,
				},
				User: account.User{ID: "usr_2", Account: "acc_2", Email: "b@example.com", Role: account.Owner, Created: now},
			}, now)
		},
		"create a key": func(ctx context.Context) error {
			return db.Keys.Update(ctx, "", func([]apikey.Key) (apikey.Changes, error) {
				k := key("2")
				k.Name = string(make([]byte, 8<<10))
				return apikey.Changes{Keys: []apikey.Key{k}}, nil
			})
		},
		"store a session": func(ctx context.Context) error {
			return db.Sessions.CommitCtx(ctx, "token", make([]byte, 8<<10), now.Add(time.Hour))
		},
		"store an interview": func(ctx context.Context) error {
			r := interview.Record{ID: "ses_1", Version: 1, Open: true, Expires: now.Add(time.Hour), Data: make([]byte, 8<<10)}
			return db.Interviews.Insert(ctx, r, interview.Limits{}, now, nil)
		},
		"record usage": func(ctx context.Context) error {
			b := usage.Batch{LastUsed: map[string]usage.Use{"key_1": {At: now}}}
			for n := range 1000 {
				day := time.Unix(0, 0).UTC().AddDate(0, 0, n)
				b.Counts = append(b.Counts, usage.Count{Key: "key_1", Start: day, Operation: "match", Status: 200, Requests: 1})
			}
			return db.Usage.AddUsage(ctx, b)
		},
		"keep a verdict": func(ctx context.Context) error {
			v := skills.Verdict{Word: string(make([]byte, 8<<10))}
			return db.Verdicts.KeepVerdict(ctx, "word", v, now, now.Add(time.Hour))
		},
	}
}

func wantCode(t *testing.T, operation string, err error, want matching.Code) {
	t.Helper()
	e, ok := errors.AsType[*matching.Error](err)
	if !ok || e.Code != want || e.RetryAfter <= 0 {
		t.Errorf("%s: %v, want %s with RetryAfter", operation, err, want)
	}
}

// All operations that change a database which cannot be changed return the code of the fault, and reading goes on.
func TestFaults_OfWriting(t *testing.T) {
	for _, tt := range []struct {
		name, pragma string
		prepare      func(t *testing.T, path string)
		want         matching.Code
	}{
		{"full", "max_page_count = 1", nil, matching.CodeStorageFull}, // SQLite raises it to the number of pages
		{"read-only", "query_only = ON", nil, matching.CodeStorageReadOnly},
		{"locked", "busy_timeout = 0", holdWriteLock, matching.CodeDatabaseLocked},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "service.db")
			insert(t, openFile(t, path), key("1"))
			if tt.prepare != nil {
				tt.prepare(t, path)
			}

			db := openPragma(t, path, tt.pragma)
			if tt.want == matching.CodeStorageFull {
				fillPages(t, db)
			}

			observed := map[matching.Code]int{}
			db.ObserveFaults(func(code matching.Code) { observed[code]++ })

			for operation, write := range writes(db) {
				wantCode(t, operation, write(t.Context()), tt.want)
			}

			if observed[tt.want] != len(writes(db)) || len(observed) != 1 {
				t.Errorf("observed %v, want %s %d times", observed, tt.want, len(writes(db)))
			}

			wantCode(t, "probe", db.Probe(t.Context()), tt.want)
			wantCode(t, "health", db.Health(t.Context()), tt.want)

			if _, err := db.Keys.FindByHash(t.Context(), key("1").Hash); err != nil {
				t.Errorf("the key cannot be read: %v", err)
			}

			if tt.want != matching.CodeStorageFull { // a count needs no further page
				_, _, err := db.Quotas.Take(t.Context(), "key_1", windows(1<<40))
				wantCode(t, "count a request", err, tt.want)
			}
		})
	}
}

// Health remembers a failed write until a probe that is as large as a request succeeds.
func TestHealth_RemembersAFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "service.db")
	insert(t, openFile(t, path), key("1"))
	pool := connectRaw(t, path)
	db, err := store.New(t.Context(), dialect(), sqldb.Pools{Write: pool, Read: pool, Count: pool, Health: pool})
	if err != nil {
		t.Fatal(err)
	}

	limitPages := func(n int) {
		if _, err := pool.ExecContext(t.Context(), fmt.Sprintf("PRAGMA max_page_count = %d", n)); err != nil {
			t.Fatal(err)
		}
	}

	for _, err := range []error{db.Health(t.Context()), db.Probe(t.Context()), db.Health(t.Context())} {
		if err != nil {
			t.Fatalf("a database without a fault: %v", err)
		}
	}

	limitPages(1) // SQLite raises it to the number of pages
	write := writes(db)["store a session"]
	wantCode(t, "write", write(t.Context()), matching.CodeStorageFull)
	wantCode(t, "health after a failed write", db.Health(t.Context()), matching.CodeStorageFull)

	if _, _, err := db.Quotas.Take(t.Context(), "key_1", windows(1<<40)); err != nil {
		t.Errorf("a count, which needs no further page: %v", err)
	}

	wantCode(t, "health after a small write", db.Health(t.Context()), matching.CodeStorageFull)
	wantCode(t, "probe of a full disk", db.Probe(t.Context()), matching.CodeStorageFull)
	limitPages(1 << 20)
	wantCode(t, "health before a probe", db.Health(t.Context()), matching.CodeStorageFull)

	if err := errors.Join(db.Probe(t.Context()), db.Health(t.Context()), write(t.Context())); err != nil {
		t.Errorf("after the disk has room again: %v", err)
	}
}

// While the database cannot be written, a stored verdict is still found; only the request is not counted.
func TestVerdict_WhileReadOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "service.db")
	now := time.Unix(1_900_000_000, 0)
	stored := skills.Verdict{Word: "zeplin", Kind: matching.TypeSkill, Name: "Zeplin"}
	verdicts := openFile(t, path).Verdicts
	if err := verdicts.KeepVerdict(t.Context(), "zeplin", stored, now, now.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	db := openPragma(t, path, "query_only = ON")
	if got, err := db.Verdicts.Verdict(t.Context(), "zeplin", now); err != nil || got.Name != "Zeplin" {
		t.Errorf("Verdict = %+v, %v; want the stored one", got, err)
	}
	wantCode(t, "health", db.Health(t.Context()), matching.CodeStorageReadOnly)
}

// holdWriteLock holds the write lock of the database, like another process that never ends its transaction.
func holdWriteLock(t *testing.T, path string) {
	t.Helper()
	tx, err := connectRaw(t, path).BeginTx(t.Context(), &sql.TxOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tx.Rollback() })
}

// Overwritten pages are reported as damage, whether the database is already open or not.
func TestFaults_DamagedPages(t *testing.T) {
	path := filepath.Join(t.TempDir(), "service.db")
	db, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}

	insert(t, db, key("1"))
	if err := db.Close(); err != nil { // also empties the write-ahead log
		t.Fatal(err)
	}

	overwriteTables(t, path)
	pool := connectRaw(t, path)
	damaged, err := store.New(t.Context(), dialect(), sqldb.Pools{Write: pool, Read: pool, Count: pool, Health: pool})
	if err != nil {
		t.Fatal(err)
	}

	wantCode(t, "find damage", damaged.FindDamage(t.Context()), matching.CodeDatabaseCorrupt)
	wantCode(t, "health", damaged.Health(t.Context()), matching.CodeDatabaseCorrupt)
	_, err = damaged.Keys.FindByHash(t.Context(), key("1").Hash)
	wantCode(t, "look up a key", err, matching.CodeDatabaseCorrupt)

	for operation, write := range writes(damaged) {
		wantCode(t, operation, write(t.Context()), matching.CodeDatabaseCorrupt)
	}

	_, err = Open(t.Context(), path)
	wantCode(t, "open", err, matching.CodeDatabaseCorrupt)
}

// overwriteTables overwrites the first page of every table and every index in a database file.
func overwriteTables(t *testing.T, path string) {
	t.Helper()
	pool := connectRaw(t, path)
	rows, err := pool.QueryContext(t.Context(),
		"SELECT rootpage, page_size FROM sqlite_master, pragma_page_size WHERE rootpage > 0")
	if err != nil {
		t.Fatal(err)
	}

	file, err := os.OpenFile(path, os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}

	for rows.Next() {
		var page, size int64
		if err := rows.Scan(&page, &size); err != nil {
			t.Fatal(err)
		}

		if _, err := file.WriteAt(bytes.Repeat([]byte{0xA5}, int(size)), (page-1)*size); err != nil {
			t.Fatal(err)
		}
	}

	if err := errors.Join(rows.Err(), rows.Close(), file.Close(), pool.Close()); err != nil {
		t.Fatal(err)
	}
}
