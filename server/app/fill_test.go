package app_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/config"
)

// startEmpty starts a server without data, whose key may read and write records.
func startEmpty(t *testing.T, c config.Config) service {
	t.Helper()
	s := start(t, c)
	_, err := s.Keys.SetPermissions(t.Context(), audit.By{Actor: audit.CommandLine}, "", s.key, apikey.Permissions())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// wantOneIndex checks that there is one index, that a change by the key created it, and that the audit log has it once.
func (s service) wantOneIndex(t *testing.T, currency string) {
	t.Helper()
	infos, err := s.Index.Engine.Indexes(t.Context())
	if err != nil || len(infos) != 1 || infos[0].Pending || infos[0].Provenance == nil {
		t.Fatalf("indexes %+v (%v)", infos, err)
	}
	run := infos[0].Provenance.Run
	if infos[0].Currency != currency || run.Command != "create" || run.User != s.key || run.Started.IsZero() {
		t.Errorf("index %+v by %+v", infos[0], run)
	}

	entries, err := s.AuditLog.Events(t.Context(), audit.Query{Action: audit.IndexCreated, Limit: 50})
	if err != nil || len(entries) != 1 {
		t.Fatalf("the audit log has %v (%v)", entries, err)
	}
	e := entries[0]
	if e.Actor != s.key || e.Subject != infos[0].Name || e.Detail != currency {
		t.Errorf("the audit log has %+v", e)
	}
}

func (s service) wantNoIndex(t *testing.T) {
	t.Helper()
	if infos, err := s.Index.Engine.Indexes(t.Context()); err != nil || len(infos) > 0 {
		t.Errorf("indexes %v (%v)", infos, err)
	}
}

// The first record that is stored over HTTP creates the index. A match finds it at once, also after a restart.
func TestFill_Put(t *testing.T) {
	c := newData(t)
	s := startEmpty(t, c)
	for body, status := range map[string]int{`{"hourly_rate":-1}`: http.StatusUnprocessableEntity, `{`: 400} {
		s.put(t, status, body)
	}
	s.send(t, http.StatusPreconditionFailed, http.MethodPut, zoePath, zoe, "If-Match", "*")
	s.send(t, http.StatusConflict, http.MethodPatch, zoePath, `{"name":"Zoe"}`)
	s.wantNoIndex(t)

	s.put(t, http.StatusCreated, zoe)
	if !s.finds(t) {
		t.Error("a match lacks the first freelancer")
	}
	s.send(t, http.StatusCreated, http.MethodPut, "/api/v1/freelancers/yan", `{"skills":["Flumwhistles"]}`)
	s.wantOneIndex(t, "USD")
	s.stop(t)

	s = startEmpty(t, c)
	defer s.stop(t)
	if !s.finds(t) {
		t.Error("the first freelancer is lost after a restart")
	}
}

// A stream creates the index in the currency that it names, once a line of it can be stored.
func TestFill_Stream(t *testing.T) {
	s := startEmpty(t, newData(t))
	defer s.stop(t)
	const path = "/api/v1/freelancers/bulk"
	lines := []string{"Content-Type", "application/x-ndjson"}

	s.send(t, http.StatusConflict, http.MethodPost, path+"?patch=true", `{"id":"zoe-1","name":"Zoe"}`, lines...)
	s.send(t, http.StatusUnprocessableEntity, http.MethodPost, path+"?patch=true&currency=EUR",
		`{"id":"zoe-1","name":"Zoe"}`, lines...)
	s.send(t, http.StatusUnprocessableEntity, http.MethodPost, path+"?currency=Euro", zoe, lines...)
	s.send(t, http.StatusOK, http.MethodPost, path, `{"id":"zoe-1","hourly_rate":-1}`+"\n"+
		`{"id":"zoe-1","deleted":true}`, lines...)
	s.wantNoIndex(t)

	body := `{"id":"yan","hourly_rate":-1}` + "\n" + `{"id":"zoe-1",` + zoe[1:] + "\n" + `{"id":"yan","deleted":true}`
	got := s.send(t, http.StatusOK, http.MethodPost, path+"?currency=eur", body, lines...)
	if !strings.Contains(got, `"id":"zoe-1","outcome":"created"`) || !strings.Contains(got, `"failed":2`) {
		t.Errorf("got %s", got)
	}
	s.wantOneIndex(t, "EUR")
	if !s.finds(t) {
		t.Error("a match lacks the first freelancer")
	}

	// Another currency is refused before anything is stored, in a stream and in a record.
	s.send(t, http.StatusUnprocessableEntity, http.MethodPost, path+"?currency=USD", body, lines...)
	for query, status := range map[string]int{
		"?currency=USD": http.StatusUnprocessableEntity, "?currency=EUR&currency=USD": http.StatusUnprocessableEntity,
		"?currency=EUR": http.StatusOK, "": http.StatusOK,
	} {
		got := s.send(t, status, http.MethodPut, zoePath+query, zoe)
		if status != http.StatusOK && !strings.Contains(got, `"field":"currency"`) {
			t.Errorf("%s: %s", query, got)
		}
	}
}

// Of many first changes at the same time, one creates the index, and none is lost.
func TestFill_Concurrently(t *testing.T) {
	s := startEmpty(t, newData(t))
	defer s.stop(t)

	const clients = 8
	codes := make([]string, clients)
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() {
			// On a slow disk, the first index can take longer than a request waits for it.
			w := s.request(t.Context(), http.MethodPut, fmt.Sprintf("/api/v1/freelancers/f%d", i), zoe)
			for w.Code == http.StatusConflict && t.Context().Err() == nil {
				w = s.request(t.Context(), http.MethodPut, fmt.Sprintf("/api/v1/freelancers/f%d", i), zoe)
			}
			codes[i] = fmt.Sprint(w.Code, " ", w.Body)
		})
	}
	all.Wait()

	for i, code := range codes {
		if !strings.HasPrefix(code, "201") {
			t.Errorf("client %d: %s", i, code)
		}
	}
	s.wantOneIndex(t, "USD")
	list := s.send(t, http.StatusOK, http.MethodGet, "/api/v1/freelancers?limit=100", "")
	if n := strings.Count(list, `"version"`); n != clients {
		t.Errorf("%d freelancers, want %d: %s", n, clients, list)
	}
}

// An empty index would hide the freelancers of an index whose alias was lost.
func TestFill_AliasLost(t *testing.T) {
	c := newData(t)
	s := startWriting(t, c)
	s.stop(t)
	if err := os.Remove(filepath.Join(c.Data, "indexes", "freelancers.alias")); err != nil {
		t.Fatal(err)
	}

	s = startEmpty(t, c)
	defer s.stop(t)
	s.put(t, http.StatusServiceUnavailable, zoe)
	if infos, err := s.Index.Engine.Indexes(t.Context()); err != nil || len(infos) != 1 {
		t.Errorf("indexes %v (%v)", infos, err)
	}
}
