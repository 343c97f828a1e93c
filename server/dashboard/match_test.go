package dashboard_test

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/access/apikey"
)

// player returns the browser of a member whose account has a key for the playground.
func player(t *testing.T, w *world) (*browser, apikey.Key) {
	t.Helper()
	_, key := w.key(w.owner, "Website")
	return w.as(w.member), key
}

// setRateLimit makes the API return rate limit headers, which the pages show as rateLimitText.
func (f *fakeAPI) setRateLimit() {
	f.header = map[string]string{
		"X-RateLimit-Limit": "1000", "X-RateLimit-Remaining": "962", "X-RateLimit-Reset": "30",
	}
}

const rateLimitText = "962 of 1000 requests remaining, resets in 30 s"

func TestMatchPlayground_SendsTheBrief(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	w.api.status, w.api.body = http.StatusOK, matchExample(t, "usual_answer")
	b.play("/dashboard/playground", "key", key.ID,
		"description", " A shop\r\nin two lines ", "job_title", "Developer",
		"required_skills", "React, Node.js,, C++", "nice_to_have_skills", "Figma",
		"budget_low", "3000", "budget_high", "9000.5", "budget_type", "hourly",
		"complexity", "high", "timeline", "45", "start_date", "2026-12-01",
		"available", "yes", "min_rating", "4.5", "min_experience", "0", "max_hourly_rate", "80",
		"must_have_skills", "React", "exclude_skills", "PHP, Java", "profile", "economy",
		"limit", "3").expect(t, http.StatusOK)

	expectRequest(t, w, `{"description":"A shop\nin two lines","job_title":"Developer",
		"required_skills":["React","Node.js","C++"],"nice_to_have_skills":["Figma"],
		"budget_range":[3000,9000.5],"budget_type":"hourly","complexity":"high","timeline":45,
		"start_date":"2026-12-01","filters":{"available":true,"min_rating":4.5,"min_experience":0,"max_hourly_rate":80,
		"must_have_skills":["React"],"exclude_skills":["PHP","Java"]},
		"profile":"economy","limit":3,"explain":true,"details":true}`)

	if w.api.key.ID != key.ID || w.api.path != "POST /api/v1/match" || w.api.remote == "" ||
		w.api.headers.Get("Content-Type") != "application/json" || w.api.headers.Get("Cookie") != "" {
		t.Errorf("%s with key %s from %s and headers %v", w.api.path, w.api.key.ID, w.api.remote, w.api.headers)
	}

	// Empty fields are not sent.
	b.play("/dashboard/playground", "key", key.ID, "job_title", "Developer", "budget_type", "hourly", "limit", "5")
	expectRequest(t, w, `{"job_title":"Developer","limit":5,"explain":true,"details":true}`)
}

// expectRequest fails the test unless the API received this JSON.
func expectRequest(t *testing.T, w *world, want string) {
	t.Helper()
	if diff := cmp.Diff(decoded(t, want), decoded(t, w.api.request)); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
}

func decoded(t *testing.T, text string) (value any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return value
}

func TestMatchPlayground_ShowsMatchesWithTheirScores(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	w.api.status, w.api.body = http.StatusOK, storedMatch(t)
	w.api.setRateLimit()
	b.playIn("code", "key", key.ID, "description", "A shop").expect(t, http.StatusOK, rateLimitText,
		"X-API-Key: $MATCHING_API_KEY")
	a := b.playIn("cards", "key", key.ID, "description", "A shop").expect(t, http.StatusOK,
		"1 match from 500 candidates in 1.2 ms",
		"Peyan Canden", "Expert MERN Stack Developer", "0.63 strong", "has ReactJS", "has Node", "lacks Kubernetes",
		"57 USD per hour , available", "rated 4.9 · 8 years of experience · 7 projects",
		"Estimate: 103.4 hours · 18 days · cost 5,894 USD",
		"Words 0.565 × 0.50 = 0.282", "Title, skills and description cover much of the brief", "Total: 0.634",
		"Interview Peyan Canden")

	// The parts of the bar are adjacent, and together as long as the score.
	bar := regexp.MustCompile(`(?s)<svg class="scorebar".*?</svg>`).FindString(a.body)
	if n := strings.Count(bar, `<rect class="f-`); n != 7 {
		t.Errorf("the bar has %d parts, want 7: %s", n, bar)
	}

	for _, want := range []string{`class="f-text" x="73.0" width="282.0"`, "Score 0.63, Skills 0.073, Words 0.282"} {
		if !strings.Contains(bar, want) {
			t.Errorf("the bar does not contain %q: %s", want, bar)
		}
	}
}

