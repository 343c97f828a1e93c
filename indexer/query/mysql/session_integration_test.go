//go:build integration

package mysql

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/indexer/query"
	"github.com/freelancer-matching/service/integration/programs"
)

// newDatabase creates a database on a real server, runs statements in it, and returns its URL and a connection.
func newDatabase(t *testing.T, statements ...string) (address string, pool *sql.DB) {
	t.Helper()
	const variable = "MATCHING_TEST_MYSQL_URL"
	address = os.Getenv(variable)
	if address == "" {
		if os.Getenv("CI") != "" {
			t.Fatalf("%s is not set; CI must run this test on a real server", variable)
		}
		t.Skipf("set %s to the URL of a MySQL or MariaDB database to run this test", variable)
	}

	name := "query_" + strings.ToLower(rand.Text()[:12])
	admin := openPool(t, address)
	execute(t, admin, "CREATE DATABASE "+name+" CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci")
	t.Cleanup(func() {
		if _, err := admin.ExecContext(context.Background(), "DROP DATABASE "+name); err != nil {
			t.Error(err)
		}
	})

	address = address[:strings.LastIndexByte(address, '/')+1] + name
	pool = openPool(t, address)
	execute(t, pool, statements...)
	return address, pool
}

func openPool(t *testing.T, address string) *sql.DB {
	t.Helper()
	d, err := ParseURL(address)
	if err != nil {
		t.Fatal(err)
	}
	pool, err := d.open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pool.Close() })
	return pool
}

