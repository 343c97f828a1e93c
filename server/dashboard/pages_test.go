package dashboard_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"freelancer-matching/access/account"
	"freelancer-matching/access/apikey"
	"freelancer-matching/access/audit"
	"freelancer-matching/access/quota"
	"freelancer-matching/access/usage"
	"freelancer-matching/server/api"
	"freelancer-matching/server/dashboard"
)

var tokenForm = regexp.MustCompile(`svc_(fr|pr|ent)_[0-9A-Za-z]{36}`)

// From nothing to a key: sign up, make a key, see it once.
func TestFirstMinute(t *testing.T) {
	w := newWorld(t)
	b := w.browser()
	b.get("/dashboard/sign-up").expect(t, http.StatusOK, "Create an account", "100 requests per minute")
	a := b.post("/dashboard/sign-up", "account_name", "Potter", "email", "potter@example.com", "password", password)
	if a.status != http.StatusSeeOther || a.location != "/dashboard" {
		t.Fatalf("%d %s", a.status, a.location)
	}
	b.get("/dashboard").expect(t, http.StatusOK, "Get your first match in a minute", "Create your first key", "0 of 1", "Potter")
	form := b.get("/dashboard/keys/new").expect(t, http.StatusOK, "New API key")
	id := regexp.MustCompile(`name="id" value="(key_[0-9A-Za-z]{12})"`).FindStringSubmatch(form.body)[1]

	made := b.post("/dashboard/keys/new", "id", id, "name", "Website")
	made.expect(t, http.StatusCreated, "Copy it now", "shown only this time", "curl -s http://match.example.com/api/v1/match", `"X-API-Key: $MATCHING_KEY"`)
	token := tokenForm.FindString(made.body)
	k, err := w.keys.Authenticate(t.Context(), token)
	w.must(err)
	if k.ID != id || k.Name != "Website" {
		t.Errorf("the token is of key %s %q", k.ID, k.Name)
	}
	// A reload of the answer sends the form again.
	b.post("/dashboard/keys/new", "id", id, "name", "Website").expect(t, http.StatusConflict, "This key already exists")
	list := b.get("/dashboard").expect(t, http.StatusOK, "Website", k.Masked(), "Active", "1 of 1", "You've reached your plan's key limit")
	if tokenForm.MatchString(list.body) {
		t.Error("the list shows a token")
	}
	b.post("/dashboard/keys/new", "id", apikey.NewID(), "name", "Second").
		expect(t, http.StatusUnprocessableEntity, "The plan freelancer permits at most 1 key.")
}

func TestKeys_AreMadeWithRestrictions(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.owner)
	b.do(http.MethodPost, "/dashboard/keys/new", form("id", apikey.NewID(), "name", "Batch", "operations", "match", "operations", "health",
		"networks", "10.0.0.0/8\r\n2001:db8::1", "expires", "2030-05-31"), nil).expect(t, http.StatusCreated)
	k := currentKey(t, w, w.owner)
	if want := time.Date(2030, 6, 1, 0, 0, 0, 0, time.UTC); !k.Expires.Equal(want) {
		t.Errorf("expires %s, want the end of the day", k.Expires)
	}
	page := b.get("/dashboard/keys/"+k.ID).expect(t, http.StatusOK, "only health, match", "from 10.0.0.0/8 , 2001:db8::1/128", "Jun 1, 2030, 00:00 UTC")
	for _, set := range []string{`value="2030-05-31"`, `value="match" checked`, "10.0.0.0/8\n2001:db8::1/128"} {
		if !strings.Contains(page.body, set) {
			t.Errorf("the settings do not have %q", set)
		}
	}
	for name, test := range map[string]struct {
		fields []string
		says   string
	}{
		"a network that is none":       {[]string{"name", "x", "networks", "10.0.0.300"}, "Network must be like 10.0.0.0/8"},
		"no name":                      {[]string{"name", ""}, "Name must have 1 to 100 characters"},
		"a day that is over":           {[]string{"name", "x", "expires", "2030-05-01"}, "Choose a future date."},
		"a day that is none":           {[]string{"name", "x", "expires", "soon"}, "Enter a date such as 2030-12-31."},
		"an operation that is not one": {[]string{"name", "x", "operations", "dance"}, "Operation must be one of"},
		"an id of one's own":           {[]string{"name", "x", "id", "key_mine"}, "Id must be one that this service created."},
	} {
		t.Run(name, func(t *testing.T) {
			a := b.post("/dashboard/keys/new", test.fields...).expect(t, http.StatusUnprocessableEntity, test.says)
			field := test.fields[len(test.fields)-2]
			if field != "id" && (!strings.Contains(a.body, `id="`+field+`-fault"`) || !strings.Contains(a.body, `href="#`+field+`"`)) {
				t.Errorf("the fault is not told at %s and on top:\n%s", field, a.text())
			}
		})
	}
}

