package app_test

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	_ "modernc.org/sqlite" // the driver

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/app"
)

// The live people of these tests have an ID, a name, a skill and an index that no generated freelancer has.
const (
	liveIndex  = "freelancers-v1-live"
	liveID     = "live-1"
	livePeople = 7
)

// A sandboxed is a server with live people and a test key.
type sandboxed struct {
	live, test service
	session    string // ID of an interview of the live key
	webhook    string // ID of a webhook endpoint of the live key
}

// startSandboxed starts a server with live people, whose live key has stored something of each kind.
func startSandboxed(t *testing.T, c config.Config) sandboxed {
	t.Helper()
	c.WebhookAllow = []string{"127.0.0.1"}
	s := sandboxed{live: start(t, c)}
	var people []matching.Freelancer
	for i := range livePeople {
		people = append(people, matching.Freelancer{
			ID: fmt.Sprintf("live-%d", i+1), Name: "Zoe Zorblax", JobTitle: "Flumwhistle tuner",
			Skills: []string{"Flumwhistles", "Go"}, Description: "Zorblax tunes flumwhistles in Go.",
		})
	}
	s.live.fill(t, liveIndex, people...)
	if _, err := s.live.Keys.SetPermissions(t.Context(), audit.By{Actor: audit.CommandLine}, "", s.live.key,
		apikey.Permissions()); err != nil {
		t.Fatal(err)
	}

	s.live.send(t, http.StatusOK, http.MethodPost, "/api/v1/match", zoeBrief)
	s.session = s.live.interview(t, http.StatusOK,
		`{"mode":"ai_questions","freelancer_id":"live-1","job_title":"Go developer"}`).Data.SessionID
	endpoint := s.live.send(t, http.StatusCreated, http.MethodPost, "/api/v1/webhooks",
		`{"url":"http://127.0.0.1:1/hook","events":["freelancer.changed","key.expiring"]}`)
	var created struct{ Data struct{ ID string } }
	if err := json.Unmarshal([]byte(endpoint), &created); err != nil || created.Data.ID == "" {
		t.Fatalf("no webhook in %s: %v", endpoint, err)
	}
	s.webhook = created.Data.ID
	s.test = s.live.withTestKey(t)
	return s
}

// withTestKey returns the service with a new test key.
func (s service) withTestKey(t *testing.T) service {
	t.Helper()
	token, k, err := s.Keys.Create(t.Context(), audit.By{Actor: audit.CommandLine},
		apikey.Request{Name: "test", Plan: "professional", Test: true})
	if err != nil {
		t.Fatal(err)
	}
	s.token = token
	s.key = k.ID
	return s
}

// A described operation is one of openapi.yaml, with the bodies of its examples.
type described struct {
	method, path string
	types        []string // of bodies
	bodies       []string // in JSON
}

// operations returns all operations of openapi.yaml that need a key.
func operations(t *testing.T, s service) (all []described) {
	t.Helper()
	type example struct{ Value json.RawMessage }
	type content struct {
		Example  json.RawMessage
		Examples map[string]example
	}
	var description struct {
		Paths map[string]map[string]json.RawMessage
	}
	text := s.send(t, http.StatusOK, http.MethodGet, "/openapi.json", "")
	if err := json.Unmarshal([]byte(text), &description); err != nil {
		t.Fatal(err)
	}

	for path, methods := range description.Paths {
		if !strings.HasPrefix(path, "/api/v1/") {
			continue
		}
		for method, raw := range methods {
			var operation struct {
				OperationID string
				RequestBody struct{ Content map[string]content }
			}
			if method == "parameters" {
				continue
			}
			if err := json.Unmarshal(raw, &operation); err != nil {
				t.Fatal(err)
			}
			o := described{method: strings.ToUpper(method), path: path, bodies: []string{"", "{}"}}
			for media, c := range operation.RequestBody.Content {
				o.types = append(o.types, media)
				for _, e := range c.Examples {
					o.bodies = append(o.bodies, string(e.Value))
				}
				if len(c.Example) > 0 {
					o.bodies = append(o.bodies, string(c.Example))
				}
			}
			if len(o.types) == 0 {
				o.types = []string{"application/json"}
			}
			all = append(all, o)
		}
	}
	if len(all) < 40 {
		t.Fatalf("%d operations found", len(all))
	}
	return all
}

