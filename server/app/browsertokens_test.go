package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/access/browsertoken"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api"
	"github.com/freelancer-matching/service/server/api/wire"
)

const shop = "https://shop.example"

// browserToken returns a token that pages of the shop may use, with more members of the request that creates it.
func (s service) browserToken(t *testing.T, members string) string {
	t.Helper()
	body := s.send(t, http.StatusOK, http.MethodPost, "/api/v1/browser-tokens", `{"origins":["`+shop+`"]`+members+`}`)
	var answer wire.BrowserTokenAnswer
	if err := json.Unmarshal([]byte(body), &answer); err != nil {
		t.Fatal(err)
	}
	return answer.Data.Token
}

// sendAsPage sends a brief as a page of the shop does, checks the status, and returns the body of the response.
func (s service) sendAsPage(t *testing.T, status int, token, brief string) string {
	t.Helper()
	s.token = ""
	return s.send(t, status, http.MethodPost, "/api/v1/match", brief, "Authorization", "Bearer "+token, "Origin", shop)
}

func TestBrowserTokens_EndWithTheirKey(t *testing.T) {
	s := startWriting(t, newData(t))
	defer s.stop(t)
	by := audit.By{Actor: audit.CommandLine}
	for name, end := range map[string]func(s service) error{
		"revoked": func(s service) error {
			_, err := s.Keys.Revoke(t.Context(), by, "", s.key)
			return err
		},
		"disabled": func(s service) error {
			_, err := s.Keys.Disable(t.Context(), by, "", s.key)
			return err
		},
		"rotated": func(s service) error {
			_, _, err := s.Keys.Rotate(t.Context(), by, "", s.key, 0)
			return err
		},
		"restricted": func(s service) error {
			_, err := s.Keys.Change(t.Context(), by, "", s.key, apikey.Settings{Name: "x", Operations: []string{"parse"}})
			return err
		},
	} {
		s := s.withNewKey(t)
		token := s.browserToken(t, "")
		s.sendAsPage(t, http.StatusOK, token, zoeBrief)
		if err := end(s); err != nil {
			t.Fatal(err)
		}
		status := http.StatusUnauthorized
		if name == "restricted" {
			status = http.StatusForbidden
		}
		s.sendAsPage(t, status, token, zoeBrief)
	}
}

// Another installation doesn't accept the token, even if its key has the same ID.
func TestBrowserTokens_OfAnotherDatabase(t *testing.T) {
	s := startWriting(t, newData(t))
	defer s.stop(t)
	other := startWriting(t, newData(t))
	defer other.stop(t)
	got := other.sendAsPage(t, http.StatusUnauthorized, s.browserToken(t, ""), zoeBrief)
	if !strings.Contains(got, string(browsertoken.CodeInvalid)) {
		t.Error(got)
	}
}

// varied returns freelancers who differ in every field.
func varied() []matching.Freelancer {
	levels := []matching.LanguageLevel{"A1", "B2", "C1", "C2"}
	zones := []string{"Europe/Berlin", "America/New_York", "Asia/Tokyo", "Europe/Lisbon"}
	countries := []string{"DE", "US", "JP", "PT"}
	list := make([]matching.Freelancer, 12)
	for i := range list {
		x := float64(i)
		list[i] = matching.Freelancer{
			ID: fmt.Sprintf("f%02d", i), Name: fmt.Sprintf("Hidden Person %d", i), JobTitle: "React developer",
			Skills: []string{"React", "Node.js"}, Description: "Builds online shops.",
			ProfileURL: fmt.Sprintf("https://example.com/p/%d", i),
			Signals: matching.Signals{
				Experience: matching.Some(x), Rating: matching.Some(1 + x/4), HourlyRate: matching.Some(20 + 13*x),
				Availability: matching.Some(i%2 == 0), TotalSales: matching.Some(10 * i),
			},
			Details: matching.Details{
				Country: countries[i%4], Location: fmt.Sprintf("Street %d", i), TimeZone: zones[i%4],
				Languages: []matching.SpokenLanguage{{Tag: "en", Level: levels[i%4]}}, Currency: []string{"EUR", "USD"}[i%2],
				AvailableFrom: fmt.Sprintf("2031-02-%02d", 1+2*i), HoursPerWeek: matching.Some(5 + 3*x),
				Verified: matching.Some(i%3 == 0),
			},
		}
	}
	return list
}

// probes returns briefs with which a page tries to find out what is hidden.
func probes() (briefs []string) {
	for _, members := range []string{
		``, `,"explain":true,"details":true`,
		`,"budget_range":[0,60],"budget_type":"hourly","explain":true`,
		`,"budget_range":[0,2500],"budget_type":"fixed","effort_hours":40,"explain":true,"details":true`,
		`,"budget_range":[0,1]`, `,"timeline":30,"start_date":"2031-02-03","effort_hours":20,"explain":true`,
		`,"timeline":2,"effort_hours":100,"complexity":"high","explain":true`,
		`,"complexity":"low","profile":"economy","explain":true`, `,"profile":"expertise","complexity":"high"`,
		`,"weights":{"text":0,"skills":0,"semantic":0},"complexity":"medium","budget_range":[1,50],"timeline":9`,
		`,"filters":{"ids":["f03","f07"]},"explain":true`, `,"filters":{"must_have_skills":["React"]}`,
		`,"currency":"USD","effort_hours":1`,
	} {
		briefs = append(briefs, `{"description":"A shop in Germany, at most $60 per hour, available now, for a verified `+
			`Hidden Person 3 with a rating of 5","required_skills":["React"],"limit":12`+members+`}`)
	}
	return briefs
}

