package dashboard_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/projects"
)

// Forms from other sites are rejected. Forms from the dashboard are accepted, also over plain http on a local network,
// and behind a proxy that changes Host.
func TestForms_MustComeFromTheDashboard(t *testing.T) {
	const secure, plain = "https://match.example.com", "http://192.0.2.7:8080"
	for _, test := range []struct {
		name, public       string
		site, origin, host string // headers
		accepted           bool
	}{
		{"same origin", secure, "same-origin", secure, "match.example.com", true},
		{"another site", secure, "cross-site", "https://evil.example", "match.example.com", false},
		{"sister domain", secure, "same-site", "https://shop.example.com", "match.example.com", false},
		{"another site, no fetch metadata", plain, "", "http://evil.example", "192.0.2.7:8080", false},
		{"opaque origin", plain, "", "null", "192.0.2.7:8080", false},
		{"plain http on a local network", "http://127.0.0.1:8080", "", plain, "192.0.2.7:8080", true},
		{"proxy that changes Host", secure, "same-origin", secure, "10.0.0.3:8080", true},
		{"proxy that changes Host, old browser", secure, "", secure, "10.0.0.3:8080", true},
		{"proxy that changes Host, plain http", "http://match.local", "", "http://match.local", "10.0.0.3:8080", true},
		{"proxy that changes Host, upper case and port", "HTTPS://Match.Example.com:443", "", secure, "10.0.0.3:8080", true},
		{"proxy that changes Host, no public URL", "http://127.0.0.1:8080", "", "http://match.local", "10.0.0.3:8080", false},
		{"not a browser", secure, "", "", "match.example.com", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, publicURL(test.public))
			header := http.Header{"Host": {test.host}}

			if test.site != "" {
				header.Set("Sec-Fetch-Site", test.site)
			}

			if test.origin != "" {
				header.Set("Origin", test.origin)
			}
			credentials := form("email", w.owner.Email, "password", password)
			a := w.browser().do(http.MethodPost, "/dashboard/sign-in", credentials, header)

			if test.accepted {
				a.expect(t, http.StatusSeeOther)
				return
			}

			a.expect(t, http.StatusForbidden, "Form rejected", "MATCHING_PUBLIC_URL", test.origin)
			if a.header.Get("Set-Cookie") != "" {
				t.Error("the rejected form started a session")
			}
		})
	}
}

// With the policy no-referrer, browsers would send "Origin: null". Over plain http, there is nothing else to check.
func TestForms_HaveAnOrigin(t *testing.T) {
	w := newWorld(t)
	if policy := w.browser().get("/dashboard/sign-in").header.Get("Referrer-Policy"); policy != "same-origin" {
		t.Errorf("Referrer-Policy is %q", policy)
	}
}

