//go:build integration

package postgres

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/quota"
	"github.com/freelancer-matching/service/access/quota/quotatest"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/store"
	"github.com/freelancer-matching/service/store/migration"
	"github.com/freelancer-matching/service/store/storetest"
)

func TestKeys(t *testing.T)     { storetest.Keys(t, openEmpty) }
func TestAccounts(t *testing.T) { storetest.Accounts(t, openEmpty) }
func TestUsage(t *testing.T)    { storetest.Usage(t, openEmpty) }

func TestSessions(t *testing.T) {
	storetest.Sessions(t, func(t *testing.T) storetest.SessionStore { return newDB(t).Sessions })
}

func TestQuota(t *testing.T) {
	quotatest.Store(t, func(t *testing.T) quota.Store { return newDB(t).Quotas })
}

func TestQuota_TwoServers(t *testing.T) {
	quotatest.Shared(t, func(t *testing.T) []quota.Store {
		address := newSchema(t)
		return []quota.Store{openAt(t, address).Quotas, openAt(t, address).Quotas}
	})
}

func openEmpty(t *testing.T) *store.DB { return newDB(t) }

func newDB(t testing.TB) *store.DB { return openAt(t, newSchema(t)) }

func openAt(t testing.TB, address string) *store.DB {
	t.Helper()
	db, err := Open(t.Context(), address, nil)
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

// serverURL returns the URL of the PostgreSQL named in the environment, or skips the test if there is none.
func serverURL(t testing.TB) *url.URL {
	t.Helper()
	const variable = "MATCHING_TEST_POSTGRES_URL"
	address := os.Getenv(variable)
	if address == "" {
		if os.Getenv("CI") != "" {
			t.Fatalf("%s is not set; CI must run this test on a real PostgreSQL", variable)
		}
		t.Skipf("set %s to the URL of a PostgreSQL database to run this test, such as "+
			"postgres://postgres@127.0.0.1:5432/postgres", variable)
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// newSchema returns the URL of an empty schema, which is dropped when the test ends. Statements have more time there
// than the store gives them, because tests run beside others.
func newSchema(t testing.TB) string {
	t.Helper()
	u := serverURL(t)
	schema := "test_" + strings.ToLower(rand.Text()[:12])
	setUp(t, connectRaw(t, u.String()), "CREATE SCHEMA "+schema, "DROP SCHEMA "+schema+" CASCADE")
	return withTimeout(t, inSchema(*u, schema), 2*time.Minute)
}

// withTimeout returns the address with a limit for statements and idle transactions.
func withTimeout(t testing.TB, address string, timeout time.Duration) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	query.Set("statement_timeout", fmt.Sprint(timeout.Milliseconds()))
	query.Set("idle_in_transaction_session_timeout", fmt.Sprint(timeout.Milliseconds()))
	u.RawQuery = query.Encode()
	return u.String()
}

func inSchema(u url.URL, schema string) string {
	query := u.Query()
	query.Set("search_path", schema)
	u.RawQuery = query.Encode()
	return u.String()
}

// connectRaw returns a pool that bypasses the store.
func connectRaw(t testing.TB, address string) *sql.DB {
	t.Helper()
	config, err := parse(address, "")
	if err != nil {
		t.Fatal(err)
	}
	pool := stdlib.OpenDB(*config)
	t.Cleanup(func() { pool.Close() })
	return pool
}

// setUp runs a statement now, and another one when the test ends.
func setUp(t testing.TB, pool *sql.DB, statement, cleanup string) {
	t.Helper()
	if _, err := pool.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := pool.ExecContext(context.Background(), cleanup); err != nil {
			t.Error(err)
		}
	})
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

func TestOpen_ExistingDatabase(t *testing.T) {
	address := newSchema(t)
	insert(t, openAt(t, address), key("1"))
	if _, err := openAt(t, address).Keys.FindByHash(t.Context(), key("1").Hash); err != nil {
		t.Error(err)
	}
}

func TestOpen_ConcurrentMigrations(t *testing.T) {
	address := newSchema(t)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			db, err := Open(t.Context(), address, nil)
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
}

func TestMigrate_ConcurrentCallsRunEachScriptOnce(t *testing.T) {
	first := &fstest.MapFile{Data: []byte("CREATE TABLE runs (script INTEGER); INSERT INTO runs VALUES (1)")}
	both := fstest.MapFS{"0001_a.sql": first, "0002_b.sql": {Data: []byte("INSERT INTO runs VALUES (2)")}}
	for name, before := range map[string]fstest.MapFS{
		"empty database":                {},
		"database of the first version": {"0001_a.sql": first},
	} {
		t.Run(name, func(t *testing.T) {
			address := newSchema(t)
			if err := migration.Run(t.Context(), connectRaw(t, address), dialect().LockSchema, before); err != nil {
				t.Fatal(err)
			}

			var group sync.WaitGroup
			for range 8 {
				pool := connectRaw(t, address)
				group.Go(func() {
					if err := migration.Run(t.Context(), pool, dialect().LockSchema, both); err != nil {
						t.Error(err)
					}
				})
			}

			group.Wait()
			var runs string
			err := connectRaw(t, address).QueryRowContext(t.Context(),
				"SELECT string_agg(script::text, ' ') FROM runs").Scan(&runs)
			if err != nil || runs != "1 2" {
				t.Errorf("the scripts %q ran (%v), want each once", runs, err)
			}
		})
	}
}

func TestMigrate_RollsBack(t *testing.T) {
	pool := connectRaw(t, newSchema(t))
	err := migration.Run(t.Context(), pool, dialect().LockSchema, fstest.MapFS{
		"0001_a.sql": {Data: []byte("CREATE TABLE half (x INTEGER); CREATE TABLE broken (")},
	})
	if err == nil {
		t.Fatal("a broken script returned no error")
	}
	if _, err := pool.ExecContext(t.Context(), "SELECT * FROM half"); err == nil {
		t.Error("a statement of the broken script was committed")
	}
}

func TestOpen_NewerSchema(t *testing.T) {
	address := newSchema(t)
	openAt(t, address)
	if _, err := connectRaw(t, address).ExecContext(t.Context(), "UPDATE schema_version SET version = 999"); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), address, nil); err == nil || !strings.Contains(err.Error(), "schema version 999") {
		t.Errorf("Open: %v, want an error that names the version", err)
	}
}