func execute(t *testing.T, on interface {
	ExecContext(ctx context.Context, statement string, arguments ...any) (sql.Result, error)
}, statements ...string,
) {
	t.Helper()
	for _, s := range statements {
		if _, err := on.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// session starts a watched session that ends with the test.
func session(t *testing.T, address string, s query.Statement) *Session {
	t.Helper()
	d, err := ParseURL(address)
	if err != nil {
		t.Fatal(err)
	}
	opened, err := d.Begin(t.Context(), s, "id", true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = opened.Close(t.Context()) })
	return opened
}

// The server and this program compute the same digests, whatever the rows have, and in the same order. IDs that a
// collation takes for equal stay apart.
func TestSession_Digests(t *testing.T) {
	address, _ := newDatabase(t,
		`CREATE TABLE people (id varchar(50), name text, more json, rate double, seen timestamp(6) NULL, price decimal(9,2),
			old varchar(50) CHARACTER SET latin1, open bit(1), number int(6) zerofill, photo blob, day date)`,
		`INSERT INTO people VALUES ('b', 'Mira\nTalden "x" \\ \t', '{"a":\n [1,\n2]}', 0.5, '2026-11-29 10:00:00.25', 0.10,
			'Zoë', b'1', 42, x'00ff', '2027-01-02')`,
		`INSERT INTO people (id, name) VALUES ('B', 'Zoë 🦊'), ('ä', ''), ('A', 'upper'), ('a', 'lower'), ('a b', 'x'),
			(NULL, 'nobody'), ('b', 'second row'), ('10', '10'), ('9', '9'), ('b', 'second row')`)
	s := session(t, address, query.Statement{SQL: "SELECT * FROM people -- all"})

	server := map[string]query.Digest{}
	var order []string
	for d, err := range s.Digests(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		server[d.ID] = d.Digest
		order = append(order, d.ID)
	}
	if diff := cmp.Diff([]string{"10", "9", "A", "B", "a", "a b", "b", "ä"}, order); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}

	read := map[string]query.Digest{}
	lines := 0
	for row, err := range s.All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		lines++
		if !json.Valid(row.JSON) || strings.Contains(string(row.JSON), "\n") {
			t.Errorf("a row isn't one line of JSON: %s", row.JSON)
		}
		if row.IsLast {
			read[row.ID] = row.Digest
		}
	}
	if diff := cmp.Diff(server, read); diff != "" || lines != 10 {
		t.Errorf("digests of %d rows (-server +program):\n%s", lines, diff)
	}

	some := map[string]query.Digest{}
	for row, err := range s.With(t.Context(), []string{"b", "9", "a", "missing", "it's", `\`}) {
		if err != nil {
			t.Fatal(err)
		}
		if row.IsLast {
			some[row.ID] = row.Digest
		}
	}
	if diff := cmp.Diff(map[string]query.Digest{"b": server["b"], "9": server["9"], "a": server["a"]}, some); diff != "" {
		t.Errorf("digests of some (-want +got):\n%s", diff)
	}
	if notes := strings.Join(s.Notes(), "\n"); !strings.Contains(notes, "binary data are left out: photo") {
		t.Errorf("notes %q", notes)
	}
}

// A row has the values of the table, each in its own type.
func TestSession_Values(t *testing.T) {
	address, _ := newDatabase(t,
		`CREATE TABLE people (id int(8) zerofill, name text, open bit(1), price decimal(9,2), skills longtext, day date)`,
		`INSERT INTO people VALUES (7, 'Mira "M" \\ Tal\nden 🦊', b'1', 12.50, '["Go","C#"]', '2027-01-02')`)
	for row, err := range session(t, address, query.Statement{Table: "people"}).All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := json.Unmarshal(row.JSON, &got); err != nil {
			t.Fatalf("%v in %s", err, row.JSON)
		}
		want := map[string]any{
			"id": 7., "name": "Mira \"M\" \\ Tal\nden 🦊", "open": 1., "price": 12.5, "skills": `["Go","C#"]`,
			"day": "2027-01-02",
		}
		if diff := cmp.Diff(want, got); diff != "" || row.ID != "7" {
			t.Errorf("id %q (-want +got):\n%s", row.ID, diff)
		}
	}
}

// A session always finds the same rows, and can't change any.
func TestSession_Snapshot(t *testing.T) {
	address, pool := newDatabase(t, `CREATE TABLE people (id bigint, name text)`, `INSERT INTO people VALUES (1, 'Ada')`)
	s := session(t, address, query.Statement{Table: "people"})
	execute(t, pool, `INSERT INTO people VALUES (2, 'Bo')`)
	var ids []string
	for row, err := range s.All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, row.ID)
	}
	if !slices.Equal(ids, []string{"1"}) {
		t.Errorf("the snapshot has %q", ids)
	}
	if err := s.exec(t.Context(), "INSERT INTO people VALUES (3, 'Cy')"); err == nil {
		t.Error("a session has changed the database")
	}
}

// The watermark is before the begin of every transaction that the snapshot lacks: of one that has changed rows, and of
// a statement that still waits for a lock and has its time already.
func TestSession_Began(t *testing.T) {
	address, pool := newDatabase(t, `CREATE TABLE people (id bigint PRIMARY KEY, name text, at timestamp(6))`,
		`INSERT INTO people VALUES (1, 'Ada', '2020-01-01'), (2, 'Bo', '2020-01-01')`)
	late, err := pool.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	execute(t, late, "UPDATE people SET name = 'Late', at = now(6) WHERE id = 1")
	waiting := make(chan error, 1)
	go func() {
		_, err := pool.ExecContext(t.Context(), "UPDATE people SET at = now(6) WHERE id = 1")
		waiting <- err
	}()
	programs.Eventually(t, "the waiting statement", func() bool {
		var one int
		return pool.QueryRowContext(t.Context(), `SELECT 1 FROM information_schema.processlist
			WHERE db = DATABASE() AND info LIKE 'UPDATE people SET at%'`).Scan(&one) == nil
	})

	// By the server's clock, the times in the rows are older than what the watermark allows for rounding.
	execute(t, pool, fmt.Sprintf("DO SLEEP(%d)", 2*int(precision.Seconds())))
	first := session(t, address, query.Statement{Table: "people"})
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := late.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := <-waiting; err != nil {
		t.Fatal(err)
	}

	second := session(t, address, query.Statement{Table: "people"})
	found, err := second.ChangedSince(t.Context(), "at", first.Began())
	if err != nil || !slices.Equal(found, []string{"1"}) {
		t.Errorf("since %s: %q (%v), want the row that was committed late", first.Began(), found, err)
	}
	if since := time.Since(second.Began()); since > time.Minute {
		t.Errorf("without transactions, the watermark is %s ago", since)
	}
}

// A user who can't see the transactions of others gets a note, and the time of the session as watermark.
func TestSession_NoPrivilege(t *testing.T) {
	address, pool := newDatabase(t, `CREATE TABLE people (id bigint, name text, at timestamp)`)
	name := strings.ToLower(rand.Text()[:12])
	execute(t, pool, "CREATE USER "+name+"@'%' IDENTIFIED BY 's3cret'",
		"GRANT SELECT ON "+address[strings.LastIndexByte(address, '/')+1:]+".* TO "+name+"@'%'")
	t.Cleanup(func() { _, _ = pool.ExecContext(context.Background(), "DROP USER "+name+"@'%'") })
	_, host, _ := strings.Cut(address, "@")

	s := session(t, "mysql://"+name+":s3cret@"+host, query.Statement{Table: "people"})
	if notes := strings.Join(s.Notes(), "\n"); !strings.Contains(notes, "GRANT PROCESS") {
		t.Errorf("notes %q", notes)
	}
	if since := time.Since(s.Began()); since > time.Minute || since < precision {
		t.Errorf("the watermark is %s ago", since)
	}

	// The control: the administrator sees them.
	if notes := session(t, address, query.Statement{Table: "people"}).Notes(); len(notes) > 0 {
		t.Errorf("notes of the administrator %q", notes)
	}
}

func TestSession_Errors(t *testing.T) {
	address, _ := newDatabase(t, `CREATE TABLE people (id bigint, name text, raw binary(16), at datetime, day date)`)
	d, err := ParseURL(address)
	if err != nil {
		t.Fatal(err)
	}
	for sql, want := range map[string]string{
		"SELECT name FROM people":                               `no column "id"`,
		"SELECT raw AS id FROM people":                          "BIN_TO_UUID",
		"SELECT id, name, name FROM people":                     "Duplicate column name",
		"SELECT id FROM nobody":                                 "doesn't exist",
		"SELECT id FROM people; DROP TABLE people":              "syntax",
		"SELECT id FROM people) AS x; DELETE FROM people; -- (": "syntax",
		"DELETE FROM people":                                    "syntax",
	} {
		s, err := d.Begin(t.Context(), query.Statement{SQL: sql}, "id", false)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", sql, err, want)
		}
		if err == nil {
			_ = s.Close(t.Context())
		}
	}

	for column, want := range map[string]string{
		"at": "is a DATETIME, which has no time zone", "day": "neither a TIMESTAMP nor", "x": `no column "x"`,
	} {
		s := session(t, address, query.Statement{Table: "people"})
		if _, err := s.ChangedSince(t.Context(), column, time.Now()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", column, err, want)
		}
	}
	zoned := session(t, address+"?time_zone=%2B02:00", query.Statement{Table: "people"})
	if _, err := zoned.ChangedSince(t.Context(), "at", time.Now()); err != nil {
		t.Error(err)
	}
}