func TestSignIn_RedirectsOnlyWithinTheDashboard(t *testing.T) {
	w := newWorld(t)
	for next, want := range map[string]string{
		"/dashboard/usage":                "/dashboard/usage",
		"/dashboard/usage?key=key_1":      "/dashboard/usage?key=key_1",
		"":                                "/dashboard",
		"/":                               "/dashboard",
		"/api/v1/health":                  "/dashboard",
		"/dashboardx":                     "/dashboard",
		"//evil.example":                  "/dashboard",
		"//evil.example/dashboard":        "/dashboard",
		"///evil.example/dashboard":       "/dashboard",
		"https://evil.example/dashboard":  "/dashboard",
		"https:/dashboard":                "/dashboard",
		"javascript:alert(1)":             "/dashboard",
		`/\evil.example`:                  "/dashboard",
		`/dashboard\@evil.example`:        "/dashboard",
		"/dashboard/../../evil":           "/dashboard",
		"/dashboard/..//evil.example":     "/dashboard",
		"/dashboard/%2e%2e/%2fevil":       "/dashboard",
		"/dashboard/%2f%2fevil.example":   "/dashboard",
		"/dashboard\r\nSet-Cookie: a=b":   "/dashboard",
		"/dashboard/%0d%0aSet-Cookie:a=b": "/dashboard/%0d%0aSet-Cookie:a=b", // stays escaped; the page doesn't exist
		"/dashboard#x":                    "/dashboard",
	} {
		a := w.browser().post("/dashboard/sign-in", "email", w.owner.Email, "password", password, "next", next)
		if a.status != http.StatusSeeOther || a.location != want {
			t.Errorf("next %q: status %d, location %q, want %q", next, a.status, a.location, want)
		}

		if cookies := a.header.Values("Set-Cookie"); len(cookies) != 2 { // the session and the known browser
			t.Errorf("next %q: cookies %q", next, cookies)
		}
	}

	// A user who is signed in already.
	if a := w.as(w.owner).get("/dashboard/sign-in?next=" + url.QueryEscape("//evil.example")); a.location != "/dashboard" {
		t.Errorf("signed in already: location %q", a.location)
	}
	// The hidden field of the form.
	a := w.browser().get("/dashboard/sign-in?next=" + url.QueryEscape("https://evil.example"))
	if strings.Contains(a.body, "evil.example") {
		t.Error("the form contains the address of another site")
	}

	const want = "/dashboard/sign-in?next=%2Fdashboard%2Fkeys%2Fkey_1%3Fx%3D1"
	if a := w.browser().get("/dashboard/keys/key_1?x=1"); a.location != want {
		t.Errorf("the redirect to the sign-in page is %q", a.location)
	}
}

func TestSignIn_LimitsAttempts(t *testing.T) {
	w := newWorld(t)
	const wrong = "password is wrong."
	for range 5 {
		w.browser().post("/dashboard/sign-in", "email", w.owner.Email, "password", "wrong wrong wrong").
			expect(t, http.StatusUnprocessableEntity, wrong)
	}
	a := w.browser().post("/dashboard/sign-in", "email", w.owner.Email, "password", password).
		expect(t, http.StatusTooManyRequests, "too many")
	if a.header.Get("Retry-After") == "" {
		t.Error("Retry-After is missing")
	}
	// An unknown address gets the same message.
	w.browser().post("/dashboard/sign-in", "email", "nobody@example.com", "password", password).
		expect(t, http.StatusUnprocessableEntity, wrong)
}

// activeContent returns what the content policy forbids in a page: inline scripts and styles, event handlers, script
// URLs, resources of other sites, and elements that no page uses.
func activeContent(page string) (found []string) {
	tokens := html.NewTokenizer(strings.NewReader(page))
	inScript := false

	for {
		kind := tokens.Next()
		token := tokens.Token()
		switch {
		case kind == html.ErrorToken:
			return found
		case kind == html.TextToken && inScript && strings.TrimSpace(token.Data) != "":
			found = append(found, "script "+token.Data)
		case kind == html.StartTagToken || kind == html.SelfClosingTagToken:
			inScript = token.Data == "script"
			if slices.Contains([]string{"style", "base", "iframe", "object", "embed", "img"}, token.Data) ||
				slices.ContainsFunc(token.Attr, isActive) {
				found = append(found, token.String())
			}

		case kind == html.EndTagToken:
			inScript = false
		}
	}
}

func isActive(a html.Attribute) bool {
	isURL := slices.Contains([]string{"href", "src", "action", "formaction", "xlink:href"}, a.Key)
	value := strings.ToLower(strings.TrimSpace(a.Val))
	return a.Key == "style" || strings.HasPrefix(a.Key, "on") ||
		isURL && strings.HasPrefix(value, "javascript:") ||
		a.Key == "src" && !strings.HasPrefix(value, "/dashboard/static/")
}

func TestActiveContent(t *testing.T) {
	for _, page := range []string{
		"<script>x</script>", "<p style='x'>", "<svg onload=x>", "<a href=' JavaScript:x'>",
		"<script src='https://x'></script>", "<style>", "<img src=x>", "<input value='' onfocus=x>",
	} {
		if len(activeContent(page)) == 0 {
			t.Errorf("nothing found in %s", page)
		}
	}
}

