package app_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/llm/llmtest"
	"github.com/freelancer-matching/service/mappings"
	"github.com/freelancer-matching/service/match"
	"github.com/freelancer-matching/service/requestlog"
	"github.com/freelancer-matching/service/server/api/wire"
)

// Words that no freelancer of the demo has.
const (
	zoePath = "/api/v1/freelancers/zoe-1"
	zoe     = `{"name":"Zoe Zorblax","job_title":"Flumwhistle tuner","skills":["Flumwhistles"],` +
		`"location":"Porto, Portugal","time_zone":"Europe/Lisbon","hourly_rate":40}`
	zoeBrief = `{"job_title":"Flumwhistle tuner","required_skills":["Flumwhistles"],"limit":1}`
)

// startWriting starts a server with a few freelancers, whose key may read and write records.
func startWriting(t *testing.T, c config.Config) service {
	t.Helper()
	s := startEmpty(t, c)
	s.fill(t, "freelancers-v1-1", bob())
	return s
}

func bob() matching.Freelancer {
	return matching.Freelancer{ID: "bob", JobTitle: "Go developer", Skills: []string{"Go"}}
}

// newData returns a configuration with a data folder.
func newData(t *testing.T) config.Config {
	t.Helper()
	c := config.Default()
	c.Data = t.TempDir()
	return c
}

