//go:build integration && soak

package integration

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/freelancer-matching/service/integration/programs"
)

const (
	soakClients     = 6
	soakFreelancers = 5000
	soakDisk        = "256m" // the size of the disk that fills up
	soakOutage      = 3 * time.Second
	soakCalm        = 8 * time.Second // between two faults
)

// soakCodes are the errors that a fault may cause. Anything else, such as 500, is a failure.
var soakCodes = []string{
	"503 database_unavailable", "503 storage_full", "503 storage_read_only", "503 database_locked",
	"503 quota_unavailable", "503 overloaded", "503 engine_unavailable", "504 engine_timeout",
	"429 rate_limit_exceeded", "429 quota_exceeded", "429 too_many_concurrent_requests", "429 overloaded",
	"409 too_many_sessions", "409 session_changed", "409 interviews_full", "503 storage_failed",
}

// TestSoak sends mixed requests to servers that are killed, lose their disk space, and lose their databases, for
// SOAK (10m). Everything that a server acknowledged must still be there at the end: keys, interviews with their
// scores, deletions, and loaded data.
func TestSoak(t *testing.T) {
	length := soakLength(t)
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		s := newSoak(t, smallDisk(t), length)
		s.faults = []fault{
			{"server killed", s.killServer},
			{"load", s.load},
			{"load killed", s.killLoad},
			{"disk full", s.fillDisk},
			{"database locked", s.lockDatabase},
		}

		s.run(t)
	})

	t.Run("postgresql and redis", func(t *testing.T) {
		t.Parallel()
		redis := newRedis(t)
		wire, database := newWire(t, newDatabase(t))
		s := newSoak(t, t.TempDir(), length, "-database-url", database, "-redis-url", redis.url())
		s.faults = []fault{
			{"server killed", s.killServer},
			{"load", s.load},
			{"postgresql unreachable", func(t *testing.T) {
				wire.Stop()
				pause(t.Context(), soakOutage)
				if err := wire.Start(); err != nil {
					t.Fatal(err)
				}
			}},
			{"redis killed", func(t *testing.T) {
				redis.kill()
				pause(t.Context(), soakOutage)
				redis.start(t)
			}},
		}

		s.run(t)
	})
}

// A fault breaks something and mends it.
type fault struct {
	name   string
	strike func(*testing.T)
}

// A soak is a server under load and faults, with everything that it acknowledged.
type soak struct {
	data, address string
	database      []string // flags of the server
	keyFlags      []string // flags of the command that creates keys
	length        time.Duration
	faults        []fault
	server        *server
	resume        []byte

	mu           sync.Mutex // guards the fields below
	restarting   bool       // requests may fail without a response
	keys         []string
	evaluated    map[string]string // session → its key and score
	deleted      map[string]string // session → its key
	seed         int               // of the last load that succeeded
	counts       map[string]int    // responses per operation and outcome
	struck       map[string]int
	dropped      int // requests without a response
	acknowledged int
}

func newSoak(t *testing.T, data string, length time.Duration, database ...string) *soak {
	t.Helper()
	file, err := os.ReadFile("../resume/docx/testdata/resume.docx")
	if err != nil {
		t.Fatal(err)
	}

	s := &soak{
		data: data, address: "127.0.0.1:" + freePort(t), database: database, keyFlags: []string{"-data", data},
		length: length, resume: file,
		evaluated: map[string]string{}, deleted: map[string]string{},
		counts: map[string]int{}, struck: map[string]int{},
	}

	if len(database) > 0 {
		s.keyFlags = database[:2]
	}

	s.load(t)
	s.startServer(t)

	for range 4 {
		s.createKey(t)
	}

	return s
}

// smallDisk mounts a file system that a test can fill up.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+soakDisk); err != nil {
		t.Skip("filling a disk needs a file system of its own, which only root can mount:", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// pause waits between two faults, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// run sends requests and strikes with faults in turn, and then checks everything that was acknowledged.
func (s *soak) run(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), s.length)
	defer cancel()

	var clients sync.WaitGroup
	for i := range soakClients {
		clients.Go(func() { s.client(ctx, t, rand.New(rand.NewPCG(uint64(i), 1))) })
	}

	for i := 0; ctx.Err() == nil && !t.Failed(); i++ {
		f := s.faults[i%len(s.faults)]
		f.strike(t)
		s.mu.Lock()
		s.struck[f.name]++
		s.mu.Unlock()
		s.createKey(t)
		pause(ctx, soakCalm)
	}

	cancel()
	clients.Wait()
	if t.Failed() {
		t.Logf("errors in the log:\n%s", errorLines(s.server.Log.String()))
	}

	s.verify(t)
	t.Logf("faults: %v", s.struck)
	for _, name := range slices.Sorted(maps.Keys(s.counts)) {
		t.Logf("%7d  %s", s.counts[name], name)
	}

	t.Logf("%d requests without a response, %d acknowledged changes checked", s.dropped, s.acknowledged)
}