// hostile returns names that do harm in a page that doesn't escape them.
func hostile() []string {
	return []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onfocus=alert(1) autofocus='`,
		`{{.User.Password}}`, `</title><svg onload=alert(1)>`, `javascript:alert(1)`,
	}
}

// Every page escapes hostile names, wherever it shows names.
func TestPages_EscapeNames(t *testing.T) {
	for i, name := range hostile() {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			w := newWorld(t)
			invite := account.Invite{Plan: "professional"}
			secret, _, err := w.accounts.Links.Invite(t.Context(), audit.By{Actor: w.admin.ID}, invite)
			w.must(err)
			user := w.register("user@example.com", name, secret)
			_, key := w.key(user, name)
			_, _, err = w.keys.Rotate(t.Context(), audit.By{Actor: user.ID}, user.Account, key.ID, time.Hour)
			w.must(err)
			w.api.status, w.api.body = http.StatusOK, hostileResponse(name)
			for at, a := range everyPage(t, w, user, key) {
				if found := activeContent(a.body); len(found) > 0 {
					t.Errorf("%s: %q", at, found)
				}
				if strings.ContainsAny(name, `<>"'`) && strings.Contains(a.body, name) {
					t.Errorf("%s: the name is not escaped", at)
				}
			}
		})
	}
}

// hostileResponse returns a response that serves all operations, with the text in every field.
func hostileResponse(text string) string {
	answer := fmt.Sprintf(`"matches":[{"freelancer":{"id":%[1]q,"name":%[1]q,"job_title":%[1]q,"skills":[%[1]q],
		"profile_url":"javascript:alert(1)"},"score":0.5,"level":%[1]q,"matched_skills":[%[1]q],"missing_skills":[%[1]q],
		"unknown_fields":[%[1]q],
		"explanation":[{"feature":%[1]q,"value":1,"weight":0.5,"contribution":0.5,"summary":%[1]q}],
			"adjustments":[{"factor":0.5,"reason":%[1]q}]}],
		"considered":1,"derived_skills":[%[1]q],"required_skills":[{"skill":%[1]q,"freelancers":0,"message":%[1]q}],
		"unknown_skills":[{"skill":%[1]q,"suggestions":[%[1]q]}],
		"skipped":[{"feature":%[1]q,"reason":%[1]q}],"reason":%[1]q,"reason_detail":[{"filter":%[1]q,"message":%[1]q}]`, text)

	resume := fmt.Sprintf(`"name":%[1]q,"job_title":%[1]q,"contact":{"email":%[1]q,"phone":%[1]q,"location":%[1]q,
		"links":[{"kind":%[1]q,"url":%[1]q},{"kind":"x","url":"javascript:alert(1)"},
			{"kind":"x","url":"https://example.com/\"onclick=alert(1)"}]},
		"summary":%[1]q,"skill_details":[{"id":%[1]q,"name":%[1]q,"section":%[1]q}],
		"experience":[{"title":%[1]q,"company":%[1]q,"location":%[1]q,"start":%[1]q,"end":%[1]q,"months":7,
			"description":%[1]q},{"description":"a\n<b>"}],
		"education":[{"degree":%[1]q,"field":%[1]q,"institution":%[1]q,"start":%[1]q}],
		"languages":[{"name":%[1]q,"level":%[1]q}],"certifications":[{"name":%[1]q,"issuer":%[1]q,"date":%[1]q}],
		"language":%[1]q,"warnings":[%[1]q],"quality":{"score":0.5,"reasons":[%[1]q]},
		"freelancer":{"id":%[1]q,"name":%[1]q,"job_title":%[1]q}`, text)

	interview := fmt.Sprintf(`"mode":%[1]q,"session_id":"0123456789abcdef","generated_by":%[1]q,"derived_skills":[%[1]q],
		"unknown_skills":[%[1]q],"remarks":[{"code":%[1]q,"message":%[1]q},{"code":"instructions","message":%[1]q},
			{"code":"derived_skills"},{"code":"unknown_skills"}],
		"interview_data":{"questions":[{"id":%[1]q,"text":%[1]q,"skill":%[1]q,"kind":%[1]q,"difficulty":%[1]q,
			"expected_answer":%[1]q,"points":[%[1]q,%[1]q],"follow_up":[%[1]q],"generated_by":%[1]q,
			"scoring_criteria":{"technical":40,"experience":30,"communication":30,%[1]q:5}},
			{"id":"q2","text":"b","scoring_criteria":{"technical":100}}],"answers":[%[2]q]},
		"evaluation":{"overall_score":50,"hiring_recommendation":null,"recommendation_reason":%[1]q,"method":%[1]q,
			"confidence":0.5,"strengths":[%[1]q],"areas_for_improvement":[%[1]q],"details":[{"answered":true,"score":50,
			"marks":[{"criterion":"technical","level":3,"evidence":[%[1]q]},{"criterion":%[1]q,"level":3,"evidence":["b"]}],
			"unmeasured":[%[1]q],"feedback":%[1]q,"covered_points":[1],"remarks":[%[1]q]}]}`, text, "a "+text+" b")

	return fmt.Sprintf(`{"status":"success",%s,"request_id":%q,"took_ms":1,"data":{%s,%s}}`,
		answer, text, resume, interview)
}

