package dashboard_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/access/quota"
	"github.com/freelancer-matching/service/access/usage"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/dashboard"
)

var tokenPattern = regexp.MustCompile(`svc_(fr|pr|ent)_[0-9A-Za-z]{36}`)

// A new user signs up, creates a key and sees it once.
func TestSignUp_LeadsToAKey(t *testing.T) {
	w := newWorld(t)
	b := w.browser()
	b.get("/dashboard/sign-up").expect(t, http.StatusOK, "Create an account", "100 requests per minute")
	a := b.post("/dashboard/sign-up", "account_name", "Potter", "email", "potter@example.com", "password", password)
	if a.status != http.StatusSeeOther || a.location != "/dashboard" {
		t.Fatalf("status %d, location %q", a.status, a.location)
	}

	b.get("/dashboard").expect(t, http.StatusOK,
		"Get your first match in a minute", "Create your first key", "0 of 3 done", "Potter")
	b.get("/dashboard/keys").expect(t, http.StatusOK, "Create your first key", "0 of 1")
	form := b.get("/dashboard/keys/new").expect(t, http.StatusOK, "New API key")
	id := regexp.MustCompile(`name="id" value="(key_[0-9A-Za-z]{12})"`).FindStringSubmatch(form.body)[1]

	created := b.create("/dashboard/keys/new", "id", id, "name", "Website").expect(t, http.StatusOK,
		"Copy it now", "shown only this time", "curl -s http://match.example.com/api/v1/match",
		`"X-API-Key: $MATCHING_API_KEY"`, "pip install freelancer-matching", `Client(url="http://match.example.com")`)
	k, err := w.keys.Authenticate(t.Context(), tokenPattern.FindString(created.body))
	w.must(err)

	if k.ID != id || k.Name != "Website" {
		t.Errorf("the token belongs to key %s %q", k.ID, k.Name)
	}

	// A form that is submitted twice, and a reload, create no second key and do not show the key again.
	reload := b.create("/dashboard/keys/new", "id", id, "name", "Website").
		expect(t, http.StatusOK, "This key was already shown", "rotate it to get a new one")
	if tokenPattern.MatchString(reload.body) {
		t.Error("the key is shown twice")
	}

	list := b.get("/dashboard/keys").expect(t, http.StatusOK,
		"Website", k.Masked(), "Active", "1 of 1", "You've reached your plan's key limit")
	if tokenPattern.MatchString(list.body) {
		t.Error("the list shows a token")
	}

	b.post("/dashboard/keys/new", "id", apikey.NewID(), "name", "Second").expect(t, http.StatusUnprocessableEntity)
}

// A test key has a page and a badge, is apart from the keys of the plan, and can't be chosen in the playground.
func TestNewKey_ForTests(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.owner)
	form := b.get("/dashboard/keys/new?test").expect(t, http.StatusOK, "New test key", "500 generated freelancers")
	id := regexp.MustCompile(`name="id" value="(key_[0-9A-Za-z]{12})"`).FindStringSubmatch(form.body)[1]
	b.create("/dashboard/keys/new", "id", id, "name", "Nightly tests", "test", "true").
		expect(t, http.StatusOK, "svc_test_")

	b.get("/dashboard/keys").expect(t, http.StatusOK, "Nightly tests", "Test key", "and 1 of 5 test keys")
	b.get("/dashboard/keys/"+id).expect(t, http.StatusOK, "Test key", "of 60 used")
	if page := b.get("/dashboard/playground"); strings.Contains(page.body, "Nightly tests") {
		t.Error("the playground offers a test key")
	}
	b.post("/dashboard/playground", "key", id, "description", "Online shop").expect(t, http.StatusBadRequest)
}

func TestNewKey_HasRestrictions(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.owner)
	b.create("/dashboard/keys/new", "id", apikey.NewID(), "name", "Batch", "operations", "match", "operations", "health",
		"networks", "10.0.0.0/8\r\n2001:db8::1", "expires", "2030-05-31").expect(t, http.StatusOK)
	k := currentKey(t, w, w.owner)
	if want := time.Date(2030, 6, 1, 0, 0, 0, 0, time.UTC); !k.Expires.Equal(want) {
		t.Errorf("the key expires %s, want the end of the day", k.Expires)
	}
	page := b.get("/dashboard/keys/"+k.ID).expect(t, http.StatusOK,
		"only health, match", "from 10.0.0.0/8 , 2001:db8::1/128", "Jun 1, 2030, 00:00 UTC")
	for _, want := range []string{`value="2030-05-31"`, `value="match" checked`, "10.0.0.0/8\n2001:db8::1/128"} {
		if !strings.Contains(page.body, want) {
			t.Errorf("the settings do not contain %q", want)
		}
	}
}

