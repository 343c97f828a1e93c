//go:build integration && soak

package integration

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/Shopify/toxiproxy/v2"

	"github.com/freelancer-matching/service/integration/programs"
)

const (
	soakWriters = 4
	soakLines   = 250  // changes that a writer sends each second
	soakErased  = 2000 // people who may be erased during a soak
)

// TestSoak_SeveralServers changes 1,000 records a second on three servers that share PostgreSQL and Elasticsearch, and
// erases a person every second, while servers are killed and PostgreSQL is away, for SOAK (10m). At the end, each
// record has its last acknowledged change or a later one whose response was lost, and nobody who was erased is back,
// also after a load of the file that they came from. /health says "healthy" exactly when PostgreSQL is reachable.
func TestSoak_SeveralServers(t *testing.T) {
	s := newServersSoak(t)
	ctx, cancel := context.WithTimeout(t.Context(), soakLength(t))
	defer cancel()

	began := time.Now()
	var clients sync.WaitGroup
	for writer := range soakWriters {
		clients.Go(func() { s.write(ctx, t, writer) })
	}

	clients.Go(func() { s.erase(ctx, t) })
	clients.Go(func() { s.match(ctx, t) })
	s.strike(ctx, t)
	cancel()
	clients.Wait()

	length := time.Since(began)
	s.verify(t)
	t.Logf("%d changes acknowledged (%.0f a second), %d without a response, %d people erased, %d matches, %d kills, "+
		"%d outages of PostgreSQL, %d checks of /health", s.changed, float64(s.changed)/length.Seconds(), s.unanswered,
		len(s.erased), s.matches, s.kills, s.outages, s.checks)
}

// soakLength returns how long a soak takes.
func soakLength(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv("SOAK")
	if text == "" {
		return 10 * time.Minute
	}

	length, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return length
}

// A serversSoak is a set of servers under changes and faults, with everything that they acknowledged.
type serversSoak struct {
	deployment *deployment
	file       string           // with the people of the first load
	wire       *toxiproxy.Proxy // to PostgreSQL
	key        string
	servers    []atomic.Pointer[server]

	mu         sync.Mutex       // guards the fields below
	last       map[string]int   // the number of the last acknowledged change, by ID
	lost       map[string][]int // the numbers of changes without a response, by ID
	asked      int              // people whose erasure was asked for
	erased     []string
	changed    int
	unanswered int
	matches    int
	kills      int
	outages    int
	checks     int
}

func newServersSoak(t *testing.T) *serversSoak {
	t.Helper()
	wire, database := newWire(t, newDatabase(t))
	d := deploy(t, elasticsearchEngine())
	d.flags = append(d.flags, "-database-url", database)
	s := &serversSoak{
		deployment: d, file: filepath.Join(t.TempDir(), "people.csv"), wire: wire,
		servers: make([]atomic.Pointer[server], 3), last: make(map[string]int), lost: make(map[string][]int),
	}

	lines := []string{"id,name,job_title,skills"}
	for n := range soakErased {
		lines = append(lines, fmt.Sprintf("e%d,Erika,Developer,Go", n))
	}
	for writer := range soakWriters {
		for n := range soakLines {
			lines = append(lines, fmt.Sprintf("w%d-%d,Wanda,Developer 0,Go", writer, n))
		}
	}
	writeFile(t, s.file, strings.Join(lines, "\n")+"\n")
	d.index(t, "load", s.file)

	created := programs.Run(t, "server", "keys", "create", "-database-url", database, "-plan", "enterprise", "-name", "t")
	s.key = programs.KeyPattern.FindString(created)
	id := regexp.MustCompile(`key_[0-9A-Za-z]+`).FindString(created)
	programs.Run(t, "server", "keys", "grant", "-database-url", database, id, "data:read", "data:write")

	for i := range s.servers {
		s.start(t, i)
	}
	return s
}