// hostileProject stores a project in which every text is the same, and returns its path.
func hostileProject(t *testing.T, w *world, user account.User, text string) string {
	t.Helper()
	found := projects.Match{Request: text, Result: text, Rank: 1, Score: .5, Has: []string{text}, Lacks: []string{text}}
	p, err := projects.New(w.db.Projects, w.clock.now).Create(t.Context(), audit.By{Actor: user.ID}, projects.Project{
		Account: user.Account, Name: text, Note: text,
		Brief: projects.Brief{Result: text, Currency: text, Form: url.Values{
			"description": {text}, "required_skills": {text}, "budget_high": {text}, "countries": {text},
		}},
	}, []projects.Person{
		{Freelancer: text, Note: text, Match: found}, {Freelancer: "g", Note: text, Released: true, Match: found},
	})
	w.must(err)
	return "/dashboard/projects/" + p.ID
}

// everyPage returns every page, and every page that answers a form, for a user and for an administrator.
func everyPage(t *testing.T, w *world, user account.User, key apikey.Key) map[string]answer {
	t.Helper()
	pages := map[string]answer{}
	nobody := w.browser()
	owner := w.as(user)
	admin := w.as(w.admin)
	keep := func(at string, a answer) {
		if a.status >= 500 {
			t.Errorf("%s: status %d", at, a.status)
		}
		pages[at] = a
	}
	for _, path := range []string{"/sign-in", "/sign-in?note=out", "/sign-up", "/setup", "/join", "/reset", "/nothing"} {
		keep("nobody "+path, nobody.get("/dashboard"+path))
	}

	for _, path := range []string{
		"/account/two-factor",
		"", "/keys/new", "/keys/" + key.ID, "/usage", "/usage?key=" + key.ID, "/data", "/account", "/members", "/activity",
		"/keys", "/reference", "/reference/match", "/reference/parse", "/reference/live", "/reference/nothing",
		"/playground", "/playground?sample=1", "/playground/skill", "/playground/resume", "/playground/interview",
		"/playground/interview?sample=1&freelancer=" + url.QueryEscape(key.Name), "/nothing", "/admin/accounts",
		"/freelancers", "/freelancers?name=zzz", "/freelancers?skill=" + url.QueryEscape(key.Name), "/freelancers/f%2F1",
	} {
		keep("owner "+path, owner.get("/dashboard"+path))
	}

	pending := w.browser()
	pending.post("/dashboard/sign-in", "email", w.admin.Email, "password", password).expect(t, http.StatusSeeOther)
	keep("code", pending.get("/dashboard/sign-in/code"))
	keep("recovery code", pending.get("/dashboard/sign-in/code?recovery=1"))
	keep("wrong code", pending.post("/dashboard/sign-in/code", "code", key.Name))

	for _, path := range []string{
		"/account/two-factor",
		"", "/admin/accounts", "/admin/accounts?q=zzz", "/admin/accounts/" + user.Account, "/admin/invitations",
		"/admin/audit", "/admin/freelancers", "/admin/freelancers/f%2F1", "/freelancers/f%2F1",
	} {
		keep("admin "+path, admin.get("/dashboard"+path))
	}

	name := key.Name
	reset, _, err := w.accounts.Links.CreateReset(t.Context(), audit.By{Actor: w.admin.ID}, user.ID)
	w.must(err)
	join, _, err := w.accounts.Links.Invite(t.Context(), audit.By{Actor: user.ID}, account.Invite{Account: user.Account})
	w.must(err)
	keep("reset link", nobody.post("/dashboard/reset", "secret", reset))
	keep("invitation link", nobody.post("/dashboard/join", "secret", join))
	keep("bad join", nobody.post("/dashboard/join", "secret", join, "email", name, "password", "x"))
	keep("bad sign-in", nobody.post("/dashboard/sign-in", "email", name, "password", "x"))
	keep("bad sign-up", nobody.post("/dashboard/sign-up", "email", name, "account_name", name, "password", "x"))
	keep("cross-origin form", nobody.do(http.MethodPost, "/dashboard/sign-in", nil,
		http.Header{"Origin": {`https://"><script>alert(1)</script>`}}))
	keep("bad key", owner.post("/dashboard/keys/new", "name", name, "networks", name, "operations", name, "expires", name))
	keep("bad settings", owner.post("/dashboard/keys/"+key.ID, "name", name, "networks", name))
	keep("bad revoke", owner.post("/dashboard/keys/"+key.ID+"/revoke", "confirm", name))
	keep("bad password", owner.post("/dashboard/account/password", "present", "x", "password", "x"))
	keep("bad invitation", owner.post("/dashboard/members", "email", name, "role", "member"))
	keep("new invitation", owner.post("/dashboard/members", "role", "member"))

	held := "/dashboard/interviews/" + w.interview(user, name, name+" I write down.", "")
	open := "/dashboard/interviews/" + w.interview(user, name)
	for _, path := range []string{"/dashboard/interviews", "/dashboard/interviews?freelancer_id=zzz", held, open} {
		keep("owner "+path, owner.get(path))
	}

	keep("bad candidate link", owner.post(open+"/invitation", "days", name, "return_url", name, "consent_text", name))
	keep("candidate link", owner.post(open+"/invitation", "days", "3", "consent_text", name))
	keep("bad review", owner.post(held+"/reviews", "question", name, "criterion", name, "reason", name))
	keep("bad deletion", owner.post(open+"/delete"))

	project := hostileProject(t, w, user, name)
	for _, path := range []string{"/dashboard/projects", project, "/dashboard/outcomes"} {
		keep("owner "+path, owner.get(path))
	}
	keep("bad project", owner.post(project, "name", name, "note", name, "before", "x"))
	keep("bad note", owner.post(project+"/people/g/note", "text", name, "before", "x"))
	keep("project link", owner.post(project+"/links", "days", "3"))

	keyID := currentKey(t, w, user).ID
	const playground = "/dashboard/playground"
	keep("bad brief", owner.play(playground, "key", keyID, "description", name, "budget_low", name))
	keep("brief", owner.play(playground, "key", keyID, "description", name, "required_skills", name))
	keep("keyword", owner.play(skillPath, "key", keyID, "keyword", name))
	keep("no file", owner.upload(keyID, "", ""))
	keep("resume", owner.upload(keyID, name, name))
	interview := func(fields ...string) answer {
		common := []string{"key", keyID, "project_description", name, "required_skills", name}
		return owner.play(interviewPath, append(common, fields...)...)
	}

	keep("suggestions", interview())
	keep("report", interview("step", "report", "session_id", name, "of_freelancer", name))
	keep("bad interview", interview("freelancer_id", name, "num_questions", name))
	complete := w.api.body
	w.api.body = strings.Replace(complete, `"evaluation":`, `"none":`, 1)
	questions := interview("freelancer_id", name, "mode", name, "language", name)
	keep("questions", questions)
	w.api.body = complete
	keep("evaluation", interview("step", "answer", "interview", hiddenInterview(t, questions), "answer1", name))

	keep("new key", owner.post("/dashboard/keys/new", "name", name, "id", apikey.NewID()))
	current := currentKey(t, w, user)
	keep("revoked key", owner.post("/dashboard/keys/"+current.ID+"/revoke", "confirm", current.Last4))
	keep("notice", owner.get("/dashboard"))
	accountPath := "/dashboard/admin/accounts/" + user.Account
	const twoFactor = "/dashboard/account/two-factor"
	owner.post(twoFactor+"/start").expect(t, http.StatusSeeOther)
	keep("enrollment", owner.get(twoFactor))
	keep("wrong first code", owner.post(twoFactor, "code", name))
	keep("new recovery codes", admin.create(twoFactor+"/codes"))
	w.clock.advance(11 * time.Minute)
	keep("confirm with a password", owner.post(twoFactor+"/start"))
	keep("wrong password", owner.post(twoFactor+"/start", "confirmation", name))
	keep("confirm with a code", admin.post(accountPath+"/plan", name, name))
	admin = w.as(w.admin)
	keep("new reset link", admin.post(accountPath+"/users/"+user.ID+"/reset"))
	keep("bad plan", admin.post(accountPath+"/plan", "plan", name, "grace", "0s"))
	keep("bad admin invitation", admin.post("/dashboard/admin/invitations", "plan", name, "email", name))

	return pages
}

