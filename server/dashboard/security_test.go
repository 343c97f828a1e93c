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

	"freelancer-matching/access/account"
	"freelancer-matching/access/apikey"
	"freelancer-matching/access/audit"
)

// Forms that a browser was made to send by another site are refused; those of the dashboard itself are taken, on plain http
// with an address of the local network, and behind a proxy that changes Host.
func TestForms_AreTakenFromTheDashboardOnly(t *testing.T) {
	header := func(pairs ...string) http.Header {
		h := http.Header{}
		for i := 0; i < len(pairs); i += 2 {
			h[pairs[i]] = []string{pairs[i+1]}
		}
		return h
	}
	for _, test := range []struct {
		name, public string
		header       http.Header
		taken        bool
	}{
		{"same origin", "https://match.example.com", header("Sec-Fetch-Site", "same-origin", "Origin", "https://match.example.com", "Host", "match.example.com"), true},
		{"another site", "https://match.example.com", header("Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example", "Host", "match.example.com"), false},
		{"a sister domain", "https://match.example.com", header("Sec-Fetch-Site", "same-site", "Origin", "https://shop.example.com", "Host", "match.example.com"), false},
		{"another site, no fetch metadata", "http://192.0.2.7:8080", header("Origin", "http://evil.example", "Host", "192.0.2.7:8080"), false},
		{"an opaque origin", "http://192.0.2.7:8080", header("Origin", "null", "Host", "192.0.2.7:8080"), false},
		{"plain http on the local network", "http://127.0.0.1:8080", header("Origin", "http://192.0.2.7:8080", "Host", "192.0.2.7:8080"), true},
		{"a proxy that changes Host", "https://match.example.com", header("Sec-Fetch-Site", "same-origin", "Origin", "https://match.example.com", "Host", "10.0.0.3:8080"), true},
		{"the same, old browser", "https://match.example.com", header("Origin", "https://match.example.com", "Host", "10.0.0.3:8080"), true},
		{"the same, plain http", "http://match.local", header("Origin", "http://match.local", "Host", "10.0.0.3:8080"), true},
		{"the same, address in capitals with its port", "HTTPS://Match.Example.com:443", header("Origin", "https://match.example.com", "Host", "10.0.0.3:8080"), true},
		{"a proxy that changes Host, public-url not set", "http://127.0.0.1:8080", header("Origin", "http://match.local", "Host", "10.0.0.3:8080"), false},
		{"no browser", "https://match.example.com", header("Host", "match.example.com"), true},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, public(test.public))
			a := w.browser().do(http.MethodPost, "/dashboard/sign-in", form("email", w.owner.Email, "password", password), test.header)
			if test.taken {
				a.expect(t, http.StatusSeeOther)
				return
			}
			a.expect(t, http.StatusForbidden, "Form rejected", "MATCHING_PUBLIC_URL", test.header.Get("Origin"))
			if a.header.Get("Set-Cookie") != "" {
				t.Error("the refused form began a session")
			}
		})
	}
}

// Browsers send "Origin: null" with a form when the policy is no-referrer, and on plain http that is all there is to go by.
func TestForms_ComeWithTheirOrigin(t *testing.T) {
	w := newWorld(t)
	if policy := w.browser().get("/dashboard/sign-in").header.Get("Referrer-Policy"); policy != "same-origin" {
		t.Errorf("Referrer-Policy %q", policy)
	}
}