func TestKey_IsChanged(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.owner)
	_, k := w.key(w.owner, "Website")
	path := "/dashboard/keys/" + k.ID
	go_ := func(action string, fields ...string) answer {
		t.Helper()
		b.post(path+action, fields...).expect(t, http.StatusSeeOther)
		return b.get(path)
	}
	go_("", "name", "Shop", "operations", "match").expect(t, http.StatusOK, "Settings saved.", "Shop", "only match")
	go_("/disable").expect(t, http.StatusOK, "Key disabled.", "Enable key")
	go_("/enable").expect(t, http.StatusOK, "Key enabled.", "Disable key")
	b.post(path, "name", "").expect(t, http.StatusUnprocessableEntity, "Name must have 1 to 100 characters")
	b.get(path+"/rotate").expect(t, http.StatusSeeOther) // a reload of the answer by its address
	b.post(path+"/rotate", "grace", "17m").expect(t, http.StatusUnprocessableEntity, "Grace must be")
	b.post(path+"/rotate", "grace", "soon").expect(t, http.StatusBadRequest)

	rotated := b.post(path+"/rotate", "grace", "24h0m0s").
		expect(t, http.StatusCreated, "Your new API key", "works until May 21, 2030, 12:00 UTC", "Both share the same quota")
	next, err := w.keys.Authenticate(t.Context(), tokenForm.FindString(rotated.body))
	w.must(err)
	if next.Counter != k.Counter {
		t.Error("the new key has a counter of its own")
	}
	b.post(path+"/rotate", "grace", "24h0m0s").expect(t, http.StatusUnprocessableEntity, "was replaced by") // a reload
	b.get(path).expect(t, http.StatusOK, "Being replaced", "Replaced by "+next.ID)

	path = "/dashboard/keys/" + next.ID
	b.post(path+"/revoke", "confirm", "nope").expect(t, http.StatusUnprocessableEntity, "Enter the last four characters of the key: "+next.Last4)
	b.post(path+"/revoke", "confirm", next.Last4).expect(t, http.StatusSeeOther)
	b.get("/dashboard").expect(t, http.StatusOK, "revoked.", "Revoked and expired keys 1")
	page := b.get(path).expect(t, http.StatusOK, "Revoked")
	if strings.Contains(page.body, "/rotate") || strings.Contains(page.body, "/disable") {
		t.Error("a revoked key can be changed")
	}
}

func TestKey_ShowsWhatIsLeft(t *testing.T) {
	w := newWorld(t)
	_, k := w.key(w.owner, "Website")
	for range 3 {
		_, err := w.quota.Take(t.Context(), quota.Allowance{Subject: k.Counter, Since: k.PlanSince, PerMinute: 1000, PerMonth: 50_000})
		w.must(err)
	}
	w.as(w.owner).get("/dashboard/keys/"+k.ID).expect(t, http.StatusOK,
		"Current minute 3 of 1,000 used 997 remaining, resets in 30 seconds", "Current 30 days 3 of 50,000 used 49,997 remaining, resets in 30 days")
	_, unlimited := w.key(w.admin, "Anything")
	w.as(w.admin).get("/dashboard/keys/"+unlimited.ID).expect(t, http.StatusOK, "Unlimited")
}

