//go:build integration

package cli

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/freelancer-matching/service/integration/programs"
)

// A crm is a schema of a real PostgreSQL with people and their skills, which a test changes.
type crm struct {
	t       *testing.T
	address string // with the schema
	schema  string
	conn    *pgx.Conn
	random  *mathrand.Rand

	query       string
	keepsPeople bool // nobody is deleted for good, which a column of times doesn't show
}

// newCRM creates a schema with a number of people.
func newCRM(t *testing.T, people int) *crm {
	t.Helper()
	const variable = "MATCHING_TEST_POSTGRES_URL"
	address := os.Getenv(variable)
	if address == "" {
		if os.Getenv("CI") != "" {
			t.Fatalf("%s is not set; CI must run this test on a real PostgreSQL", variable)
		}
		t.Skipf("set %s to the URL of a PostgreSQL database to run this test", variable)
	}

	c := &crm{
		t: t, query: crmQuery, schema: "sync_" + strings.ToLower(rand.Text()[:12]),
		random: mathrand.New(mathrand.NewPCG(7, 11)),
	}
	separator := "?"
	if strings.Contains(address, "?") {
		separator = "&"
	}
	c.address = address + separator + "search_path=" + c.schema
	c.conn = c.connect()
	t.Cleanup(func() {
		if _, err := c.conn.Exec(context.Background(), "DROP SCHEMA "+c.schema+" CASCADE"); err != nil {
			t.Error(err)
		}
	})

	c.exec("CREATE SCHEMA "+c.schema,
		`CREATE TABLE people (id bigint PRIMARY KEY, name text, title text, rate numeric(8,2), deleted boolean NOT NULL,
			updated_at timestamptz NOT NULL)`,
		`CREATE TABLE skills (id bigserial PRIMARY KEY, person_id bigint, name text)`,
		`CREATE INDEX ON skills (person_id)`,
		fmt.Sprintf(`INSERT INTO people SELECT i, 'Person ' || i, 'Engineer ' || i %% 7, 20 + i %% 80, false, now()
			FROM generate_series(1, %d) AS i`, people),
		`INSERT INTO skills (person_id, name) SELECT id, (ARRAY['Go', 'Python', 'Rust'])[1 + id % 3] FROM people`,
		`INSERT INTO skills (person_id, name) SELECT id, 'Kubernetes' FROM people WHERE id % 2 = 0`)
	return c
}