func TestSignIn_LeadsToLocalPathsOnly(t *testing.T) {
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
		"/dashboard/%0d%0aSet-Cookie:a=b": "/dashboard/%0d%0aSet-Cookie:a=b", // stays escaped, as a path that is not there
		"/dashboard#x":                    "/dashboard",
	} {
		a := w.browser().post("/dashboard/sign-in", "email", w.owner.Email, "password", password, "next", next)
		if a.status != http.StatusSeeOther || a.location != want {
			t.Errorf("next %q: %d %q, want %q", next, a.status, a.location, want)
		}
		if cookies := a.header.Values("Set-Cookie"); len(cookies) != 1 {
			t.Errorf("next %q: cookies %q", next, cookies)
		}
	}
	// The same for those who are signed in already, and from the address to the form.
	b := w.as(w.owner)
	if a := b.get("/dashboard/sign-in?next=" + url.QueryEscape("//evil.example")); a.location != "/dashboard" {
		t.Errorf("signed in already: %q", a.location)
	}
	if a := w.browser().get("/dashboard/sign-in?next=" + url.QueryEscape("https://evil.example")); strings.Contains(a.body, "evil.example") {
		t.Error("the form takes another site's address")
	}
	if a := w.browser().get("/dashboard/keys/key_1?x=1"); a.location != "/dashboard/sign-in?next=%2Fdashboard%2Fkeys%2Fkey_1%3Fx%3D1" {
		t.Errorf("the way to the sign-in page is %q", a.location)
	}
}

func TestSignIn_IsThrottled(t *testing.T) {
	w := newWorld(t)
	for range 5 {
		w.browser().post("/dashboard/sign-in", "email", w.owner.Email, "password", "wrong wrong wrong").
			expect(t, http.StatusUnprocessableEntity, "The email address or the password is wrong.")
	}
	a := w.browser().post("/dashboard/sign-in", "email", w.owner.Email, "password", password)
	a.expect(t, http.StatusTooManyRequests, "There were too many attempts")
	if a.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	// The same words for an address that nobody has.
	w.browser().post("/dashboard/sign-in", "email", "nobody@example.com", "password", password).
		expect(t, http.StatusUnprocessableEntity, "The email address or the password is wrong.")
}

// active is what the policy forbids in a page, found as a browser would find it: scripts and styles in the page itself, handlers
// and styles in attributes, addresses of scripts and of other sites, and elements that no page has.
func active(page string) (found []string) {
	pieces := html.NewTokenizer(strings.NewReader(page))
	inScript := false
	for {
		kind := pieces.Next()
		token := pieces.Token()
		switch {
		case kind == html.ErrorToken:
			return found
		case kind == html.TextToken && inScript && strings.TrimSpace(token.Data) != "":
			found = append(found, "script "+token.Data)
		case kind == html.StartTagToken || kind == html.SelfClosingTagToken:
			inScript = token.Data == "script"
			if slices.Contains([]string{"style", "base", "iframe", "object", "embed", "img"}, token.Data) {
				found = append(found, token.String())
			}
			for _, a := range token.Attr {
				value := strings.ToLower(strings.TrimSpace(a.Val))
				address := slices.Contains([]string{"href", "src", "action", "formaction", "xlink:href"}, a.Key)
				if a.Key == "style" || strings.HasPrefix(a.Key, "on") || address && strings.HasPrefix(value, "javascript:") ||
					a.Key == "src" && !strings.HasPrefix(value, "/dashboard/static/") {
					found = append(found, token.String())
				}
			}
		case kind == html.EndTagToken:
			inScript = false
		}
	}
}

func TestActive_FindsWhatItIsFor(t *testing.T) {
	for _, page := range []string{
		"<script>x</script>", "<p style='x'>", "<svg onload=x>", "<a href=' JavaScript:x'>", "<script src='https://x'></script>",
		"<style>", "<img src=x>", "<input value='' onfocus=x>",
	} {
		if len(active(page)) == 0 {
			t.Errorf("%s passes", page)
		}
	}
}

// Names that would do harm in a page that did not escape them.
var hostile = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onfocus=alert(1) autofocus='`, `{{.User.Password}}`,
	`</title><svg onload=alert(1)>`, `javascript:alert(1)`,
}