// Links: their secret is looked at first, and used with the second form.
func TestLinks(t *testing.T) {
	w := newWorld(t)
	by := audit.By{Actor: w.admin.ID}
	b := w.browser()
	b.get("/dashboard/join").expect(t, http.StatusOK, "Accept your invitation", "Invitation code")

	secret, _, err := w.accounts.Invite(t.Context(), by, account.Invite{Account: w.owner.Account, Email: "new@example.com"})
	w.must(err)
	b.post("/dashboard/join", "secret", secret).expect(t, http.StatusOK, "You join the account Kiln & Glaze as a member.")
	b.post("/dashboard/reset", "secret", secret).expect(t, http.StatusUnprocessableEntity, "This link was used or revoked")
	b.post("/dashboard/setup", "secret", secret, "password", password).expect(t, http.StatusUnprocessableEntity)
	b.post("/dashboard/join", "secret", secret, "email", "new@example.com", "password", "short").
		expect(t, http.StatusUnprocessableEntity, "Password must have at least 10 characters", "You join the account")
	b.post("/dashboard/join", "secret", secret, "email", "new@example.com", "password", password).expect(t, http.StatusSeeOther)
	b.get("/dashboard").expect(t, http.StatusOK, "Kiln & Glaze", "Ask an account owner to create a key.")
	w.browser().post("/dashboard/join", "secret", secret).expect(t, http.StatusUnprocessableEntity, "This link was used")

	secret, _, err = w.accounts.Invite(t.Context(), by, account.Invite{Plan: "professional"})
	w.must(err)
	w.browser().post("/dashboard/join", "secret", secret).expect(t, http.StatusOK, "your own account on the Professional plan")

	secret, _, err = w.accounts.CreateResetLink(t.Context(), by, w.member.ID)
	w.must(err)
	b = w.browser()
	b.post("/dashboard/reset", "secret", secret).expect(t, http.StatusOK, "For member@example.com")
	b.post("/dashboard/reset", "secret", secret, "password", "eight grey herons").expect(t, http.StatusSeeOther)
	w.browser().post("/dashboard/sign-in", "email", w.member.Email, "password", "eight grey herons").expect(t, http.StatusSeeOther)
}

func TestSignUp_FollowsThePolicy(t *testing.T) {
	for policy, says := range map[account.SignUpPolicy][2]string{
		account.Open:         {"Create an account", "New here? Create an account"},
		account.ByInvitation: {"You need an invitation", "Ask an administrator for an invitation"},
	} {
		t.Run(string(policy), func(t *testing.T) {
			w := newWorld(t, signUp(policy))
			w.browser().get("/dashboard/sign-up").expect(t, http.StatusOK, says[0])
			w.browser().get("/dashboard/sign-in").expect(t, http.StatusOK, says[1])
			want := http.StatusUnprocessableEntity
			if policy == account.Open {
				want = http.StatusSeeOther
			}
			w.browser().post("/dashboard/sign-up", "account_name", "X", "email", "x@example.com", "password", password).expect(t, want)
		})
	}
}

func TestMembers(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.owner)
	made := b.post("/dashboard/members", "role", "owner", "email", "second@example.com")
	made.expect(t, http.StatusCreated, "Invitation link for second@example.com", "http://match.example.com/dashboard/join#", "It is shown only once")
	page := b.get("/dashboard/members").expect(t, http.StatusOK, "Open invitations", "second@example.com", "in 7 days")
	if strings.Contains(page.body, "/dashboard/join#") {
		t.Error("the link is shown twice")
	}
	link := regexp.MustCompile(`/dashboard/members/invitations/(lnk_\w+)/revoke`).FindString(page.body)
	b.post(link).expect(t, http.StatusSeeOther)
	if a := b.get("/dashboard/members").expect(t, http.StatusOK, "Invitation revoked."); strings.Contains(a.body, "second@example.com") {
		t.Error("the invitation is still there")
	}
	b.post("/dashboard/members/"+w.member.ID+"/role", "role", "owner").expect(t, http.StatusSeeOther)
	b.get("/dashboard/members").expect(t, http.StatusOK, "The role of member@example.com is now “Owner”.")
	b.post("/dashboard/members/"+w.member.ID+"/remove").expect(t, http.StatusUnprocessableEntity, "elect the checkbox")
	b.post("/dashboard/members/"+w.member.ID+"/remove", "confirm", "yes").expect(t, http.StatusSeeOther)
	b.get("/dashboard/members").expect(t, http.StatusOK, "member@example.com was removed.")
	b.post("/dashboard/members/"+w.owner.ID+"/remove", "confirm", "yes").expect(t, http.StatusSeeOther) // the last one may go
	if a := b.get("/dashboard"); a.status != http.StatusSeeOther {
		t.Errorf("a removed user still sees the dashboard: %d", a.status)
	}
}

