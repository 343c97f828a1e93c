package dashboard_test

import (
	"encoding/json"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/access/apikey"
)

// play is a browser of a member with a key to play with.
func play(t *testing.T, w *world) (*browser, apikey.Key) {
	t.Helper()
	_, key := w.key(w.owner, "Website")
	return w.as(w.member), key
}

func TestPlayground_SendsTheBrief(t *testing.T) {
	w := newWorld(t)
	b, key := play(t, w)
	w.api.status, w.api.body = http.StatusOK, answerOf(t, "usual_answer")
	b.post("/dashboard/playground", "key", key.ID, "description", " A shop\r\nin two lines ", "job_title", "Developer",
		"required_skills", "React, Node.js,, C++", "nice_to_have_skills", "Figma", "budget_low", "3000", "budget_high", "9000.5",
		"budget_type", "hourly", "complexity", "high", "timeline", "45", "available", "yes", "min_rating", "4.5", "min_experience", "0",
		"max_hourly_rate", "80", "must_have_skills", "React", "profile", "economy", "limit", "3").expect(t, http.StatusOK)
	want := `{"description":"A shop\nin two lines","job_title":"Developer","required_skills":["React","Node.js","C++"],
		"nice_to_have_skills":["Figma"],"budget_range":[3000,9000.5],"budget_type":"hourly","complexity":"high","timeline":45,
		"filters":{"available":true,"min_rating":4.5,"min_experience":0,"max_hourly_rate":80,"must_have_skills":["React"]},
		"profile":"economy","limit":3,"explain":true}`
	if diff := cmp.Diff(decoded(t, want), decoded(t, w.api.request)); diff != "" {
		t.Error(diff)
	}
	if w.api.key.ID != key.ID || w.api.path != "POST /api/v1/match" || w.api.headers.Get("Content-Type") != "application/json" ||
		w.api.headers.Get("Cookie") != "" || w.api.remote == "" {
		t.Errorf("asked %s as %s from %s with %v", w.api.path, w.api.key.ID, w.api.remote, w.api.headers)
	}
	// Nothing that was not said is sent.
	b.post("/dashboard/playground", "key", key.ID, "job_title", "Developer", "budget_type", "hourly", "limit", "5")
	if diff := cmp.Diff(decoded(t, `{"job_title":"Developer","limit":5,"explain":true}`), decoded(t, w.api.request)); diff != "" {
		t.Error(diff)
	}
}

func decoded(t *testing.T, text string) (value any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return value
}

func TestPlayground_ShowsMatchesAndWhy(t *testing.T) {
	w := newWorld(t)
	b, key := play(t, w)
	w.api.status, w.api.body = http.StatusOK, answerOf(t, "usual_answer")
	w.api.header = map[string]string{"X-RateLimit-Limit": "1000", "X-RateLimit-Remaining": "962", "X-RateLimit-Reset": "30"}
	a := b.post("/dashboard/playground", "key", key.ID, "description", "A shop").expect(t, http.StatusOK,
		"1 match from 500 candidates in 1.2 ms", "Peyan Canden", "Expert MERN Stack Developer", "0.63 strong", "has ReactJS", "has Node", "lacks Kubernetes",
		"57 per hour · rated 4.9 · 8 years of experience · 7 projects · available", "Estimate: 103 hours · 18 days · cost 5,896",
		"Words 0.565 × 0.50 = 0.282", "Title, skills and description cover much of the brief",
		"103 h at 57/h come to 5,897, within the budget up to 9,000.", "Total: 0.634", "962 of 1000 requests remaining, resets in 30 s", "X-API-Key: YOUR_KEY", "Interview Peyan Canden")
	// The parts of the bar stand one after the other, and together they are as long as the score.
	bar := regexp.MustCompile(`(?s)<svg class="scorebar".*?</svg>`).FindString(a.body)
	if n := strings.Count(bar, `<rect class="f-`); n != 7 {
		t.Errorf("the bar has %d parts, want 7: %s", n, bar)
	}
	if !strings.Contains(bar, `class="f-text" x="73.0" width="282.0"`) || !strings.Contains(bar, "Score 0.63, Skills 0.073, Words 0.282") {
		t.Errorf("the bar is %s", bar)
	}
}

func TestPlayground_SaysWhatIsNotKnown(t *testing.T) {
	w := newWorld(t)
	b, key := play(t, w)
	w.api.status = http.StatusOK
	w.api.body = `{"status":"success","matches":[{"freelancer":{"id":"f1","name":"","job_title":"","skills":[],"profile_url":""},"score":0.2,
		"level":"weak","unknown_fields":["name","rating","hourly_rate"],"estimate":{"hours":null,"days":null,"cost":null}}],"considered":3,
		"derived_skills":["React"],"unknown_skills":[{"skill":"Reactt","suggestions":["React"]},{"skill":"Zzz","suggestions":[]}],
		"skipped":[{"feature":"semantic","reason":"the index has no vectors"}]}`
	a := b.post("/dashboard/playground", "key", key.ID, "description", "A shop").expect(t, http.StatusOK,
		"f1", "unknown: name, rating, hourly rate", "Skills found in the description: React", "Unknown skill: Reactt . Did you mean React",
		"Unknown skill: Zzz . It is matched by spelling only.", "Not scored: semantic . The index has no vectors.")
	for _, absent := range []string{"0 per hour", "rated 0", "Estimate", "requests remaining"} {
		if strings.Contains(a.text(), absent) {
			t.Errorf("the page says %q of what is not known", absent)
		}
	}
}