func (s *soak) startServer(t *testing.T) {
	t.Helper()
	args := append([]string{"-addr", s.address, "-data", s.data, "-log-level", "warn"}, s.database...)
	started := start(t, args...)
	s.mu.Lock()
	s.server, s.restarting = started, false
	s.mu.Unlock()
}

func (s *soak) killServer(t *testing.T) {
	s.mu.Lock()
	s.restarting = true
	s.mu.Unlock()
	_ = s.server.Cmd.Process.Kill()
	_ = s.server.Cmd.Wait()
	if strings.Contains(s.server.Log.String(), "panic") {
		t.Errorf("the server panicked:\n%s", s.server.Log)
	}
	s.startServer(t)
}

// load loads other freelancers. Every load that ended well must be live afterward.
func (s *soak) load(t *testing.T) {
	s.seed++
	file := filepath.Join(t.TempDir(), fmt.Sprint(s.seed, ".csv"))
	programs.Run(t, "indexer", "generate", "-n", fmt.Sprint(soakFreelancers), "-seed", fmt.Sprint(s.seed),
		"-format", "csv", "-o", file)
	programs.Run(t, "indexer", "load", "-data", s.data, file)
	programs.Run(t, "indexer", "prune", "-data", s.data, "-keep", "0")
}

// killLoad kills a load as soon as it reports progress. The index before it stays live.
func (s *soak) killLoad(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cmd := programs.Command(ctx, "indexer", "load", "-data", s.data, "-")
	reader, writer := io.Pipe()
	cmd.Stdin = reader
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	rows := programs.Run(t, "indexer", "generate", "-n", "3000", "-seed", "7", "-format", "csv")
	go func() { _, _ = io.WriteString(writer, rows) }() // the load waits for more rows when it is killed
	pause(t.Context(), time.Second)
	_ = cmd.Process.Kill()
	_ = reader.Close()
	_ = cmd.Wait()
	status := programs.Run(t, "indexer", "status", "-data", s.data)
	if !strings.Contains(status, fmt.Sprint(soakFreelancers)) && !strings.Contains(status, "5,000") {
		t.Errorf("after a killed load, status lacks the live index:\n%s", status)
	}
}

// fillDisk leaves no space on the disk for a while. Reads must go on.
func (s *soak) fillDisk(t *testing.T) {
	name := filepath.Join(s.data, "filler")
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	block := make([]byte, 4096)
	for err == nil {
		_, err = file.Write(block)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("fill the disk: %v", err)
	}
	pause(t.Context(), soakOutage)
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
}

// lockDatabase holds the lock of writers, as a stuck backup or another program would.
func (s *soak) lockDatabase(t *testing.T) {
	file := "file:" + filepath.Join(s.data, "matching.db") + "?_txlock=immediate&_pragma=busy_timeout(10000)"
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	pause(t.Context(), soakOutage)
	_ = tx.Rollback()
}

// createKey creates a key on the command line. Every key that was printed must work from then on.
func (s *soak) createKey(t *testing.T) {
	t.Helper()
	args := append([]string{"keys", "create", "-plan", "enterprise", "-name", "soak"}, s.keyFlags...)
	key := programs.KeyPattern.FindString(programs.Run(t, "server", args...))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys = append(s.keys, key)
}

// client sends one request after the other until ctx ends.
func (s *soak) client(ctx context.Context, t *testing.T, random *rand.Rand) {
	brief := strings.Replace(programs.Brief, "ceramics studio", "%s studio", 1)
	trades := []string{"ceramics", "yoga", "photo", "dance", "design", "music"}
	for ctx.Err() == nil && !t.Failed() {
		s.mu.Lock()
		key := s.keys[random.IntN(len(s.keys))]
		s.mu.Unlock()
		switch n := random.IntN(100); {
		case n < 65:
			s.send(t, key, "match", "POST", "/match", fmt.Sprintf(brief, trades[random.IntN(len(trades))]))
		case n < 90:
			s.send(t, key, "verify-skill", "POST", "/verify-skill", `{"keyword":"golang"}`)
		case n < 95:
			s.upload(t, key)
		default:
			s.interview(t, key, random)
		}
	}
}

// interview starts an interview, answers it, and sometimes deletes it.
func (s *soak) interview(t *testing.T, key string, random *rand.Rand) {
	about := fmt.Sprintf(`"freelancer_id":"f%d"`, 1+random.IntN(soakFreelancers))
	started := s.send(t, key, "interview", "POST", "/interview",
		"{"+about+`,"project_description":"A shop in Go","required_skills":["golang"],"num_questions":1}`)
	session := member(started, "data", "session_id")
	if session == "" {
		return
	}

	evaluation := s.send(t, key, "interview", "POST", "/interview", "{"+about+`,"mode":"ai_full","session_id":"`+session+
		`","provided_answers":["I moved 40 services to Go, because it needs a tenth of the memory."]}`)
	evaluatedAt := member(evaluation, "data", "evaluation", "evaluated_at")
	if evaluatedAt == "" {
		return
	}

	s.mu.Lock()
	s.evaluated[session] = about + "|" + key + "|" + evaluatedAt
	s.mu.Unlock()

	if random.IntN(3) > 0 {
		return
	}

	s.mu.Lock()
	delete(s.evaluated, session) // until the response is known, the session may or may not exist
	s.mu.Unlock()

	if s.send(t, key, "delete-interview", "DELETE", "/interview?session_id="+session, "") != nil {
		s.mu.Lock()
		s.deleted[session] = about + "|" + key
		s.mu.Unlock()
	}
}

