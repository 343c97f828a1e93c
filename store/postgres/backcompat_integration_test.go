//go:build integration

package postgres

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/freelancer-matching/service/store/storetest"
)

// commands matches the lines of a dump that only psql understands, or that a test must not run: it has its own schema.
var commands = regexp.MustCompile(`(?m)^(\\.*|CREATE SCHEMA .*|SELECT pg_catalog\.set_config\('search_path'.*)$`)

// The databases of earlier releases open and contain what those releases wrote. Each was dumped from the schema
// backcompat.
func TestBackcompat(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "backcompat", "*", "postgresql", "database.sql"))
	if err != nil || len(files) == 0 {
		t.Fatalf("databases %v, %v; want at least one", files, err)
	}

	for _, file := range files {
		folder := filepath.Dir(file)
		t.Run(filepath.Base(filepath.Dir(folder)), func(t *testing.T) {
			dump, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}

			address := newSchema(t)
			u, err := url.Parse(address)
			if err != nil {
				t.Fatal(err)
			}

			script := commands.ReplaceAllString(string(dump), "")
			script = regexp.MustCompile(`\bbackcompat\.`).ReplaceAllString(script, u.Query().Get("search_path")+".")
			connection, err := pgx.Connect(t.Context(), address)
			if err != nil {
				t.Fatal(err)
			}

			if _, err := connection.PgConn().Exec(t.Context(), script).ReadAll(); err != nil {
				t.Fatal(err)
			}

			// Sessions that a migration can't read.
			_, err = connection.Exec(t.Context(), `
				INSERT INTO interviews (id, account, version, open, expires, data) VALUES
					('damaged1', 'acc', 1, 1, 9000000000000000, '{"Begun":'), ('damaged2', 'acc', 1, 1, 0, '\xff7b'),
					('damaged3', 'acc', 1, 1, 0, '{"Begun":7,"Subject":[]}')`)
			if err != nil {
				t.Fatal(err)
			}

			if err := connection.Close(t.Context()); err != nil {
				t.Fatal(err)
			}

			storetest.Backcompat(t, openAt(t, address), filepath.Join(folder, "contents.json"))
		})
	}
}
