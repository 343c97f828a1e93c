//go:build integration

package integration

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/integration/programs"
)

// A file that a client uploads goes live on either engine as its preview says, and a rollback takes it back.
func TestUpload(t *testing.T) { onEachEngine(t, upload) }

func upload(t *testing.T, d *deployment) {
	d.index(t, "load", generate(t, 60, 1))
	s := d.serve(t)
	first := s.Index(t)
	created := programs.Run(t, "server", "keys", "list", "-data", d.data)
	key := regexp.MustCompile(`key_[0-9A-Za-z]+`).FindString(created)
	programs.Run(t, "server", "keys", "grant", "-data", d.data, key, "data:write")

	file := "id,Full name,job_title,skills,hourly_rate\n"
	for i := range 50 {
		file += fmt.Sprintf("up%d,Person %d,Go developer,\"Go, SQL\",%d\n", i, i, 40+i)
	}
	status, answer := s.Call(t, http.MethodPost, "/api/v1/loads?mode=upsert&name=team.csv", file)
	if status != http.StatusAccepted {
		t.Fatalf("%d %v", status, answer)
	}

	path := "/api/v1/loads/" + load(t, answer)["id"].(string)
	ready := s.waitForLoad(t, path, "ready")
	changes := ready["preview"].(map[string]any)["changes"].(map[string]any)
	if changes["new"] != 50. || changes["unchanged"] != 60. || changes["gone"] != 0. {
		t.Errorf("changes %v", changes)
	}

	if status, answer := s.Call(t, http.MethodPost, path+"/publish?allow_shrink=true", ""); status != http.StatusAccepted {
		t.Fatalf("%d %v", status, answer)
	}
	live := s.waitForLoad(t, path, "live")
	programs.Eventually(t, "the new index", func() bool { return s.Index(t) == live["index"] })
	if out := d.index(t, "status"); !strings.Contains(out, "team.csv") {
		t.Errorf("status doesn't name the file:\n%s", out)
	}

	if status, answer := s.Call(t, http.MethodPost, path+"/rollback", ""); status != http.StatusOK {
		t.Fatalf("%d %v", status, answer)
	}
	programs.Eventually(t, "the first index", func() bool { return s.Index(t) == first })
}

// load returns the load in an answer.
func load(t *testing.T, answer map[string]any) map[string]any {
	t.Helper()
	data, ok := answer["data"].(map[string]any)
	if !ok {
		t.Fatalf("answer %v, want a load", answer)
	}
	return data
}

// waitForLoad waits until a load is in a state.
func (s *server) waitForLoad(t *testing.T, path, state string) (found map[string]any) {
	t.Helper()
	programs.Eventually(t, "the state "+state, func() bool {
		_, answer := s.Call(t, http.MethodGet, path, "")
		found = load(t, answer)
		if found["state"] == "refused" || found["state"] == "failed" {
			t.Fatalf("load %v", found)
		}
		return found["state"] == state
	})
	return found
}