func TestNewKey_ShowsFaultsAtTheirFields(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.owner)
	for name, fields := range map[string][]string{
		"invalid network":   {"name", "x", "networks", "10.0.0.300"},
		"no name":           {"name", ""},
		"past date":         {"name", "x", "expires", "2030-05-01"},
		"invalid date":      {"name", "x", "expires", "soon"},
		"unknown operation": {"name", "x", "operations", "dance"},
	} {
		t.Run(name, func(t *testing.T) {
			a := b.post("/dashboard/keys/new", fields...).expect(t, http.StatusUnprocessableEntity)
			field := fields[len(fields)-2]
			if !strings.Contains(a.body, `id="`+field+`-fault"`) || !strings.Contains(a.body, `href="#`+field+`"`) {
				t.Errorf("the fault is not shown at %s and above the form:\n%s", field, a.text())
			}
		})
	}

	b.post("/dashboard/keys/new", "name", "x", "expires", "2030-05-01").
		expect(t, http.StatusUnprocessableEntity, "Choose a future date.")
	b.post("/dashboard/keys/new", "name", "x", "id", "key_mine").expect(t, http.StatusUnprocessableEntity)
}

func TestKey_CanBeChanged(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.owner)
	_, k := w.key(w.owner, "Website")
	path := "/dashboard/keys/" + k.ID
	change := func(action string, fields ...string) answer {
		t.Helper()
		b.post(path+action, fields...).expect(t, http.StatusSeeOther)
		return b.get(path)
	}

	change("", "name", "Shop", "operations", "match").expect(t, http.StatusOK, "Settings saved.", "Shop", "only match")
	change("/disable").expect(t, http.StatusOK, "Key disabled.", "Enable key")
	change("/enable").expect(t, http.StatusOK, "Key enabled.", "Disable key")
	b.post(path, "name", "").expect(t, http.StatusUnprocessableEntity, "Correct this field: Name must have")
	b.get(path+"/rotate").expect(t, http.StatusSeeOther) // reloading the response by its URL
	b.post(path+"/rotate", "grace", "17m").expect(t, http.StatusUnprocessableEntity)
	b.post(path+"/rotate", "grace", "soon").expect(t, http.StatusBadRequest)

	rotated := b.create(path+"/rotate", "grace", "24h0m0s").expect(t, http.StatusOK,
		"Your new API key", "The old key works until May 21, 2030, 12:00 UTC", "Both share the same quota")
	next, err := w.keys.Authenticate(t.Context(), tokenPattern.FindString(rotated.body))
	w.must(err)

	if next.Counter != k.Counter {
		t.Error("the new key has its own counter")
	}
	b.post(path+"/rotate", "grace", "24h0m0s").expect(t, http.StatusUnprocessableEntity) // a reload
	b.get(path).expect(t, http.StatusOK, "Being replaced", "Replaced by "+next.ID)

	path = "/dashboard/keys/" + next.ID
	b.post(path+"/revoke", "confirm", "nope").
		expect(t, http.StatusUnprocessableEntity, "Enter the last four characters of the key: "+next.Last4)
	b.post(path+"/revoke", "confirm", next.Last4).expect(t, http.StatusSeeOther)
	b.get("/dashboard/keys").expect(t, http.StatusOK, "Key “Shop” revoked.", "Revoked and expired keys 1")
	page := b.get(path).expect(t, http.StatusOK, "Revoked")
	if strings.Contains(page.body, "/rotate") || strings.Contains(page.body, "/disable") {
		t.Error("a revoked key can be changed")
	}
}