func currentKey(t *testing.T, w *world, user account.User) apikey.Key {
	t.Helper()
	keys, err := w.keys.ListOf(t.Context(), user.Account)
	w.must(err)
	for _, k := range keys {
		if k.Current(w.clock.now()) {
			return k
		}
	}
	t.Fatal("the account has no current key")
	return apikey.Key{}
}

func TestResponses_HaveSecurityHeaders(t *testing.T) {
	w := newWorld(t)
	_, key := w.key(w.owner, "Website")
	w.api.status, w.api.body = http.StatusOK, matchExample(t, "usual_answer")
	pages := everyPage(t, w, w.owner, key)
	css := regexp.MustCompile(`/dashboard/static/[0-9a-f]+/style\.css`).FindString(pages["nobody /sign-in"].body)
	pages["style sheet"] = w.browser().get(css)
	pages["unknown file"] = w.browser().get("/dashboard/static/0/style.css")
	pages["redirect"] = w.browser().get("/dashboard")
	pages["unknown method"] = w.browser().do(http.MethodDelete, "/dashboard", nil, nil)
	for at, a := range pages {
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; " +
				"form-action 'self'; base-uri 'none'; frame-ancestors 'none'; connect-src 'self'",
			"X-Content-Type-Options": "nosniff",
			"X-Frame-Options":        "DENY",
			"Referrer-Policy":        "same-origin",
		} {
			if got := a.header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", at, name, got, want)
			}
		}

		want := "no-store"
		if at == "style sheet" {
			want = "public, max-age=31536000, immutable"
		}

		if got := a.header.Get("Cache-Control"); got != want && at != "unknown file" {
			t.Errorf("%s: Cache-Control is %q, want %q", at, got, want)
		}
	}

	pages["style sheet"].expect(t, http.StatusOK)
	pages["unknown file"].expect(t, http.StatusNotFound)
}