func TestMatchPlayground_ShowsUnknownValues(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	w.api.status = http.StatusOK
	w.api.body = `{"status":"success","matches":[{"freelancer":{"id":"f1","name":"","job_title":"","skills":[],
		"profile_url":""},"score":0.2,"level":"weak","unknown_fields":["name","rating","hourly_rate"],
		"estimate":{"hours":null,"days":null,"cost":null}}],"considered":3,
		"derived_skills":["React"],"nice_to_have_skills":["Figma"],"excluded_skills":["WordPress","PHP"],
		"skipped":[{"feature":"semantic","reason":"the index has no vectors"}],
		"unknown_skills":[{"skill":"Reactt","suggestions":["React"]},{"skill":"Zzz","suggestions":[]}]}`
	a := b.play("/dashboard/playground", "key", key.ID, "description", "A shop").expect(t, http.StatusOK,
		"f1", "Unknown: name, rating, hourly rate.", "Required, by the description React",
		"Nice to have, by the description Figma", "Excluded by the description not WordPress",
		"Unknown skill: Reactt . Did you mean React", "Unknown skill: Zzz . It is matched by spelling only.",
		"Not scored: semantic . The index has no vectors.")
	for _, absent := range []string{"0 per hour", "rated 0", "Estimate", "requests remaining"} {
		if strings.Contains(a.text(), absent) {
			t.Errorf("the page contains %q, which is unknown", absent)
		}
	}
}

func TestMatchPlayground_ShowsWhoHasTheRequiredSkills(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	w.api.status = http.StatusOK
	w.api.body = `{"status":"success","matches":[{"freelancer":{"id":"f1","name":"Oda","skills":[]},"score":0.2,
		"level":"weak","missing_skills":["Go"],"explanation":[
			{"feature":"text","value":0.4,"weight":1,"contribution":0.2,"summary":"some words"}],
		"adjustments":[{"factor":0.5,"reason":"has none of the required skills"}]}],"considered":3,
		"required_skills":[{"skill":"Go","freelancers":0,"message":"0 of 2,000 freelancers have Go"},
			{"skill":"Rust","freelancers":1200,"passing_filters":0,"message":"none of them passes"},
			{"skill":"SQL","freelancers":3,"passing_filters":1,"message":"one of them passes"}]}`
	a := b.play("/dashboard/playground", "key", key.ID, "required_skills", "Go, Rust, SQL").expect(t, http.StatusOK,
		"0 of 2,000 freelancers have Go. None of them passes.", "Freelancers with the required skills: Go 0 Rust 1,200 SQL 3",
		"Words 1.000 × 0.40 × 0.5 = 0.200", "Has none of the required skills. All contributions are multiplied by 0.5.",
		"Weight × value × factor = contribution. Total: 0.200")
	if strings.Contains(a.text(), "One of them passes") {
		t.Error("the page warns about a skill that somebody has")
	}
}

func TestMatchPlayground_ExplainsAnEmptyAnswer(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	w.api.status, w.api.body = http.StatusOK, matchExample(t, "nobody_answer")
	b.play("/dashboard/playground", "key", key.ID, "required_skills", "Reactt").expect(t, http.StatusOK,
		"0 matches of 2,000, all excluded by filters",
		"No freelancer passes the filter “max hourly rate”. Relax it and try again.",
		"Corrected skills Reactt → React", "1,509 1,284 1,712 0")
	w.api.body = `{"status":"success","matches":[],"reason":"no_overlap","reason_detail":[{"filter":"min_rating",
		"before":9,"excluded":4,"unknown":0,"message":"a rating of at least 4: 5 of 9 freelancers left"}]}`
	a := b.play("/dashboard/playground", "key", key.ID, "required_skills", "x").expect(t, http.StatusOK,
		"0 matches from 0 candidates", "No freelancer who passes the filters shares a skill or a word with this brief.")
	if strings.Contains(a.text(), "all excluded by filters") {
		t.Error("the page blames the filters, although some freelancers pass them")
	}

	w.api.body = `{"status":"success","matches":[],"reason":"no_data"}`
	b.play("/dashboard/playground", "key", key.ID, "required_skills", "x").
		expect(t, http.StatusOK, "No freelancers are loaded yet.")
}

