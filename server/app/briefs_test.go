package app_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/briefs"
	"github.com/freelancer-matching/service/feed"
	"github.com/freelancer-matching/service/server/api/wire"
)

// decode returns the data of a response.
func decode[T any](t *testing.T, body string) T {
	t.Helper()
	var answer wire.Answer[T]
	if err := json.Unmarshal([]byte(body), &answer); err != nil {
		t.Fatal(err)
	}
	return answer.Data
}

// A saved brief gets a list. Somebody who enters it is announced with rank and reason, and sees the brief, too.
func TestBriefs_FromSavingToTheMessage(t *testing.T) {
	s := startWriting(t, newData(t))
	defer s.stop(t)
	const path = "/api/v1/briefs"
	hook := decode[wire.SecretWebhook](t, s.send(t, http.StatusCreated, http.MethodPost, webhooksPath,
		`{"events":["brief.entered","brief.left"]}`))

	saved := decode[wire.SavedBrief](t, s.send(t, http.StatusCreated, http.MethodPost, path,
		`{"name":"Sailing","top":2,"notify":true,"match":{"required_skills":["Go","Kubernetes"],"job_title":"Sailor"}}`))
	one := path + "/" + saved.ID
	var people wire.SavedBriefPeople
	for people.MatchedAt == nil && t.Context().Err() == nil {
		people = decode[wire.SavedBriefPeople](t, s.send(t, http.StatusOK, http.MethodGet, one+"/people", ""))
	}

	const record = `{"job_title":"Sailor","skills":["Go","Kubernetes"],"description":"Sailor with Go and Kubernetes"}`
	s.send(t, http.StatusCreated, http.MethodPut, "/api/v1/freelancers/sailor", record)
	var entered feed.BriefNews
	for entered.Freelancer == "" && t.Context().Err() == nil {
		deliveries := decode[[]wire.Delivery](t,
			s.send(t, http.StatusOK, http.MethodGet, webhooksPath+"/"+hook.ID+"/deliveries", ""))
		for _, d := range deliveries {
			if d.Event == string(feed.BriefEntered) {
				entered = messageOf(t, d).Entries[0]
			}
		}
	}
	st := entered.Standing
	if entered.Freelancer != "sailor" || entered.Brief != saved.ID || st == nil || st.Rank != 1 ||
		len(st.MatchedSkills) != 2 || len(st.Explanation) == 0 {
		t.Errorf("message %+v with %+v", entered, st)
	}

	people = decode[wire.SavedBriefPeople](t, s.send(t, http.StatusOK, http.MethodGet, one+"/people", ""))
	if len(people.People) == 0 || people.People[0].ID != "sailor" {
		t.Errorf("people %+v", people.People)
	}
	ranked := decode[briefs.ForPerson](t,
		s.send(t, http.StatusOK, http.MethodPost, "/api/v1/freelancers/sailor/briefs", `{}`))
	if len(ranked.Briefs) != 1 || !strings.Contains(ranked.Briefs[0].Message, "You are at rank 1 of") ||
		!strings.Contains(ranked.Briefs[0].Message, "You have all required skills.") {
		t.Errorf("ranked %+v", ranked)
	}

	s.send(t, http.StatusOK, http.MethodDelete, "/api/v1/freelancers/sailor", "")
	people = decode[wire.SavedBriefPeople](t, s.send(t, http.StatusOK, http.MethodGet, one+"/people", ""))
	for _, p := range people.People {
		if p.ID == "sailor" {
			t.Error("an erased freelancer is still on the list")
		}
	}

	closed := decode[wire.SavedBrief](t, s.send(t, http.StatusOK, http.MethodPatch, one, `{"closed":true}`))
	if !closed.Closed || closed.MatchedAt != nil {
		t.Errorf("closed brief %+v", closed)
	}
	s.send(t, http.StatusUnprocessableEntity, http.MethodPost, path, `{"name":"x","match":{"limit":3,"job_title":"y"}}`)
	s.send(t, http.StatusOK, http.MethodDelete, one, "")
	s.send(t, http.StatusNotFound, http.MethodGet, one, "")
}

// messageOf returns the data of a message about briefs.
func messageOf(t *testing.T, d wire.Delivery) feed.BriefMessage {
	t.Helper()
	var body struct{ Data feed.BriefMessage }
	if err := json.Unmarshal(d.Body, &body); err != nil || len(body.Data.Entries) == 0 {
		t.Fatalf("message %s: %v", d.Body, err)
	}
	return body.Data
}