func TestKey_ShowsTheRemainingQuota(t *testing.T) {
	w := newWorld(t)
	_, k := w.key(w.owner, "Website")
	allowance := quota.Allowance{Subject: k.Counter, Since: k.PlanSince, PerMinute: 1000, PerMonth: 50_000}
	for range 3 {
		_, err := w.quota.Take(t.Context(), allowance)
		w.must(err)
	}
	w.as(w.owner).get("/dashboard/keys/"+k.ID).expect(t, http.StatusOK,
		"Current minute 3 of 1,000 used 997 remaining, resets in 30 seconds",
		"Current 30 days 3 of 50,000 used 49,997 remaining, resets in 30 days")
	_, unlimited := w.key(w.admin, "Anything")
	w.as(w.admin).get("/dashboard/keys/"+unlimited.ID).expect(t, http.StatusOK, "Unlimited")
}

// The first form checks the secret of a link, the second one uses the link.
func TestLinks(t *testing.T) {
	w := newWorld(t)
	by := audit.By{Actor: w.admin.ID}
	b := w.browser()
	b.get("/dashboard/join").expect(t, http.StatusOK, "Accept your invitation", "Invitation code")

	invite := account.Invite{Account: w.owner.Account, Email: "new@example.com"}
	secret, _, err := w.accounts.Links.Invite(t.Context(), by, invite)
	w.must(err)
	const spent = "This link was used or revoked"
	b.post("/dashboard/join", "secret", secret).
		expect(t, http.StatusOK, "You join the account Kiln & Glaze as a member.")
	b.post("/dashboard/reset", "secret", secret).expect(t, http.StatusUnprocessableEntity, spent)
	b.post("/dashboard/setup", "secret", secret, "password", password).expect(t, http.StatusUnprocessableEntity)
	b.post("/dashboard/join", "secret", secret, "email", "new@example.com", "password", "short").
		expect(t, http.StatusUnprocessableEntity, "Password must have at least 12 characters", "You join the account")
	b.post("/dashboard/join", "secret", secret, "email", "new@example.com", "password", password).
		expect(t, http.StatusSeeOther)
	b.get("/dashboard").expect(t, http.StatusOK, "Kiln & Glaze", "Ask an account owner to create a key.")
	w.browser().post("/dashboard/join", "secret", secret).expect(t, http.StatusUnprocessableEntity)

	secret, _, err = w.accounts.Links.Invite(t.Context(), by, account.Invite{Plan: "professional"})
	w.must(err)
	w.browser().post("/dashboard/join", "secret", secret).
		expect(t, http.StatusOK, "You get your own account on the Professional plan.")

	secret, _, err = w.accounts.Links.CreateReset(t.Context(), by, w.member.ID)
	w.must(err)
	b = w.browser()
	b.post("/dashboard/reset", "secret", secret).expect(t, http.StatusOK, "For member@example.com")
	b.post("/dashboard/reset", "secret", secret, "password", newPassword).expect(t, http.StatusSeeOther)
	w.browser().post("/dashboard/sign-in", "email", w.member.Email, "password", newPassword).
		expect(t, http.StatusSeeOther)
}

func TestSignUp_FollowsThePolicy(t *testing.T) {
	for policy, want := range map[account.SignUpPolicy]struct {
		signUp, signIn string
		status         int
	}{
		account.Open: {"Create an account", "New here? Create an account", http.StatusSeeOther},
		account.ByInvitation: {
			"You need an invitation", "Ask an administrator for an invitation", http.StatusUnprocessableEntity,
		},
	} {
		t.Run(string(policy), func(t *testing.T) {
			w := newWorld(t, signUp(policy))
			w.browser().get("/dashboard/sign-up").expect(t, http.StatusOK, want.signUp)
			w.browser().get("/dashboard/sign-in").expect(t, http.StatusOK, want.signIn)
			w.browser().post("/dashboard/sign-up", "account_name", "X", "email", "x@example.com", "password", password).
				expect(t, want.status)
		})
	}
}

