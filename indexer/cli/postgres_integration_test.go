//go:build integration

package cli

import (
	"context"
	"crypto/rand"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// A query is loaded, with lists as skills. The rows of one person are merged. The password appears nowhere.
func TestLoad_PostgreSQL(t *testing.T) {
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
	schema := "load_" + strings.ToLower(rand.Text()[:12])
	t.Cleanup(func() {
		if _, err := conn.Exec(context.Background(), "DROP SCHEMA "+schema+" CASCADE"); err != nil {
			t.Error(err)
		}
		_ = conn.Close(context.Background())
	})

	for _, statement := range []string{
		"CREATE SCHEMA " + schema,
		"CREATE TABLE " + schema + ".people (id bigint, full_name text, title text, skills text[], hourly_rate numeric(8,2))",
		"INSERT INTO " + schema + `.people VALUES (1, 'Mira Talden', 'Go developer', '{Go,"C, C++"}', 40.50),
			(2, 'Oren Vask', 'Illustrator', '{Illustration}', NULL), (1, 'Mira Talden', NULL, '{Kubernetes}', NULL)`,
	} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}

	user, host, ok := strings.Cut(strings.TrimPrefix(address, "postgres://"), "@")
	if !ok {
		user, host = "", user
	}
	name, _, _ := strings.Cut(user, ":")
	withPassword := "postgres://" + name + ":s3cret@" + host

	if strings.Contains(user, ":") {
		withPassword = address // the server may check it
	}
	s := newSession(t)
	out := s.must("load", withPassword, "-query", "SELECT * FROM "+schema+".people;")
	s.checkError(nil, 0, 0, out, ": postgresql, ", "2 freelancers indexed")
	want := `"id":"1","name":"Mira Talden","job_title":"Go developer","skills":["Go","C, C++","Kubernetes"],`
	if export := s.must("export"); !strings.Contains(export, want) || !strings.Contains(export, `"hourly_rate":40.5,`) {
		t.Errorf("export:\n%s\nwant %s", export, want)
	}

	again := s.must("load", "-if-changed", withPassword, "-query", "SELECT * FROM "+schema+".people;")
	s.checkError(nil, 0, 0, again, "Nothing was loaded")
	code, stdout, stderr := s.run("", "load", withPassword, "-table", schema+".nobody")
	s.checkError(nil, code, 1, stdout+stderr, "nobody", "does not exist")

	if strings.Contains(out+stdout+stderr, "s3cret") || len(s.filesWithSecret()) > 0 {
		t.Errorf("the password is in the output or in files %v", s.filesWithSecret())
	}
}
