//go:build integration

package attacks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/integration/programs"
)

const brief = `{"description":"Web shop","required_skills":["React","Node.js","PostgreSQL"],"limit":5}`

// A service is a data folder with two indexes, and a server on it.
type service struct {
	*programs.Server
	data           string
	previous, live string
}

func newService(t *testing.T) *service {
	t.Helper()
	s := &service{data: t.TempDir()}
	load(t, s.data, 300)
	s.previous = s.indexes(t)[0]
	load(t, s.data, 400)
	s.live = slices.DeleteFunc(s.indexes(t), func(name string) bool { return name == s.previous })[0]
	s.start(t, programs.NewKey(t, s.data, "-plan", "professional"))
	return s
}

// start starts a server, in addition to one that may be running.
func (s *service) start(t *testing.T, key string) {
	t.Helper()
	s.Server = programs.Start(t, "-data", s.data)
	s.Key = key
}

// restart stops the server and starts another.
func (s *service) restart(t *testing.T) {
	t.Helper()
	if err := s.Stop(t); err != nil {
		t.Fatalf("%v\n%s", err, s.Log)
	}
	s.start(t, s.Key)
}

// indexes returns the names of all index folders.
func (s *service) indexes(t *testing.T) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(s.data, "indexes"))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if entry.IsDir() {
			names = append(names, entry.Name())
		}
	}
	return names
}

func (s *service) alias() string { return filepath.Join(s.data, "indexes", "freelancers.alias") }

// indexer runs the indexer on the data folder and returns its exit code and all of its output.
func (s *service) indexer(t *testing.T, args ...string) (code int, output string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), programs.Patience)
	defer cancel()
	cmd := programs.Command(ctx, "indexer", append(args, "-data", s.data)...)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// wantIndexer runs the indexer and checks its exit code and output.
func (s *service) wantIndexer(t *testing.T, code int, text string, args ...string) {
	t.Helper()
	got, output := s.indexer(t, args...)
	if got != code || !strings.Contains(output, text) {
		t.Errorf("indexer %s: exit code %d, want %d with %q in\n%s", strings.Join(args, " "), got, code, text, output)
	}
}

// wantHealth waits until /health has a status with the given index, and checks what /readyz says then.
func (s *service) wantHealth(t *testing.T, status, index string, texts ...string) {
	t.Helper()
	var health map[string]any
	programs.Eventually(t, fmt.Sprintf("health %s with index %q, last %v", status, index, health), func() bool {
		_, health = s.Call(t, http.MethodGet, "/api/v1/health", "")
		return health["status"] == status && s.Index(t) == index
	})

	source := fmt.Sprint(health["components"].(map[string]any)["data_source"])
	for _, text := range texts {
		if !strings.Contains(source, text) {
			t.Errorf("health %s, want %q", source, text)
		}
	}

	want := http.StatusOK
	if status == "unhealthy" {
		want = http.StatusServiceUnavailable
	}

	if code, ready := s.Call(t, http.MethodGet, "/readyz", ""); code != want {
		t.Errorf("/readyz: %d %v, want %d", code, ready, want)
	}
}

// wantMatch checks the status and the error code of a match.
func (s *service) wantMatch(t *testing.T, status int, code string) map[string]any {
	t.Helper()
	got, response := s.Call(t, http.MethodPost, "/api/v1/match", brief)
	failure, _ := response["error"].(map[string]any)
	if got != status || code != "" && failure["code"] != code {
		t.Errorf("match: %d %v, want %d %s", got, response, status, code)
	}
	return response
}

// damages are ways to lose an alias.
var damages = map[string]func(path string) error{
	"emptied":  func(path string) error { return os.Truncate(path, 0) },
	"garbage":  func(path string) error { return os.WriteFile(path, bytes.Repeat([]byte{0xff, 0}, 60), 0o600) },
	"dangling": func(path string) error { return os.WriteFile(path, []byte(`{"index":"freelancers-v1-gone"}`), 0o600) },
	"missing":  os.Remove,
}