// target returns the path of an operation about something that belongs to the live side.
func (s *sandboxed) target(path string) string {
	id := liveID
	switch {
	case strings.HasPrefix(path, "/api/v1/interviews/"):
		id = s.session
	case strings.HasPrefix(path, "/api/v1/webhooks/"):
		id = s.webhook
	}
	return strings.NewReplacer("{id}", id, "{delivery}", "1").Replace(path)
}

// try sends requests for an operation with the test key, and checks that no response has anything of the live side.
func (s *sandboxed) try(t *testing.T, o *described) (codes []int) {
	t.Helper()
	replaceIDs := strings.NewReplacer(`"f1"`, `"live-1"`, `"f12"`, `"live-1"`)
	for _, media := range o.types {
		for _, body := range o.bodies {
			path := s.target(o.path)
			if o.method == http.MethodDelete && o.path == "/api/v1/interview" {
				path += "?session_id=" + s.session
			}
			contentType, sent := media, replaceIDs.Replace(body)
			if media == "multipart/form-data" {
				contentType, sent = form(t, body)
			}
			w := s.test.request(t.Context(), o.method, path, sent, "Content-Type", contentType)
			codes = append(codes, w.Code)

			if w.Header().Get("X-Test-Mode") != "true" {
				t.Errorf("%s %s: status %d without X-Test-Mode", o.method, o.path, w.Code)
			}
			answer := w.Body.String()
			succeeded := w.Code < 300
			for _, text := range []string{"Zorblax", liveIndex, s.session, s.webhook} {
				if strings.Contains(answer, text) && (succeeded || !strings.Contains(path+sent, text)) {
					t.Errorf("%s %s: %q in %s", o.method, o.path, text, answer)
				}
			}
			if succeeded && strings.Contains(answer, `"live-`) {
				t.Errorf("%s %s: a live ID in %s", o.method, o.path, answer)
			}
			if w.Code >= 500 {
				t.Errorf("%s %s: status %d: %s", o.method, o.path, w.Code, answer)
			}
		}
	}
	return codes
}

// form returns a form with a text file, and a request if there is one.
func form(t *testing.T, request string) (contentType, body string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	if request != "" {
		_ = w.WriteField("request", request)
	}
	file, err := w.CreateFormFile("file", "brief.txt")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(file, "We need a tuner who knows Go")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w.FormDataContentType(), b.String()
}

// No operation of the API shows a test key anything of the live side, or changes a row or an index of it.
func TestSandbox_IsApartFromTheLiveSide(t *testing.T) {
	c := newData(t)
	s := startSandboxed(t, c)
	all := operations(t, s.live)
	s.live.awaitIndex(t)
	s.live.stop(t) // writes what is recorded in the background
	before := contentOf(t, c.Data)

	again := start(t, c)
	newKeys := []string{again.key}
	s.live.Server, s.test.Server = again.Server, again.Server
	allowed := 0
	for _, o := range all {
		// Each operation gets a key of its own, so that none meets the limit per minute.
		s.test = s.live.withTestKey(t)
		newKeys = append(newKeys, s.test.key)
		codes := s.try(t, &o)
		refused := !slices.ContainsFunc(codes, func(code int) bool { return code != http.StatusForbidden })
		if !refused {
			allowed++
		}
		isWrite := strings.HasPrefix(o.path, "/api/v1/loads") || strings.HasPrefix(o.path, "/api/v1/briefs") ||
			strings.Contains(o.path, "webhooks") || strings.Contains(o.path, "/changes") ||
			strings.HasSuffix(o.path, "/invitation") ||
			strings.HasPrefix(o.path, "/api/v1/freelancers") && o.method != http.MethodGet
		if refused != isWrite {
			t.Errorf("%s %s: statuses %v", o.method, o.path, codes)
		}
	}
	if allowed < 20 {
		t.Errorf("only %d operations are allowed", allowed)
	}
	again.stop(t)

	// The keys themselves have rows: their records, their use, and their creation in the audit log.
	after := contentOf(t, c.Data)
	for _, place := range slices.Sorted(maps.Keys(after)) {
		for line := range strings.SplitSeq(after[place], "\n") {
			isOfNewKey := slices.ContainsFunc(newKeys, func(id string) bool { return strings.Contains(line, id) })
			if !isOfNewKey && !strings.Contains(before[place], line) {
				t.Errorf("%s has the new row %q", place, line)
			}
		}
	}
	for place, text := range before {
		for line := range strings.SplitSeq(text, "\n") {
			if !strings.Contains(after[place], line) {
				t.Errorf("%s lost or changed %q", place, line)
			}
		}
	}
}