// Every page, with hostile names in every place that has names.
func TestPages_EscapeAndHaveNothingInline(t *testing.T) {
	for i, name := range hostile {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			w := newWorld(t)
			local := fmt.Sprintf(`"<b onclick=alert(%d)>"`, i)
			secret, _, err := w.accounts.Invite(t.Context(), audit.By{Actor: w.admin.ID}, account.Invite{Plan: "professional"})
			w.must(err)
			user, err := w.accounts.Register(t.Context(), audit.By{}, account.NewUser{
				Email: local + "@example.com", Password: password, AccountName: name, Secret: secret,
			})
			if err != nil { // addresses with quotes are refused; the plain one stands in
				user = w.register(fmt.Sprintf("user%d@example.com", i), name, secret)
			}
			_, key := w.key(user, name)
			_, _, err = w.keys.Rotate(t.Context(), audit.By{Actor: user.ID}, user.Account, key.ID, time.Hour)
			w.must(err)
			w.api.status, w.api.body = http.StatusOK, hostileAnswer(name)
			pages := everyPage(t, w, user, key)
			for at, a := range pages {
				if found := active(a.body); len(found) > 0 {
					t.Errorf("%s: %q", at, found)
				}
				if strings.ContainsAny(name, `<>"'`) && strings.Contains(a.body, name) {
					t.Errorf("%s: the name stands there as it is", at)
				}
			}
		})
	}
}

func hostileAnswer(name string) string {
	return fmt.Sprintf(`{"status":"success","matches":[{"freelancer":{"id":%[1]q,"name":%[1]q,"job_title":%[1]q,"skills":[%[1]q],
		"profile_url":"javascript:alert(1)"},"score":0.5,"level":%[1]q,"matched_skills":[%[1]q],"missing_skills":[%[1]q],"unknown_fields":[%[1]q],
		"explanation":[{"feature":%[1]q,"value":1,"weight":0.5,"contribution":0.5,"summary":%[1]q}]}],"considered":1,
		"derived_skills":[%[1]q],"unknown_skills":[{"skill":%[1]q,"suggestions":[%[1]q]}],"skipped":[{"feature":%[1]q,"reason":%[1]q}],
		"reason":%[1]q,"reason_detail":[{"filter":%[1]q,"message":%[1]q}],"request_id":%[1]q,"took_ms":1,"data":%[2]s}`, name, hostileResume(name))
}

// hostileResume is what POST /parse says of a resume that has a text everywhere.
func hostileResume(text string) string {
	return fmt.Sprintf(`{"name":%[1]q,"job_title":%[1]q,"contact":{"email":%[1]q,"phone":%[1]q,"location":%[1]q,"links":[{"kind":%[1]q,"url":%[1]q},
		{"kind":"x","url":"javascript:alert(1)"},{"kind":"x","url":"https://example.com/\"onclick=alert(1)"}]},"summary":%[1]q,
		"skill_details":[{"id":%[1]q,"name":%[1]q,"section":%[1]q}],"experience":[{"title":%[1]q,"company":%[1]q,"location":%[1]q,"start":%[1]q,
		"end":%[1]q,"months":7,"description":%[1]q},{"description":"a\n<b>"}],"education":[{"degree":%[1]q,"field":%[1]q,"institution":%[1]q,"start":%[1]q}],
		"languages":[{"name":%[1]q,"level":%[1]q}],"certifications":[{"name":%[1]q,"issuer":%[1]q,"date":%[1]q}],"language":%[1]q,
		"warnings":[%[1]q],"quality":{"score":0.5,"reasons":[%[1]q]},"freelancer":{"id":%[1]q,"name":%[1]q,"job_title":%[1]q},%[2]s}`, text, hostileInterview(text))
}

