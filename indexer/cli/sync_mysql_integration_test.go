//go:build integration

package cli

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"fmt"
	mathrand "math/rand/v2"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/google/go-cmp/cmp"
)

// A shop is a database of a real MariaDB or MySQL with people and their skills, which a test changes.
type shop struct {
	t       *testing.T
	address string // with the database
	pool    *sql.DB
	random  *mathrand.Rand
	query   string
	// keepsPeople is set if nobody is deleted for good, which a column of times doesn't show.
	keepsPeople bool
}

// newShop creates a database with a number of people.
func newShop(t *testing.T, people int) *shop {
	t.Helper()
	const variable = "MATCHING_TEST_MYSQL_URL"
	address := os.Getenv(variable)
	if address == "" {
		if os.Getenv("CI") != "" {
			t.Fatalf("%s is not set; CI must run this test on a real server", variable)
		}
		t.Skipf("set %s to the URL of a MySQL or MariaDB database to run this test", variable)
	}

	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	admin := openMySQL(t, u, strings.Trim(u.Path, "/"))
	name := "sync_" + strings.ToLower(rand.Text()[:12])
	if _, err := admin.ExecContext(t.Context(), "CREATE DATABASE "+name+" CHARACTER SET utf8mb4"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := admin.ExecContext(context.Background(), "DROP DATABASE "+name); err != nil {
			t.Error(err)
		}
	})

	s := &shop{t: t, pool: openMySQL(t, u, name), query: shopQuery, random: mathrand.New(mathrand.NewPCG(7, 13))}
	u.Path = "/" + name
	s.address = u.String()
	s.exec(`CREATE TABLE people (id bigint PRIMARY KEY, name varchar(100), title varchar(100), rate decimal(8,2),
			deleted boolean NOT NULL, updated_at timestamp(6) NOT NULL)`,
		`CREATE TABLE skills (id bigint AUTO_INCREMENT PRIMARY KEY, person_id bigint, name varchar(50), INDEX (person_id))`)
	s.fill(people)
	return s
}

// fill adds people with skills.
func (s *shop) fill(people int) {
	s.t.Helper()
	for batch := range slices.Chunk(slices.Collect(numbers(people)), 1000) {
		var rows, skills []string
		for _, i := range batch {
			rows = append(rows, fmt.Sprintf("(%d, 'Person %[1]d', 'Engineer %d', %d, false, now(6))", i, i%7, 20+i%80))
			skills = append(skills, fmt.Sprintf("(%d, '%s')", i, []string{"Go", "Python", "Rust"}[i%3]))
			if i%2 == 0 {
				skills = append(skills, fmt.Sprintf("(%d, 'Kubernetes')", i))
			}
		}
		s.exec("INSERT INTO people VALUES "+strings.Join(rows, ", "),
			"INSERT INTO skills (person_id, name) VALUES "+strings.Join(skills, ", "))
	}
}

// numbers yields the numbers from 1 to n.
func numbers(n int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for i := 1; i <= n && yield(i); i++ {
		}
	}
}

// openMySQL opens a database of the server in a URL.
func openMySQL(t *testing.T, u *url.URL, name string) *sql.DB {
	t.Helper()
	config := mysql.NewConfig()
	config.Net, config.Addr, config.DBName = "tcp", u.Host, name
	config.User = u.User.Username()
	config.Passwd, _ = u.User.Password()
	connector, err := mysql.NewConnector(config)
	if err != nil {
		t.Fatal(err)
	}
	pool := sql.OpenDB(connector)
	t.Cleanup(func() { _ = pool.Close() })
	return pool
}

func (s *shop) exec(statements ...string) {
	s.t.Helper()
	for _, statement := range statements {
		if _, err := s.pool.ExecContext(s.t.Context(), statement); err != nil {
			s.t.Fatalf("%.200s: %v", statement, err)
		}
	}
}

