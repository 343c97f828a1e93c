package dashboard_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/feed"
)

// pairs returns the fields of a form as post takes them.
func pairs(form url.Values) (list []string) {
	for name, values := range form {
		for _, value := range values {
			list = append(list, name, value)
		}
	}
	return list
}

// submit sends a form and returns the page that the browser sees then.
func (b *browser) submit(path string, fields ...string) answer {
	b.w.t.Helper()
	a := b.post(path, fields...)
	if a.status == http.StatusSeeOther {
		return b.get(a.location)
	}
	return a
}

var hookPattern = regexp.MustCompile(`/dashboard/webhooks/we_\w+`)

// An owner creates an endpoint, sees its secret once, tests and changes it, and looks at its deliveries.
func TestWebhooks_Owner(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.owner)
	b.get("/dashboard/webhooks").expect(t, http.StatusOK, "Create a webhook")
	b.get("/dashboard/webhooks/new").expect(t, http.StatusOK, "freelancer.changed", "A key has used 80%")
	b.submit("/dashboard/webhooks/new", pairs(url.Values{"url": {"https://10.0.0.1/x"}})...).
		expect(t, http.StatusUnprocessableEntity, "must not be a private address", "must be one or more of")
	b.submit("/dashboard/webhooks/new", pairs(url.Values{"events": {"key.expiring"}})...).
		expect(t, http.StatusUnprocessableEntity, "Enter the URL")
	b.submit("/dashboard/webhooks/new", pairs(url.Values{
		"url": {"https://example.com/hook"}, "events": {"freelancer.changed"},
	})...).expect(t, http.StatusUnprocessableEntity, "data:read")

	shown := b.submit("/dashboard/webhooks/new", pairs(url.Values{
		"url": {"https://example.com/hook"}, "name": {"Cache"}, "events": {"key.expiring"},
	})...).expect(t, http.StatusOK, "whsec_", "Copy it now")
	path := hookPattern.FindString(shown.body)
	if again := b.get(path+"/secret").expect(t, http.StatusOK, "already shown"); strings.Contains(again.body, "whsec_") {
		t.Error("the secret is shown twice")
	}

	b.submit(path+"/test", pairs(url.Values{"event": {"load.live"}})...).expect(t, http.StatusOK, "Test event queued",
		"load.live", `"test": true`, "Waiting", "Retry now")
	list, err := w.db.Endpoints.Deliveries(t.Context(), w.owner.Account, strings.TrimPrefix(path, "/dashboard/webhooks/"),
		feed.Place{}, 10)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d deliveries: %v", len(list), err)
	}
	b.submit(path+"/retry", pairs(url.Values{"delivery": {list[0].ID}})...).expect(t, http.StatusOK, "will be sent again")
	b.submit(path+"/retry", pairs(url.Values{"delivery": {"msg_x"}})...).expect(t, http.StatusConflict, "no such delivery")
	off := url.Values{"url": {"https://example.com/hook"}, "events": {"key.expiring"}, "state": {"off"}}
	b.submit(path, pairs(off)...).expect(t, http.StatusOK, "Settings saved", "Off")
	b.submit(path, pairs(url.Values{"url": {"http://example.com"}, "events": {"key.expiring"}})...).
		expect(t, http.StatusUnprocessableEntity, "must begin with https://")
	b.submit(path+"/rotate").expect(t, http.StatusOK, "whsec_", "with the old secret, too")
	b.submit(path+"/delete").expect(t, http.StatusOK, "deleted", "Create a webhook")
}

// Members see endpoints and deliveries, but change nothing, and nobody sees those of another account.
func TestWebhooks_Others(t *testing.T) {
	w := newWorld(t)
	shown := w.as(w.owner).submit("/dashboard/webhooks/new", pairs(url.Values{
		"url": {"https://example.com/hook"}, "events": {"key.expiring"},
	})...)
	path := hookPattern.FindString(shown.body)

	member := w.as(w.member)
	page := member.get(path).expect(t, http.StatusOK, "Messages appear here")
	if strings.Contains(page.body, "Send test event") {
		t.Error("a member can send tests")
	}
	for _, action := range []string{"", "/rotate", "/test", "/retry", "/delete"} {
		member.post(path+action).expect(t, http.StatusForbidden)
		w.as(w.stranger).post(path+action, pairs(url.Values{"delivery": {"x"}})...).expect(t, http.StatusNotFound)
	}
	w.as(w.stranger).get(path).expect(t, http.StatusNotFound)
	w.as(w.stranger).get(path+"/secret").expect(t, http.StatusNotFound)
}