// upload sends a resume.
func (s *soak) upload(t *testing.T, key string) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", "resume.docx")
	if err != nil {
		t.Error(err)
		return
	}
	_, _ = part.Write(s.resume)
	_ = form.Close()
	s.sendAs(t, key, "parse", "POST", "/parse", form.FormDataContentType(), &body)
}

func (s *soak) send(t *testing.T, key, operation, method, path, body string) map[string]any {
	return s.sendAs(t, key, operation, method, path, "application/json", strings.NewReader(body))
}

// sendAs sends a request and returns its response, or nil unless it succeeded. It fails the test for an error that no
// fault explains.
func (s *soak) sendAs(t *testing.T, key, operation, method, path, media string, body io.Reader) map[string]any {
	request, err := http.NewRequest(method, "http://"+s.address+"/api/v1"+path, body)
	if err != nil {
		t.Error(err)
		return nil
	}

	request.Header.Set("X-API-Key", key)
	request.Header.Set("Content-Type", media)
	s.mu.Lock()
	restarting := s.restarting
	s.mu.Unlock()
	client := http.Client{Timeout: programs.Patience}
	response, err := client.Do(request)
	s.mu.Lock()
	defer s.mu.Unlock()

	if err != nil {
		s.dropped++
		if !restarting && !s.restarting && s.struck["server killed"] == 0 {
			t.Errorf("%s: %v, although the server was not killed", operation, err)
		}
		return nil
	}
	defer response.Body.Close()

	var answer map[string]any
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		s.dropped++ // killed while it responded
		return nil
	}

	outcome := fmt.Sprint(response.StatusCode)
	if response.StatusCode != http.StatusOK {
		outcome += " " + errorCode(answer)
		if !slices.Contains(soakCodes, outcome) {
			t.Errorf("%s: %s: %v", operation, outcome, answer)
		}
	}

	s.counts[operation+" "+outcome]++
	if response.StatusCode != http.StatusOK {
		return nil
	}

	return answer
}

// verify checks everything that was acknowledged, on a server without faults.
func (s *soak) verify(t *testing.T) {
	s.killServer(t) // the last kill: what is only in memory does not count
	for _, key := range s.keys {
		if status, answer := s.server.withKey(key).Call(t, "GET", "/api/v1/health", ""); status != http.StatusOK {
			t.Errorf("a key that was created: %d %v", status, answer)
		}
	}

	_, health := s.server.withKey(s.keys[0]).Call(t, "GET", "/api/v1/health", "")
	if n := member(health, "components", "data_source", "freelancer_count"); n != fmt.Sprint(soakFreelancers) {
		t.Errorf("%s freelancers are live, want %d", n, soakFreelancers)
	}

	report := func(session, about, key string) (int, map[string]any) {
		return s.server.withKey(key).Call(t, "POST", "/api/v1/interview",
			"{"+about+`,"mode":"report","session_id":"`+session+`"}`)
	}
	for session, facts := range s.evaluated {
		f := strings.Split(facts, "|")
		status, answer := report(session, f[0], f[1])
		if got := member(answer, "data", "evaluation", "evaluated_at"); status != http.StatusOK || got != f[2] {
			t.Errorf("interview %s: status %d, evaluated at %q, want %q: %v", session, status, got, f[2], answer)
		}
	}

	for session, facts := range s.deleted {
		f := strings.Split(facts, "|")
		if status, answer := report(session, f[0], f[1]); status != http.StatusNotFound {
			t.Errorf("deleted interview %s: %d %v", session, status, answer)
		}
	}

	s.acknowledged = len(s.keys) + len(s.evaluated) + len(s.deleted) + s.seed
}

// errorLines returns the lines of a log that report errors.
func errorLines(log string) string {
	lines := slices.DeleteFunc(strings.Split(log, "\n"), func(line string) bool {
		return !strings.Contains(line, "level=ERROR")
	})
	return strings.Join(lines, "\n")
}

// member returns a member of nested JSON objects as text, or "".
func member(value any, names ...string) string {
	for _, name := range names {
		object, ok := value.(map[string]any)
		if !ok {
			return ""
		}
		value = object[name]
	}
	if value == nil {
		return ""
	}
	return fmt.Sprint(value)
}
