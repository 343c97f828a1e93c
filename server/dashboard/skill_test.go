package dashboard_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestSkillPlayground_SendsTheWord(t *testing.T) {
	w := newWorld(t)
	b, key := play(t, w)
	w.api.status, w.api.body = http.StatusOK, exampleOf(t, "/api/v1/verify-skill", "skill_answer")
	w.api.header = map[string]string{"X-RateLimit-Limit": "1000", "X-RateLimit-Remaining": "962", "X-RateLimit-Reset": "30"}
	b.post("/dashboard/playground/skill", "key", key.ID, "keyword", " C++ & <R&D> 'x' ").expect(t, http.StatusOK,
		"962 of 1000 requests remaining, resets in 30 s", "X-API-Key: YOUR_KEY", "/api/v1/verify-skill")
	want := "{\n  \"keyword\": \"C++ & <R&D> 'x'\"\n}"
	if w.api.request != want || w.api.path != "POST /api/v1/verify-skill" || w.api.key.ID != key.ID {
		t.Errorf("asked %s with %s as %s, want %s", w.api.path, w.api.request, w.api.key.ID, want)
	}
}

func TestSkillPlayground_ShowsWhatIsKnown(t *testing.T) {
	w := newWorld(t)
	b, key := play(t, w)
	w.api.status = http.StatusOK
	for example, want := range map[string][]string{
		"skill_answer":    {"Skill Known as React", "140 freelancers · in the taxonomy · 100% confidence · 1.2 ms", "Skill: React", "Synonyms ReactJS", "Related skills Angular"},
		"title_answer":    {"Job title Known as React Developer", "15 freelancers", "Main skill of the job: React", "ID react", "Category Web development"},
		"several_answer":  {"Skill Known as HTML CSS", "80% confidence"},
		"misspelt_answer": {"Unknown", "The keyword is neither in the taxonomy nor in any freelancer's profile.", "Did you mean JavaScript"},
		"unheard_answer":  {"Unknown"},
	} {
		w.api.body = exampleOf(t, "/api/v1/verify-skill", example)
		a := b.post("/dashboard/playground/skill", "key", key.ID, "keyword", "said").expect(t, http.StatusOK, append(want, "said")...)
		if known := strings.HasPrefix(example, "skill") || strings.HasPrefix(example, "title"); strings.Contains(a.text(), "Category") != known {
			t.Errorf("%s: %s", example, a.text())
		}
	}
	w.api.body = `{"data":{"exists":true,"type":"skill","matches":["Reactt"],"skills":["Reactt"],"job_titles":["Reactt Guru"],
		"similar_terms":["React"],"freelancer_count":1,"source":"index","confidence":0.3}}`
	b.post("/dashboard/playground/skill", "key", key.ID, "keyword", "Reactt").expect(t, http.StatusOK,
		"Also a job title: Reactt Guru", "1 freelancer · only in freelancers' profiles · 30% confidence", "Did you mean React")
}

// The answer is then what it would be without a model, and says so.
func TestSkillPlayground_TellsThatNoModelWasHeard(t *testing.T) {
	w := newWorld(t)
	b, key := play(t, w)
	w.api.status = http.StatusOK
	for reason, want := range map[string]string{
		`"limit_reached"`: "reached its daily limit", `"llm_failed"`: "did not answer in time", `null`: "",
	} {
		w.api.body = `{"data":{"exists":false,"type":null,"matches":[],"skills":[],"job_titles":[],"similar_terms":[],"no_verdict":` + reason + `}}`
		a := b.post("/dashboard/playground/skill", "key", key.ID, "keyword", "zorgle").expect(t, http.StatusOK, "Unknown", want)
		if told := strings.Contains(a.text(), "The language model"); told != (want != "") {
			t.Errorf("%s: %s", reason, a.text())
		}
	}
}

func TestSkillPlayground_TellsFailures(t *testing.T) {
	w := newWorld(t)
	w.as(w.member).get("/dashboard/playground/skill").expect(t, http.StatusOK, "Create an API key first")
	b, key := play(t, w)
	b.get("/dashboard/playground/skill").expect(t, http.StatusOK, "The meaning of the keyword appears here", "Website (svc_pr_…")
	if a := b.get("/dashboard/playground/skill?sample=1"); !strings.Contains(a.body, `value="Javascritp"`) {
		t.Error("the sample is not filled in")
	}
	w.api.status = http.StatusUnprocessableEntity
	w.api.body = `{"status":"error","error":{"code":"validation_failed","message":"wrong","details":[{"field":"keyword","code":"required",
		"message":"keyword must be the name of a skill"}]},"request_id":"request7"}`
	a := b.post("/dashboard/playground/skill", "key", key.ID, "keyword", " ").expect(t, http.StatusUnprocessableEntity,
		"Correct this field: Keyword must be the name of a skill.", "The API responded with 422", "validation_failed", "request7")
	if !strings.Contains(a.body, `id="keyword-fault"`) {
		t.Error("the fault is not told at its field")
	}
	w.api.status, w.api.body = http.StatusBadGateway, `<html>`
	b.post("/dashboard/playground/skill", "key", key.ID, "keyword", "x").expect(t, http.StatusInternalServerError, "Something went wrong")
}
