//go:build integration

package integration

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/freelancer-matching/service/integration/programs"
)

// erasedRounds is the number of people whom TestErasures_ReachAllServers erases while it kills servers.
const erasedRounds = 6

// serverID matches the IDs of servers in responses.
var serverID = regexp.MustCompile(`srv_[0-9a-f]{12}`)

// An erasable is a server with the embedded engine, a data folder of its own, and a database that others share.
type erasable struct {
	*programs.Server
	folder string
	args   []string
}

// restart kills the server, and starts it again.
func (e *erasable) restart(t *testing.T) {
	t.Helper()
	key := e.Key
	if err := e.Cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = e.Cmd.Wait() // it was killed
	e.Server = programs.Start(t, e.args...)
	e.Key = key
}

// has reports whether a server returns a freelancer, in a match and by ID.
func (e *erasable) has(t *testing.T, id string) (matched, readable bool) {
	t.Helper()
	status, response := e.Call(t, http.MethodPost, "/api/v1/match",
		`{"description":"Shop in Go","required_skills":["Go"],"limit":100}`)
	if status != http.StatusOK {
		t.Fatalf("match: %d %v", status, response)
	}
	matched = strings.Contains(fmt.Sprint(response), id)
	status, response = e.Call(t, http.MethodGet, "/api/v1/freelancers/"+id, "")
	if status != http.StatusOK && status != http.StatusNotFound {
		t.Fatalf("read %s: %d %v", id, status, response)
	}
	return matched, status == http.StatusOK
}

// Three servers with indexes of their own share a database. A person who is erased on one of them is in no answer of
// any of them from the next request on, also if servers are killed meanwhile, and an old file doesn't bring them back.
func TestErasures_ReachAllServers(t *testing.T) {
	database := newDatabase(t)
	lines := []string{"id,name,job_title,skills,description"}
	for n := range 30 {
		lines = append(lines, fmt.Sprintf("p-%02d,Person Zorblax%02d,Go developer,Go,I built shop number %d in Go", n, n, n))
	}
	file := filepath.Join(t.TempDir(), "old.csv")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}

	var servers []*erasable
	for range 3 {
		e := &erasable{folder: t.TempDir()}
		e.args = []string{"-data", e.folder, "-database-url", database}
		programs.Run(t, "indexer", append([]string{"load"}, append(e.args, file)...)...)
		e.Server = programs.Start(t, e.args...)
		servers = append(servers, e)
	}
	created := programs.Run(t, "server", "keys", "create", "-database-url", database, "-plan", "enterprise", "-name", "t")
	id := regexp.MustCompile(`key_[0-9A-Za-z]+`).FindString(created)
	programs.Run(t, "server", "keys", "grant", "-database-url", database, id, "data:read", "data:write")
	for _, e := range servers {
		e.Key = programs.KeyPattern.FindString(created)
	}

	// A change would reach one server only. An erasure names the servers that have followed it.
	for i, e := range servers {
		status, response := e.Call(t, http.MethodPut, "/api/v1/freelancers/p-29", `{"job_title":"Cook"}`)
		if text := fmt.Sprint(response); status != http.StatusConflict || !strings.Contains(text, "3 servers") {
			t.Errorf("server %d accepts a change: %d %s", i, status, text)
		}
	}
	out := programs.Run(t, "server", append([]string{"check"}, servers[0].args...)...)
	if !strings.Contains(out, "3 servers with indexes of their own") {
		t.Errorf("the check doesn't mention the servers:\n%s", out)
	}

	for n := range erasedRounds {
		person := fmt.Sprintf("p-%02d", n)
		for i, e := range servers {
			if matched, readable := e.has(t, person); !matched || !readable {
				t.Fatalf("server %d doesn't have %s before the erasure, so the test would prove nothing", i, person)
			}
		}

		// Every other round, another server is killed at the same time.
		var killing sync.WaitGroup
		if n%2 == 1 {
			victim := servers[(n+1)%len(servers)]
			killing.Go(func() { victim.restart(t) })
		}
		status, response := servers[n%len(servers)].Call(t, http.MethodDelete, "/api/v1/freelancers/"+person, "")
		if status != http.StatusOK {
			t.Fatalf("delete %s: %d %v", person, status, response)
		}
		if listed := serverID.FindAllString(fmt.Sprint(response), -1); len(listed) != len(servers) {
			t.Errorf("the response to the erasure of %s names the servers %v, want %d: %v", person, listed, len(servers),
				response)
		}
		killing.Wait()

		for i, e := range servers {
			if matched, readable := e.has(t, person); matched || readable {
				t.Errorf("server %d returns %s, who was erased: in a match %t, by ID %t", i, person, matched, readable)
			}
		}
	}

	// When the others have ended, the last one accepts changes.
	for _, e := range servers[1:] {
		e.Stop(t)
	}
	status, response := servers[0].Call(t, http.MethodPut, "/api/v1/freelancers/p-29", `{"job_title":"Cook"}`)
	if status != http.StatusOK {
		t.Errorf("the only server refuses a change: %d %v", status, response)
	}

	for i, e := range servers {
		for n := range erasedRounds {
			if files := containing(t, e.folder, fmt.Sprintf("Zorblax%02d", n)); files != nil {
				t.Errorf("the data folder of server %d has the name of person %d in %v", i, n, files)
			}
		}

		out := programs.Run(t, "indexer", append([]string{"load"}, append(e.args, file)...)...)
		if want := fmt.Sprintf("%d left out", erasedRounds); !strings.Contains(out, want) {
			t.Errorf("no %q in the report of the load of server %d:\n%s", want, i, out)
		}
	}
}

// containing returns the files in a folder that contain a text.
func containing(t *testing.T, folder, text string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err == nil && bytes.Contains(content, []byte(text)) {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
