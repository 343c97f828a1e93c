package dashboard_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/taxonomy"
)

// fakeSkills knows three skills.
type fakeSkills struct{}

func (fakeSkills) Complete(prefix string, n int) []taxonomy.Completion {
	var found []taxonomy.Completion
	for _, name := range []string{"React", "React Native", "Readings, Public"} {
		if prefix != "" && len(found) < n && strings.HasPrefix(strings.ToLower(name), strings.ToLower(prefix)) {
			found = append(found, taxonomy.Completion{Name: name})
		}
	}
	if prefix == "k8s" {
		found = append(found, taxonomy.Completion{Name: "Kubernetes", Alias: "K8s"})
	}
	return found
}

func TestSkillNames_AreCompleted(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.member)
	for query, want := range map[string]string{
		"rea":  `{"skills":[{"name":"React"},{"name":"React Native"}]}`,
		"k8s":  `{"skills":[{"name":"Kubernetes","alias":"K8s"}]}`,
		"<zz>": `{"skills":[]}`,
		"":     `{"skills":[]}`,
	} {
		a := b.get("/dashboard/playground/skills?" + form("q", query).Encode())
		if a.status != http.StatusOK || a.body != want {
			t.Errorf("%q: status %d, %s, want %s", query, a.status, a.body, want)
		}

		if got := a.header.Get("Content-Type"); got != "application/json" {
			t.Errorf("Content-Type is %q", got)
		}

		if got := a.header.Get("Cache-Control"); got != "private, max-age=300" {
			t.Errorf("Cache-Control is %q", got)
		}
	}

	if a := w.browser().get("/dashboard/playground/skills?q=rea"); a.status != http.StatusSeeOther {
		t.Errorf("status %d without a sign-in", a.status)
	}
}

// Nobody has to know how demanding the work is, or how long it takes.
func TestMatchPlayground_SendsWhatTheClientKnows(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	w.api.status, w.api.body = http.StatusOK, matchExample(t, "usual_answer")
	brief := []string{"key", key.ID, "job_title", "Developer", "budget_high", "900"}
	for _, c := range []struct {
		fields       []string
		want, absent string
	}{
		{nil, `"budget_range":[0,900]`, `"complexity"`},
		{nil, `"budget_range":[0,900]`, `"budget_type"`},
		{[]string{"budget_type", "fixed"}, `"budget_type":"fixed"`, `"effort_hours"`},
		{[]string{"complexity", "low", "effort_hours", "12.5"}, `"effort_hours":12.5`, `"budget_type"`},
	} {
		b.post("/dashboard/playground", append(brief, c.fields...)...)
		request := strings.Join(strings.Fields(w.api.request), "")
		if !strings.Contains(request, c.want) || strings.Contains(request, c.absent) {
			t.Errorf("with %v, the API got %s, want %s and no %s", c.fields, request, c.want, c.absent)
		}
	}
}

// A submitted currency stays selected, whether or not there is an exchange rate for it.
func TestMatchPlayground_OffersKnownCurrencies(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	a := b.get("/dashboard/playground").expect(t, http.StatusOK)
	for option, n := range map[string]int{
		`<option value="" selected>USD<`: 1, `<option value="EUR">EUR<`: 1, `<option value="CHF">CHF<`: 1,
		`<option value="USD"`: 0,
	} {
		if strings.Count(a.body, option) != n {
			t.Errorf("the page has not %d × %s", n, option)
		}
	}
	a = b.post("/dashboard/playground", "key", key.ID, "job_title", "x", "timeline", "soon", "currency", "XXX").
		expect(t, http.StatusUnprocessableEntity)
	if !strings.Contains(a.body, `<option value="XXX" selected>XXX<`) {
		t.Error("the submitted currency is gone")
	}
}