// Tokens of keys and sessions, passwords and secrets of links appear neither in the log nor on another page.
func TestSecrets_AreNotExposed(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.owner)
	created := b.create("/dashboard/keys/new", "name", "Website", "id", apikey.NewID()).expect(t, http.StatusOK)
	token := tokenPattern.FindString(created.body)
	invited := b.create("/dashboard/members", "role", "member").expect(t, http.StatusOK)
	link := regexp.MustCompile(`/dashboard/join#([\w-]{43})`).FindStringSubmatch(invited.body)
	if token == "" || link == nil {
		t.Fatal("no token or link was shown")
	}

	w.browser().post("/dashboard/join", "secret", link[1])
	w.browser().post("/dashboard/reset", "secret", link[1])
	w.browser().post("/dashboard/sign-in", "email", w.owner.Email, "password", "a wrong password")
	w.must(w.recorder.Flush(t.Context()))

	for _, path := range []string{
		"", "/keys", "/usage", "/members", "/activity", "/keys/" + currentKey(t, w, w.owner).ID,
	} {
		if a := b.get("/dashboard" + path); strings.Contains(a.body, token) || strings.Contains(a.body, link[1]) {
			t.Errorf("/dashboard%s shows a secret again", path)
		}
	}

	log := w.log.String()
	for what, secret := range map[string]string{
		"token": token, "secret of a link": link[1], "session": b.session(), "password": password,
		"wrong password": "a wrong password",
	} {
		if strings.Contains(log, secret) {
			t.Errorf("the log contains the %s:\n%s", what, log)
		}
	}
}