// If several filters leave nobody, the page blames none of them, and no skill. It shows what each costs, and a button
// searches without it.
func TestMatchPlayground_ShowsWhatEachFilterCosts(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	w.api.status = http.StatusOK
	w.api.body = `{"status":"success","matches":[],"reason":"filter:time_zone","required_skills":[
			{"skill":"Go","freelancers":7,"passing_filters":0,"message":"7 of 20 freelancers have Go; 0 of them pass"}],
		"reason_detail":[{"filter":"available","before":20,"excluded":12,"unknown":0,"message":"availability: 8 left"},
			{"filter":"time_zone","before":8,"excluded":8,"unknown":3,"message":"near Paris: 0 left"}],
		"filters":[{"filter":"available","excluded":12,"unknown":0,"message":"availability: 12 excluded"},
			{"filter":"time_zone","excluded":15,"unknown":3,"message":"near Paris: 15 excluded"}]}`

	brief := []string{"key", key.ID, "required_skills", "Go", "time_zone", "Europe/Paris", "within_hours", "2"}
	a := b.play("/dashboard/playground", brief...).expect(t, http.StatusOK, "0 matches of 20, all excluded by filters",
		"Each filter has freelancers who pass it, but nobody passes all of them.",
		"Availability: 8 left. 20 12 12 0", "Near Paris: 0 left. 8 8 15 3 Remove")
	for _, absent := range []string{"0 of them pass.", "No freelancer passes the filter"} {
		if strings.Contains(a.text(), absent) {
			t.Errorf("the page says %q", absent)
		}
	}
	if strings.Contains(a.body, `name="lift" value="available"`) {
		t.Error("the page has a button for a filter that isn't in the form")
	}

	b.play("/dashboard/playground", append(brief, "lift", "time_zone")...).expect(t, http.StatusOK)
	expectRequest(t, w, `{"required_skills":["Go"],"explain":true,"details":true}`)
}

func TestMatchPlayground_ShowsFaultsAtTheirFields(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	for path, field := range map[string]string{
		"description":                 "description",
		"required_skills[3]":          "required_skills",
		"budget_range":                "budget_low",
		"budget_range[0]":             "budget_low",
		"budget_range[1]":             "budget_high",
		"filters.min_rating":          "min_rating",
		"filters.must_have_skills[0]": "must_have_skills",
		"timeline":                    "timeline",
		"start_date":                  "start_date",
	} {
		w.api.failAt(path, "x", "choose another value")
		a := b.play("/dashboard/playground", "key", key.ID, "description", "A shop", "min_rating", "9").
			expect(t, http.StatusOK, "Correct this field:", "Choose another value.",
				"The API responded with 422", "validation_failed", "request7")
		if !strings.Contains(a.body, `id="`+field+`-fault"`) || !strings.Contains(a.body, `aria-invalid="true"`) {
			t.Errorf("a fault in %s is not shown at the field %s", path, field)
		}
	}
}

