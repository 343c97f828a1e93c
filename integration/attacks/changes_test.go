//go:build integration

package attacks

import (
	"database/sql"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/freelancer-matching/service/integration/programs"
)

// putUntilGone stores freelancers one after another until the server doesn't answer any more, and returns the IDs of
// those that it has acknowledged. Each acknowledgment is also sent to acknowledged.
func putUntilGone(s *programs.Server, prefix string, acknowledged chan<- string) (ids []string) {
	for n := 0; ; n++ {
		id := fmt.Sprintf("%s-%d", prefix, n)
		status, _, err := s.Try(http.MethodPut, "/api/v1/freelancers/"+id, `{"skills":["Go"]}`)
		if err != nil || status >= http.StatusInternalServerError {
			return ids
		}
		ids = append(ids, id)
		acknowledged <- id
	}
}

// endWait has the next server publish what a killed one has announced at once instead of after minutes. It returns how
// many announcements there are.
func endWait(t *testing.T, database string) int64 {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+database+"?_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	result, err := db.ExecContext(t.Context(), "UPDATE feed_pending SET due = 0")
	if err != nil {
		t.Fatal(err)
	}
	n, err := result.RowsAffected()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Servers that are killed in the middle of changes lose none of them for clients who follow the feed: each change that
// was acknowledged is in it, and its numbers have no gaps.
func TestChanges_SurviveKills(t *testing.T) {
	const rounds, writers, perRound = 4, 4, 20
	data := t.TempDir()
	created := programs.Run(t, "server", "keys", "create", "-data", data, "-plan", "enterprise", "-name", "t")
	programs.Run(t, "server", "keys", "grant", "-data", data, keyID.FindString(created), "data:read", "data:write")
	key := programs.KeyPattern.FindString(created)

	var all []string
	var orphans int64
	for round := range rounds {
		s := programs.Start(t, "-data", data)
		s.Key = key

		acknowledged := make(chan string)
		written := make([][]string, writers)
		var writing sync.WaitGroup
		for w := range writers {
			writing.Go(func() { written[w] = putUntilGone(s, fmt.Sprintf("r%d-w%d", round, w), acknowledged) })
		}

		for range perRound {
			<-acknowledged
		}
		if err := s.Cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		go func() { // lets the writers notice
			writing.Wait()
			close(acknowledged)
		}()
		for range acknowledged {
		}
		_ = s.Cmd.Wait() // it was killed

		all = append(all, slices.Concat(written...)...)
		orphans += endWait(t, filepath.Join(data, "matching.db"))
	}
	if orphans == 0 {
		t.Error("no kill came between a change and its publication, so the test proves nothing")
	}

	s := programs.Start(t, "-data", data)
	s.Key = key
	announced := map[string]bool{}
	cursor, last := "0", 0.0
	missing := func() bool { return slices.ContainsFunc(all, func(id string) bool { return !announced[id] }) }
	programs.Eventually(t, "the announcement of all changes", func() bool {
		status, page := s.Call(t, http.MethodGet, "/api/v1/changes?cursor="+cursor, "")
		if status != http.StatusOK {
			t.Fatalf("%d %v", status, page)
		}
		changes, _ := page["data"].([]any)
		for _, c := range changes {
			change, _ := c.(map[string]any)
			announced[fmt.Sprint(change["id"])] = true
			if sequence, _ := change["sequence"].(float64); sequence == last+1 {
				last = sequence
			} else {
				t.Fatalf("change %v follows number %v", change, last)
			}
		}
		cursor, _ = page["next_cursor"].(string)
		return !missing()
	})

	// Everybody who was acknowledged is there, too.
	for _, id := range all {
		if status, response := s.Call(t, http.MethodGet, "/api/v1/freelancers/"+id, ""); status != http.StatusOK {
			t.Errorf("%s was acknowledged, and isn't there: %d %v", id, status, response)
		}
	}
	if strings.Contains(s.Log.String(), "ERROR") {
		t.Errorf("errors in the log:\n%s", s.Log)
	}
}