// When the alias is damaged, a running server keeps answering and says so, a server that starts reports what to do,
// every command works or names the next step, and rollback repairs it. All of this once failed.
func TestDamagedAlias(t *testing.T) {
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			s := newService(t)
			lose := func() {
				t.Helper()
				if err := damage(s.alias()); err != nil {
					t.Fatal(err)
				}
			}

			s.wantHealth(t, "healthy", s.live)
			lose()
			s.wantHealth(t, "degraded", s.live, "indexer rollback")
			s.wantMatch(t, http.StatusOK, "")

			s.restart(t)
			s.wantHealth(t, "unhealthy", "", "indexer rollback")
			s.wantMatch(t, http.StatusServiceUnavailable, "index_unreadable")

			if !strings.Contains(s.Log.String(), "run indexer rollback") {
				t.Errorf("the log doesn't name the command:\n%s", s.Log)
			}

			s.wantIndexer(t, 0, "indexer rollback", "status")
			s.wantIndexer(t, 0, "2 indexes kept", "prune", "-keep", "0")
			s.wantIndexer(t, 1, "indexer rollback", "export")
			s.wantIndexer(t, 0, `"id"`, "export", "-index", s.live)
			s.wantIndexer(t, 1, "indexer rollback", "delete", "-ids", "f1")
			s.wantIndexer(t, 0, s.previous, "rollback", "-to", s.previous)
			s.wantHealth(t, "healthy", s.previous)
			lose()
			s.wantIndexer(t, 0, s.live, "rollback")
			s.wantHealth(t, "healthy", s.live)
			s.wantMatch(t, http.StatusOK, "")
		})
	}
}

// A load repairs a damaged alias, too.
func TestDamagedAlias_Load(t *testing.T) {
	s := newService(t)
	if err := os.Truncate(s.alias(), 0); err != nil {
		t.Fatal(err)
	}
	load(t, s.data, 500)
	s.wantIndexer(t, 0, "live", "status")
	programs.Eventually(t, "a server on the new index", func() bool {
		index := s.Index(t)
		return index != s.live && index != ""
	})
	s.wantMatch(t, http.StatusOK, "")
}

// A damaged index is served from memory until the server restarts. It is then reported, rollback returns to the other
// index, and reindex rebuilds the damaged one from its records.
func TestDamagedIndex(t *testing.T) {
	for name, test := range map[string]struct {
		damage func(path string) error
		shows  bool // without reading the whole file
	}{
		"flipped bit": {func(path string) error { return change(path, func(b []byte) { b[len(b)/2] ^= 1 }) }, false},
		"truncated":   {func(path string) error { return os.Truncate(path, 1000) }, true},
		"removed":     {os.Remove, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newService(t)
			if err := test.damage(filepath.Join(s.data, "indexes", s.live, "index.bin")); err != nil {
				t.Fatal(err)
			}

			if test.shows {
				s.wantHealth(t, "degraded", s.live, "indexer rollback")
				s.wantIndexer(t, 0, "live, damaged", "status")
			}

			s.wantMatch(t, http.StatusOK, "")
			s.restart(t)
			s.wantHealth(t, "unhealthy", "", "indexer rollback", "indexer reindex -from")
			s.wantMatch(t, http.StatusServiceUnavailable, "index_unreadable")
			s.wantIndexer(t, 0, "live      "+s.previous, "rollback")
			s.wantHealth(t, "healthy", s.previous)
			s.wantIndexer(t, 1, "damaged", "rollback")
			s.wantIndexer(t, 0, "400 freelancers indexed", "reindex", "-from", s.live)
			s.wantMatch(t, http.StatusOK, "")
		})
	}
}

// change changes the content of a file in place.
func change(path string, how func([]byte)) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	how(b)
	return os.WriteFile(path, b, 0o600)
}