// contentOf returns the rows of the tables of the database in a data folder, and checksums of the files of indexes. It
// leaves out the ends of sequences and of the chain of the audit log, which the creation of a key moves, what the
// server writes now and then to see whether it can, and how far it has followed the changes for saved briefs.
func contentOf(t *testing.T, data string) map[string]string {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(data, "matching.db")+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()

	content := map[string]string{}
	for _, table := range column(t, db, "SELECT name FROM sqlite_master WHERE type = 'table' AND "+
		"name NOT IN ('sqlite_sequence', 'audit_chains', 'storage_probe', 'brief_watch')") {
		content[table] = strings.Join(column(t, db, "SELECT * FROM "+table), "\n")
	}
	indexes := filepath.Join(data, "indexes")
	err = filepath.WalkDir(indexes, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		content[path] = fmt.Sprintf("%x", sha256.Sum256(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// column returns the rows of a query as texts.
func column(t *testing.T, db *sql.DB, query string) (texts []string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		values := make([]any, len(names))
		for i := range values {
			values[i] = new(any)
		}
		if err := rows.Scan(values...); err != nil {
			t.Fatal(err)
		}
		var fields []string
		for _, v := range values {
			field := fmt.Sprint(*v.(*any)) //nolint:forcetypeassert // made above
			fields = append(fields, strings.ReplaceAll(field, "\n", " "))
		}
		texts = append(texts, strings.Join(fields, "|"))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return texts
}

// What test keys get is complete: people, explanations, interviews, events and web pages, all about generated people.
func TestSandbox_ServesGeneratedPeople(t *testing.T) {
	s := startSandboxed(t, newData(t))
	defer s.live.stop(t)
	test := s.test

	me := test.send(t, http.StatusOK, http.MethodGet, "/api/v1/me", "")
	for _, part := range []string{`"plan":"test"`, `"test":true`, `"window":"minute","limit":60`} {
		if !strings.Contains(me, part) {
			t.Errorf("no %s in %s", part, me)
		}
	}
	health := test.send(t, http.StatusOK, http.MethodGet, "/api/v1/health", "")
	if !strings.Contains(health, `"freelancer_count":500`) {
		t.Errorf("health %s", health)
	}

	const brief = `{"job_title":"React developer","required_skills":["React"],"limit":5}`
	var matched struct {
		Matches   []struct{ Freelancer struct{ ID string } }
		RequestID string `json:"request_id"`
	}
	text := test.send(t, http.StatusOK, http.MethodPost, "/api/v1/match", brief)
	if err := json.Unmarshal([]byte(text), &matched); err != nil || len(matched.Matches) != 5 {
		t.Fatalf("match %s: %v", text, err)
	}
	id := matched.Matches[0].Freelancer.ID
	record := test.send(t, http.StatusOK, http.MethodGet, "/api/v1/freelancers/"+id, "")
	if !strings.Contains(record, `"id":"`+id+`"`) {
		t.Errorf("record %s", record)
	}

	// Live people don't exist for a test key, whether it knows their IDs or words.
	for _, path := range []string{"/api/v1/freelancers/live-1", "/api/v1/freelancers/live-1/similar"} {
		test.send(t, http.StatusNotFound, http.MethodGet, path, "")
	}
	test.send(t, http.StatusNotFound, http.MethodPost, "/api/v1/match/explain",
		`{"freelancer_id":"live-1","required_skills":["Go"]}`)
	test.interview(t, http.StatusNotFound, `{"mode":"ai_questions","freelancer_id":"live-1","job_title":"Go developer"}`)
	word := `{"keyword":"Flumwhistles"}`
	if verdict := test.send(t, http.StatusOK, http.MethodPost, "/api/v1/verify-skill", word); strings.Contains(verdict,
		"freelancers") && strings.Contains(verdict, fmt.Sprint(livePeople)) {
		t.Errorf("verdict %s", verdict)
	}

	session := test.interview(t, http.StatusOK,
		`{"mode":"ai_questions","freelancer_id":"`+id+`","job_title":"React developer"}`).Data
	test.send(t, http.StatusOK, http.MethodGet, "/api/v1/interviews/"+session.SessionID, "")
	s.live.send(t, http.StatusNotFound, http.MethodGet, "/api/v1/interviews/"+session.SessionID, "")
	test.send(t, http.StatusNotFound, http.MethodGet, "/api/v1/interviews/"+s.session, "")
	refused := test.interview(t, http.StatusUnprocessableEntity, `{"mode":"ai_questions","freelancer_id":"`+id+
		`","job_title":"React developer","webhook":{"url":"https://203.0.113.7/hook"}}`)
	if len(refused.Error.Details) != 1 || refused.Error.Details[0].Code != "test_key" {
		t.Errorf("a webhook is rejected with %v", refused.Error)
	}

	var token struct{ Data wire.BrowserToken }
	text = test.send(t, http.StatusOK, http.MethodPost, "/api/v1/browser-tokens", `{"origins":["https://shop.example"]}`)
	if err := json.Unmarshal([]byte(text), &token); err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/v1/match", strings.NewReader(brief))
	r.Host = "localhost"
	r.Header.Set("Authorization", "Bearer "+token.Data.Token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Origin", "https://shop.example")
	w := httptest.NewRecorder()
	s.live.Handler().ServeHTTP(w, r)
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"id":"`+id+`"`) {
		t.Errorf("a web page got status %d: %s", w.Code, w.Body)
	}

	call := test.send(t, http.StatusOK, http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+
		`{"name":"match_freelancers","arguments":`+zoeBrief+`}}`, "Accept", "application/json, text/event-stream")
	if strings.Contains(call, "Zorblax") || strings.Contains(call, "live-") {
		t.Errorf("an agent got %s", call)
	}
}

// Two servers show test keys the same people, and a live key on the same server sees none of them.
func TestSandbox_IsTheSameOnEveryServer(t *testing.T) {
	const brief = `{"job_title":"React developer","required_skills":["React"],"limit":5}`
	var answers []string
	for range 2 {
		s := startSandboxed(t, newData(t))
		var answer struct{ Matches []json.RawMessage }
		text := s.test.send(t, http.StatusOK, http.MethodPost, "/api/v1/match", brief)
		if err := json.Unmarshal([]byte(text), &answer); err != nil {
			t.Fatal(err)
		}
		answers = append(answers, fmt.Sprintf("%s", answer.Matches))

		live := s.live.send(t, http.StatusOK, http.MethodPost, "/api/v1/match", brief)
		if strings.Contains(live, `"id":"f`) {
			t.Errorf("a live key sees generated people: %s", live)
		}
		s.live.stop(t)
	}
	if diff := cmp.Diff(answers[0], answers[1]); diff != "" {
		t.Error(diff)
	}
}

// A test key has a limit per minute of its own, and costs nothing of the quota of other keys.
func TestSandbox_HasALimitOfItsOwn(t *testing.T) {
	now := time.Date(2030, 6, 15, 12, 30, 10, 0, time.UTC)
	server, err := app.OpenWith(t.Context(), newData(t), slog.New(slog.DiscardHandler),
		app.Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer service{Server: server}.stop(t)
	live := service{Server: server}.withNewKeyOn(t, "professional")
	test := live.withTestKey(t)

	left := func(k service) string {
		return k.request(t.Context(), http.MethodGet, "/api/v1/me", "").Header().Get("X-RateLimit-Remaining")
	}
	before := left(live)
	codes := map[int]int{}
	for range apikey.TestPlan().PerMinute + 1 {
		w := test.request(t.Context(), http.MethodPost, "/api/v1/verify-skill", `{"keyword":"Go"}`)
		codes[w.Code]++
	}
	limited := map[int]int{http.StatusOK: apikey.TestPlan().PerMinute, http.StatusTooManyRequests: 1}
	if !maps.Equal(codes, limited) || left(live) != before {
		t.Errorf("statuses %v, live quota %s → %s", codes, before, left(live))
	}
}