// hostileInterview is the rest of what POST /interview says of one that has a text everywhere.
func hostileInterview(text string) string {
	return fmt.Sprintf(`"mode":%[1]q,"session_id":"0123456789abcdef","generated_by":%[1]q,"derived_skills":[%[1]q],"unknown_skills":[%[1]q],
		"remarks":[{"code":%[1]q,"message":%[1]q},{"code":"instructions","message":%[1]q},{"code":"derived_skills"},{"code":"unknown_skills"}],
		"interview_data":{"questions":[{"id":%[1]q,"text":%[1]q,"skill":%[1]q,"kind":%[1]q,"difficulty":%[1]q,"expected_answer":%[1]q,"points":[%[1]q,%[1]q],
		"follow_up":[%[1]q],"generated_by":%[1]q,"scoring_criteria":{"technical":40,"experience":30,"communication":30,%[1]q:5}},
		{"id":"q2","text":"b","scoring_criteria":{"technical":100}}],"answers":[%[2]q]},
		"evaluation":{"overall_score":50,"hiring_recommendation":null,"recommendation_reason":%[1]q,"method":%[1]q,"confidence":0.5,"strengths":[%[1]q],
		"areas_for_improvement":[%[1]q],"details":[{"answered":true,"score":50,"marks":[{"criterion":"technical","level":3,"evidence":[%[1]q]},
		{"criterion":%[1]q,"level":3,"evidence":["b"]}],"unmeasured":[%[1]q],"feedback":%[1]q,"covered_points":[1],"remarks":[%[1]q]}]}`,
		text, "a "+text+" b")
}

// everyPage is every page and every answer to a form that is a page, as the owner of an account and as an administrator.
func everyPage(t *testing.T, w *world, user account.User, key apikey.Key) map[string]answer {
	t.Helper()
	pages := map[string]answer{}
	nobody, owner, admin := w.browser(), w.as(user), w.as(w.admin)
	keep := func(at string, a answer) {
		if a.status >= 500 {
			t.Errorf("%s: %d", at, a.status)
		}
		pages[at] = a
	}
	for _, path := range []string{"/sign-in", "/sign-in?note=out", "/sign-up", "/setup", "/join", "/reset", "/nothing"} {
		keep("nobody "+path, nobody.get("/dashboard"+path))
	}
	for _, path := range []string{
		"", "/keys/new", "/keys/" + key.ID, "/usage", "/usage?key=" + key.ID, "/playground", "/playground?sample=1", "/playground/skill",
		"/playground/resume", "/playground/interview", "/playground/interview?sample=1&freelancer=" + url.QueryEscape(key.Name), "/data", "/account", "/members", "/activity", "/nothing", "/admin/accounts",
	} {
		keep("owner "+path, owner.get("/dashboard"+path))
	}
	for _, path := range []string{"", "/admin/accounts", "/admin/accounts?q=zzz", "/admin/accounts/" + user.Account, "/admin/invitations", "/admin/audit"} {
		keep("admin "+path, admin.get("/dashboard"+path))
	}
	reset, _, err := w.accounts.CreateResetLink(t.Context(), audit.By{Actor: w.admin.ID}, user.ID)
	w.must(err)
	join, _, err := w.accounts.Invite(t.Context(), audit.By{Actor: user.ID}, account.Invite{Account: user.Account})
	w.must(err)
	name := key.Name
	keep("looks at a reset link", nobody.post("/dashboard/reset", "secret", reset))
	keep("looks at an invitation", nobody.post("/dashboard/join", "secret", join))
	keep("bad join", nobody.post("/dashboard/join", "secret", join, "email", name, "password", "x"))
	keep("bad sign-in", nobody.post("/dashboard/sign-in", "email", name, "password", "x"))
	keep("bad sign-up", nobody.post("/dashboard/sign-up", "email", name, "account_name", name, "password", "x"))
	keep("from elsewhere", nobody.do(http.MethodPost, "/dashboard/sign-in", nil, http.Header{"Origin": {`https://"><script>alert(1)</script>`}}))
	keep("bad key", owner.post("/dashboard/keys/new", "name", name, "networks", name, "operations", name, "expires", name))
	keep("bad settings", owner.post("/dashboard/keys/"+key.ID, "name", name, "networks", name))
	keep("bad revoke", owner.post("/dashboard/keys/"+key.ID+"/revoke", "confirm", name))
	keep("bad password", owner.post("/dashboard/account/password", "present", "x", "password", "x"))
	keep("bad invitation", owner.post("/dashboard/members", "email", name, "role", "member"))
	keep("invitation", owner.post("/dashboard/members", "role", "member"))
	keep("bad brief", owner.post("/dashboard/playground", "key", currentKey(t, w, user).ID, "description", name, "budget_low", name))
	keep("word", owner.post("/dashboard/playground/skill", "key", currentKey(t, w, user).ID, "keyword", name))
	asking := func(fields ...string) []string {
		return append([]string{"key", currentKey(t, w, user).ID, "project_description", name, "required_skills", name}, fields...)
	}
	keep("freelancers to interview", owner.post(interviewPath, asking()...))
	keep("report", owner.post(interviewPath, asking("step", "report", "session_id", name, "of_freelancer", name)...))
	keep("bad interview", owner.post(interviewPath, asking("freelancer_id", name, "num_questions", name)...))
	played := w.api.body
	w.api.body = strings.Replace(played, `"evaluation":`, `"none":`, 1)
	begun := owner.post(interviewPath, asking("freelancer_id", name, "mode", name, "language", name)...)
	keep("interview", begun)
	w.api.body = played
	keep("evaluation", owner.post(interviewPath, asking("step", "answer", "interview", carried(t, begun), "answer1", name)...))
	keep("no file", owner.upload(currentKey(t, w, user).ID, "", ""))
	keep("resume", owner.upload(currentKey(t, w, user).ID, name, name))
	keep("brief", owner.post("/dashboard/playground", "key", currentKey(t, w, user).ID, "description", name, "required_skills", name))
	keep("new key", owner.post("/dashboard/keys/new", "name", name, "id", apikey.NewID()))
	keep("notice", owner.post("/dashboard/keys/"+currentKey(t, w, user).ID+"/revoke", "confirm", currentKey(t, w, user).Last4))
	keep("after the notice", owner.get("/dashboard"))
	keep("reset link", admin.post("/dashboard/admin/accounts/"+user.Account+"/users/"+user.ID+"/reset"))
	keep("bad plan", admin.post("/dashboard/admin/accounts/"+user.Account+"/plan", "plan", name, "grace", "0s"))
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
	t.Fatal("no current key")
	return apikey.Key{}
}

