package dashboard_test

import (
	"encoding/csv"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// twoMatches is an answer with a hostile name and unknown values.
const twoMatches = `{"status":"success","considered":2,"hourly_rate_currency":"USD","took_ms":1.5,"matches":[
	{"freelancer":{"id":"a,1","name":"=1+1","job_title":"Potter","skills":[],"hourly_rate":60,"availability":true,
		"profile_url":"https://example.com/a"},"score":0.7,"level":"strong","matched_skills":["Clay","Glaze"],
		"missing_skills":["Kiln"],"unknown_fields":[],"estimate":{"hours":10.5,"days":2,"cost":630,"currency":"USD"},
		"explanation":[{"feature":"text","value":0.4,"weight":1,"contribution":0.7,"summary":"some words"}]},
	{"freelancer":{"id":"b2","name":"Ben","job_title":"","skills":[],"hourly_rate":0},"score":0.2,"level":"weak",
		"unknown_fields":["hourly_rate","availability"],"estimate":{"hours":null,"days":null,"cost":null},
		"explanation":[{"feature":"text","value":0.2,"weight":1,"contribution":0.2,"summary":"a word"}]}]}`

// resultOf plays a brief and returns the path of the result.
func resultOf(t *testing.T, w *world, b *browser, key, answer string) string {
	t.Helper()
	w.api.status = http.StatusOK
	w.api.body = answer
	return b.post("/dashboard/playground", "key", key, "description", "A shop").expect(t, http.StatusSeeOther).location
}

func TestMatches_Export(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	result := resultOf(t, w, b, key.ID, twoMatches)
	first := []string{
		"1", "a,1", "'=1+1", "Potter", "0.7", "strong", "60", "USD", "available", "Clay, Glaze", "Kiln", "10.5", "630",
		"USD", "https://example.com/a",
	}

	second := []string{"2", "b2", "Ben", "", "0.2", "weak", "", "USD", "", "", "", "", "", "", ""}
	for query, want := range map[string][][]string{
		"":                {first, second},
		"?ids=b2":         {second},
		"?ids=b2&ids=a,1": {first, second},
		"?ids=nobody":     {},
		"?ids==1%2B1":     {},
	} {
		a := b.get(result+"/matches.csv"+query).expect(t, http.StatusOK)
		if got := a.header.Get("Content-Disposition"); !strings.Contains(got, "attachment") {
			t.Errorf("Content-Disposition %q", got)
		}
		rows, err := csv.NewReader(strings.NewReader(a.body)).ReadAll()
		w.must(err)

		if len(rows) != len(want)+1 || !slices.EqualFunc(rows[1:], want, slices.Equal) {
			t.Errorf("query %q: rows %q, want a header and %q", query, rows, want)
		}
	}

	all := decoded(t, b.get(result+"/matches.json").expect(t, http.StatusOK).body).(map[string]any)
	if len(all["matches"].([]any)) != 2 || all["took_ms"] != 1.5 {
		t.Errorf("exported %v", all)
	}
	one := decoded(t, b.get(result+"/matches.json?ids=b2").expect(t, http.StatusOK).body).(map[string]any)
	if m := one["matches"].([]any); len(m) != 1 || m[0].(map[string]any)["score"] != .2 {
		t.Errorf("exported %v for the shortlist", m)
	}
}

// Only a match result of the account with an answer can be exported.
func TestMatches_ExportOfOtherResults(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	result := resultOf(t, w, b, key.ID, twoMatches)
	w.api.fail(http.StatusTooManyRequests, "rate_limit_exceeded", "wait a minute", "")
	failed := b.post("/dashboard/playground", "key", key.ID, "description", "x").expect(t, http.StatusSeeOther).location
	for _, file := range []string{"/matches.csv", "/matches.json"} {
		b.get(failed+file).expect(t, http.StatusNotFound)
		b.get("/dashboard/playground/r/none"+file).expect(t, http.StatusNotFound)
		w.as(w.stranger).get(result+file).expect(t, http.StatusNotFound)
		w.browser().get(result+file).expect(t, http.StatusSeeOther)
	}
}