func TestOpen_SetsTimeouts(t *testing.T) {
	pool := connectRaw(t, serverURL(t).String())
	for option, want := range map[string]string{
		"statement_timeout": "10s", "idle_in_transaction_session_timeout": "10s", "application_name": "freelancer-matching",
	} {
		var got string
		if err := pool.QueryRowContext(t.Context(), "SHOW "+option).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %q (%v), want %q", option, got, err, want)
		}
	}
}

// A database with locked tables is as unavailable as one that does not exist. A canceled call says nothing about it.
func TestUnavailable(t *testing.T) {
	address := newSchema(t)
	db := openAt(t, address)
	impatient := openAt(t, withTimeout(t, address, 2*time.Second)) // enough to open it on a busy machine
	tx, err := connectRaw(t, address).BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()

	_, err = tx.ExecContext(t.Context(), "LOCK TABLE api_keys, users, sessions IN ACCESS EXCLUSIVE MODE")
	if err != nil {
		t.Fatal(err)
	}

	expiring, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()

	canceled, cancelSoon := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancelSoon)
	openUnreachable := func(context.Context, *store.DB) error {
		u := serverURL(t)
		u.Host = "127.0.0.1:1"
		_, err := Open(t.Context(), u.String(), nil)
		return err
	}
	for name, tt := range map[string]struct {
		db   *store.DB
		ctx  context.Context
		do   func(context.Context, *store.DB) error
		want matching.Code
	}{
		"key, deadline of the context": {db, expiring, keyByHash, matching.CodeDatabaseUnavailable},
		"key, statement timeout":       {impatient, t.Context(), keyByHash, matching.CodeDatabaseUnavailable},
		"key, canceled":                {db, canceled, keyByHash, matching.CodeInternal},
		"user, statement timeout":      {impatient, t.Context(), userByEmail, matching.CodeDatabaseUnavailable},
		"session, statement timeout":   {impatient, t.Context(), findSession, matching.CodeDatabaseUnavailable},
		"change, statement timeout":    {impatient, t.Context(), updateKeys, matching.CodeDatabaseUnavailable},
		"list, statement timeout":      {impatient, t.Context(), listKeys, matching.CodeDatabaseUnavailable},
		"unreachable server":           {db, t.Context(), openUnreachable, matching.CodeDatabaseUnavailable},
	} {
		if err := tt.do(tt.ctx, tt.db); matching.CodeOf(err) != tt.want {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

func keyByHash(ctx context.Context, db *store.DB) error {
	_, err := db.Keys.FindByHash(ctx, apikey.Hash{})
	return err
}

func userByEmail(ctx context.Context, db *store.DB) error {
	_, err := db.Users.FindByEmail(ctx, "a@example.com")
	return err
}

func findSession(ctx context.Context, db *store.DB) error {
	_, _, err := db.Sessions.FindCtx(ctx, "token")
	return err
}

func updateKeys(ctx context.Context, db *store.DB) error {
	return db.Keys.Update(ctx, "", func([]apikey.Key) (apikey.Changes, error) { return apikey.Changes{}, nil })
}

func listKeys(ctx context.Context, db *store.DB) error {
	_, err := db.Keys.List(ctx)
	return err
}

// firstVersion returns the migrations of the first release.
func firstVersion(t *testing.T) fstest.MapFS {
	t.Helper()
	const name = "0001_tables.sql"
	script, err := migrations.ReadFile("migrations/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return fstest.MapFS{name: {Data: script}}
}

// The first version did not store the end of grace periods or who created links. The migration reconstructs both.
func TestOpen_MigratesKeysAndLinksOfTheFirstVersion(t *testing.T) {
	address := newSchema(t)
	pool := connectRaw(t, address)
	if err := migration.Run(t.Context(), pool, dialect().LockSchema, firstVersion(t)); err != nil {
		t.Fatal(err)
	}

	for _, statement := range []string{
		`INSERT INTO api_keys (id, name, plan, prefix, last4, hash, counter, plan_since, operations, networks, created,
			expires, replaced_by)
		VALUES ('1', '', 'freelancer', 'svc_fr_', '', sha256('1'), '', 0, '', '', 0, 1000000, ''),
			('2', '', 'enterprise', 'svc_fr_', '', sha256('2'), '', 0, '', '', 0, 1000000, '')`,
		`INSERT INTO links (id, token, purpose, email, account, plan, role, user_id, created, expires)
		VALUES ('lnk_1', sha256('1'), 'invitation', '', '', '', '', '', 0, 1000000)`,
		`INSERT INTO audit_events (at, actor, account, action, subject, detail, address)
		VALUES (0, 'usr_1', '', 'link.made', 'lnk_1', '', '')`,
	} {
		if _, err := pool.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}

	db := openAt(t, address)
	end := time.Unix(1, 0).UTC()
	for id, grace := range map[string]time.Time{"1": {}, "2": end} {
		if k, err := db.Keys.Find(t.Context(), id); err != nil || k.Expires != end || k.GraceEnd != grace {
			t.Errorf("%s: expires at %v with grace until %v (%v), want %v and %v", id, k.Expires, k.GraceEnd, err, end, grace)
		}
	}

	links, err := db.Links.List(t.Context(), "", time.Unix(0, 0))
	if err != nil || len(links) != 1 || links[0].CreatedBy != "usr_1" {
		t.Errorf("Links = %+v, %v; want one link created by usr_1", links, err)
	}
}

func TestOpen_ErrorsContainNoPassword(t *testing.T) {
	u := serverURL(t)
	u.User = url.UserPassword("nobody-of-this-name", "s3cret-in-url")
	for _, password := range []string{"", "s3cret-separate"} {
		_, err := Open(t.Context(), u.String(), func() string { return password })
		if err == nil {
			t.Fatal("Open succeeded with a wrong user")
		}
		if strings.Contains(err.Error(), "s3cret") {
			t.Errorf("the error contains a password: %v", err)
		}
	}
}

func TestPing(t *testing.T) {
	db := newDB(t)
	if err := db.Ping(t.Context()); err != nil {
		t.Error(err)
	}
	if db.Type() != "postgresql" {
		t.Errorf("Type = %q, want postgresql", db.Type())
	}
}

// program returns the path of the newest version of a PostgreSQL program, or skips the test if there is none.
func program(t *testing.T, name string) string {
	t.Helper()
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	paths, err := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) == 0 {
		t.Skipf("install %s to run this test", name)
	}
	return slices.Max(paths)
}

func TestDump_Restores(t *testing.T) {
	dump := program(t, "pg_dump")
	psql := program(t, "psql")
	address := newSchema(t)
	want := []apikey.Key{key("1"), key("2")}
	want[1].LastUsed = time.Unix(9, 1000).UTC()
	want[1].Operations = []string{"match"}
	insert(t, openAt(t, address), want...)
	schema := connectRaw(t, address)
	var name string
	if err := schema.QueryRowContext(t.Context(), "SELECT current_schema()").Scan(&name); err != nil {
		t.Fatal(err)
	}

	from := serverURL(t)
	script, err := exec.CommandContext(t.Context(), dump, "--schema", name, from.String()).Output()
	if err != nil {
		t.Fatal(err)
	}

	into := *from
	into.Path = "/" + name
	setUp(t, connectRaw(t, from.String()), "CREATE DATABASE "+name, "DROP DATABASE "+name)
	restore := exec.CommandContext(t.Context(), psql, "--quiet", "--no-psqlrc", "--set", "ON_ERROR_STOP=1", into.String())
	restore.Stdin = strings.NewReader(string(script))
	if out, err := restore.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}

	restored := openAt(t, inSchema(into, name))
	got, err := restored.Keys.List(t.Context())
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("restored keys: %v (-want +got):\n%s", err, diff)
	}

	insert(t, restored, key("3"))
}

func BenchmarkKeyByHash(b *testing.B) {
	db := newDB(b)
	insert(b, db, key("1"))
	for b.Loop() {
		if _, err := db.Keys.FindByHash(b.Context(), key("1").Hash); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTake(b *testing.B) {
	start := time.Unix(1_900_000_000, 0)
	unlimited := quota.Window{Start: start, Limit: 1 << 40}
	w := quota.Windows{Minute: unlimited, Month: unlimited}
	take := func(b *testing.B, db *store.DB) {
		if _, taken, err := db.Quotas.Take(b.Context(), "key_1", w); err != nil || !taken {
			b.Error(taken, err)
		}
	}

	b.Run("one caller", func(b *testing.B) {
		db := newDB(b)
		for b.Loop() {
			take(b, db)
		}
	})

	b.Run("64 callers of one key", func(b *testing.B) {
		db := newDB(b)
		b.SetParallelism(32)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				take(b, db)
			}
		})
	})
}

func BenchmarkRecord(b *testing.B) { storetest.BenchmarkRecord(b, newDB) }
func BenchmarkVerify(b *testing.B) { storetest.BenchmarkVerify(b, newDB) }