func TestAnswers_HaveTheSecurityHeaders(t *testing.T) {
	w := newWorld(t)
	_, key := w.key(w.owner, "Website")
	w.api.status, w.api.body = http.StatusOK, answerOf(t, "usual_answer")
	pages := everyPage(t, w, w.owner, key)
	css := regexp.MustCompile(`/dashboard/static/[0-9a-f]+/style\.css`).FindString(pages["nobody /sign-in"].body)
	pages["style sheet"] = w.browser().get(css)
	pages["no such file"] = w.browser().get("/dashboard/static/0/style.css")
	pages["redirect"] = w.browser().get("/dashboard")
	pages["no such method"] = w.browser().do(http.MethodDelete, "/dashboard", nil, nil)
	for at, a := range pages {
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; form-action 'self'; " +
				"base-uri 'none'; frame-ancestors 'none'; connect-src 'self'",
			"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "same-origin",
		} {
			if got := a.header.Get(name); got != want {
				t.Errorf("%s: %s is %q", at, name, got)
			}
		}
		switch cache := a.header.Get("Cache-Control"); {
		case at == "style sheet" && cache != "public, max-age=31536000, immutable", at != "style sheet" && at != "no such file" && !strings.HasPrefix(cache, "no-store"):
			t.Errorf("%s: Cache-Control is %q", at, cache)
		}
	}
	if pages["style sheet"].status != http.StatusOK || pages["no such file"].status != http.StatusNotFound {
		t.Error("the style sheet is not served by its hash alone")
	}
}

