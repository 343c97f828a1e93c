package integration

import (
	"fmt"
	"net/http"
	"regexp"
	"sync"
	"testing"

	"github.com/freelancer-matching/service/integration/programs"
)

// The first records that clients store on an empty service create one index, also if two servers get them at the same
// time. Both find them, and so does a server that starts later.
func TestFill(t *testing.T) { onEachEngine(t, fill) }

func fill(t *testing.T, d *deployment) {
	servers := []*server{d.serve(t), d.serve(t)}
	d.grantWriting(t)

	const clients = 6
	answers := make([]string, clients)
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() {
			status, answer, err := servers[i%2].Try(http.MethodPut, fmt.Sprintf("/api/v1/freelancers/f%d?currency=EUR", i),
				`{"job_title":"Go developer","skills":["Go"],"hourly_rate":50}`)
			answers[i] = fmt.Sprint(status)
			if status != http.StatusCreated || err != nil {
				answers[i] = fmt.Sprint(status, answer, err)
			}
		})
	}
	all.Wait()

	for i, answer := range answers {
		if answer != "201" {
			t.Errorf("client %d: %s", i, answer)
		}
	}
	if indexes := indexPattern.FindAllString(d.index(t, "status"), -1); len(indexes) != 1 {
		t.Errorf("status lists %q, want one index", indexes)
	}

	servers = append(servers, d.serve(t))
	d.grantWriting(t)
	for i, s := range servers {
		programs.Eventually(t, "all records", func() bool {
			_, answer := s.Call(t, http.MethodPost, "/api/v1/match", `{"required_skills":["Go"]}`)
			matches, _ := answer["matches"].([]any)
			return len(matches) == clients
		})
		status, answer := s.Call(t, http.MethodPut, "/api/v1/freelancers/f9?currency=USD", `{"job_title":"Cook"}`)
		if status != http.StatusUnprocessableEntity {
			t.Errorf("server %d: %d %v, want another currency to be refused", i, status, answer)
		}
	}
}

// grantWriting lets all keys change records.
func (d *deployment) grantWriting(t *testing.T) {
	t.Helper()
	created := programs.Run(t, "server", "keys", "list", "-data", d.data)
	for _, key := range regexp.MustCompile(`key_[0-9A-Za-z]+`).FindAllString(created, -1) {
		programs.Run(t, "server", "keys", "grant", "-data", d.data, key, "data:write")
	}
}
