package app_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"freelancer-matching/access/apikey"
	"freelancer-matching/access/audit"
	"freelancer-matching/internal/config"
	"freelancer-matching/internal/matching"
	"freelancer-matching/llm/llmtest"
	"freelancer-matching/server/app"
)

// instance is a server as configured, with a key.
type instance struct {
	*app.Server
	token, key string
	log        *bytes.Buffer // to be read when it has stopped
}

func start(t *testing.T, c config.Config) *instance {
	t.Helper()
	log := &bytes.Buffer{}
	s, err := app.Open(t.Context(), c, slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelWarn})))
	if err != nil {
		t.Fatal(err)
	}
	token, k, err := s.Keys.Create(t.Context(), audit.By{Actor: audit.CommandLine}, apikey.Request{Name: "test", Plan: "enterprise"})
	if err != nil {
		t.Fatal(err)
	}
	return &instance{Server: s, token: token, key: k.ID, log: log}
}

func (i *instance) stop(t *testing.T) {
	t.Helper()
	if err := i.Close(); err != nil {
		t.Error(err)
	}
}

// verify is the answer to a word.
func (i *instance) verify(t *testing.T, keyword string) matching.Verification {
	t.Helper()
	body, err := json.Marshal(map[string]string{"keyword": keyword})
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodPost, "/api/v1/verify-skill", bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-API-Key", i.token)
	w := httptest.NewRecorder()
	i.Handler().ServeHTTP(w, r)
	var answer struct {
		Data matching.Verification `json:"data"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != http.StatusOK {
		t.Fatalf("%d %s: %v", w.Code, w.Body, err)
	}
	return answer.Data
}

// A word that nobody knows is judged by the model once, also after a restart, within the account's day; tokens are counted in the
// database; a model that fails is said to.
func TestVerdicts(t *testing.T) {
	model := llmtest.Start(t, 8)
	model.Play("skill-verdict", llmtest.SayJSON(map[string]any{
		"kind": "skill", "sure": "certain", "name": "Kintsugi", "category": "Design", "near": []int{},
	}))
	c := config.Default()
	c.Data = t.TempDir()
	c.LLM.URL, c.LLM.Model, c.LLM.WordsADay = model.URL, "words", 1
	first := start(t, c)
	for range 2 {
		v := first.verify(t, "golden joinery")
		if v.Source.Value != matching.SourceLLM || len(v.Skills) != 1 || v.Skills[0] != "Kintsugi" || v.Confidence >= 1 {
			t.Errorf("%+v", v)
		}
	}
	if v := first.verify(t, "zorbing"); v.Exists || v.NoVerdict.Value != matching.NoVerdictLimit {
		t.Errorf("beyond the limit: %+v", v)
	}
	today := time.Now().UTC().Format(time.DateOnly)
	if used, err := first.DB.Tokens(0).Used(t.Context(), first.key, today); err != nil || used == 0 {
		t.Errorf("%d tokens are counted, %v", used, err)
	}
	first.stop(t)
	again := start(t, c)
	if v := again.verify(t, "Golden-Joinery"); v.Source.Value != matching.SourceLLM {
		t.Errorf("after a restart: %+v", v)
	}
	if n := len(model.ChatRequests()); n != 1 {
		t.Errorf("the model was asked %d times, want once", n)
	}
	model.Play("skill-verdict", llmtest.Say("no JSON at all"))
	if v := again.verify(t, "zorbing"); v.Exists || v.NoVerdict.Value != matching.NoVerdictFailed {
		t.Errorf("a model that fails: %+v", v)
	}
	again.stop(t)
	if !strings.Contains(again.log.String(), "no verdict on an unknown word") {
		t.Errorf("the log does not tell of a model that fails:\n%s", again.log)
	}
	c.LLM.TokensADay, c.Data = 10, t.TempDir()
	poor := start(t, c)
	if v := poor.verify(t, "zorbing"); v.Exists || v.NoVerdict.Value != matching.NoVerdictLimit {
		t.Errorf("without tokens: %+v", v)
	}
	poor.stop(t)
}

// Own skills are known without a model; an index that was made without them is told of.
func TestOwnSkills(t *testing.T) {
	c := config.Default()
	c.Data = t.TempDir()
	bare := start(t, c)
	if err := bare.FillDemo(t.Context()); err != nil {
		t.Fatal(err)
	}
	if v := bare.verify(t, "golden joinery"); v.Exists || v.NoVerdict.Known {
		t.Errorf("without a file: %+v", v)
	}
	bare.stop(t)
	c.SkillsFile = filepath.Join(t.TempDir(), "own.tsv")
	if err := os.WriteFile(c.SkillsFile, []byte("Kintsugi\tDesign\t\tgolden joinery\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	own := start(t, c)
	v := own.verify(t, "golden joinery")
	if v.Source.Value != matching.SourceTaxonomy || v.Skill == nil || v.Skill.Name != "Kintsugi" {
		t.Errorf("with a file: %+v", v)
	}
	own.stop(t)
	if !strings.Contains(own.log.String(), "indexer reindex") {
		t.Errorf("nothing tells that the index has other skills: %s", own.log)
	}
	if err := os.WriteFile(c.SkillsFile, []byte("ReactJS\tDesign\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := app.Open(t.Context(), c, slog.New(slog.DiscardHandler))
	const conflict = `line 1: "ReactJS" is a synonym of React already`
	if err == nil || !strings.Contains(err.Error(), conflict) || !strings.Contains(err.Error(), c.SkillsFile) {
		t.Errorf("a file with a conflict: %v", err)
	}
}
