package query

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// database creates an SQLite file with statements.
func database(t *testing.T, statements ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "people #1?.db")
	db, err := sql.Open("sqlite", "file:"+strings.NewReplacer("#", "%23", "?", "%3f", " ", "%20").Replace(path))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	return path
}

const peopleTable = "CREATE TABLE people " +
	"(id INTEGER PRIMARY KEY, name TEXT, skills TEXT, rate REAL, seen DATETIME, photo BLOB)"

func TestReadSQLite(t *testing.T) {
	path := database(t, peopleTable,
		`INSERT INTO people VALUES (9007199254740993, 'Mira "M" Talden'||char(10)||char(9)||'\', '["Go","SQL"]', 40.5,
			'2026-11-22 10:00:00', x'ff00')`,
		`INSERT INTO people VALUES (2, CAST(x'4d75f16f7a' AS TEXT), NULL, 9e999, 'today', 'text')`,
		`CREATE VIEW names AS SELECT name FROM people WHERE id = 2`,
		`CREATE VIRTUAL TABLE search USING fts5(name)`)

	all := `{"id":2,"name":"Mu` + "\xf1" + `oz","skills":null,"rate":null,"seen":"today","photo":"text"}` + "\n" +
		`{"id":9007199254740993,"name":"Mira \"M\" Talden\u000a\u0009\\","skills":"[\"Go\",\"SQL\"]","rate":40.5,` +
		`"seen":"2026-11-22T10:00:00Z","photo":null}` + "\n"
	for _, test := range []struct {
		s     Statement
		want  string
		notes int
	}{
		{Statement{}, all, 1},
		{Statement{Table: "PEOPLE"}, all, 1},
		{Statement{Table: "names"}, `{"name":"Mu` + "\xf1" + `oz"}` + "\n", 0},
		{
			Statement{SQL: "SELECT id AS n, rate FROM people WHERE id > 2 ; \n"},
			`{"n":9007199254740993,"rate":40.5}` + "\n", 0,
		},
	} {
		var out bytes.Buffer
		result, err := ReadSQLite(t.Context(), path, test.s, &out)
		if err != nil || out.String() != test.want {
			t.Errorf("%+v: %v\n%s, want\n%s", test.s, err, &out, test.want)
			continue
		}

		if result.Rows != strings.Count(test.want, "\n") || len(result.Notes) != test.notes {
			t.Errorf("%+v: %+v", test.s, result)
		}
	}

	if !IsSQLite(path) || IsSQLite(path+"none") || IsSQLite(filepath.Dir(path)) {
		t.Error("IsSQLite is wrong")
	}
}

func TestReadSQLite_Errors(t *testing.T) {
	insert := `INSERT INTO people (name) VALUES ('Mira Talden')`
	two := database(t, peopleTable, insert, `CREATE TABLE "other ""one""" (a)`)
	target := filepath.Join(t.TempDir(), "target.db")
	damaged := database(t, peopleTable, insert)
	if err := os.Truncate(damaged, 4096); err != nil {
		t.Fatal(err)
	}

	pending := database(t, peopleTable, insert)
	if err := os.WriteFile(pending+"-wal", []byte("changes"), 0o600); err != nil {
		t.Fatal(err)
	}

	for _, test := range []struct {
		name, path string
		s          Statement
		want       string
	}{
		{"several tables", two, Statement{}, `the database has 2 tables: "other \"one\"", "people"; choose one with -table`},
		{"no table", database(t, "CREATE VIEW v AS SELECT 1 AS a"), Statement{}, "the database has no tables"},
		{
			"another table", two,
			Statement{Table: "freelancers"},
			`no table "freelancers"; the tables and views are "other \"one\"", "people"`,
		},
		{"an empty table", database(t, peopleTable), Statement{}, "there are no rows"},
		{"two columns of a name", two, Statement{SQL: "SELECT name, id AS name FROM people"}, `two columns are named "name"`},
		{"no columns", two, Statement{SQL: "PRAGMA user_version = 3"}, "readonly"},
		{"not SQL", two, Statement{SQL: "people"}, "syntax error"},
		{"a change", two, Statement{SQL: "DELETE FROM people RETURNING name"}, "readonly"},
		{"another file", two, Statement{SQL: "ATTACH '" + target + "' AS t; CREATE TABLE t.x (a)"}, "too many attached"},
		{"a copy", two, Statement{SQL: "VACUUM INTO '" + target + "'"}, "too many attached"},
		{"an extension", two, Statement{SQL: "SELECT load_extension('x')"}, "not authorized"},
		{"a huge value", two, Statement{SQL: "SELECT hex(zeroblob(60000000))"}, "too big"},
		{"a damaged file", damaged, Statement{}, "malformed"},
		{"changes in a log", pending, Statement{}, "-wal has changes that are not in the database file"},
	} {
		t.Run(test.name, func(t *testing.T) {
			result, err := ReadSQLite(t.Context(), test.path, test.s, new(bytes.Buffer))
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), test.path+": ") {
				t.Errorf("%+v, error %v, want %q", result, err, test.want)
			}

			if _, err := os.Stat(target); err == nil {
				t.Error("another file was created")
			}
		})
	}
}

// A query that never ends is interrupted. In a malicious file, a view can return one row and then look for another
// one forever.
func TestReadSQLite_Endless(t *testing.T) {
	path := database(t, `CREATE VIEW people AS
		WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS name FROM n WHERE i = 1 OR i < 0`)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := ReadSQLite(ctx, path, Statement{Table: "people"}, writerFunc(func([]byte) error {
		cancel()
		return nil
	}))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

// A spool that is full ends the query.
func TestReadSQLite_FullSpool(t *testing.T) {
	path := database(t, `CREATE VIEW people AS
		WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS name FROM n`)
	full := errors.New("full")
	left := 1000
	_, err := ReadSQLite(t.Context(), path, Statement{Table: "people"}, writerFunc(func(p []byte) error {
		if left -= len(p); left < 0 {
			return full
		}
		return nil
	}))
	if !errors.Is(err, full) {
		t.Errorf("error %v, want %v", err, full)
	}
}

// writerFunc is called with what is written.
type writerFunc func(p []byte) error

// Write implements io.Writer.
func (f writerFunc) Write(p []byte) (int, error) { return len(p), f(p) }