func (s *serversSoak) start(t *testing.T, i int) {
	t.Helper()
	started := start(t, append([]string{"-log-level", "warn"}, s.deployment.flags...)...)
	started.Key = s.key
	s.servers[i].Store(started)
}

// strike kills one server after the other, and makes PostgreSQL unreachable in between. After each fault, it checks
// what the servers say about themselves.
func (s *serversSoak) strike(ctx context.Context, t *testing.T) {
	for n := 0; ctx.Err() == nil && !t.Failed(); n++ {
		pause(ctx, soakCalm)
		if n%4 == 3 {
			s.cutDatabase(t)
		} else {
			s.kill(t, n%len(s.servers))
		}

		s.wantHealth(t, true)
	}
}

func (s *serversSoak) kill(t *testing.T, i int) {
	t.Helper()
	victim := s.servers[i].Load()
	_ = victim.Cmd.Process.Kill()
	_ = victim.Cmd.Wait() // it was killed
	if log := victim.Log.String(); strings.Contains(log, "panic") {
		t.Errorf("a server panicked:\n%s", log)
	}
	s.start(t, i)
	s.kills++
}

// cutDatabase makes PostgreSQL unreachable until every server has noticed.
func (s *serversSoak) cutDatabase(t *testing.T) {
	t.Helper()
	s.wire.Stop()
	s.wantHealth(t, false)
	if err := s.wire.Start(); err != nil {
		t.Fatal(err)
	}
	s.outages++
}

// wantHealth waits until every server says that it is healthy, or that it isn't.
func (s *serversSoak) wantHealth(t *testing.T, want bool) {
	t.Helper()
	for i := range s.servers {
		programs.Eventually(t, fmt.Sprintf("server %d to be healthy: %t", i, want), func() bool {
			_, healthy := s.servers[i].Load().healthHas(t, "")
			return healthy == want
		})
		s.checks++
	}
}

// write sends a change of each of a writer's records every second, to one server after the other.
func (s *serversSoak) write(ctx context.Context, t *testing.T, writer int) {
	second := time.NewTicker(time.Second)
	defer second.Stop()

	for round := 1; ; round++ {
		select {
		case <-ctx.Done():
			return
		case <-second.C:
		}

		var body bytes.Buffer
		for n := range soakLines {
			fmt.Fprintf(&body, `{"id":"w%d-%d","name":"Wanda","job_title":"Developer %d","skills":["Go"]}`+"\n",
				writer, n, round)
		}

		done := s.send(t, s.servers[round%len(s.servers)].Load(), &body)
		s.mu.Lock()
		for n := range soakLines {
			id := fmt.Sprintf("w%d-%d", writer, n)
			if done[id] {
				s.last[id] = round
				s.lost[id] = nil // whatever was under way lost against this change
				s.changed++
			} else {
				s.lost[id] = append(s.lost[id], round)
				s.unanswered++
			}
		}
		s.mu.Unlock()
	}
}

// send sends changes and returns the IDs of the people whose change was acknowledged. A killed server and a database
// that is away explain missing results.
func (s *serversSoak) send(t *testing.T, to *server, body *bytes.Buffer) (done map[string]bool) {
	done = make(map[string]bool)
	request, err := http.NewRequest(http.MethodPost, to.URL+"/api/v1/freelancers/bulk", body)
	if err != nil {
		t.Error(err)
		return done
	}

	request.Header.Set("X-API-Key", s.key)
	request.Header.Set("Content-Type", "application/x-ndjson")
	response, err := (&http.Client{Timeout: programs.Patience}).Do(request)
	if err != nil {
		return done
	}
	defer response.Body.Close()

	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		var result struct {
			ID, Outcome string
			Error       struct{ Code string }
		}
		if json.Unmarshal(lines.Bytes(), &result) != nil {
			return done // killed within a line
		}

		switch result.Outcome {
		case "created", "replaced", "unchanged":
			done[result.ID] = true
		case "":
		default:
			if outcome := "503 " + result.Error.Code; !slices.Contains(soakCodes, outcome) {
				t.Errorf("change of %s: %s", result.ID, lines.Text())
			}
		}
	}
	return done
}