// fill makes another index live.
func (s service) fill(t *testing.T, name string, list ...matching.Freelancer) {
	t.Helper()
	preparer, err := s.Index.ChangePreparer(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	mapping, err := mappings.Load(mappings.Freelancers)
	if err != nil {
		t.Fatal(err)
	}
	documents, err := preparer.Prepare(t.Context(), list)
	if err != nil {
		t.Fatal(err)
	}

	e := s.Index.Engine
	err = e.Create(t.Context(), engine.Spec{
		Name: name, Mapping: mapping, Source: "generated", Currency: "USD", Taxonomy: s.Index.Taxonomy.Version(),
		Vectors: preparer.Spaces(), Created: time.Now(),
	})
	if err != nil {
		t.Fatal(err)
	}

	bulk, err := e.Bulk(t.Context(), name, nil)
	if err != nil {
		t.Fatal(err)
	}

	for _, d := range documents {
		if err := bulk.Add(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}

	if _, err := bulk.Close(t.Context()); err != nil {
		t.Fatal(err)
	}

	if _, err := e.PointAlias(t.Context(), match.Alias, name); err != nil {
		t.Fatal(err)
	}
}

func (s service) put(t *testing.T, status int, body string) string {
	t.Helper()
	return s.send(t, status, http.MethodPut, zoePath, body)
}

// finds reports whether the freelancer is the best match.
func (s service) finds(t *testing.T) bool {
	t.Helper()
	return strings.Contains(s.send(t, http.StatusOK, http.MethodPost, "/api/v1/match", zoeBrief), `"id":"zoe-1"`)
}

// Each request sees all changes that were acknowledged before it.
func TestFreelancers_ChangesAreVisibleAtOnce(t *testing.T) {
	s := startWriting(t, newData(t))
	defer s.stop(t)

	if s.finds(t) {
		t.Fatal("the demo has the freelancer")
	}
	s.put(t, http.StatusCreated, zoe)

	if !s.finds(t) {
		t.Error("a match lacks the new freelancer")
	}

	for rate := range 5 {
		s.send(t, http.StatusOK, http.MethodPatch, zoePath, fmt.Sprintf(`{"hourly_rate":%d}`, 50+rate))
		got := s.send(t, http.StatusOK, http.MethodPost, "/api/v1/match", zoeBrief)
		if want := fmt.Sprintf(`"hourly_rate":%d`, 50+rate); !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}

	list := s.send(t, http.StatusOK, http.MethodGet,
		"/api/v1/freelancers?countries=PT&max_hourly_rate=60&time_zone=Europe/London&must_have_skills=Flumwhistles", "")
	if !strings.Contains(list, `"id":"zoe-1"`) || !strings.Contains(list, `"next_cursor":null`) {
		t.Errorf("list %s", list)
	}

	s.send(t, http.StatusCreated, http.MethodPut, "/api/v1/freelancers/yan", `{"skills":["Flumwhistles"]}`)
	similar := s.send(t, http.StatusOK, http.MethodGet, zoePath+"/similar?limit=3&explain=true", "")
	if strings.Contains(similar, `"id":"zoe-1"`) || !strings.Contains(similar, `"explanation"`) {
		t.Errorf("similar %s", similar)
	}

	s.send(t, http.StatusOK, http.MethodDelete, zoePath, "")
	if s.finds(t) {
		t.Error("a match has the erased freelancer")
	}
	s.send(t, http.StatusNotFound, http.MethodGet, zoePath, "")
}

// An erasure leaves nothing behind that can be read: not in an index that a rollback returns to, not in interviews,
// not in request logs, not in exports in the data folder, and not in the audit log. Loads and changes leave the
// freelancer out.
func TestFreelancers_Erasure(t *testing.T) {
	c := newData(t)
	s := startWriting(t, c)
	data := c.Data
	defer s.stop(t)

	s.put(t, http.StatusCreated, zoe)
	s.send(t, http.StatusOK, http.MethodPatch, zoePath, `{"description":"Builds gnarpfs."}`)
	s.fill(t, "freelancers-v1-2", bob(),
		matching.Freelancer{ID: "zoe-1", Name: "Zoe Zorblax", JobTitle: "Flumwhistle tuner"})
	s.send(t, http.StatusOK, http.MethodPost, "/api/v1/interview",
		`{"freelancer_id":"zoe-1","project_description":"Tune flumwhistles","num_questions":1}`)
	export := filepath.Join(data, "all.ndjson")
	if err := os.WriteFile(export, []byte(`{"id":"zoe-1"}`+"\n"+`{"id":"bob"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}

	logged := requestlog.Stored{
		Summary: requestlog.Summary{ID: "r-1", Account: "acc_1", At: time.Now(), Expires: time.Now().Add(time.Hour)},
		Data:    []byte(`{"response":{"json":{"matches":[{"freelancer":{"id":"zoe-1","name":"Zoe Zorblax"}}]}}}`),
	}
	if err := s.DB.RequestLog.Insert(t.Context(), []requestlog.Stored{logged}, 10); err != nil {
		t.Fatal(err)
	}

	got := s.send(t, http.StatusOK, http.MethodDelete, zoePath, "")
	if ids, err := s.DB.RequestLog.IDsWith(t.Context(), []byte("Zorblax")); len(ids) > 0 || err != nil {
		t.Errorf("the request log has %v (%v)", ids, err)
	}
	if want := `"erased":{"indexed":true,"interviews":1,"other":1}`; !strings.Contains(got, want) {
		t.Errorf("no %s in %s", want, got)
	}

	if s.finds(t) {
		t.Error("the live index has the freelancer")
	}
	_, err := s.Index.Engine.PointAlias(t.Context(), match.Alias, "freelancers-v1-1")
	if err != nil {
		t.Fatal(err)
	}

	s.wantGone(t) // after a rollback
	if content, err := os.ReadFile(export); string(content) != `{"id":"bob"}`+"\n" {
		t.Errorf("the export has %s (%v)", content, err)
	}
	events, err := s.AuditLog.Events(t.Context(), audit.Query{Limit: 50})
	if err != nil {
		t.Fatal(err)
	}

	actions := map[audit.Action]int{}
	for _, e := range events {
		actions[e.Action]++
		if strings.Contains(fmt.Sprint(e), "zoe-1") {
			t.Errorf("the audit log has %v", e)
		}
	}

	if actions[audit.FreelancerStored] != 1 || actions[audit.FreelancerPatched] != 1 ||
		actions[audit.FreelancerDeleted] != 1 || actions[audit.PersonErased] != 1 {
		t.Errorf("the audit log has %v", actions)
	}

	matches, err := s.Erased.Matcher(t.Context())
	if err != nil || matches == nil || !matches(&matching.Freelancer{ID: "zoe-1"}) {
		t.Errorf("loads would load the freelancer (%v)", err)
	}
	s.put(t, http.StatusConflict, zoe)
	s.send(t, http.StatusCreated, http.MethodPut, zoePath+"?readmit=true", zoe)

	if !s.finds(t) {
		t.Error("the freelancer was not readmitted")
	}
}

// A damaged change at the end of the log is reported; everything else is served.
func TestHealth_DamagedLastChange(t *testing.T) {
	c := newData(t)
	s := startWriting(t, c)
	s.put(t, http.StatusCreated, zoe)
	if got := s.Check(t.Context()).DataSource; got.Status != wire.StatusHealthy || got.FreelancerCount != 2 {
		t.Fatalf("before the damage: %+v", got)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	log := filepath.Join(c.Data, "indexes", "freelancers-v1-1", "changes-0.log")
	content, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	content[len(content)-1] ^= 1
	if err := os.WriteFile(log, content, 0o600); err != nil {
		t.Fatal(err)
	}

	s = start(t, c)
	got := s.Check(t.Context()).DataSource
	if got.Status != wire.StatusDegraded || got.FreelancerCount != 1 || !strings.Contains(got.Error, "indexer export") {
		t.Errorf("after the damage: %+v", got)
	}

	s.stop(t)
	if log := s.log.String(); !strings.Contains(log, "level=ERROR msg=\"last change damaged\"") {
		t.Errorf("no error in the log:\n%s", log)
	}
}

// wantGone fails the test if the live index has the freelancer.
func (s service) wantGone(t *testing.T) {
	t.Helper()
	snapshot, err := s.Index.Engine.Open(t.Context(), match.Alias)
	if err != nil {
		t.Fatal(err)
	}
	if found, err := snapshot.Fetch(t.Context(), []string{"zoe-1"}); err == nil {
		t.Errorf("index %s has %v", snapshot.Info().Name, found)
	}
}

// A change must not mix documents that were prepared in different ways.
func TestFreelancers_OtherVectors(t *testing.T) {
	c, model := withEmbeddings(t)
	s := startWriting(t, c)
	s.put(t, http.StatusCreated, zoe) // with vectors of the model

	if !s.finds(t) {
		t.Error("a match lacks the freelancer")
	}
	model.Always(llmtest.Status(http.StatusInternalServerError, "away", ""))
	got := s.send(t, http.StatusBadGateway, http.MethodPatch, zoePath, `{"job_title":"Flumwhistle maker"}`)
	if !strings.Contains(got, "Nothing was changed") {
		t.Errorf("got %s", got)
	}

	s.send(t, http.StatusOK, http.MethodPatch, zoePath, `{"name":"Zoe Zorblax"}`) // changes nothing, so needs no vector
	if got := s.send(t, http.StatusOK, http.MethodGet, zoePath, ""); strings.Contains(got, "maker") {
		t.Errorf("changed: %s", got)
	}
	c.Embeddings = config.Default().Embeddings

	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	plain := start(t, c)
	defer plain.stop(t)

	plain.token = s.token
	if got := plain.put(t, http.StatusServiceUnavailable, strings.Replace(zoe, "tuner", "maker", 1)); !strings.Contains(
		got, "indexer reindex") {
		t.Errorf("got %s", got)
	}
}

// A stream of changes, with the real engine.
func TestFreelancers_Bulk(t *testing.T) {
	s := startWriting(t, newData(t))
	defer s.stop(t)

	var lines strings.Builder
	for i := range 300 {
		fmt.Fprintf(&lines, `{"id":"b%d","job_title":"Flumwhistle tuner","skills":["Flumwhistles"]}`+"\n", i)
	}
	lines.WriteString(`{"id":"b7","deleted":true}` + "\n" + `{"id":"b8","hourly_rate":"dear"}` + "\n")
	got := s.send(t, http.StatusOK, http.MethodPost, "/api/v1/freelancers/bulk", lines.String(), "Content-Type",
		"application/x-ndjson")
	results := strings.Split(strings.TrimSpace(got), "\n")
	last := results[len(results)-1]
	if len(results) != 303 || !strings.Contains(last, `"lines":302,"changed":301,"unchanged":0,"failed":1`) {
		t.Errorf("%d results, the last one %s", len(results), last)
	}

	if got := s.send(t, http.StatusOK, http.MethodPost, "/api/v1/match", zoeBrief); !strings.Contains(got, `"id":"b`) {
		t.Errorf("no match: %s", got)
	}
	s.send(t, http.StatusNotFound, http.MethodGet, "/api/v1/freelancers/b7", "")
	s.send(t, http.StatusNotFound, http.MethodGet, "/api/v1/freelancers/b8x", "")
}