func (c *crm) connect() *pgx.Conn {
	c.t.Helper()
	conn, err := pgx.Connect(c.t.Context(), c.address)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func (c *crm) exec(statements ...string) {
	c.t.Helper()
	for _, s := range statements {
		if _, err := c.conn.Exec(c.t.Context(), s); err != nil {
			c.t.Fatalf("%s: %v", s, err)
		}
	}
}

// crmQuery has a row for each person and skill. The update of a person is the time of all of their rows.
const crmQuery = `SELECT p.id, p.name, p.title, p.rate, s.name AS skills, p.updated_at
	FROM people p LEFT JOIN skills s ON s.person_id = p.id WHERE NOT p.deleted`

// markedQuery returns soft-deleted people, too, and marks them, so that a column of times shows the deletion.
const markedQuery = `SELECT p.id, p.name, p.title, p.rate, s.name AS skills, p.updated_at, p.deleted
	FROM people p LEFT JOIN skills s ON s.person_id = p.id`

// args returns a command line of sync on the data folder of a session.
func (c *crm) args(flags ...string) []string {
	return append([]string{
		"sync", "-from", c.address, "-query", c.query, "-id", "id", "-map", "job_title=title", "-map", "hourly_rate=rate",
		"-map", "skills=skills",
	}, flags...)
}

// A person is what a row and the index say about somebody.
type person struct {
	ID, Name, Title string
	Rate            float64
	Skills          []string
}

// people returns what the query says, by ID.
func (c *crm) people() map[string]person {
	c.t.Helper()
	rows, err := c.conn.Query(c.t.Context(), `SELECT id::text, name, title, rate::float8,
		coalesce(array_agg(skills ORDER BY skills) FILTER (WHERE skills IS NOT NULL), '{}')
		FROM (`+crmQuery+`) AS q GROUP BY 1, 2, 3, 4`)
	if err != nil {
		c.t.Fatal(err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[person])
	if err != nil {
		c.t.Fatal(err)
	}
	all := make(map[string]person, len(list))
	for _, p := range list {
		p.Skills = slices.Compact(p.Skills)
		all[p.ID] = p
	}
	return all
}

// indexed returns what the index of a session says, by ID.
func indexed(s *session) map[string]person {
	s.t.Helper()
	all := map[string]person{}
	decoder := json.NewDecoder(strings.NewReader(s.must("export")))
	for decoder.More() {
		var f struct {
			ID, Name   string
			JobTitle   string  `json:"job_title"`
			HourlyRate float64 `json:"hourly_rate"`
			Skills     []string
		}
		if err := decoder.Decode(&f); err != nil {
			s.t.Fatal(err)
		}
		slices.Sort(f.Skills)
		all[f.ID] = person{f.ID, f.Name, f.JobTitle, f.HourlyRate, f.Skills}
	}
	return all
}

// checkSame fails the test unless the index has what the query returns, row by row.
func (c *crm) checkSame(s *session, when string) {
	c.t.Helper()
	if diff := cmp.Diff(c.people(), indexed(s)); diff != "" {
		c.t.Fatalf("%s: the index differs from the query (-query +index):\n%.3000s", when, diff)
	}
}

// change makes random changes in a transaction.
func (c *crm) change(tx pgx.Tx, people int) {
	c.t.Helper()
	id := 1 + c.random.IntN(people)
	statements := []string{
		"UPDATE people SET rate = rate + 1, updated_at = now() WHERE id = $1",
		"UPDATE people SET deleted = NOT deleted, updated_at = now() WHERE id = $1",
		"DELETE FROM skills WHERE id = (SELECT min(id) FROM skills WHERE person_id = $1)",
		"INSERT INTO skills (person_id, name) VALUES ($1, 'Docker')",
		"UPDATE skills SET person_id = $1 WHERE id = (SELECT min(id) FROM skills WHERE person_id = $1 % 50 + 1)",
		"DELETE FROM people WHERE id = $1",
		"INSERT INTO people VALUES ($1::bigint, 'Newcomer ' || $1::bigint, 'Cook', 33, false, now()) ON CONFLICT DO NOTHING",
	}
	kind := c.random.IntN(len(statements))
	if c.keepsPeople && strings.HasPrefix(statements[kind], "DELETE FROM people") {
		kind = 0
	}
	if _, err := tx.Exec(c.t.Context(), statements[kind], id); err != nil {
		c.t.Fatal(err)
	}

	// A person whose skills change gets a new time, as applications with a column of times do.
	if strings.Contains(statements[kind], "skills") {
		_, err := tx.Exec(c.t.Context(), "UPDATE people SET updated_at = now() WHERE id = $1 OR id = $1 % 50 + 1", id)
		if err != nil {
			c.t.Fatal(err)
		}
	}
}

// begin starts a transaction on a connection of its own.
func (c *crm) begin() pgx.Tx {
	c.t.Helper()
	tx, err := c.connect().Begin(c.t.Context())
	if err != nil {
		c.t.Fatal(err)
	}
	return tx
}

func (c *crm) commit(tx pgx.Tx) {
	c.t.Helper()
	if err := errors.Join(tx.Commit(c.t.Context()), tx.Conn().Close(c.t.Context())); err != nil {
		c.t.Fatal(err)
	}
}

// start runs the program as a child process that a test may kill.
func (s *session) start(args []string) (child *exec.Cmd, output *programs.Buffer) {
	s.t.Helper()
	child = exec.CommandContext(s.t.Context(), os.Args[0])
	child.Env = append(os.Environ(), argsVariable+"="+strings.Join(args, "\x1f"), "MATCHING_DATA="+s.data)
	output = &programs.Buffer{}
	child.Stdout, child.Stderr = output, output
	if err := child.Start(); err != nil {
		s.t.Fatal(err)
	}
	return child, output
}

// Transactions commit out of order, skills are joined, people are deleted softly and for good, and the process is
// killed at random moments. After each round, the index has exactly what the query returns.
func TestSync_PostgreSQL(t *testing.T) {
	for _, test := range []struct {
		name   string
		people int
		flags  []string
	}{
		{"comparison", 20_000, []string{"-once", "-quiet"}},
		{"watermark", 2000, []string{"-once", "-quiet", "-changed-at", "updated_at", "-margin", "0s"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			people, flags := test.people, test.flags
			c := newCRM(t, people)
			if test.name == "watermark" {
				c.query, c.keepsPeople = markedQuery, true
			}
			s := newSession(t)
			s.must(c.args(flags...)...)
			c.checkSame(s, "after the first run")

			for round := range 3 {
				early, late := c.begin(), c.begin()
				for range 10 {
					c.change(late, people/2)
				}
				c.commit(late) // began later, and commits first

				// The process is killed at some point of its work, or has ended before.
				child, output := s.start(c.args(flags...))
				wait := time.Duration(c.random.IntN(600)) * time.Millisecond
				timer := time.AfterFunc(wait, func() { _ = child.Process.Kill() })
				err := child.Wait()
				timer.Stop()
				if err != nil && child.ProcessState.Exited() {
					t.Fatalf("round %d: %v\n%s", round, err, output)
				}

				s.must(c.args(flags...)...) // has the changes of late while early is running
				for range 10 {
					if _, err := early.Exec(t.Context(),
						"UPDATE people SET title = 'Early ' || $1::int, updated_at = now() WHERE id = $2",
						round, people-c.random.IntN(people/2-1)); err != nil {
						t.Fatal(err)
					}
				}
				c.commit(early)

				s.must(c.args(flags...)...)
				c.checkSame(s, fmt.Sprintf("round %d", round))
			}

			// A load of the same rows results in the same index.
			fresh := newSession(t)
			fresh.must("load", c.address, "-query", c.query, "-id", "id", "-map",
				"job_title=title", "-map", "hourly_rate=rate", "-map", "skills=skills")
			if diff := cmp.Diff(indexed(fresh), indexed(s)); diff != "" {
				t.Errorf("a load has another result (-load +sync):\n%.3000s", diff)
			}
		})
	}
}

// Changes of both tables arrive by logical replication, deletions included, through kills.
func TestSync_FollowPostgreSQL(t *testing.T) {
	const people = 2000
	c := newCRM(t, people)
	s := newSession(t)
	slot := c.schema
	tables := []string{"-slot", slot, "-follow-table", "people:id", "-follow-table", "skills:person_id"}
	follow := c.args(append(tables, "-follow", "-quiet", "-allow-shrink")...) // skills are emptied
	create := append([]string{"sync", "-create-slot", "-from", c.address}, tables...)

	s.wantError(1, create, "REPLICA IDENTITY FULL", `ALTER TABLE "skills"`)
	c.exec("ALTER TABLE skills REPLICA IDENTITY FULL")
	s.must(create...)
	t.Cleanup(func() { // the slot would keep the log of the server
		drop := []string{"sync", "-drop-slot", "-from", c.address, "-slot", slot}
		code, stdout, stderr := s.runContext(context.Background(), "", drop...)
		s.checkError(drop, code, 0, stdout+stderr, "don't exist any more")
	})

	for round := range 6 {
		child, output := s.start(follow)
		for range 20 {
			early, late := c.begin(), c.begin()
			c.change(late, people/2)
			if _, err := early.Exec(t.Context(), "UPDATE people SET title = $1 WHERE id = $2",
				fmt.Sprintf("Round %d", round), people-c.random.IntN(people/2-1)); err != nil {
				t.Fatal(err)
			}
			c.commit(late)
			c.commit(early)
		}

		isLast := round == 5
		if isLast {
			c.exec("TRUNCATE skills") // has no rows to send
		}
		if round%2 == 1 || isLast {
			programs.Eventually(t, "the changes of round "+fmt.Sprint(round), func() bool {
				return cmp.Equal(c.people(), indexedOrNone(s))
			})
		}
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = child.Wait()
		if t.Failed() {
			t.Log(output)
		}
	}
}

// round runs sync -once -json and returns what it did.
func (c *crm) round(s *session, flags ...string) (r roundResult) {
	c.t.Helper()
	out := s.must(c.args(append(flags, "-once", "-json")...)...)
	var d struct{ Result *roundResult }
	d.Result = &r
	if err := json.Unmarshal([]byte(out), &d); err != nil {
		c.t.Fatalf("%v in %s", err, out)
	}
	return r
}

// checkRound runs sync -once and compares what it did.
func (c *crm) checkRound(s *session, when string, want roundResult, flags ...string) {
	c.t.Helper()
	got := c.round(s, flags...)
	got.Seconds, got.Index = 0, ""
	got.Reason, _, _ = strings.Cut(got.Reason, " freelancers-")
	if diff := cmp.Diff(want, got); diff != "" {
		c.t.Errorf("%s (-want +got):\n%s", when, diff)
	}
	c.checkSame(s, when)
}

// Each kind of round does what is due, and says why it loads everything.
func TestSync_RoundsPostgreSQL(t *testing.T) {
	c := newCRM(t, 100)
	s := newSession(t)
	c.checkRound(s, "first run", roundResult{Kind: "full", Reason: "this is the first run", Changed: 100})
	c.checkRound(s, "no change", roundResult{Kind: "comparison"})

	c.exec("UPDATE people SET rate = 1 + id WHERE id < 5", "DELETE FROM people WHERE id = 7",
		"UPDATE people SET deleted = true WHERE id = 8", "DELETE FROM skills WHERE person_id = 9")
	c.checkRound(s, "changes", roundResult{Kind: "comparison", Changed: 5, Deleted: 2})

	// A row that becomes invalid is about nobody any more, and isn't tried again until it changes.
	c.exec("UPDATE people SET name = NULL, title = NULL WHERE id = 11", "DELETE FROM skills WHERE person_id = 11")
	invalid := c.round(s)
	if _, ok := indexed(s)["11"]; ok || invalid.Deleted != 1 || invalid.Rejected != 1 {
		t.Errorf("an invalid row: %+v", invalid)
	}
	if again := c.round(s); again.Deleted+again.Rejected+again.Changed > 0 {
		t.Errorf("an invalid row is tried again: %+v", again)
	}
	c.exec("UPDATE people SET name = 'Person 11', title = 'Engineer 4' WHERE id = 11")
	c.checkRound(s, "a row that is valid again", roundResult{Kind: "comparison", Changed: 1})

	// Others change the index: a comparison restores what the query says.
	s.must("delete", "-ids", "12")
	others := s.file("others.csv", "id,name,job_title\nx0,Mira Talden,Cook\nx1,Oren Vask,Cook\n")
	s.must("load", "-upsert", others)
	c.checkRound(s, "changes by others", roundResult{Kind: "comparison", Changed: 1, Deleted: 2})

	// A column of times: only rows with a new one are read, until a comparison is due.
	times := []string{"-changed-at", "updated_at", "-margin", "0s"}
	c.checkRound(s, "first delta", roundResult{Kind: "comparison"}, times...)
	c.exec("UPDATE people SET rate = 90, updated_at = now() WHERE id = 20")
	c.checkRound(s, "delta", roundResult{Kind: "delta", Changed: 1}, times...)
	c.checkRound(s, "empty delta", roundResult{Kind: "delta"}, times...)
	c.exec("DELETE FROM people WHERE id = 21")
	c.checkRound(s, "due comparison", roundResult{Kind: "comparison", Deleted: 1}, append(times, "-reconcile", "1ns")...)

	s.must("reindex")
	c.checkRound(s, "after another command", roundResult{Kind: "full", Reason: "another command has made", Changed: 97})
	c.checkRound(s, "another flag", roundResult{
		Kind: "full", Reason: "the query, its flags or the version of this program have changed", Changed: 97,
	}, "-hours-per-day", "7")

	// Guards: nothing is lost by mistake.
	s.wantError(1, c.args("-once", "-hours-per-day", "7", "-map", "description=none"), "none")
	c.exec("DELETE FROM people WHERE id > 50")
	s.wantError(1, c.args("-once", "-hours-per-day", "7"), "much of the live index", "-allow-shrink")
	c.checkRound(s, "confirmed", roundResult{Kind: "comparison", Changed: 0, Deleted: 50}, "-hours-per-day", "7",
		"-allow-shrink")
	c.exec("DELETE FROM people")
	s.wantError(1, c.args("-once"), "the query returns no rows")
}

// A run for cron writes metrics also after a failure, and the password appears nowhere.
func TestSync_MetricsPostgreSQL(t *testing.T) {
	c := newCRM(t, 10)
	s := newSession(t)
	metrics := s.file("sync.prom", "")
	c.exec("INSERT INTO people VALUES (-1, NULL, NULL, 5, false, now())")
	c.address = strings.Replace(c.address, "postgres@", "postgres:s3cret@", 1)
	out := s.must(c.args("-once", "-metrics-file", metrics, "-max-failures", "1")...)
	c.exec("ALTER TABLE people RENAME TO persons")
	code, stdout, stderr := s.run("", c.args("-once", "-metrics-file", metrics, "-max-failures", "1")...)
	s.checkError(nil, code, 1, stdout+stderr, `relation "people" does not exist`)

	text, err := os.ReadFile(metrics)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"matching_sync_up 0\n", "matching_sync_rounds_total 2\n", "matching_sync_failed_rounds_total 1\n",
		"matching_sync_changed_total 10\n", "matching_sync_rejected_rows_total 1\n", "matching_sync_ids 11\n",
		"matching_sync_pending_ids 0\n",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the metrics lack %q:\n%s", want, text)
		}
	}

	if strings.Contains(out+stdout+stderr, "s3cret") || len(s.filesWithSecret()) > 0 {
		t.Errorf("the password is in the output or in files %v", s.filesWithSecret())
	}
}