func TestUsage(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.owner)
	b.get("/dashboard/usage").expect(t, http.StatusOK, "Your requests appear here", "No recent errors.", "The quota of your active keys appears here")
	_, website := w.key(w.owner, "Website")
	_, batch := w.key(w.owner, "Batch")
	record := func(key apikey.Key, daysAgo, status, times int, code string) {
		for i := range times {
			w.recorder.Record(usage.Request{
				Key: key.ID, At: w.clock.now().AddDate(0, 0, -daysAgo).Add(time.Duration(-i) * time.Second), RequestID: "request-" + code,
				Operation: "match", Status: status, Code: code,
			})
		}
	}
	record(website, 0, 200, 7, "")
	record(website, 3, 200, 5, "")
	record(website, 3, 429, 2, "rate_limit_exceeded")
	record(batch, 29, 504, 1, "engine_timeout")
	record(batch, 30, 200, 9, "") // too long ago

	a := b.get("/dashboard/usage").expect(t, http.StatusOK,
		"Succeeded 12", "Rejected 2", "Failed 1", "match 12 2 1 200 × 12 429 × 2 504 × 1", "rate_limit_exceeded 429 match Website", "request-engine_timeout",
		"May 17, 2030 5 2 0", "Apr 21, 2030 0 0 1", "Website", "Batch")
	if strings.Contains(a.text(), "Apr 20, 2030") {
		t.Error("the chart has more than 30 days")
	}
	if !strings.Contains(a.body, "15 in total, with a peak of 7 on May 17, 2030") && !strings.Contains(a.body, "15 in total, with a peak of 7 on May 20, 2030") {
		t.Error("the chart does not say in words what it shows")
	}
	only := b.get("/dashboard/usage?key="+batch.ID).expect(t, http.StatusOK, "Succeeded 0", "Failed 1", "engine_timeout")
	if strings.Contains(only.text(), "rate_limit_exceeded") {
		t.Error("the errors of one key have those of another")
	}
}

func TestData(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.member)
	b.get("/dashboard/data").expect(t, http.StatusOK, "12,345", "freelancers-v1-20300519t080000", "May 19, 2030, 08:00 UTC", "28 hours ago", "csv", "embedded",
		"1.2.3", "Healthy Freelancers", "Ready Skill taxonomy", "Connected Database (sqlite)", "Not configured Language model")
	w.health.parts = api.Components{DataSource: api.DataSource{Status: api.StatusError, Error: "the index cannot be read"}}
	b.get("/dashboard/data").expect(t, http.StatusOK, "No freelancers are loaded yet", "Error Freelancers The index cannot be read.")
}

func TestActivity(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.owner)
	w.key(w.owner, "Website")
	b.get("/dashboard/activity").expect(t, http.StatusOK, "Key created", "owner@example.com", "Account created")
	if a := b.get("/dashboard/activity"); strings.Contains(a.text(), "stranger@example.com") || strings.Contains(a.text(), "Operations") {
		t.Error("the log of an account has events of another")
	}
	b.get("/dashboard/activity?before=yesterday").expect(t, http.StatusNotFound)
}

// Page by page, every event of the audit log is shown once, also where many have the same moment.
func TestAudit_PagesHaveEveryEventOnce(t *testing.T) {
	w := newWorld(t)
	for i := range 40 {
		if i%3 == 0 {
			w.clock.pass(time.Second)
		}
		w.must(w.db.Record(t.Context(),
			audit.Event{At: w.clock.now(), Actor: audit.System, Action: audit.UserSignedIn, Subject: "usr_1", Detail: fmt.Sprintf("first-%03d.", i)},
			audit.Event{At: w.clock.now(), Actor: audit.System, Action: audit.UserSignedIn, Subject: "usr_1", Detail: fmt.Sprintf("second-%03d.", i)}))
	}
	b := w.as(w.admin)
	seen := map[string]int{}
	next := regexp.MustCompile(`href="([^"]*before=[^"]*)" rel="next"`)
	pages := 0
	for path := "/dashboard/admin/audit"; path != ""; pages++ {
		a := b.get(path).expect(t, http.StatusOK, "Audit log")
		for _, detail := range regexp.MustCompile(`(first|second)-\d\d\d\.`).FindAllString(a.body, -1) {
			seen[detail]++
		}
		path = ""
		if link := next.FindStringSubmatch(a.body); link != nil {
			path = strings.ReplaceAll(link[1], "&#43;", "+")
		}
	}
	if pages < 2 || len(seen) != 80 {
		t.Errorf("%d pages show %d of 80 events", pages, len(seen))
	}
	for detail, times := range seen {
		if times != 1 {
			t.Errorf("%s is shown %d times", detail, times)
		}
	}
}