// The queries have a row for each person and skill. The second one returns deleted people, too, and marks them.
const (
	shopQuery = `SELECT p.id, p.name, p.title, p.rate, s.name AS skills, p.updated_at
		FROM people p LEFT JOIN skills s ON s.person_id = p.id WHERE NOT p.deleted`
	markedShopQuery = `SELECT p.id, p.name, p.title, p.rate, s.name AS skills, p.updated_at, p.deleted
		FROM people p LEFT JOIN skills s ON s.person_id = p.id`
)

// args returns a command line of sync on the data folder of a session.
func (s *shop) args(flags ...string) []string {
	return append([]string{
		"sync", "-from", s.address, "-query", s.query, "-id", "id", "-map", "job_title=title", "-map", "hourly_rate=rate",
		"-map", "skills=skills",
	}, flags...)
}

// people returns what the query says, by ID.
func (s *shop) people() map[string]person {
	s.t.Helper()
	rows, err := s.pool.QueryContext(s.t.Context(), "SELECT id, name, title, rate, skills FROM ("+shopQuery+") AS q")
	if err != nil {
		s.t.Fatal(err)
	}
	defer rows.Close()
	all := map[string]person{}
	for rows.Next() {
		var p person
		var skill sql.NullString
		if err := rows.Scan(&p.ID, &p.Name, &p.Title, &p.Rate, &skill); err != nil {
			s.t.Fatal(err)
		}
		p.Skills = append([]string{}, all[p.ID].Skills...)
		if skill.Valid && !slices.Contains(p.Skills, skill.String) {
			p.Skills = append(p.Skills, skill.String)
			slices.Sort(p.Skills)
		}
		all[p.ID] = p
	}
	if err := rows.Err(); err != nil {
		s.t.Fatal(err)
	}
	return all
}

// checkSame fails the test unless the index has what the query returns, row by row.
func (s *shop) checkSame(in *session, when string) {
	s.t.Helper()
	if diff := cmp.Diff(s.people(), indexed(in)); diff != "" {
		s.t.Fatalf("%s: the index differs from the query (-query +index):\n%.3000s", when, diff)
	}
}

// begin starts a transaction.
func (s *shop) begin() *sql.Tx {
	s.t.Helper()
	tx, err := s.pool.BeginTx(s.t.Context(), nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return tx
}

func (s *shop) commit(tx *sql.Tx) {
	s.t.Helper()
	if err := tx.Commit(); err != nil {
		s.t.Fatal(err)
	}
}

func (s *shop) execIn(tx *sql.Tx, statement string, arguments ...any) {
	s.t.Helper()
	if _, err := tx.ExecContext(s.t.Context(), statement, arguments...); err != nil {
		s.t.Fatalf("%s: %v", statement, err)
	}
}

// change makes a random change in a transaction. A person whose skills change gets a new time, as applications with a
// column of times do.
func (s *shop) change(tx *sql.Tx, people int) {
	s.t.Helper()
	id := 1 + s.random.IntN(people)
	statements := []string{
		"UPDATE people SET rate = rate + 1, updated_at = now(6) WHERE id = ?",
		"UPDATE people SET deleted = NOT deleted, updated_at = now(6) WHERE id = ?",
		"DELETE FROM skills WHERE person_id = ? LIMIT 1",
		"INSERT INTO skills (person_id, name) VALUES (?, 'Docker')",
		"DELETE FROM people WHERE id = ?",
		"INSERT IGNORE INTO people VALUES (?, 'Newcomer', 'Cook', 33, false, now(6))",
	}
	kind := s.random.IntN(len(statements))
	if s.keepsPeople && strings.HasPrefix(statements[kind], "DELETE FROM people") {
		kind = 0
	}
	s.execIn(tx, statements[kind], id)
	if strings.Contains(statements[kind], "skills") {
		s.execIn(tx, "UPDATE people SET updated_at = now(6) WHERE id = ?", id)
	}
}

// Transactions commit out of order, skills are joined, people are deleted softly and for good, and the process is
// killed at random moments. After each round, the index has exactly what the query returns.
func TestSync_MySQL(t *testing.T) {
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
			shop := newShop(t, people)
			if test.name == "watermark" {
				shop.query, shop.keepsPeople = markedShopQuery, true
			}
			s := newSession(t)
			s.must(shop.args(flags...)...)
			shop.checkSame(s, "after the first run")

			for round := range 3 {
				early, late := shop.begin(), shop.begin()
				// A transaction begins with its first statement, and its rows have a time from then on.
				shop.execIn(early, "UPDATE people SET title = ?, updated_at = now(6) WHERE id = ?",
					fmt.Sprintf("Early %d", round), people-round)
				for range 10 {
					shop.change(late, people/2)
				}
				shop.commit(late) // began later, and commits first

				// The process is killed at some point of its work, or has ended before.
				child, output := s.start(shop.args(flags...))
				wait := time.Duration(shop.random.IntN(600)) * time.Millisecond
				timer := time.AfterFunc(wait, func() { _ = child.Process.Kill() })
				err := child.Wait()
				timer.Stop()
				if err != nil && child.ProcessState.Exited() {
					t.Fatalf("round %d: %v\n%s", round, err, output)
				}

				s.must(shop.args(flags...)...) // has the changes of late while early is running
				for range 10 {
					shop.execIn(early, "UPDATE people SET title = ?, updated_at = now(6) WHERE id = ?",
						fmt.Sprintf("Early %d", round), people-shop.random.IntN(people/2-1))
				}
				shop.commit(early)

				s.must(shop.args(flags...)...)
				shop.checkSame(s, fmt.Sprintf("round %d", round))
			}
		})
	}
}

