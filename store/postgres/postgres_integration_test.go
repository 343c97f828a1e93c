//go:build integration

package postgres

import (
	"context"
	"crypto/rand"
	"database/sql"
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

	"freelancer-matching/access/apikey"
	"freelancer-matching/access/quota"
	"freelancer-matching/access/quota/quotatest"
	"freelancer-matching/internal/matching"
	"freelancer-matching/store"
	"freelancer-matching/store/storetest"
)

func TestKeys(t *testing.T)     { storetest.Keys(t, openEmpty) }
func TestAccounts(t *testing.T) { storetest.Accounts(t, openEmpty) }
func TestUsage(t *testing.T)    { storetest.Usage(t, openEmpty) }

func TestSessions(t *testing.T) {
	storetest.Sessions(t, func(t *testing.T) storetest.SessionStore { return newDB(t).Sessions() })
}

func TestQuota(t *testing.T) {
	quotatest.Store(t, func(t *testing.T) quota.Store { return newDB(t) })
}

// Two servers that share a database let exactly the allowance through together.
func TestQuota_TwoServers(t *testing.T) {
	quotatest.Shared(t, func(t *testing.T) []quota.Store {
		address := newSchema(t)
		return []quota.Store{openAt(t, address), openAt(t, address)}
	})
}

func openEmpty(t *testing.T) storetest.Store { return newDB(t) }

func newDB(t testing.TB) *store.DB { return openAt(t, newSchema(t)) }

func openAt(t testing.TB, address string) *store.DB {
	t.Helper()
	db, err := Open(t.Context(), address, "")
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

// server is the address of the PostgreSQL to test on. Where there is none the test is skipped.
func server(t testing.TB) *url.URL {
	t.Helper()
	const name = "MATCHING_TEST_POSTGRES_URL"
	address := os.Getenv(name)
	if address == "" {
		if os.Getenv("CI") != "" {
			t.Fatalf("%s is not set: CI runs these tests on a real PostgreSQL", name)
		}
		t.Skipf("set %s to the URL of a PostgreSQL database for this test, such as postgres://postgres@127.0.0.1:5432/postgres", name)
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// newSchema is the address of an empty schema, which goes with the test.
func newSchema(t testing.TB) string {
	t.Helper()
	u := server(t)
	schema := "test_" + strings.ToLower(rand.Text()[:12])
	run(t, raw(t, u.String()), "CREATE SCHEMA "+schema, "DROP SCHEMA "+schema+" CASCADE")
	return inSchema(*u, schema)
}

func inSchema(u url.URL, schema string) string {
	query := u.Query()
	query.Set("search_path", schema)
	u.RawQuery = query.Encode()
	return u.String()
}

// raw is a connection past the store.
func raw(t testing.TB, address string) *sql.DB {
	t.Helper()
	config, err := parse(address, "")
	if err != nil {
		t.Fatal(err)
	}
	pool := stdlib.OpenDB(*config)
	t.Cleanup(func() { pool.Close() })
	return pool
}

// run runs a statement now, and another one when the test ends.
func run(t testing.TB, pool *sql.DB, now, later string) {
	t.Helper()
	if _, err := pool.ExecContext(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := pool.ExecContext(context.Background(), later); err != nil {
			t.Error(err)
		}
	})
}

func key(n string) apikey.Key {
	return apikey.Key{
		ID: "key_" + n, Name: n, Plan: "freelancer", Prefix: "svc_fr_", Last4: "wxyz", Hash: apikey.HashOf(n), Counter: "key_" + n,
		PlanSince: time.Unix(1, 0).UTC(), Created: time.Unix(1, 0).UTC(),
	}
}

func insert(t testing.TB, db *store.DB, keys ...apikey.Key) {
	t.Helper()
	err := db.UpdateKeys(t.Context(), "", func([]apikey.Key) (apikey.Changes, error) { return apikey.Changes{Keys: keys}, nil })
	if err != nil {
		t.Fatal(err)
	}
}

func TestOpen_KeepsWhatIsThere(t *testing.T) {
	address := newSchema(t)
	insert(t, openAt(t, address), key("1"))
	if _, err := openAt(t, address).KeyByHash(t.Context(), key("1").Hash); err != nil {
		t.Error(err)
	}
}

func TestOpen_ManyAtOnceMigrateOnce(t *testing.T) {
	address := newSchema(t)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			db, err := Open(t.Context(), address, "")
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

func TestMigrate_ManyAtOnceRunEachScriptOnce(t *testing.T) {
	first := &fstest.MapFile{Data: []byte("CREATE TABLE runs (script INTEGER); INSERT INTO runs VALUES (1)")}
	both := fstest.MapFS{"0001_a.sql": first, "0002_b.sql": {Data: []byte("INSERT INTO runs VALUES (2)")}}
	for name, before := range map[string]fstest.MapFS{
		"an empty database":               {},
		"a database of the first version": {"0001_a.sql": first},
	} {
		t.Run(name, func(t *testing.T) {
			address := newSchema(t)
			if err := store.Migrate(t.Context(), dialect(), raw(t, address), before); err != nil {
				t.Fatal(err)
			}
			var group sync.WaitGroup
			for range 8 {
				pool := raw(t, address)
				group.Go(func() {
					if err := store.Migrate(t.Context(), dialect(), pool, both); err != nil {
						t.Error(err)
					}
				})
			}
			group.Wait()
			var runs string
			err := raw(t, address).QueryRowContext(t.Context(), "SELECT string_agg(script::text, ' ') FROM runs").Scan(&runs)
			if err != nil || runs != "1 2" {
				t.Errorf("scripts ran: %q (%v), want each once", runs, err)
			}
		})
	}
}

func TestMigrate_RollsBack(t *testing.T) {
	pool := raw(t, newSchema(t))
	err := store.Migrate(t.Context(), dialect(), pool, fstest.MapFS{
		"0001_a.sql": {Data: []byte("CREATE TABLE half (x INTEGER); CREATE TABLE broken (")},
	})
	if err == nil {
		t.Fatal("a broken script was accepted")
	}
	if _, err := pool.ExecContext(t.Context(), "SELECT * FROM half"); err == nil {
		t.Error("half of the script stayed")
	}
}

func TestOpen_RefusesANewerSchema(t *testing.T) {
	address := newSchema(t)
	openAt(t, address)
	if _, err := raw(t, address).ExecContext(t.Context(), "UPDATE schema_version SET version = 999"); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), address, ""); err == nil || !strings.Contains(err.Error(), "schema version 999") {
		t.Errorf("got %v", err)
	}
}

func TestOpen_SetsDeadlines(t *testing.T) {
	pool := raw(t, newSchema(t))
	for option, want := range map[string]string{
		"statement_timeout": "10s", "idle_in_transaction_session_timeout": "10s", "application_name": "freelancer-matching",
	} {
		var got string
		if err := pool.QueryRowContext(t.Context(), "SHOW "+option).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %q (%v), want %q", option, got, err, want)
		}
	}
}

