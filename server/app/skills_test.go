package app_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/llm/llmtest"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/app"
)

func (s service) verify(t *testing.T, keyword string) matching.Verification {
	t.Helper()
	body, err := json.Marshal(wire.VerifySkillRequest{Keyword: keyword})
	if err != nil {
		t.Fatal(err)
	}
	var response wire.VerifySkillAnswer
	sent := s.send(t, http.StatusOK, http.MethodPost, "/api/v1/verify-skill", string(body))
	if err := json.Unmarshal([]byte(sent), &response); err != nil {
		t.Fatal(err)
	}
	return *response.Data
}

// The model judges an unknown keyword once, even across a restart, and within the account's daily limits. Its tokens
// are counted in the database, and its failures are reported.
func TestVerifySkill_UnknownKeywords(t *testing.T) {
	model := llmtest.Start(t, 8)
	model.Play("skill-verdict", llmtest.SayJSON(map[string]any{
		"kind": "skill", "sure": "certain", "name": "Kintsugi", "category": "Design", "near": []int{},
	}))
	c := config.Default()
	c.Data = t.TempDir()
	c.LLM.URL = model.URL
	c.LLM.Model = "words"
	c.LLM.WordsADay = 1
	first := start(t, c)
	for range 2 {
		v := first.verify(t, "golden joinery")
		if v.Source.Value != matching.SourceLLM || len(v.Skills) != 1 || v.Skills[0] != "Kintsugi" || v.Confidence >= 1 {
			t.Errorf("got %+v, want the verdict of the model", v)
		}
	}

	if v := first.verify(t, "zorbing"); v.Exists || v.NoVerdict.Value != matching.NoVerdictLimit {
		t.Errorf("got %+v above the daily limit, want no verdict", v)
	}
	today := time.Now().UTC().Format(time.DateOnly)
	if used, err := first.DB.Tokens(0, 0).Used(t.Context(), first.key, today); err != nil || used == 0 {
		t.Errorf("%d tokens counted (%v), want more than 0", used, err)
	}

	first.stop(t)
	second := start(t, c)
	if v := second.verify(t, "Golden-Joinery"); v.Source.Value != matching.SourceLLM {
		t.Errorf("got %+v after a restart, want the stored verdict", v)
	}

	if n := len(model.ChatRequests()); n != 1 {
		t.Errorf("%d requests to the model, want 1", n)
	}
	model.Play("skill-verdict", llmtest.Say("no JSON at all"))

	if v := second.verify(t, "zorbing"); v.Exists || v.NoVerdict.Value != matching.NoVerdictFailed {
		t.Errorf("got %+v from a failing model, want no verdict", v)
	}
	second.stop(t)

	if !strings.Contains(second.log.String(), "no verdict on an unknown word") {
		t.Errorf("the log lacks the failure of the model:\n%s", second.log)
	}
	c.LLM.TokensADay, c.Data = 10, t.TempDir()
	limited := start(t, c)
	if v := limited.verify(t, "zorbing"); v.Exists || v.NoVerdict.Value != matching.NoVerdictLimit {
		t.Errorf("got %+v without tokens, want no verdict", v)
	}

	limited.stop(t)
}

// Skills from the operator's file need no model. The log warns if the index was built without them.
func TestVerifySkill_OwnSkills(t *testing.T) {
	c := config.Default()
	c.Data = t.TempDir()
	before := start(t, c)
	if err := before.FillDemo(t.Context()); err != nil {
		t.Fatal(err)
	}

	if v := before.verify(t, "golden joinery"); v.Exists || v.NoVerdict.Known {
		t.Errorf("got %+v without the file, want an unknown keyword", v)
	}
	before.stop(t)
	c.SkillsFile = filepath.Join(t.TempDir(), "own.tsv")
	if err := os.WriteFile(c.SkillsFile, []byte("Kintsugi\tDesign\t\tgolden joinery\n"), 0o600); err != nil {
		t.Fatal(err)
	}

	after := start(t, c)
	v := after.verify(t, "golden joinery")
	if v.Source.Value != matching.SourceTaxonomy || v.Skill == nil || v.Skill.Name != "Kintsugi" {
		t.Errorf("got %+v with the file, want its skill", v)
	}

	after.stop(t)
	if !strings.Contains(after.log.String(), "indexer reindex") {
		t.Errorf("the log lacks a warning about the index: %s", after.log)
	}

	if err := os.WriteFile(c.SkillsFile, []byte("ReactJS\tDesign\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := app.Open(t.Context(), c, slog.New(slog.DiscardHandler))
	const conflict = `line 1: "ReactJS" is already a synonym of React`
	if err == nil || !strings.Contains(err.Error(), conflict) || !strings.Contains(err.Error(), c.SkillsFile) {
		t.Errorf("error %v for a conflicting file, want %s", err, conflict)
	}
}
