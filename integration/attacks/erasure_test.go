//go:build integration

package attacks

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // registers the database/sql driver "sqlite"

	"github.com/freelancer-matching/service/integration/programs"
)

// The person to erase. No other text in the data folder contains these words.
const (
	erasedID    = "p-zorblax-001"
	erasedEmail = "ada@zorblax.example"
)

// erasureCSV returns a file of freelancers, in which the person can have a row and a faulty row.
func erasureCSV(withPerson bool) string {
	lines := []string{"id,name,job_title,skills,description,hourly_rate"}
	for n := range 40 {
		lines = append(lines, fmt.Sprintf("p-%03d,Person %s,Go developer,Go;React,I built shop number %d in Go,%d",
			n, strings.Repeat("x", n+1), n, 40+n))
	}
	if withPerson {
		lines = append(lines,
			erasedID+",Ada Zorblax,Go developer,Go;Kubernetes,I built flumwhistles in Go. Write to "+erasedEmail+",55",
			",,,,Ada Zorblax,") // no ID: a dead letter with the name
	}
	return strings.Join(lines, "\n") + "\n"
}

// matchedScores returns the scores of a match by freelancer.
func matchedScores(t *testing.T, s *programs.Server) map[string]any {
	t.Helper()
	status, response := s.Call(t, http.MethodPost, "/api/v1/match", `{"description":"Shop in Go\nflumwhistles",`+
		`"required_skills":["Go"],"budget_range":[1000,9000],"complexity":"medium","timeline":45,"limit":50}`)
	if status != http.StatusOK {
		t.Fatalf("%d %v", status, response)
	}
	scores := map[string]any{}
	matches, _ := response["matches"].([]any)
	for _, m := range matches {
		match, _ := m.(map[string]any)
		freelancer, _ := match["freelancer"].(map[string]any)
		scores[fmt.Sprint(freelancer["id"])] = match["score"]
	}
	return scores
}

// filesContaining returns the files in a folder that contain a text, regardless of case.
func filesContaining(t *testing.T, folder, text string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err == nil && bytes.Contains(bytes.ToLower(content), []byte(text)) {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// emptyFeed deletes the feed of changes from a database, as the server does when changes are 30 days old. Until then,
// the feed has the IDs of erased people, for clients that have copies.
func emptyFeed(t *testing.T, database string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+database+"?_pragma=secure_delete(ON)&_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()

	var deleted int64
	for _, table := range []string{"feed", "feed_pending"} {
		result, err := db.ExecContext(t.Context(), "DELETE FROM "+table)
		if err != nil {
			t.Fatal(err)
		}
		n, err := result.RowsAffected()
		if err != nil {
			t.Fatal(err)
		}
		deleted += n
	}
	if deleted == 0 {
		t.Error("the erasure was not announced to clients with copies")
	}

	if _, err := db.ExecContext(t.Context(), "PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		t.Fatal(err)
	}
}

// A person asks to be erased. Afterward, no byte of them but the ID in the feed of changes is left in the data folder:
// not in the index that a rollback would bring back, not in dead letters, not in interviews or their idempotent
// responses, and not in free pages or the write-ahead log of the database. The server that runs meanwhile no longer
// returns them, everybody else has the scores that they would have had without the person, and an old file does not
// bring the person back.
func TestErasure_LeavesNothing(t *testing.T) {
	data := t.TempDir()
	files := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(files, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}

	old := write("old.csv", erasureCSV(true))
	for range 2 { // the second load keeps the first index for a rollback
		programs.Run(t, "indexer", "load", "-data", data, "-max-failures", "1", old)
	}

	key := programs.KeyPattern.FindString(
		programs.Run(t, "server", "keys", "create", "-data", data, "-plan", "enterprise", "-name", "t"))
	s := programs.Start(t, "-data", data)
	s.Key = key
	interview := func(freelancer, project string) string {
		t.Helper()
		body := fmt.Sprintf(`{"freelancer_id":%q,"project_description":%q,"required_skills":["Go"],`+
			`"mode":"ai_questions","num_questions":1}`, freelancer, project)
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/api/v1/interview",
			strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}

		request.Header = http.Header{
			"X-Api-Key": {key}, "Content-Type": {"application/json"}, "Idempotency-Key": {"of-" + freelancer},
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()

		var answer struct {
			Data struct {
				SessionID string `json:"session_id"`
			}
		}
		if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || answer.Data.SessionID == "" {
			t.Fatalf("interview about %s: %s, %v", freelancer, response.Status, err)
		}

		return answer.Data.SessionID
	}

	about := interview(erasedID, "A shop in Go")
	other := interview("p-001", "A shop in Go. Questions? <"+strings.ToUpper(erasedEmail)+">")

	words := []string{"zorblax", "flumwhistle", erasedID}
	for _, word := range words {
		if filesContaining(t, data, word) == nil {
			t.Fatalf("%q is nowhere, so the test would prove nothing", word)
		}
	}

	if _, known := matchedScores(t, s)[erasedID]; !known {
		t.Fatal("the person is not found before the erasure")
	}

	out := programs.Run(t, "server", "people", "delete", "-data", data, "-yes", erasedEmail)
	for _, want := range []string{"2 records in indexes", "2 dead letters", "1 interview,", "1 mention"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}

	emptyFeed(t, filepath.Join(data, "matching.db"))
	for _, word := range words {
		if found := filesContaining(t, data, word); found != nil {
			t.Errorf("%q is still in %v", word, found)
		}
	}

	var scores map[string]any
	programs.Eventually(t, "the switch to the index without the person", func() bool {
		scores = matchedScores(t, s)
		_, known := scores[erasedID]
		return !known
	})

	for session, want := range map[string]int{about: http.StatusNotFound, other: http.StatusOK} {
		status, _ := s.Call(t, http.MethodDelete, "/api/v1/interview?session_id="+session, "")
		if status != want {
			t.Errorf("deleting session %s: %d, want %d", session, status, want)
		}
	}

	// Everybody else is as if the person had never been there.
	clean := t.TempDir()
	programs.Run(t, "indexer", "load", "-data", clean, write("clean.csv", erasureCSV(false)))
	reference := programs.Start(t, "-data", clean)
	reference.Key = programs.KeyPattern.FindString(
		programs.Run(t, "server", "keys", "create", "-data", clean, "-plan", "enterprise", "-name", "t"))
	want := matchedScores(t, reference)
	if len(want) != 40 {
		t.Errorf("the reference has %d matches, want 40", len(want))
	}

	if fmt.Sprint(scores) != fmt.Sprint(want) {
		t.Errorf("scores %v, want %v", scores, want)
	}

	// A rollback doesn't bring the person back, and an old file loads everybody else.
	programs.Run(t, "indexer", "rollback", "-data", data)

	if exported := programs.Run(t, "indexer", "export", "-data", data); strings.Contains(exported, "orblax") {
		t.Errorf("the rollback brought the person back:\n%s", exported)
	}

	out = programs.Run(t, "indexer", "load", "-data", data, "-max-failures", "1", old)
	if !strings.Contains(out, "left out, because server people erased the person") {
		t.Errorf("the load does not report whom it left out:\n%s", out)
	}

	if exported := programs.Run(t, "indexer", "export", "-data", data); strings.Contains(exported, "orblax") {
		t.Errorf("the old file brought the person back:\n%s", exported)
	}
}