// What nobody but its owner may see is in no log and no address: tokens of keys and sessions, passwords, secrets of links.
func TestSecrets_AreInNoLogAndNoAddress(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.owner)
	created := b.post("/dashboard/keys/new", "name", "Website", "id", apikey.NewID()).expect(t, http.StatusCreated)
	token := regexp.MustCompile(`svc_pr_[0-9A-Za-z]{36}`).FindString(created.body)
	invited := b.post("/dashboard/members", "role", "member").expect(t, http.StatusCreated)
	link := regexp.MustCompile(`/dashboard/join#([\w-]{43})`).FindStringSubmatch(invited.body)
	if token == "" || link == nil {
		t.Fatal("no token or link was shown")
	}
	w.browser().post("/dashboard/join", "secret", link[1])
	w.browser().post("/dashboard/reset", "secret", link[1])
	w.browser().post("/dashboard/sign-in", "email", w.owner.Email, "password", "a wrong password")
	w.must(w.recorder.Flush(t.Context()))
	b.get("/dashboard/usage")
	log := w.log.String()
	for what, secret := range map[string]string{
		"token": token, "secret of a link": link[1], "session": b.session(), "password": password, "wrong password": "a wrong password",
	} {
		if strings.Contains(log, secret) {
			t.Errorf("the log has the %s:\n%s", what, log)
		}
	}
	// And in no other page.
	for _, path := range []string{"/dashboard", "/dashboard/usage", "/dashboard/members", "/dashboard/activity", "/dashboard/keys/" + currentKey(t, w, w.owner).ID} {
		if a := b.get(path); strings.Contains(a.body, token) || strings.Contains(a.body, link[1]) {
			t.Errorf("%s shows a secret again", path)
		}
	}
}

func TestForms_AreBounded(t *testing.T) {
	w := newWorld(t)
	_, key := w.key(w.owner, "Website")
	b := w.as(w.owner)
	b.post("/dashboard/keys/new", "name", strings.Repeat("x", 65<<10)).expect(t, http.StatusRequestEntityTooLarge, "Form too large")
	w.api.status, w.api.body = http.StatusOK, answerOf(t, "usual_answer")
	b.post("/dashboard/playground", "key", key.ID, "description", strings.Repeat("щ", 20_000)).expect(t, http.StatusOK)
	b.post("/dashboard/playground", "key", key.ID, "description", strings.Repeat("x", 513<<10)).expect(t, http.StatusRequestEntityTooLarge)
	b.do(http.MethodPost, "/dashboard/keys/new?%zz", nil, nil).expect(t, http.StatusBadRequest, "Invalid form")
}

// What goes wrong inside is told by its request id, and in the log.
func TestErrors_KeepWhatIsInsideInside(t *testing.T) {
	w := newWorld(t)
	session := w.as(w.owner).session()
	w.must(w.db.Close())
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/dashboard", nil)
	r.Header.Set("Cookie", "matching_session="+session)
	answered := httptest.NewRecorder()
	answered.Header().Set("X-Request-Id", "request7")
	w.handler.ServeHTTP(answered, r)
	a := answer{status: answered.Code, header: answered.Header(), body: answered.Body.String()}
	a.expect(t, http.StatusInternalServerError, "Something went wrong", "request7")
	if strings.Contains(a.body, "sql") || strings.Contains(a.body, "database") {
		t.Errorf("the page tells the cause:\n%s", a.text())
	}
	if !strings.Contains(w.log.String(), "request7") {
		t.Errorf("the log does not have the request:\n%s", w.log)
	}
}

// PostgreSQL takes neither the character zero nor other than UTF-8 for text: such a link or form is the sender's fault, with
// every database.
func TestForms_AreText(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.owner)
	for _, path := range []string{
		"/dashboard/keys/key%00x", "/dashboard/keys/key%ff", "/dashboard/activity?before=%00", "/dashboard/usage?key=%ff",
	} {
		b.get(path).expect(t, http.StatusBadRequest, "Invalid form")
	}
	b.post("/dashboard/keys/new", "name", "a\x00b").expect(t, http.StatusBadRequest, "Invalid form")
	b.post("/dashboard/keys/new", "name", "a\xffb").expect(t, http.StatusBadRequest, "Invalid form")
	w.browser().post("/dashboard/sign-in", "email", "a\x00@example.com", "password", password).expect(t, http.StatusBadRequest, "Invalid form")
}