// Mistakes in names, types and permissions are errors with the next step.
func TestSync_ErrorsPostgreSQL(t *testing.T) {
	c := newCRM(t, 10)
	s := newSession(t)
	sync := []string{"sync", "-once", "-from", c.address}
	for _, test := range []struct {
		flags []string
		want  string
	}{
		{[]string{"-table", "people", "-id", "number"}, `the query has no column "number" for -id; it has "id", "name"`},
		{[]string{"-table", "people", "-id", "rate"}, `has the type numeric; use an integer, a uuid or text`},
		{[]string{"-query", "SELECT 'a@example.com' AS id, 'Cook' AS title", "-id", "id"}, "no rows with an id"},
		{[]string{"-query", "SELECT 1 AS id, 'Cook' AS job_title; DROP TABLE people", "-id", "id"}, "multiple commands"},
	} {
		s.wantError(1, append(sync, test.flags...), test.want)
	}

	s.must(c.args("-once", "-changed-at", "updated_at")...)
	s.wantError(1, c.args("-once", "-changed-at", "age"), `has no column "age" for -changed-at`)
	s.wantError(1, c.args("-once", "-changed-at", "name"), "neither a timestamp nor a timestamptz")

	// A user who can't see the transactions of others might miss their rows.
	role := c.schema
	c.exec("CREATE ROLE "+role+" LOGIN", "GRANT USAGE ON SCHEMA "+c.schema+" TO "+role,
		"GRANT SELECT ON ALL TABLES IN SCHEMA "+c.schema+" TO "+role)
	t.Cleanup(func() {
		if _, err := c.conn.Exec(context.Background(), "DROP OWNED BY "+role+"; DROP ROLE "+role); err != nil {
			t.Error(err)
		}
	})
	c.address = strings.Replace(c.address, "postgres@", role+"@", 1)
	s.wantError(1, c.args("-once", "-changed-at", "updated_at"), "GRANT pg_read_all_stats")
	c.exec("GRANT pg_read_all_stats TO " + role)
	s.must(c.args("-once", "-changed-at", "updated_at")...)

	// Without a slot, the error lists what an administrator has to run.
	follow := c.args("-follow", "-slot", c.schema, "-follow-table", "people:id")
	child, output := s.start(follow)
	programs.Eventually(t, "the error about the slot", func() bool {
		return strings.Contains(output.String(), "pg_create_logical_replication_slot") &&
			strings.Contains(output.String(), "CREATE PUBLICATION")
	})
	_ = child.Process.Kill()
	_ = child.Wait()
}

// indexedOrNone returns what the index of a session has; nil if there is no index yet.
func indexedOrNone(s *session) map[string]person {
	if code, out, _ := s.run("", "export"); code != 0 || out == "" {
		return nil
	}
	return indexed(s)
}