// changing matches the members of a response that differ between two requests for the same brief.
var changing = regexp.MustCompile(`"(request_id|took_ms)":("[^"]*"|[0-9.e-]+)`)

// What a page receives doesn't depend on a hidden field: it is the same, byte for byte, if the freelancers exchange
// their values.
func TestBrowserTokens_HideFields(t *testing.T) {
	s := startWriting(t, newData(t))
	defer s.stop(t)
	answers := func(token string) (all []string) {
		for _, brief := range probes() {
			w := s.request(t.Context(), http.MethodPost, "/api/v1/match", brief, "X-API-Key", token, "Origin", shop)
			if w.Code != http.StatusOK && w.Code != http.StatusUnprocessableEntity {
				t.Fatalf("status %d: %s", w.Code, w.Body)
			}
			w.Header().Del("X-Request-Id")
			w.Header().Del("Content-Length") // depends on the number of digits of took_ms
			w.Header().Del("X-Ratelimit-Remaining")
			w.Header().Del("X-Ratelimit-Reset")
			all = append(all, changing.ReplaceAllString(w.Body.String(), "")+fmt.Sprint(w.Header()))
		}
		return all
	}

	s.fill(t, "freelancers-v1-before", varied()...)
	tokens := map[string]string{}
	before := map[string][]string{}
	for _, field := range append(browsertoken.Hideable(), "nothing") {
		hide := `"` + field + `"`
		if field == "nothing" {
			hide = ""
		}
		tokens[field] = s.browserToken(t, `,"requests_per_minute":1000,"hide":[`+hide+`]`)
		before[field] = answers(tokens[field])
	}

	for i, field := range browsertoken.Hideable() {
		list := varied()
		values := varied()
		for j := range list {
			matching.FieldNamed(field).Copy(&list[j], &values[(j+5)%len(values)])
		}
		s.fill(t, fmt.Sprintf("freelancers-v1-changed-%d", i), list...)

		if diff := cmp.Diff(before[field], answers(tokens[field])); diff != "" {
			t.Errorf("%s shows (-before +after):\n%s", field, diff)
		}
		if cmp.Equal(before["nothing"], answers(tokens["nothing"])) {
			t.Errorf("%s isn't in any response, so this test says nothing about it", field)
		}
	}
}

// A page learns nothing about somebody whom the filters of the token exclude.
func TestBrowserTokens_FiltersShowNobodyElse(t *testing.T) {
	s := startWriting(t, newData(t))
	defer s.stop(t)
	s.fill(t, "freelancers-v1-before", varied()...)
	token := s.browserToken(t, `,"filters":{"countries":["DE"]},"requests_per_minute":1000`)
	without := s.browserToken(t, `,"filters":{"countries":["DE"],"exclude_ids":["f01"]},"requests_per_minute":1000`)

	for _, filters := range []string{
		`{"ids":["f01"]}`, `{"ids":["f01"],"min_rating":1}`, `{"ids":["f01"],"countries":["US"]}`,
		`{"ids":["f01"],"verified":true}`, `{"ids":["f01"],"max_hourly_rate":30}`, `{"countries":["US","DE"]}`,
	} {
		brief := `{"description":"React shop","filters":` + filters + `,"explain":true}`
		with := changing.ReplaceAllString(s.sendAsPage(t, http.StatusOK, token, brief), "")
		if got := changing.ReplaceAllString(s.sendAsPage(t, http.StatusOK, without, brief), ""); got != with {
			t.Errorf("%s:\n%s\n%s", filters, with, got)
		}
		if strings.Contains(with, `"id":"f01"`) {
			t.Errorf("%s: %s", filters, with)
		}
	}
}

// Counts of visitors don't stay in the database.
func TestBrowserTokens_CountsOfVisitorsEnd(t *testing.T) {
	s := startWriting(t, newData(t))
	defer s.stop(t)
	s.sendAsPage(t, http.StatusOK, s.browserToken(t, `,"visitor":"v1"`), zoeBrief)
	rows := func() (subjects []string) {
		found, err := s.DB.Pools.Read.QueryContext(t.Context(), "SELECT subject FROM quotas")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = found.Close() }()
		for found.Next() {
			var subject string
			if err := found.Scan(&subject); err != nil {
				t.Fatal(err)
			}
			subjects = append(subjects, subject)
		}
		if err := found.Err(); err != nil {
			t.Fatal(err)
		}
		return subjects
	}

	isVisitor := func(subject string) bool { return strings.HasPrefix(subject, "visitor:") }
	if !slices.ContainsFunc(rows(), isVisitor) || strings.Contains(fmt.Sprint(rows()), "v1") {
		t.Errorf("counted %v", rows())
	}
	if err := s.DB.Quotas.DeleteOld(t.Context(), api.VisitorPrefix, time.Now().Add(2*time.Minute)); err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(rows(), isVisitor) {
		t.Errorf("still counted %v", rows())
	}
}