func TestForms_HaveSizeLimits(t *testing.T) {
	w := newWorld(t)
	_, key := w.key(w.owner, "Website")
	b := w.as(w.owner)
	b.post("/dashboard/keys/new", "name", strings.Repeat("x", 65<<10)).
		expect(t, http.StatusRequestEntityTooLarge, "Form too large")
	w.api.status, w.api.body = http.StatusOK, matchExample(t, "usual_answer")
	b.play("/dashboard/playground", "key", key.ID, "description", strings.Repeat("щ", 20_000)).expect(t, http.StatusOK)
	b.play("/dashboard/playground", "key", key.ID, "description", strings.Repeat("x", 513<<10)).
		expect(t, http.StatusRequestEntityTooLarge)
	b.do(http.MethodPost, "/dashboard/keys/new?%zz", nil, nil).expect(t, http.StatusBadRequest, "Invalid form")
}

// The page of an internal error shows the request ID; the log has the cause.
func TestErrors_HideInternalCauses(t *testing.T) {
	w := newWorld(t)
	session := w.as(w.owner).session()
	w.must(w.db.Close())
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/dashboard", nil)
	r.Header.Set("Cookie", "matching_session="+session)
	response := httptest.NewRecorder()
	response.Header().Set("X-Request-Id", "request7")
	w.handler.ServeHTTP(response, r)
	a := answer{status: response.Code, header: response.Header(), body: response.Body.String()}
	a.expect(t, http.StatusInternalServerError, "Something went wrong", "request7")
	if strings.Contains(a.body, "sql") || strings.Contains(a.body, "database") {
		t.Errorf("the page shows the cause:\n%s", a.text())
	}
	if !strings.Contains(w.log.String(), "request7") {
		t.Errorf("the log does not contain the request ID:\n%s", w.log)
	}
}

// PostgreSQL accepts neither NUL characters nor invalid UTF-8. With every database, such input is a client error.
func TestForms_MustBeText(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.owner)
	for _, path := range []string{
		"/dashboard/keys/key%00x", "/dashboard/keys/key%ff", "/dashboard/activity?before=%00", "/dashboard/usage?key=%ff",
	} {
		b.get(path).expect(t, http.StatusBadRequest, "Invalid form")
	}
	for _, name := range []string{"a\x00b", "a\xffb"} {
		b.post("/dashboard/keys/new", "name", name).expect(t, http.StatusBadRequest, "Invalid form")
	}
	w.browser().post("/dashboard/sign-in", "email", "a\x00@example.com", "password", password).
		expect(t, http.StatusBadRequest, "Invalid form")
}