// A damaged record is left out of answers, which say so, and requests about its freelancer get a code of their own.
func TestDamagedRecord(t *testing.T) {
	s := newService(t)
	first := func(response map[string]any) string {
		return response["matches"].([]any)[0].(map[string]any)["freelancer"].(map[string]any)["id"].(string)
	}
	id := first(s.wantMatch(t, http.StatusOK, ""))
	records := filepath.Join(s.data, "indexes", s.live, "records.ndjson")
	err := change(records, func(b []byte) {
		at := bytes.Index(b, []byte(`{"id":"`+id+`"`))
		b[at+len(id)+20] ^= 1
	})
	if err != nil {
		t.Fatal(err)
	}

	response := s.wantMatch(t, http.StatusOK, "")
	if first(response) == id || len(response["matches"].([]any)) != 4 ||
		!strings.Contains(fmt.Sprint(response["skipped"]), "1 freelancer was left out") {
		t.Errorf("want four matches without %s, and a note: %v", id, response)
	}

	interview := fmt.Sprintf(`{"freelancer_id":%q,"project_description":"Web shop"}`, id)
	status, response := s.Call(t, http.MethodPost, "/api/v1/interview", interview)
	failure, _ := response["error"].(map[string]any)
	if status != http.StatusServiceUnavailable || failure["code"] != "record_damaged" {
		t.Errorf("interview: %d %v, want 503 record_damaged", status, response)
	}

	s.wantHealth(t, "degraded", s.live, "Damaged records: 1", "indexer delete")
	if !strings.Contains(s.Log.String(), id) {
		t.Error("the log doesn't name the freelancer")
	}

	s.wantIndexer(t, 1, id, "export")
	s.wantIndexer(t, 1, id, "reindex")
	s.wantIndexer(t, 0, "1 freelancer deleted", "delete", "-ids", id)
	programs.Eventually(t, "a healthy server", func() bool {
		_, health := s.Call(t, http.MethodGet, "/api/v1/health", "")
		return health["status"] == "healthy"
	})
}

// A load that was killed after its index was finished, and before it went live, leaves the old index in service. The
// next load removes what it left.
func TestKilledBeforeTheSwap(t *testing.T) {
	s := newService(t)
	alias, err := os.ReadFile(s.alias())
	if err != nil {
		t.Fatal(err)
	}

	load(t, s.data, 500)
	all := s.indexes(t)
	finished := slices.DeleteFunc(all, func(name string) bool { return name == s.live || name == s.previous })[0]
	// What PointAlias changes, undone.
	if err := errors.Join(
		os.WriteFile(s.alias(), alias, 0o600),
		os.WriteFile(filepath.Join(s.data, "indexes", finished, "pending"), nil, 0o600),
	); err != nil {
		t.Fatal(err)
	}

	s.wantHealth(t, "healthy", s.live)
	if _, out := s.indexer(t, "status"); !regexp.MustCompile(finished + ` +unfinished`).MatchString(out) {
		t.Errorf("status:\n%s", out)
	}

	load(t, s.data, 600)
	// The new index may have the name of the removed one, if both were created in the same second.
	_, out := s.indexer(t, "status")
	replaced := regexp.MustCompile(`live +600 `).MatchString(out)
	if len(s.indexes(t)) != 2 || strings.Contains(out, "unfinished") || !replaced {
		t.Errorf("status, want the earlier index and one of 600 freelancers:\n%s", out)
	}
}

// A load killed at any moment leaves the live index in service and no rest that the next load would not remove.
func TestKilledLoads(t *testing.T) {
	s := newService(t)
	file := filepath.Join(t.TempDir(), "people.ndjson")
	programs.Run(t, "indexer", "generate", "-n", "20000", "-o", file)

	for i := range 10 {
		before := s.indexes(t)
		ctx, cancel := context.WithTimeout(t.Context(), programs.Patience)
		cmd := programs.Command(ctx, "indexer", "load", file, "-data", s.data)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}

		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		killAt(t, s, before, int64(i)<<20, ended)
		_ = cmd.Process.Kill()
		<-ended
		cancel()
		s.wantMatch(t, http.StatusOK, "")
		s.wantIndexer(t, 0, "live", "status")
	}

	load(t, s.data, 20_000) // as many as a load that ended before it was killed
	_, out := s.indexer(t, "status")
	if strings.Contains(out, "unfinished") || strings.Contains(out, "damaged") || !strings.Contains(out, "live") {
		t.Errorf("status:\n%s", out)
	}
}

// killAt returns when a load has written the given number of bytes to a new index, or has ended.
func killAt(t *testing.T, s *service, before []string, size int64, ended chan error) {
	t.Helper()
	programs.Eventually(t, fmt.Sprintf("an index of %d bytes", size), func() bool {
		select {
		case err := <-ended:
			ended <- err
			return true
		default:
		}

		written := int64(-1)
		for _, name := range s.indexes(t) {
			if slices.Contains(before, name) {
				continue
			}
			stat, err := os.Stat(filepath.Join(s.data, "indexes", name, "records.ndjson"))
			if err == nil {
				written = stat.Size()
			} else if !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
		}

		return written >= size
	})
}