func TestMembers(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.owner)
	b.create("/dashboard/members", "role", "owner", "email", "second@example.com").expect(t, http.StatusOK,
		"Invitation link for second@example.com", "http://match.example.com/dashboard/join#", "It is shown only once")
	page := b.get("/dashboard/members").
		expect(t, http.StatusOK, "Open invitations", "second@example.com", "in 7 days")
	if strings.Contains(page.body, "/dashboard/join#") {
		t.Error("the link is shown twice")
	}

	link := regexp.MustCompile(`/dashboard/members/invitations/(lnk_\w+)/revoke`).FindString(page.body)
	b.post(link).expect(t, http.StatusSeeOther)
	a := b.get("/dashboard/members").expect(t, http.StatusOK, "Invitation revoked.")
	if strings.Contains(a.body, "second@example.com") {
		t.Error("the page still shows the revoked invitation")
	}

	member := "/dashboard/members/" + w.member.ID
	b.post(member+"/role", "role", "owner").expect(t, http.StatusSeeOther)
	b.get("/dashboard/members").expect(t, http.StatusOK, "The role of member@example.com is now “Owner”.")
	b.post(member+"/remove").expect(t, http.StatusUnprocessableEntity, "Select the checkbox")
	b.post(member+"/remove", "confirm", "yes").expect(t, http.StatusSeeOther)
	b.get("/dashboard/members").expect(t, http.StatusOK, "member@example.com was removed.")
	// The last owner can leave.
	b.post("/dashboard/members/"+w.owner.ID+"/remove", "confirm", "yes").expect(t, http.StatusSeeOther)

	if a := b.get("/dashboard"); a.status != http.StatusSeeOther {
		t.Errorf("a removed user still sees the dashboard: %d", a.status)
	}
}

func TestUsage(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.owner)
	b.get("/dashboard/usage").expect(t, http.StatusOK,
		"Your requests appear here", "No recent errors.", "The quota of your active keys appears here")
	_, website := w.key(w.owner, "Website")
	_, batch := w.key(w.owner, "Batch")
	record := func(key apikey.Key, daysAgo, status, times int, code string) {
		for i := range times {
			w.recorder.Record(usage.Request{
				Key:       key.ID,
				At:        w.clock.now().AddDate(0, 0, -daysAgo).Add(time.Duration(-i) * time.Second),
				RequestID: "request-" + code,
				Operation: "match",
				Status:    status,
				Code:      code,
				Took:      500 * time.Microsecond,
			})
		}
	}

	if _, _, err := w.db.Views.AddViews(t.Context(), w.owner.Account, "2030-05-20", []uint64{1, 2, 3}, 10); err != nil {
		t.Fatal(err)
	}
	record(website, 0, 200, 7, "")
	record(website, 3, 200, 5, "")
	record(website, 3, 429, 2, "rate_limit_exceeded")
	record(batch, 29, 504, 1, "engine_timeout")
	record(batch, 30, 200, 9, "") // outside the 30 days

	a := b.get("/dashboard/usage").expect(t, http.StatusOK,
		"Succeeded 12", "Rejected 2", "Failed 1", "match 12 2 1 0.3 0.5 200 × 12 429 × 2 504 × 1",
		"rate_limit_exceeded 429 match Website", "request-engine_timeout",
		"May 17, 2030 5 2 0", "Apr 21, 2030 0 0 1", "Website", "Batch",
		"Today (UTC) 3 of 5,000 used 4,997 remaining, resets in 12 hours")
	if strings.Contains(a.text(), "Apr 20, 2030") {
		t.Error("the chart has more than 30 days")
	}

	if !strings.Contains(a.body, "15 in total, with a peak of 7 on May 17, 2030") {
		t.Error("the chart has no description")
	}

	b.get("/dashboard/usage?range=24h").expect(t, http.StatusOK, "Requests per hour", "Succeeded 7", "Rejected 0",
		"May 20, 2030, 12:00 UTC")
	only := b.get("/dashboard/usage?key="+batch.ID).
		expect(t, http.StatusOK, "Succeeded 0", "Failed 1", "engine_timeout")
	if strings.Contains(only.text(), "rate_limit_exceeded") {
		t.Error("the errors of one key include those of another")
	}
}

func TestData(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.member)
	b.get("/dashboard/data").expect(t, http.StatusOK,
		"12,345", "freelancers-v1-20300519t080000", "May 19, 2030, 08:00 UTC", "28 hours ago", "csv", "embedded", "1.2.3",
		"Healthy Freelancers", "Ready Skill taxonomy", "Connected Database (sqlite)", "Not configured Language model")
	w.health.components = wire.Components{
		DataSource: wire.DataSource{Status: wire.StatusError, Error: "the index cannot be read"},
	}
	b.get("/dashboard/data").
		expect(t, http.StatusOK, "No freelancers are loaded yet", "Error Freelancers The index cannot be read.")
}