func TestAdministration(t *testing.T) {
	w := newWorld(t)
	token, k := w.key(w.owner, "Website")
	b := w.as(w.admin)
	b.get("/dashboard/admin/accounts").expect(t, http.StatusOK, "Kiln & Glaze", "Professional", "1 of 3", "Elsewhere", "Operations")
	if a := b.get("/dashboard/admin/accounts?q=kiln").expect(t, http.StatusOK, "Kiln & Glaze"); strings.Contains(a.text(), "Elsewhere") {
		t.Error("the search finds everything")
	}
	b.get("/dashboard/admin/accounts?q=zzz").expect(t, http.StatusOK, "No account matches “zzz”")
	path := "/dashboard/admin/accounts/" + w.owner.Account
	b.get(path).expect(t, http.StatusOK, "owner@example.com", "member@example.com", k.Masked(), "Disable account")

	b.post(path+"/plan", "plan", "freelancer", "grace", "1h0m0s").expect(t, http.StatusSeeOther)
	b.get(path).expect(t, http.StatusOK, "Plan changed.", "Freelancer, since")
	b.post(path+"/plan", "plan", "platinum", "grace", "0s").expect(t, http.StatusUnprocessableEntity, "Plan must be")
	b.post(path+"/disable").expect(t, http.StatusUnprocessableEntity, "Select the checkbox")
	b.post(path+"/disable", "confirm", "yes").expect(t, http.StatusSeeOther)
	b.get(path).expect(t, http.StatusOK, "Account disabled.", "Enable account")
	if _, err := w.keys.Authenticate(t.Context(), token); err == nil {
		t.Error("the key of a disabled account works")
	}
	b.post(path+"/enable").expect(t, http.StatusSeeOther)
	b.post("/dashboard/admin/accounts/"+w.admin.Account+"/disable", "confirm", "yes").
		expect(t, http.StatusUnprocessableEntity, "You cannot disable your own account")

	reset := b.post(path+"/users/"+w.member.ID+"/reset").expect(t, http.StatusCreated, "Password reset link for member@example.com")
	secret := regexp.MustCompile(`/dashboard/reset#([\w-]{43})`).FindStringSubmatch(reset.body)[1]
	w.browser().post("/dashboard/reset", "secret", secret).expect(t, http.StatusOK, "For member@example.com")
	b.post(path+"/users/"+w.stranger.ID+"/reset").expect(t, http.StatusNotFound)
	b.get("/dashboard/admin/accounts/acc_none").expect(t, http.StatusNotFound)

	b.post("/dashboard/admin/invitations", "plan", "enterprise").expect(t, http.StatusCreated, "Invitation", "http://match.example.com/dashboard/join#")
	page := b.get("/dashboard/admin/invitations").expect(t, http.StatusOK, "New account, Enterprise", "Anyone with the link")
	b.post(regexp.MustCompile(`/dashboard/admin/invitations/lnk_\w+/revoke`).FindString(page.body)).expect(t, http.StatusSeeOther)
	b.get("/dashboard/admin/invitations").expect(t, http.StatusOK, "Invitation revoked.", "Open invitations appear here.")
	b.get("/dashboard/admin/audit").expect(t, http.StatusOK, "Account plan changed", "plan professional → freelancer", "owner@example.com", "admin@example.com from 127.0.0.1")
}

// brokenQuota cannot tell what is left.
type brokenQuota struct{}

func (brokenQuota) Peek(context.Context, quota.Allowance) (quota.Decision, error) {
	return quota.Decision{}, errors.New("redis://10.0.0.9: connection refused")
}

// That the counters do not answer takes nothing else from a page, and is told without the cause.
func TestKey_IsShownWhileTheCountersAreAway(t *testing.T) {
	w := newWorld(t, func(c *dashboard.Config, _ *account.Config) { c.Quota = brokenQuota{} })
	_, k := w.key(w.owner, "Website")
	for _, path := range []string{"/dashboard/keys/" + k.ID, "/dashboard/usage"} {
		a := w.as(w.owner).get(path).expect(t, http.StatusOK, "Website", "The remaining quota is unavailable.")
		if strings.Contains(a.body, "refused:") || strings.Contains(a.body, "10.0.0.9") {
			t.Errorf("%s tells the cause", path)
		}
	}
	if !strings.Contains(w.log.String(), "10.0.0.9") {
		t.Error("the log does not tell the cause")
	}
}
