package dashboard_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"freelancer-matching/access/audit"
)

func TestSession_CookieIsGuarded(t *testing.T) {
	for _, test := range []struct {
		public string
		name   string
		secure bool
	}{
		{"http://192.0.2.7:8080", "matching_session", false},
		{"https://match.example.com", "__Host-matching_session", true},
	} {
		t.Run(test.public, func(t *testing.T) {
			w := newWorld(t, public(test.public))
			a := w.browser().post("/dashboard/sign-in", "email", w.owner.Email, "password", password)
			cookies := (&http.Response{Header: a.header}).Cookies()
			if len(cookies) != 1 {
				t.Fatalf("%d cookies, want 1", len(cookies))
			}
			c := cookies[0]
			if c.Name != test.name || c.Secure != test.secure || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" {
				t.Errorf("cookie %s", c)
			}
			if c.MaxAge <= 0 || c.MaxAge > int((7*24*time.Hour).Seconds())+1 {
				t.Errorf("it lives %d s, want up to 7 days", c.MaxAge)
			}
		})
	}
}

// Signing in and out changes the token, so that one that somebody else knows or has planted opens nothing.
func TestSession_TokenChangesAtSignInAndOut(t *testing.T) {
	w := newWorld(t)
	works := func(token string) bool {
		a := w.browser().do(http.MethodGet, "/dashboard", nil, http.Header{"Cookie": {"matching_session=" + token}})
		return a.status == http.StatusOK
	}
	b := w.browser()
	const planted = "planted-by-somebody-else-0000000000000000000"
	b.client.Jar.SetCookies(parse(b.base), []*http.Cookie{{Name: "matching_session", Value: planted, Path: "/"}})
	b.post("/dashboard/sign-in", "email", w.owner.Email, "password", password).expect(t, http.StatusSeeOther)
	first := b.session()
	if first == planted || works(planted) {
		t.Error("the planted token became a session")
	}
	b.post("/dashboard/sign-in", "email", w.owner.Email, "password", password).expect(t, http.StatusSeeOther)
	second := b.session()
	if second == first || works(first) || !works(second) {
		t.Error("signing in again keeps the token")
	}
	b.post("/dashboard/account/sign-out").expect(t, http.StatusSeeOther)
	if b.session() != "" || works(second) {
		t.Error("the session outlives signing out")
	}
}

func TestSession_IsStoredByItsHash(t *testing.T) {
	w := newWorld(t)
	token := w.as(w.owner).session()
	if _, found, err := w.db.Sessions().Find(token); err != nil || found {
		t.Errorf("found by the token itself: %v, %v", found, err)
	}
	hash := sha256.Sum256([]byte(token))
	if _, found, err := w.db.Sessions().Find(base64.RawURLEncoding.EncodeToString(hash[:])); err != nil || !found {
		t.Errorf("not found by its hash: %v, %v", found, err)
	}
}

// Every way in which a session ends before its time.
func TestSession_Ends(t *testing.T) {
	by := audit.By{Actor: audit.CommandLine}
	for name, end := range map[string]func(w *world, b *browser){
		"after 12 hours of nothing": func(w *world, _ *browser) { w.clock.pass(12*time.Hour + time.Second) },
		"signed out everywhere": func(w *world, _ *browser) {
			w.as(w.owner).post("/dashboard/account/sign-out-everywhere").expect(t, http.StatusSeeOther)
		},
		"password changed elsewhere": func(w *world, _ *browser) {
			w.as(w.owner).post("/dashboard/account/password", "present", password, "password", "eight grey herons").expect(t, http.StatusSeeOther)
		},
		"password reset": func(w *world, _ *browser) {
			secret, _, err := w.accounts.CreateResetLink(t.Context(), by, w.owner.ID)
			w.must(err)
			w.browser().post("/dashboard/reset", "secret", secret, "password", "eight grey herons").expect(t, http.StatusSeeOther)
		},
		"account disabled": func(w *world, _ *browser) {
			_, err := w.accounts.DisableAccount(t.Context(), by, w.owner.Account)
			w.must(err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			b := w.as(w.owner)
			token := b.session()
			b.get("/dashboard").expect(t, http.StatusOK)
			end(w, b)
			if a := b.get("/dashboard"); a.status != http.StatusSeeOther || a.location != "/dashboard/sign-in" {
				t.Errorf("%d %s, want the way to the sign-in page", a.status, a.location)
			}
			a := w.browser().do(http.MethodGet, "/dashboard", nil, http.Header{"Cookie": {"matching_session=" + token}})
			if a.status != http.StatusSeeOther {
				t.Error("the token still opens the dashboard")
			}
		})
	}
}

func TestSession_GoesOn(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.owner)
	for range 5 { // used every 8 hours
		w.clock.pass(8 * time.Hour)
		b.get("/dashboard").expect(t, http.StatusOK)
	}
	b.post("/dashboard/account/password", "present", password, "password", "eight grey herons").expect(t, http.StatusSeeOther)
	b.get("/dashboard/account").expect(t, http.StatusOK, "Password changed.")
	if a := b.get("/dashboard/account"); strings.Contains(a.body, "Password changed.") {
		t.Error("the notice is shown twice")
	}
}