// erase erases a person every second. From then on, no server returns them, and none takes them back.
func (s *serversSoak) erase(ctx context.Context, t *testing.T) {
	second := time.NewTicker(time.Second)
	defer second.Stop()

	for n := range soakErased {
		select {
		case <-ctx.Done():
			return
		case <-second.C:
		}

		s.asked++ // no other goroutine reads it before this one has ended
		path := fmt.Sprintf("/api/v1/freelancers/e%d", n)
		status, _, err := s.servers[n%len(s.servers)].Load().Try(http.MethodDelete, path, "")
		if err != nil || status != http.StatusOK {
			continue
		}

		s.mu.Lock()
		s.erased = append(s.erased, fmt.Sprintf("e%d", n))
		s.mu.Unlock()
		for i := range s.servers {
			got, _, err := s.servers[i].Load().Try(http.MethodGet, path, "")
			if err == nil && got == http.StatusOK {
				t.Errorf("server %d returns e%d, who was erased", i, n)
			}

			put, _, err := s.servers[i].Load().Try(http.MethodPut, path, `{"name":"Erika","job_title":"Back"}`)
			if err == nil && put < 300 {
				t.Errorf("server %d takes e%d back: %d", i, n, put)
			}
		}
	}
}

// match matches without a pause. Nobody who was erased before is among the matches.
func (s *serversSoak) match(ctx context.Context, t *testing.T) {
	for n := 0; ctx.Err() == nil; n++ {
		s.mu.Lock()
		gone := slices.Clone(s.erased)
		s.mu.Unlock()

		status, response, err := s.servers[n%len(s.servers)].Load().Try(http.MethodPost, "/api/v1/match",
			`{"description":"Developer for a shop","required_skills":["Go"],"limit":100}`)
		if err != nil || status != http.StatusOK {
			continue
		}

		s.mu.Lock()
		s.matches++
		s.mu.Unlock()
		matches, _ := response["matches"].([]any)
		for _, m := range matches {
			if id := member(m, "freelancer", "id"); slices.Contains(gone, id) {
				t.Errorf("match %d returns %s, who was erased", n, id)
			}
		}
	}
}

// verify compares every record with what was acknowledged, and loads the first file again.
func (s *serversSoak) verify(t *testing.T) {
	for id, last := range s.last {
		status, record := s.servers[0].Load().Call(t, http.MethodGet, "/api/v1/freelancers/"+id, "")
		var number int
		_, err := fmt.Sscanf(member(record, "data", "freelancer", "job_title"), "Developer %d", &number)
		if status != http.StatusOK || err != nil || number != last && !slices.Contains(s.lost[id], number) {
			t.Errorf("%s: status %d, change %d (%v), want %d or one of %v", id, status, number, err, last, s.lost[id])
		}
	}

	for _, id := range s.erased {
		if status, _ := s.servers[0].Load().Call(t, http.MethodGet, "/api/v1/freelancers/"+id, ""); status != 404 {
			t.Errorf("%s was erased: status %d", id, status)
		}
	}

	// An erasure whose response was lost may have been done.
	out := s.deployment.index(t, "load", s.file)
	var leftOut int
	if found := leftOutPattern.FindStringSubmatch(strings.ReplaceAll(out, ",", "")); found != nil {
		leftOut, _ = strconv.Atoi(found[1]) // only digits
	}
	if leftOut < len(s.erased) || leftOut > s.asked {
		t.Errorf("the load of the first file leaves out %d people, want %d to %d:\n%s", leftOut, len(s.erased), s.asked, out)
	}
}

// leftOutPattern matches the number of people in the report of a load whom it left out because they were erased.
var leftOutPattern = regexp.MustCompile(`(\d+) left out`)