// A database whose tables somebody has locked does not answer, nor does one that nobody listens for. Who has gone before it
// could answer learns nothing of it.
func TestUnanswered(t *testing.T) {
	address := newSchema(t)
	db := openAt(t, address)
	hasty := openAt(t, address+"&statement_timeout=200")
	lock, err := raw(t, address).BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Rollback()
	if _, err := lock.ExecContext(t.Context(), "LOCK TABLE api_keys, users, sessions IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	late, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	gone, leave := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, leave)
	nobody := func(context.Context, *store.DB) error {
		u := server(t)
		u.Host = "127.0.0.1:1"
		_, err := Open(t.Context(), u.String(), "")
		return err
	}
	for name, tt := range map[string]struct {
		db   *store.DB
		ctx  context.Context
		do   func(context.Context, *store.DB) error
		want matching.Code
	}{
		"a key, at the deadline":     {db, late, keyByHash, matching.CodeDatabaseUnavailable},
		"a key, at the timeout":      {hasty, t.Context(), keyByHash, matching.CodeDatabaseUnavailable},
		"a key, of somebody gone":    {db, gone, keyByHash, matching.CodeInternal},
		"a user, at the timeout":     {hasty, t.Context(), userByEmail, matching.CodeDatabaseUnavailable},
		"a session, at the timeout":  {hasty, t.Context(), session, matching.CodeDatabaseUnavailable},
		"a change, at the timeout":   {hasty, t.Context(), change, matching.CodeDatabaseUnavailable},
		"a list, at the timeout":     {hasty, t.Context(), keys, matching.CodeDatabaseUnavailable},
		"a server that is not there": {db, t.Context(), nobody, matching.CodeDatabaseUnavailable},
	} {
		if err := tt.do(tt.ctx, tt.db); matching.CodeOf(err) != tt.want {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
	}
}

func keyByHash(ctx context.Context, db *store.DB) error {
	_, err := db.KeyByHash(ctx, apikey.Hash{})
	return err
}

func userByEmail(ctx context.Context, db *store.DB) error {
	_, err := db.UserByEmail(ctx, "a@example.com")
	return err
}

func session(ctx context.Context, db *store.DB) error {
	_, _, err := db.Sessions().FindCtx(ctx, "token")
	return err
}

func change(ctx context.Context, db *store.DB) error {
	return db.UpdateKeys(ctx, "", func([]apikey.Key) (apikey.Changes, error) { return apikey.Changes{}, nil })
}

func keys(ctx context.Context, db *store.DB) error {
	_, err := db.Keys(ctx)
	return err
}

// firstVersion is the scripts of the first version of the tables.
func firstVersion(t *testing.T) fstest.MapFS {
	t.Helper()
	const name = "0001_tables.sql"
	script, err := migrations.ReadFile("migrations/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return fstest.MapFS{name: {Data: script}}
}

// What a database of the first version does not tell apart is told apart as well as can be.
func TestOpen_KeepsKeysAndLinksOfTheFirstVersion(t *testing.T) {
	address := newSchema(t)
	pool := raw(t, address)
	if err := store.Migrate(t.Context(), dialect(), pool, firstVersion(t)); err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		`INSERT INTO api_keys (id, name, plan, prefix, last4, hash, counter, plan_since, operations, networks, created, expires, replaced_by)
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
	db, end := openAt(t, address), time.Unix(1, 0).UTC()
	for id, grace := range map[string]time.Time{"1": {}, "2": end} {
		if k, err := db.KeyByID(t.Context(), id); err != nil || k.Expires != end || k.GraceEnd != grace {
			t.Errorf("%s: expires %v, grace %v, %v", id, k.Expires, k.GraceEnd, err)
		}
	}
	if links, err := db.Links(t.Context(), "", time.Unix(0, 0)); err != nil || len(links) != 1 || links[0].CreatedBy != "usr_1" {
		t.Errorf("got %+v, %v", links, err)
	}
}

// A password that is wrong, or that cannot be used, is in no error.
func TestOpen_KeepsPasswordsOutOfErrors(t *testing.T) {
	u := server(t)
	u.User = url.UserPassword("nobody-of-this-name", "s3cret-in-url")
	for _, apart := range []string{"", "s3cret-apart"} {
		_, err := Open(t.Context(), u.String(), apart)
		if err == nil {
			t.Fatal("let in")
		}
		if strings.Contains(err.Error(), "s3cret") {
			t.Errorf("the error shows a password: %v", err)
		}
	}
}

func TestPing(t *testing.T) {
	db := newDB(t)
	if err := db.Ping(t.Context()); err != nil {
		t.Error(err)
	}
	if db.Type() != "postgresql" {
		t.Errorf("type %q", db.Type())
	}
}

// tool is the path of one of PostgreSQL's programs, the newest. Where there is none the test is skipped.
func tool(t *testing.T, name string) string {
	t.Helper()
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	paths, err := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) == 0 {
		t.Skipf("%s is not installed: the programs of PostgreSQL are needed for this test", name)
	}
	return slices.Max(paths)
}

func TestDump_Restores(t *testing.T) {
	dump, psql := tool(t, "pg_dump"), tool(t, "psql")
	address := newSchema(t)
	want := []apikey.Key{key("1"), key("2")}
	want[1].LastUsed, want[1].Operations = time.Unix(9, 1000).UTC(), []string{"match"}
	insert(t, openAt(t, address), want...)
	schema := raw(t, address)
	var name string
	if err := schema.QueryRowContext(t.Context(), "SELECT current_schema()").Scan(&name); err != nil {
		t.Fatal(err)
	}

	from := server(t)
	script, err := exec.CommandContext(t.Context(), dump, "--schema", name, from.String()).Output()
	if err != nil {
		t.Fatal(err)
	}
	into := *from
	into.Path = "/" + name
	run(t, raw(t, from.String()), "CREATE DATABASE "+name, "DROP DATABASE "+name)
	restore := exec.CommandContext(t.Context(), psql, "--quiet", "--no-psqlrc", "--set", "ON_ERROR_STOP=1", into.String())
	restore.Stdin = strings.NewReader(string(script))
	if out, err := restore.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}

	restored := openAt(t, inSchema(into, name))
	got, err := restored.Keys(t.Context())
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
	insert(t, restored, key("3"))
	if events, err := restored.Keys(t.Context()); err != nil || len(events) != 3 {
		t.Errorf("%d keys (%v), want 3", len(events), err)
	}
}

func BenchmarkKeyByHash(b *testing.B) {
	db := newDB(b)
	insert(b, db, key("1"))
	for b.Loop() {
		if _, err := db.KeyByHash(b.Context(), key("1").Hash); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTake(b *testing.B) {
	start := time.Unix(1_900_000_000, 0)
	w := quota.Windows{Minute: quota.Window{Start: start, Limit: 1 << 40}, Month: quota.Window{Start: start, Limit: 1 << 40}}
	take := func(b *testing.B, db *store.DB) {
		if _, taken, err := db.Take(b.Context(), "key_1", w); err != nil || !taken {
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