func TestActivity(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.owner)
	w.key(w.owner, "Website")
	a := b.get("/dashboard/activity").expect(t, http.StatusOK, "Key created", "owner@example.com", "Account created")
	if strings.Contains(a.text(), "stranger@example.com") || strings.Contains(a.text(), "Operations") {
		t.Error("the log of an account contains events of another account")
	}
	b.get("/dashboard/activity?before=yesterday").expect(t, http.StatusNotFound)
}

// The pages of the audit log show every event once, even if many events have the same time.
func TestAudit_PagesShowEveryEventOnce(t *testing.T) {
	w := newWorld(t)
	for i := range 40 {
		if i%3 == 0 {
			w.clock.advance(time.Second)
		}
		e := audit.Event{At: w.clock.now(), Actor: audit.System, Action: audit.UserSignedIn, Subject: "usr_1"}
		first := e
		second := e
		first.Detail, second.Detail = fmt.Sprintf("first-%03d.", i), fmt.Sprintf("second-%03d.", i)
		w.must(w.db.Keys.Update(t.Context(), "", func([]apikey.Key) (apikey.Changes, error) {
			return apikey.Changes{Events: []audit.Event{first, second}}, nil
		}))
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

func TestAdministration_OfAccounts(t *testing.T) {
	w := newWorld(t)
	token, k := w.key(w.owner, "Website")
	b := w.as(w.admin)
	b.get("/dashboard/admin/accounts").
		expect(t, http.StatusOK, "Kiln & Glaze", "Professional", "1 of 3", "Elsewhere", "Operations")
	a := b.get("/dashboard/admin/accounts?q=kiln").expect(t, http.StatusOK, "Kiln & Glaze")
	if strings.Contains(a.text(), "Elsewhere") {
		t.Error("the search finds every account")
	}

	b.get("/dashboard/admin/accounts?q=zzz").expect(t, http.StatusOK, "No account matches “zzz”")
	b.get("/dashboard/admin/accounts/acc_none").expect(t, http.StatusNotFound)
	path := "/dashboard/admin/accounts/" + w.owner.Account
	b.get(path).expect(t, http.StatusOK, "owner@example.com", "member@example.com", k.Masked(), "Disable account")

	b.post(path+"/plan", "plan", "freelancer", "grace", "1h0m0s").expect(t, http.StatusSeeOther)
	b.get(path).expect(t, http.StatusOK, "Plan changed.", "Freelancer, since")
	b.post(path+"/plan", "plan", "platinum", "grace", "0s").expect(t, http.StatusUnprocessableEntity)
	b.post(path+"/disable").expect(t, http.StatusUnprocessableEntity, "Select the checkbox")
	b.post(path+"/disable", "confirm", "yes").expect(t, http.StatusSeeOther)
	b.get(path).expect(t, http.StatusOK, "Account disabled.", "Enable account")

	if _, err := w.keys.Authenticate(t.Context(), token); err == nil {
		t.Error("the key of a disabled account works")
	}
	b.post(path+"/enable").expect(t, http.StatusSeeOther)
	b.post("/dashboard/admin/accounts/"+w.admin.Account+"/disable", "confirm", "yes").
		expect(t, http.StatusUnprocessableEntity, "your own account")
	b.get("/dashboard/admin/audit").expect(t, http.StatusOK,
		"Account plan changed", "plan professional → freelancer", "owner@example.com", "admin@example.com from 127.0.0.1")
}

func TestAdministration_OfLinks(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.admin)
	path := "/dashboard/admin/accounts/" + w.owner.Account + "/users/"
	reset := b.create(path+w.member.ID+"/reset").
		expect(t, http.StatusOK, "Password reset link for member@example.com")
	secret := regexp.MustCompile(`/dashboard/reset#([\w-]{43})`).FindStringSubmatch(reset.body)[1]
	w.browser().post("/dashboard/reset", "secret", secret).expect(t, http.StatusOK, "For member@example.com")
	b.post(path+w.stranger.ID+"/reset").expect(t, http.StatusNotFound)

	b.create("/dashboard/admin/invitations", "plan", "enterprise").
		expect(t, http.StatusOK, "Invitation link", "http://match.example.com/dashboard/join#")
	page := b.get("/dashboard/admin/invitations").
		expect(t, http.StatusOK, "New account, Enterprise", "Anyone with the link")
	b.post(regexp.MustCompile(`/dashboard/admin/invitations/lnk_\w+/revoke`).FindString(page.body)).
		expect(t, http.StatusSeeOther)
	b.get("/dashboard/admin/invitations").
		expect(t, http.StatusOK, "Invitation revoked.", "Open invitations appear here.")
}

// brokenQuota cannot read its counters.
type brokenQuota struct{}

func (brokenQuota) Peek(context.Context, quota.Allowance) (quota.Decision, error) {
	return quota.Decision{}, errors.New("redis://10.0.0.9: connection refused")
}

// If the counters cannot be read, the pages say so without the cause, and still show everything else.
func TestKey_IsShownWithoutItsQuota(t *testing.T) {
	w := newWorld(t, func(c *dashboard.Config, _ *account.Config) { c.Quota = brokenQuota{} })
	_, k := w.key(w.owner, "Website")
	for _, path := range []string{"/dashboard/keys/" + k.ID, "/dashboard/usage"} {
		a := w.as(w.owner).get(path).expect(t, http.StatusOK, "Website", "The remaining quota is unavailable.")
		if strings.Contains(a.body, "refused:") || strings.Contains(a.body, "10.0.0.9") {
			t.Errorf("%s shows the cause", path)
		}
	}
	if !strings.Contains(w.log.String(), "10.0.0.9") {
		t.Error("the log does not contain the cause")
	}
}

// A stranger who uses a stolen key leaves an address behind.
func TestKeys_ShowWhereTheyWereLastUsedFrom(t *testing.T) {
	w := newWorld(t)
	_, key := w.key(w.owner, "Website")
	w.recorder.Record(usage.Request{
		Key: key.ID, At: w.clock.now(), Address: "2001:db8::7", Operation: "match", Status: http.StatusOK,
	})
	w.must(w.recorder.Flush(t.Context()))
	b := w.as(w.owner)
	b.get("/dashboard/keys").expect(t, http.StatusOK, "from 2001:db8::7")
	b.get("/dashboard/keys/"+key.ID).expect(t, http.StatusOK, "from 2001:db8::7")
}

// Only administrators grant permissions, for one key at a time.
func TestAdministration_OfPermissions(t *testing.T) {
	w := newWorld(t)
	token, k := w.key(w.owner, "Sync")
	account := "/dashboard/admin/accounts/" + w.owner.Account
	path := account + "/keys/" + k.ID + "/permissions"
	permits := func() []string {
		k, err := w.keys.Authenticate(t.Context(), token)
		w.must(err)
		return k.Permissions
	}

	b := w.as(w.admin)
	b.get(account).expect(t, http.StatusOK, "Permissions", "data:write", "Owners can't grant")
	b.post(path, "permissions", "data:write").expect(t, http.StatusSeeOther)
	b.get(account).expect(t, http.StatusOK, "Permissions saved.")

	if got := permits(); !slices.Equal(got, []string{"data:write"}) {
		t.Errorf("the key has %v", got)
	}
	w.as(w.owner).get("/dashboard/keys/"+k.ID).expect(t, http.StatusOK, "Permissions", "data:write")
	b.post(path, "permissions", "data:all").expect(t, http.StatusUnprocessableEntity, "must be one of data:read")
	b.post(account+"/keys/key_none/permissions").expect(t, http.StatusNotFound)
	b.post("/dashboard/admin/accounts/"+w.admin.Account+"/keys/"+k.ID+"/permissions").expect(t, http.StatusNotFound)
	w.as(w.owner).post(path, "permissions", "data:read").expect(t, http.StatusForbidden)
	w.as(w.owner).post("/dashboard/keys/"+k.ID, "name", "Sync 2", "permissions", "data:read").
		expect(t, http.StatusSeeOther)

	if got := permits(); !slices.Equal(got, []string{"data:write"}) {
		t.Errorf("an owner has changed the permissions to %v", got)
	}
	b.post(path).expect(t, http.StatusSeeOther)

	if got := permits(); len(got) > 0 {
		t.Errorf("the key still has %v", got)
	}
}
