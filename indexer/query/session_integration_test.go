//go:build integration

package query

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
)

// session starts a session that ends with the test.
func session(t *testing.T, address, sql string) *Session {
	t.Helper()
	d, err := ParseURL(address)
	if err != nil {
		t.Fatal(err)
	}
	s, err := d.BeginWatched(t.Context(), Statement{SQL: sql}, "id")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(t.Context()) })
	return s
}

// The server and this program compute the same digests, whatever the rows have, and in the same order.
func TestSession_Digests(t *testing.T) {
	address := newTable(t,
		`CREATE TABLE people (id text, name text, more json, skills text[], rate float8, seen timestamptz)`,
		`INSERT INTO people VALUES ('b', E'Mira\nTalden', E'{"a":\n [1,\n2]}', '{Go,NULL}', 'NaN', '2026-11-29 10:00+01'),
			('B', 'Zoë 🦊', 'null', '{}', 1e300, 'infinity'), ('ä', '', NULL, NULL, NULL, NULL),
			('a b', 'x', '[]', '{a}', 0.1, NULL), (NULL, 'nobody', NULL, NULL, NULL, NULL),
			('b', 'second row', NULL, NULL, NULL, NULL), ('10', '10', NULL, NULL, 1, NULL),
			('9', '9', NULL, NULL, 1, NULL), ('b', 'second row', NULL, NULL, NULL, NULL)`)
	s := session(t, address, "SELECT * FROM people -- all")

	server := map[string]Digest{}
	var order []string
	for d, err := range s.Digests(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		server[d.ID] = d.Digest
		order = append(order, d.ID)
	}
	if diff := cmp.Diff([]string{"10", "9", "B", "a b", "b", "ä"}, order); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}

	read := map[string]Digest{}
	lines := 0
	for row, err := range s.All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if lines++; strings.Contains(string(row.JSON), "\n") {
			t.Errorf("a row has several lines: %s", row.JSON)
		}
		if row.IsLast {
			read[row.ID] = row.Digest
		}
	}
	if diff := cmp.Diff(server, read); diff != "" || lines != 8 {
		t.Errorf("digests of %d rows (-server +program):\n%s", lines, diff)
	}

	some := map[string]Digest{}
	for row, err := range s.With(t.Context(), []string{"b", "9", "missing", "it's"}) {
		if err != nil {
			t.Fatal(err)
		}
		if row.IsLast {
			some[row.ID] = row.Digest
		}
	}
	if diff := cmp.Diff(map[string]Digest{"b": server["b"], "9": server["9"]}, some); diff != "" {
		t.Errorf("some digests (-want +got):\n%s", diff)
	}
}

// A session never sees what was committed after it began, and its watermark is before what a running transaction will
// commit.
func TestSession_Watermark(t *testing.T) {
	address := newTable(t, `CREATE TABLE people (id int, at timestamptz)`, `INSERT INTO people VALUES (1, now())`)
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	late, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var begin time.Time
	if err := late.QueryRow(t.Context(), "SELECT now()").Scan(&begin); err != nil {
		t.Fatal(err)
	}

	const sql = "SELECT * FROM people"
	first := session(t, address, sql)
	if first.Began().After(begin) {
		t.Errorf("the watermark is %s, and a transaction has been running since %s", first.Began(), begin)
	}
	if _, err := late.Exec(t.Context(), "INSERT INTO people VALUES (2, now())"); err != nil {
		t.Fatal(err)
	}
	if err := late.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}

	seen, err := first.ChangedSince(t.Context(), "at", time.Time{})
	if diff := cmp.Diff([]string{"1"}, seen); diff != "" || err != nil {
		t.Errorf("the first session sees, %v (-want +got):\n%s", err, diff)
	}
	// Transactions of other tests may have begun even earlier, so that the first row is found again.
	found, err := session(t, address, sql).ChangedSince(t.Context(), "at", first.Began())
	if err != nil || !slices.Contains(found, "2") {
		t.Errorf("the second session finds %v, %v, want 2", found, err)
	}
}