// The summary names the fields as the form does, in the form's order, and each fault once. The faults of a row of
// fields stand above the row.
func TestMatchPlayground_NamesFieldsByTheirLabels(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	var details []string
	for _, fault := range []struct{ field, code, message string }{
		{"filters.min_rating", "too_large", "filters.min_rating must be from 0 to 5; got 9."},
		{"budget_range", "reversed", "budget_range must be [low, high] with low at most high; got [9, 3]."},
		{"budget_range[1]", "negative", "budget_range[1] must not be negative; got -3."},
		{"required_skills[1]", "too_long", "required_skills[1] must have at most 100 characters; got 120."},
		{"required_skills[1]", "too_long", "required_skills[1] must have at most 100 characters; got 120."},
		{"description", "required", "At least one of description, required_skills and job_title must contain a letter."},
	} {
		details = append(details, fmt.Sprintf(`{"field":%q,"code":%q,"message":%q}`, fault.field, fault.code, fault.message))
	}

	w.api.fail(http.StatusUnprocessableEntity, "validation_failed", "invalid request", strings.Join(details, ","))
	a := b.play("/dashboard/playground", "key", key.ID, "description", "-").expect(t, http.StatusOK,
		"Correct these 5 fields: Description: Enter a description, a job title or a required skill. "+
			"Required skills: Entry 2 must have at most 100 characters; got 120. Budget from must not exceed Budget to. "+
			"Budget to must not be negative; got -3. Min. rating must be from 0 to 5; got 9. Description")

	row := regexp.MustCompile(`(?s)<legend>Budget</legend>.*?<div class="cols">`).FindString(a.body)
	for _, id := range []string{"budget_low-fault", "budget_high-fault"} {
		if strings.Count(row, `id="`+id+`"`) != 1 || !strings.Contains(a.body, `aria-describedby="`+id+`"`) {
			t.Errorf("%s is not above the row: %s", id, row)
		}
	}

	for _, name := range []string{"required_skills[", "budget_range", "filters."} {
		if text, _, _ := strings.Cut(a.text(), "API request"); strings.Contains(text, name) {
			t.Errorf("the page names the field %s as the API does:\n%s", name, a.text())
		}
	}
}

// Values that are not numbers cannot be sent.
func TestMatchPlayground_RejectsInvalidNumbers(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	for field, value := range map[string]string{
		"budget_low": "cheap", "budget_high": "Inf", "timeline": "3.5", "min_rating": "NaN", "limit": "many",
	} {
		a := b.play("/dashboard/playground", "key", key.ID, "description", "A shop", field, value).
			expect(t, http.StatusUnprocessableEntity, "Correct this field:")
		if !strings.Contains(a.body, `href="#`+field+`"`) {
			t.Errorf("%s = %q is accepted", field, value)
		}
	}
	b.play("/dashboard/playground", "key", key.ID, "description", "x", "budget_low", "5").
		expect(t, http.StatusUnprocessableEntity, "Enter the highest amount too, or leave both empty.")
	b.play("/dashboard/playground", "key", key.ID, "description", "x", "budget_low", "5", "budget_high", "a lot").
		expect(t, http.StatusUnprocessableEntity, "Correct this field: Budget to: Enter an amount such as 3,000")
	if w.api.path != "" {
		t.Error("an invalid form was sent")
	}
}

func TestMatchPlayground_ShowsFailures(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	w.api.fail(http.StatusTooManyRequests, "rate_limit_exceeded", "wait a minute", "")
	b.play("/dashboard/playground", "key", key.ID, "description", "x").expect(t, http.StatusOK,
		"The API responded with 429", "Wait a minute.", "rate_limit_exceeded", "request7")
	w.api.status = http.StatusBadGateway
	w.api.body = `<html>`
	b.play("/dashboard/playground", "key", key.ID, "description", "x").
		expect(t, http.StatusInternalServerError, "Something went wrong")
}

func TestMatchPlayground_NeedsAKey(t *testing.T) {
	w := newWorld(t)
	w.as(w.member).get("/dashboard/playground").
		expect(t, http.StatusOK, "Create an API key first", "Ask an account owner to create one.")
	b, _ := player(t, w)
	b.get("/dashboard/playground").expect(t, http.StatusOK, "Paste the job advert", "Website (svc_pr_…")
	b.get("/dashboard/playground?sample=1").expect(t, http.StatusOK, "Online shop for a ceramics studio")
}

