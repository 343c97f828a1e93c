//go:build integration

package query

import (
	"bytes"
	"context"
	"crypto/rand"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// newTable creates tables in a schema of the PostgreSQL named in the environment, and returns the URL of the schema.
func newTable(t *testing.T, statements ...string) string {
	t.Helper()
	const variable = "MATCHING_TEST_POSTGRES_URL"
	address := os.Getenv(variable)
	if address == "" {
		if os.Getenv("CI") != "" {
			t.Fatalf("%s is not set; CI must run this test on a real PostgreSQL", variable)
		}
		t.Skipf("set %s to the URL of a PostgreSQL database to run this test", variable)
	}

	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	schema := "query_" + strings.ToLower(rand.Text()[:12])
	t.Cleanup(func() {
		_, err := conn.Exec(context.Background(), "DROP SCHEMA "+schema+" CASCADE")
		if err != nil {
			t.Error(err)
		}
		_ = conn.Close(context.Background())
	})

	for _, s := range append([]string{"CREATE SCHEMA " + schema, "SET search_path TO " + schema}, statements...) {
		if _, err := conn.Exec(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}

	separator := "?"
	if strings.Contains(address, "?") {
		separator = "&"
	}

	return address + separator + "search_path=" + schema
}

// read runs a statement and returns the lines.
func read(t *testing.T, address string, s Statement) (string, error) {
	t.Helper()
	d, err := ParseURL(address)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	_, err = d.Read(t.Context(), s, &out)
	return out.String(), err
}

// Columns keep their types: lists stay lists, numbers all their digits, and JSON its structure.
func TestRead_Types(t *testing.T) {
	address := newTable(t,
		`CREATE TABLE people (id bigint, name text, skills text[], rate numeric(20,4), open boolean, since date,
			seen timestamptz, rating double precision, place json, more jsonb, code bytea, tags jsonb)`,
		`INSERT INTO people VALUES (9007199254740993, E'Mira "M"\nTalden', '{Go,"C, C++",NULL}', 123456789012.3450, true,
			'2026-11-22', '2026-11-22 10:00:00+00', 4.9, E'{"city":\n "Oslo"}', '{"a": [1, 2]}', '\xff', '["Go", "SQL"]')`,
		`INSERT INTO people (id) VALUES (2)`)
	for _, s := range []Statement{
		{Table: "people"},
		{SQL: "SELECT * FROM people -- all"},
		{SQL: "TABLE people ;\n"},
		{SQL: "WITH p AS (SELECT * FROM people) SELECT * FROM p"},
	} {
		got, err := read(t, address+"&timezone=UTC", s)
		want := `{"id":9007199254740993,"name":"Mira \"M\"\nTalden","skills":["Go","C, C++",null],"rate":123456789012.3450,` +
			`"open":true,"since":"2026-11-22","seen":"2026-11-22T10:00:00+00:00","rating":4.9,"place":{"city":  "Oslo"},` +
			`"more":{"a": [1, 2]},"code":"\\xff","tags":["Go", "SQL"]}` + "\n" +
			`{"id":2,"name":null,"skills":null,"rate":null,"open":null,"since":null,"seen":null,"rating":null,"place":null,` +
			`"more":null,"code":null,"tags":null}` + "\n"
		if err != nil || got != want {
			t.Errorf("%+v: %v\n%s, want\n%s", s, err, got, want)
		}
	}
}

func TestRead_Errors(t *testing.T) {
	address := newTable(t, `CREATE TABLE people (id bigint, name text)`, `INSERT INTO people VALUES (1, 'Mira Talden')`,
		`CREATE TABLE empty (id bigint)`,
		`CREATE FUNCTION change() RETURNS text LANGUAGE sql AS 'DELETE FROM people RETURNING name'`)
	for sql, want := range map[string]string{
		"SELECT * FROM nobody":                  `relation "nobody" does not exist`,
		"SELECT change() AS name":               "read-only transaction",
		"DELETE FROM people":                    "the query returns no columns",
		"DELETE FROM people RETURNING name":     "syntax error",
		"SELECT 1 AS a; SELECT 2 AS a":          "multiple commands",
		"COMMIT; DELETE FROM people":            "multiple commands",
		"SELECT id AS a, name AS a FROM people": `two columns are named "a"`,
		"SELECT * FROM empty":                   "there are no rows",
		"SELECT repeat('x', 9000000) AS a":      "a row is larger than 8 MiB",
	} {
		if got, err := read(t, address, Statement{SQL: sql}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q, error %v, want %q", sql, got, err, want)
		}
	}

	_, err := read(t, address+"&statement_timeout=200", Statement{SQL: "SELECT pg_sleep(60) AS a"})
	if err == nil || !strings.Contains(err.Error(), "statement timeout") {
		t.Errorf("error %v, want one about the statement timeout", err)
	}

	got, err := read(t, address, Statement{Table: "people"})
	if err != nil || got != `{"id":1,"name":"Mira Talden"}`+"\n" {
		t.Errorf("the table has changed: %s, %v", got, err)
	}

	if _, err := read(t, address, Statement{Table: `people"; DROP TABLE people; --`}); err == nil ||
		!strings.Contains(err.Error(), "does not exist") {
		t.Errorf("error %v, want an unknown table", err)
	}
}