// round runs sync -once -json and returns what it did.
func (s *shop) round(in *session, flags ...string) (r roundResult) {
	s.t.Helper()
	out := in.must(s.args(append(flags, "-once", "-json")...)...)
	d := struct{ Result *roundResult }{&r}
	if err := json.Unmarshal([]byte(out), &d); err != nil {
		s.t.Fatalf("%v in %s", err, out)
	}
	return r
}

// checkRound runs sync -once and compares what it did.
func (s *shop) checkRound(in *session, when string, want roundResult, flags ...string) {
	s.t.Helper()
	got := s.round(in, flags...)
	got.Seconds, got.Index = 0, ""
	if diff := cmp.Diff(want, got); diff != "" {
		s.t.Errorf("%s (-want +got):\n%s", when, diff)
	}
	s.checkSame(in, when)
}

// Each kind of round does what is due. Rows that are deleted for good are found by a comparison, and a transaction that
// is committed long after its time by the next delta.
func TestSync_RoundsMySQL(t *testing.T) {
	shop := newShop(t, 100)
	s := newSession(t)
	times := []string{"-changed-at", "updated_at", "-margin", "0s"}
	shop.checkRound(s, "first run", roundResult{Kind: "full", Reason: "this is the first run", Changed: 100}, times...)
	shop.checkRound(s, "empty delta", roundResult{Kind: "delta"}, times...)

	late := shop.begin()
	shop.execIn(late, "UPDATE people SET rate = 77, updated_at = now(6) WHERE id = 3")
	shop.exec("UPDATE people SET rate = 90, updated_at = now(6) WHERE id = 20")
	shop.checkRound(s, "delta", roundResult{Kind: "delta", Changed: 1}, times...)
	shop.commit(late)
	shop.checkRound(s, "a late commit", roundResult{Kind: "delta", Changed: 1}, times...)

	shop.exec("DELETE FROM people WHERE id = 21", "DELETE FROM skills WHERE person_id = 22",
		"UPDATE people SET deleted = true WHERE id = 23")
	shop.checkRound(s, "due comparison", roundResult{Kind: "comparison", Changed: 1, Deleted: 2},
		append(times, "-reconcile", "1ns")...)
	shop.checkRound(s, "no change", roundResult{Kind: "comparison"})

	out := s.must("status", "-v")
	if !strings.Contains(out, "mysql://") || strings.Contains(out, "postgresql") {
		t.Errorf("status: %s", out)
	}
	s.wantError(1, shop.args("-once", "-map", "description=none"), "none")
}