func TestPlayground_SaysWhyThereIsNothing(t *testing.T) {
	w := newWorld(t)
	b, key := play(t, w)
	w.api.status, w.api.body = http.StatusOK, answerOf(t, "nobody_answer")
	b.post("/dashboard/playground", "key", key.ID, "required_skills", "Reactt").expect(t, http.StatusOK,
		"0 matches from 0 candidates", "No freelancer passes the filter “max hourly rate”. Relax it and try again.", "Did you mean React Preact Raftt",
		"A rating of at least 5: leaves 207 of 1488. 1,488 1,281 0")
	w.api.body = `{"status":"success","matches":[],"reason":"no_data"}`
	b.post("/dashboard/playground", "key", key.ID, "required_skills", "x").expect(t, http.StatusOK, "No freelancers are loaded yet.")
}

func TestPlayground_TellsFaultsAtTheirFields(t *testing.T) {
	w := newWorld(t)
	b, key := play(t, w)
	for path, field := range map[string]string{
		"description": "description", "required_skills[3]": "required_skills", "budget_range": "budget_low", "budget_range[0]": "budget_low",
		"budget_range[1]": "budget_high", "filters.min_rating": "min_rating", "filters.must_have_skills[0]": "must_have_skills", "timeline": "timeline",
	} {
		w.api.status = http.StatusUnprocessableEntity
		w.api.body = `{"status":"error","error":{"code":"validation_failed","message":"wrong","details":[{"field":"` + path +
			`","code":"x","message":"it is wrong there"}]},"request_id":"request7"}`
		a := b.post("/dashboard/playground", "key", key.ID, "description", "A shop", "min_rating", "9").
			expect(t, http.StatusUnprocessableEntity, "Correct this field: It is wrong there.", "The API responded with 422", "validation_failed", "request7")
		if !strings.Contains(a.body, `id="`+field+`-fault"`) || !strings.Contains(a.body, `aria-invalid="true"`) {
			t.Errorf("a fault in %s is not told at the field %s", path, field)
		}
	}
	asked := w.api.request
	for field, value := range map[string]string{"budget_low": "cheap", "budget_high": "Inf", "timeline": "3.5", "min_rating": "NaN"} {
		fields := []string{"key", key.ID, "description", "A shop", "budget_high", "9", field, value}
		if field == "budget_high" {
			fields[5] = value
			fields = fields[:6]
		}
		a := b.post("/dashboard/playground", fields...).expect(t, http.StatusUnprocessableEntity, "Correct this field:")
		if !strings.Contains(a.body, `href="#`+field+`"`) {
			t.Errorf("%s = %q is not told", field, value)
		}
	}
	if w.api.request != asked {
		t.Error("a brief with a fault was sent")
	}
	b.post("/dashboard/playground", "key", key.ID, "description", "x", "budget_low", "5").
		expect(t, http.StatusUnprocessableEntity, "Enter the highest amount too, or leave both empty.")
}

func TestPlayground_TellsFailures(t *testing.T) {
	w := newWorld(t)
	b, key := play(t, w)
	w.api.status = http.StatusTooManyRequests
	w.api.body = `{"status":"error","error":{"code":"rate_limit_exceeded","message":"all of this minute's are used","details":[]},"request_id":"request7"}`
	b.post("/dashboard/playground", "key", key.ID, "description", "x").expect(t, http.StatusTooManyRequests,
		"The API responded with 429", "All of this minute's are used.", "rate_limit_exceeded", "request7")
	w.api.status, w.api.body = http.StatusBadGateway, `<html>`
	b.post("/dashboard/playground", "key", key.ID, "description", "x").expect(t, http.StatusInternalServerError, "Something went wrong")
}

func TestPlayground_BeginsWithAKey(t *testing.T) {
	w := newWorld(t)
	w.as(w.member).get("/dashboard/playground").expect(t, http.StatusOK, "Create an API key first", "Ask an account owner to create one.")
	b, _ := play(t, w)
	b.get("/dashboard/playground").expect(t, http.StatusOK, "Matches appear here", "Website (svc_pr_…")
	b.get("/dashboard/playground?sample=1").expect(t, http.StatusOK, "Online shop for a ceramics studio")
}

// What is to be pasted into a shell is one word there, whatever stands in it.
func TestPlayground_CurlIsSafeToPaste(t *testing.T) {
	w := newWorld(t)
	b, key := play(t, w)
	w.api.status, w.api.body = http.StatusOK, answerOf(t, "usual_answer")
	said := `it's $(touch pwned) "quoted" \ back` + "`id`" + ` <b> [` + "\n" + `{x} ] 'x'; echo é`
	a := b.post("/dashboard/playground", "key", key.ID, "description", said, "required_skills", "A, 'B', [C], D]")
	command := regexp.MustCompile(`(?s)<code id="same-request">(.*?)</code>`).FindStringSubmatch(a.body)[1]
	command = strings.NewReplacer("&#39;", "'", "&#34;", `"`, "&lt;", "<", "&gt;", ">", "&#43;", "+", "&#96;", "`", "&amp;", "&").Replace(command)
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell to try it in")
	}
	script := exec.CommandContext(t.Context(), shell, "-c", `curl() { for word; do last=$word; done; printf %s "$last"; }; `+command)
	script.Dir = t.TempDir()
	sent, err := script.Output()
	w.must(err)
	if diff := cmp.Diff(decoded(t, w.api.request), decoded(t, string(sent))); diff != "" {
		t.Error(diff)
	}
	if got := decoded(t, string(sent)).(map[string]any)["description"]; got != said {
		t.Errorf("sent %q", got)
	}
}
