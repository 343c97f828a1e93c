package storetest

import (
	"database/sql"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

//go:embed stored.tsv
var storedFile string

// A storedColumns is a line of stored.tsv: columns of a table, and what an operator must know about them.
type storedColumns struct {
	table                        string
	columns                      []string
	content, about, kept, seenBy string
}

func readStored(t *testing.T) []storedColumns {
	t.Helper()
	var all []storedColumns
	for line := range strings.Lines(storedFile) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(cells) != 6 || slices.Contains(cells, "") {
			t.Fatalf("stored.tsv: line %q must have six cells", line)
		}
		all = append(all, storedColumns{
			cells[0], strings.Fields(cells[1]), cells[2], cells[3], cells[4], cells[5],
		})
	}
	return all
}

// StoredData tests that stored.tsv lists every column of a new database once, and nothing else. columns is a query that
// returns the names of all tables and columns.
func StoredData(t *testing.T, db *sql.DB, columns string) {
	schema := readSchema(t, db, columns)
	listed := map[string][]string{}
	for _, s := range readStored(t) {
		listed[s.table] = append(listed[s.table], s.columns...)
	}

	for _, columnsOf := range []map[string][]string{schema, listed} {
		for _, names := range columnsOf {
			slices.Sort(names)
		}
	}

	if diff := cmp.Diff(schema, listed); diff != "" {
		t.Errorf("store/storetest/stored.tsv differs from the schema. Say there what a new column has, whose data that "+
			"is, how long it is kept, and who sees it (-schema +stored.tsv):\n%s", diff)
	}
}

// readSchema returns the columns of a database by table, in any order.
func readSchema(t *testing.T, db *sql.DB, query string) map[string][]string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	noError(t, err)
	defer rows.Close()

	schema := map[string][]string{}
	for rows.Next() {
		var table, column string
		noError(t, rows.Scan(&table, &column))
		schema[table] = append(schema[table], column)
	}

	noError(t, rows.Err())
	return schema
}

// StoredDataPage returns the page docs/operations/stored-data.md.
func StoredDataPage(t *testing.T) string {
	t.Helper()
	var page strings.Builder
	page.WriteString(`# Stored data

This page lists every column of the database, whose personal data it has, how long it is kept, and who sees it.
[Privacy](privacy.md) explains the periods, lists the files outside the database, and says how to find, export and erase
a person.

<!-- Generated from store/storetest/stored.tsv by "make golden"; a test fails when it differs from the schema. -->

Everybody who can read the database sees everything in it, so each row has "operator". "Members" are the users of the
account that the data belongs to, and its API keys with the permission for it. "Administrators" use the dashboard.

| table | columns | content | data about | kept | seen by |
|---|---|---|---|---|---|
`)
	for _, s := range readStored(t) {
		var names []string
		for _, c := range s.columns {
			names = append(names, "`"+c+"`")
		}
		fmt.Fprintf(&page, "| `%s` | %s | %s | %s | %s | %s |\n",
			s.table, strings.Join(names, ", "), s.content, s.about, s.kept, s.seenBy)
	}
	return page.String()
}