// Pasted into a shell, the body is a single word, whatever it contains.
func TestMatchPlayground_CurlIsSafeToPaste(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell found")
	}
	w := newWorld(t)
	b, key := player(t, w)
	w.api.status, w.api.body = http.StatusOK, matchExample(t, "usual_answer")
	description := `it's $(touch pwned) "quoted" \ back` + "`id`" + ` <b> [` + "\n" + `{x} ] 'x'; echo é`
	a := b.playIn("code", "key", key.ID, "description", description, "required_skills", "A, 'B', [C], D]")
	command := regexp.MustCompile(`(?s)<code id="request-curl">(.*?)</code>`).FindStringSubmatch(a.body)[1]
	printLast := `curl() { for word; do last=$word; done; printf %s "$last"; }; `
	script := exec.CommandContext(t.Context(), shell, "-c", printLast+html.UnescapeString(command))
	script.Dir = t.TempDir()
	sent, err := script.Output()
	w.must(err)
	expectRequest(t, w, string(sent))

	if got := decoded(t, string(sent)).(map[string]any)["description"]; got != description {
		t.Errorf("the description became %q", got)
	}
}

// People write countries, languages and time zones in words; the API gets codes.
func TestMatchPlayground_SendsFiltersInCodes(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	w.api.status, w.api.body = http.StatusOK, matchExample(t, "usual_answer")
	b.play("/dashboard/playground", "key", key.ID, "job_title", "Developer", "currency", "EUR",
		"countries", "Germany, at", "languages", "German (native), English B2, pt-BR", "time_zone", "UTC+2",
		"within_hours", "1.5").expect(t, http.StatusOK)
	expectRequest(t, w, `{"job_title":"Developer","currency":"EUR","explain":true,"details":true,"filters":{
		"countries":["DE","AT"],"time_zone":{"zone":"UTC+02:00","within_hours":1.5},"languages":[
			{"language":"de","min_level":"native"},{"language":"en","min_level":"B2"},{"language":"pt-BR"}]}}`)
	// The API explains what is neither a name nor a code.
	b.play("/dashboard/playground", "key", key.ID, "job_title", "Developer", "countries", "Atlantis", "time_zone", "Mars")
	expectRequest(t, w, `{"job_title":"Developer","explain":true,"details":true,"filters":{"countries":["Atlantis"],
		"time_zone":{"zone":"Mars"}}}`)

	for fields, fault := range map[[2]string]string{
		{"languages", "Klingonish, English, Elvenish B2"}: "Unknown: “Klingonish”, “Elvenish B2”; enter languages such as " +
			"German C1, English.",
		{"within_hours", "2"}: "Enter the time zone too, or leave both empty.",
	} {
		b.play("/dashboard/playground", "key", key.ID, "job_title", "x", fields[0], fields[1]).
			expect(t, http.StatusUnprocessableEntity, fault)
	}

	w.api.failAt("filters.time_zone.within_hours", "too_large", "choose another value")
	a := b.play("/dashboard/playground", "key", key.ID, "job_title", "x").expect(t, http.StatusOK)
	if !strings.Contains(a.body, `id="within_hours-fault"`) {
		t.Error("a fault in the time zone is not shown at its field")
	}
}

// All faults of a form are shown at once: those that the form finds, and those that the API would.
func TestMatchPlayground_ShowsAllFaultsAtOnce(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	a := b.play("/dashboard/playground", "key", key.ID, "budget_low", "lots", "languages", "Klingon", "timeline", "0",
		"countries", "Atlantis", "time_zone", "Mars", "min_rating", "9").expect(t, http.StatusUnprocessableEntity,
		"Correct these 7 fields", "“Klingon”", "Atlantis", "Mars", "Enter a description, a job title or a required skill.")
	for _, field := range []string{
		"description", "budget_low", "languages", "timeline", "countries", "time_zone", "min_rating",
	} {
		if n := strings.Count(a.body, `href="#`+field+`"`); n != 1 {
			t.Errorf("%d faults of %s", n, field)
		}
	}
	if w.api.path != "" {
		t.Error("an invalid brief was sent")
	}
}

