package cli

import (
	"strings"
	"testing"
)

// Invalid command lines are refused before anything is opened, with the next step.
func TestSync_Usage(t *testing.T) {
	s := newSession(t)
	const from = "postgres://reader@127.0.0.1:1/crm"
	source := []string{"-from", from, "-table", "people", "-id", "id"}
	for _, test := range []struct {
		flags []string
		want  string
	}{
		{nil, "-from is missing"},
		{[]string{"-from", "people.csv"}, "load other inputs with indexer load"},
		{[]string{"-from", "oracle://db/crm"}, "must be a postgres:// or mysql:// URL"},
		{[]string{"-from", "mysql://db/crm?x=1", "-table", "people", "-id", "id"}, "is unknown or repeated"},
		{[]string{"-from", "mysql://db/crm", "-table", "people", "-id", "id", "-follow"}, "-follow needs PostgreSQL"},
		{[]string{"-from", "mysql://db/crm", "-create-slot"}, "MySQL has no replication slots"},
		{[]string{"-from", from, "-id", "id"}, "give either -query"},
		{[]string{"-from", from, "-table", "people"}, "-id is missing"},
		{[]string{"-from", from, "-table", "people", "-query", "SELECT 1", "-id", "id"}, "give either -query"},
		{[]string{"-id", "site,handle"}, "want one column"},
		{[]string{"-id", "row"}, "want one column"},
		{append(source, "-every", "0s"), "must be above 0"},
		{append(source, "-follow", "-once"), "-follow can't be used with -once"},
		{append(source, "-follow", "-changed-at", "t"), "-follow can't be used with"},
		{append(source, "-follow"), "-follow needs -follow-table"},
		{append(source, "-follow-table", "people:id"), "-follow-table needs -follow"},
		{append(source, "-follow", "-follow-table", "people"), "want TABLE:COLUMN"},
		{append(source, "-follow", "-follow-table", "people:id", "-slot", "My-Slot"), "invalid name"},
		{[]string{"-create-slot", "-from", from}, "-follow needs -follow-table"},
		{[]string{"-drop-slot"}, "-from"},
		{append(source, "-max-failures", "many"), "neither a number of rows"},
		{append(source, "more"), "takes no arguments"},
	} {
		s.wantError(2, append([]string{"sync"}, test.flags...), test.want)
	}
}

// A database that doesn't answer is an error of a run for cron, and the data folder stays usable.
func TestSync_NoDatabase(t *testing.T) {
	for from, named := range map[string]string{
		"postgres://reader:s3cret@127.0.0.1:1/crm?sslmode=disable": "postgres://127.0.0.1:1/crm",
		"mysql://reader:s3cret@127.0.0.1:1/crm":                    "mysql://127.0.0.1:1/crm",
	} {
		s := newSession(t)
		code, stdout, stderr := s.run("", "sync", "-once", "-from", from, "-table", "people", "-id", "id")
		s.checkError(nil, code, 1, stdout+stderr, named, "connection refused")
		if strings.Contains(stdout+stderr, "s3cret") || len(s.filesWithSecret()) > 0 {
			t.Errorf("the password is in the output or in files %v:\n%s", s.filesWithSecret(), stdout+stderr)
		}
	}
}
