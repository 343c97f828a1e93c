//go:build integration

package attacks

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/integration/programs"
)

// keyID matches the ID of an API key.
var keyID = regexp.MustCompile(`key_[0-9A-Za-z]+`)

// A machine is lost, and the operator does what the guide says: restore the backup of the database into a new data
// folder, and load the files again. The people who were erased before the backup stay away.
func TestErasure_SurvivesRestore(t *testing.T) {
	lost, restored, files := t.TempDir(), t.TempDir(), t.TempDir()
	old := filepath.Join(files, "old.csv")
	if err := os.WriteFile(old, []byte(erasureCSV(true)), 0o600); err != nil {
		t.Fatal(err)
	}

	programs.Run(t, "indexer", "load", "-data", lost, "-max-failures", "1", old)
	created := programs.Run(t, "server", "keys", "create", "-data", lost, "-plan", "enterprise", "-name", "t")
	key := programs.KeyPattern.FindString(created)
	programs.Run(t, "server", "keys", "grant", "-data", lost, keyID.FindString(created), "data:write")
	s := programs.Start(t, "-data", lost)
	s.Key = key

	// One person is erased on the command line and another one over HTTP.
	const other = "p-002"
	if scores := matchedScores(t, s); scores[erasedID] == nil || scores[other] == nil {
		t.Fatal("the people are not found before the erasure, so the test would prove nothing")
	}
	programs.Run(t, "server", "people", "delete", "-data", lost, "-yes", erasedEmail)
	if status, response := s.Call(t, http.MethodDelete, "/api/v1/freelancers/"+other, ""); status != http.StatusOK {
		t.Fatalf("delete: %d %v", status, response)
	}

	backup := filepath.Join(files, "backup.db")
	programs.Run(t, "server", "backup", "-data", lost, backup)
	if err := s.Stop(t); err != nil {
		t.Fatal(err)
	}

	programs.Run(t, "server", "restore", "-data", restored, backup)
	out := programs.Run(t, "indexer", "load", "-data", restored, "-max-failures", "1", old)
	if !strings.Contains(out, "left out, because server people erased the person") {
		t.Errorf("the load does not report whom it left out:\n%s", out)
	}

	again := programs.Start(t, "-data", restored)
	again.Key = key
	scores := matchedScores(t, again)
	if len(scores) != 39 {
		t.Errorf("%d people are live, want the 39 who were not erased", len(scores))
	}
	for _, id := range []string{erasedID, other} {
		if _, live := scores[id]; live {
			t.Errorf("%s is live again", id)
		}
	}
}