// The page shows currencies, details, what each filter excluded, and a button for each suggested filter.
func TestMatchPlayground_ShowsFiltersAndSuggestions(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	w.api.status = http.StatusOK
	w.api.body = `{"status":"success","matches":[{"freelancer":{"id":"f1","name":"Ada",
		"job_title":"Developer","skills":[],"hourly_rate":60,"profile_url":""},"score":0.2,"level":"weak",
		"unknown_fields":["rating","experience","total_sales","availability"],
		"estimate":{"hours":10,"days":2,"cost":480.4,"currency":"EUR"},
		"details":{"country":"DE","location":null,"time_zone":"Europe/Berlin","languages":[
			{"language":"de","level":"native"},{"language":"en","level":null}],"currency":"EUR",
			"available_from":"2026-12-01","hours_per_week":30,"verified":true}}],
		"considered":3,"unknown_skills":[],"skipped":[],"currency":"EUR","hourly_rate_currency":"USD",
		"exchange_rate":{"date":"2026-11-20","source":"Example Bank","from":"USD","to":"EUR","rate":0.8},
		"filters":[{"filter":"countries","excluded":7,"unknown":5,
			"message":"the country DE: 7 of 9 freelancers excluded, 5 of them because their country is unknown"}],
		"suggested_filters":[
			{"filter":"countries","value":["MX","US"],"because":["based in Mexico","US only"]},
			{"filter":"languages","value":[{"language":"de","min_level":"native"}],"because":["native German speaker"]},
			{"filter":"time_zone","value":{"zone":"Europe/Paris","within_hours":3},"because":["CET <hours>"]},
			{"filter":"max_hourly_rate","value":48,"because":["up to $60/hour"]},
			{"filter":"exclude_skills","value":["WordPress"],"because":["no WordPress"]},
			{"filter":"new","value":1,"because":["unknown to this page"]}]}`

	a := b.playIn("cards", "key", key.ID, "description", "A shop").expect(t, http.StatusOK,
		"60 USD per hour", "available from 2026-12-01",
		"Germany · Europe/Berlin · German native · English · 30 hours per week · verified",
		"Estimate: 10 hours · 2 days · cost 480 EUR",
		"Exchange rate of 2026-11-20 (Example Bank): 1 USD = 0.8 EUR", "Amounts are in USD",
		"The country DE: 7 of 9 freelancers excluded, 5 of them because their country is unknown. 7 5",
		"No filter was applied.", "Country: Mexico or United States because of “based in Mexico”, “US only” Use this filter",
		"Language: German native because of “native German speaker” Use this filter",
		"Time zone: within 3 h of Europe/Paris because of “CET <hours>” Use this filter",
		"Maximum rate: 48 per hour because of “up to $60/hour” Use this filter",
		"Without: WordPress because of “no WordPress” Use this filter")
	if n := strings.Count(a.body, `name="use"`); n != 5 {
		t.Errorf("%d buttons, want 5", n)
	}

	// Each button sends the form with its filter, which the form then shows.
	for use, want := range map[string][2]string{
		`{"countries":["MX","US"]}`: {`"countries":["MX","US"]`, `value="MX, US"`},
		`{"languages":[{"language":"de","min_level":"native"}]}`: {
			`"languages":[{"language":"de","min_level":"native"}]`, `value="German native"`,
		},
		`{"time_zone":{"within_hours":3,"zone":"Europe/Paris"}}`: {
			`"time_zone":{"zone":"Europe/Paris","within_hours":3}`, `value="Europe/Paris"`,
		},
		`{"max_hourly_rate":48}`: {`"max_hourly_rate":48`, `value="48"`},
	} {
		if !strings.Contains(html.UnescapeString(a.body), `value="`+use+`"`) {
			t.Errorf("no button has the value %s", use)
		}

		used := b.play("/dashboard/playground", "key", key.ID, "description", "A shop", "countries", "Peru", "use", use).
			expect(t, http.StatusOK)
		var sent struct{ Filters json.RawMessage }
		if err := json.Unmarshal([]byte(w.api.request), &sent); err != nil {
			t.Fatal(err)
		}

		compact := regexp.MustCompile(`\s+`).ReplaceAllString(string(sent.Filters), "")
		if !strings.Contains(compact, want[0]) || strings.Contains(use, "countries") == strings.Contains(compact, "PE") {
			t.Errorf("after %s, the API got %s", use, compact)
		}

		if !strings.Contains(used.body, want[1]) {
			t.Errorf("after %s, the form lacks %s", use, want[1])
		}
	}

	b.play("/dashboard/playground", "key", key.ID, "description", "A shop", "use", `{"countries":5`).
		expect(t, http.StatusOK) // is ignored
}
