package dashboard_test

import (
	"net/http"
	"strings"
	"testing"
)

const skillPath = "/dashboard/playground/skill"

func TestSkillPlayground_SendsTheKeyword(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	w.api.status, w.api.body = http.StatusOK, exampleOf(t, "/api/v1/verify-skill", "skill_answer")
	w.api.setRateLimit()
	b.play(skillPath, "key", key.ID, "keyword", " C++ & <R&D> 'x' ").
		expect(t, http.StatusOK, rateLimitText, "X-API-Key: $MATCHING_API_KEY", "/api/v1/verify-skill")
	expectRequest(t, w, `{"keyword":"C++ & <R&D> 'x'"}`)
	if w.api.path != "POST /api/v1/verify-skill" || w.api.key.ID != key.ID {
		t.Errorf("%s with key %s", w.api.path, w.api.key.ID)
	}
}

func TestSkillPlayground_ShowsTheMeaning(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	w.api.status = http.StatusOK
	for example, want := range map[string][]string{
		"skill_answer": {
			"Skill Known as React", "162 freelancers · in the taxonomy · 100% confidence · 1.2 ms",
			"Skill: React", "Category Web development", "Synonyms ReactJS", "Related skills Angular",
		},
		"title_answer": {
			"Job title Known as React Developer", "9 freelancers",
			"Main skill of the job: React", "ID react", "Category Web development",
		},
		"several_answer":    {"Skill Known as HTML CSS", "80% confidence"},
		"misspelled_answer": {"Unknown", "neither in the taxonomy nor in any", "Did you mean JavaScript"},
		"unheard_answer":    {"Unknown"},
	} {
		w.api.body = exampleOf(t, "/api/v1/verify-skill", example)
		b.play(skillPath, "key", key.ID, "keyword", "sent keyword").
			expect(t, http.StatusOK, append(want, "sent keyword")...)
	}

	w.api.body = `{"data":{"exists":true,"type":"skill","matches":["Reactt"],"skills":["Reactt"],
		"job_titles":["Reactt Guru"],"similar_terms":["React"],"freelancer_count":1,"source":"index","confidence":0.3}}`
	b.play(skillPath, "key", key.ID, "keyword", "Reactt").expect(t, http.StatusOK, "Also a job title: Reactt Guru",
		"1 freelancer · only in freelancers' profiles · 30% confidence", "Did you mean React")
}

// Without a verdict, the page says why.
func TestSkillPlayground_ExplainsAMissingVerdict(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	w.api.status = http.StatusOK
	for reason, want := range map[string]string{
		`"limit_reached"`: "reached its daily limit", `"llm_failed"`: "did not answer in time", `null`: "",
	} {
		w.api.body = `{"data":{"exists":false,"type":null,"matches":[],"skills":[],"job_titles":[],"similar_terms":[],
			"no_verdict":` + reason + `}}`
		a := b.play(skillPath, "key", key.ID, "keyword", "zorgle").expect(t, http.StatusOK, "Unknown", want)
		if explained := strings.Contains(a.text(), "The language model"); explained != (want != "") {
			t.Errorf("%s: %s", reason, a.text())
		}
	}
}

func TestSkillPlayground_ShowsFailures(t *testing.T) {
	w := newWorld(t)
	w.as(w.member).get(skillPath).expect(t, http.StatusOK, "Create an API key first")
	b, key := player(t, w)
	b.get(skillPath).expect(t, http.StatusOK, "The meaning of the keyword appears here", "Website (svc_pr_…")
	if a := b.get(skillPath + "?sample=1"); !strings.Contains(a.body, `value="Javascritp"`) {
		t.Error("the sample is not filled in")
	}
	w.api.failAt("keyword", "required", "keyword must be the name of a skill")
	a := b.play(skillPath, "key", key.ID, "keyword", " ").expect(t, http.StatusOK,
		"Correct this field: Skill or job title must be the name of a skill.",
		"The API responded with 422", "validation_failed", "request7")
	if !strings.Contains(a.body, `id="keyword-fault"`) {
		t.Error("the fault is not shown at its field")
	}
	w.api.status = http.StatusBadGateway
	w.api.body = `<html>`
	b.play(skillPath, "key", key.ID, "keyword", "x").expect(t, http.StatusInternalServerError, "Something went wrong")
}
