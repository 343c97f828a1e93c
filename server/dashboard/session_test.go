package dashboard_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/audit"
)

const newPassword = "eight grey herons"

func TestSession_CookieIsProtected(t *testing.T) {
	for _, test := range []struct {
		public string
		name   string
		secure bool
	}{
		{"http://192.0.2.7:8080", "matching_session", false},
		{"https://match.example.com", "__Host-matching_session", true},
	} {
		t.Run(test.public, func(t *testing.T) {
			w := newWorld(t, publicURL(test.public))
			a := w.browser().post("/dashboard/sign-in", "email", w.owner.Email, "password", password)
			cookies := (&http.Response{Header: a.header}).Cookies()
			days := map[string]int{test.name: 7, strings.Replace(test.name, "session", "browser", 1): 180}
			if len(cookies) != len(days) {
				t.Fatalf("%d cookies, want %d", len(cookies), len(days))
			}

			for _, c := range cookies {
				if days[c.Name] == 0 || c.Secure != test.secure || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode ||
					c.Path != "/" || c.Domain != "" {
					t.Errorf("cookie %s", c)
				}

				if c.MaxAge <= 0 || c.MaxAge > days[c.Name]*86400+1 {
					t.Errorf("the cookie %s expires after %d s, want at most %d days", c.Name, c.MaxAge, days[c.Name])
				}
			}
		})
	}
}

// Before the set-up, the first page says how to get in. Browsers that open the bare address end up there.
func TestSignIn_LeadsToTheSetUp(t *testing.T) {
	const way = "This service has no administrator yet."
	empty := openWorld(t, filepath.Join(t.TempDir(), "empty.db"))
	a := empty.browser().get("/dashboard/sign-in").expect(t, http.StatusOK, way)
	if !strings.Contains(a.body, `href="/dashboard/setup"`) {
		t.Error("the page doesn't lead to the set-up")
	}

	if text := newWorld(t).browser().get("/dashboard/sign-in").text(); strings.Contains(text, way) {
		t.Error("the page speaks of the set-up, although there is an administrator")
	}
}

// Signing in and out changes the token, so that a stolen or planted token is useless.
func TestSession_TokenChangesAtSignInAndOut(t *testing.T) {
	w := newWorld(t)
	works := func(token string) bool {
		a := w.browser().do(http.MethodGet, "/dashboard", nil, http.Header{"Cookie": {"matching_session=" + token}})
		return a.status == http.StatusOK
	}

	b := w.browser()
	const planted = "planted-by-somebody-else-0000000000000000000"
	b.client.Jar.SetCookies(mustParse(b.base), []*http.Cookie{{Name: "matching_session", Value: planted, Path: "/"}})
	b.post("/dashboard/sign-in", "email", w.owner.Email, "password", password).expect(t, http.StatusSeeOther)
	first := b.session()
	if first == planted || works(planted) {
		t.Error("the planted token works")
	}

	b.post("/dashboard/sign-in", "email", w.owner.Email, "password", password).expect(t, http.StatusSeeOther)
	second := b.session()
	if second == first || works(first) || !works(second) {
		t.Error("signing in again did not change the token")
	}

	b.post("/dashboard/account/sign-out").expect(t, http.StatusSeeOther)
	if b.session() != "" || works(second) {
		t.Error("the token works after signing out")
	}
}

func TestSession_IsStoredUnderAHash(t *testing.T) {
	w := newWorld(t)
	token := w.as(w.owner).session()
	if _, found, err := w.db.Sessions.Find(token); err != nil || found {
		t.Errorf("the token is stored in plain text: %v, %v", found, err)
	}
	hash := sha256.Sum256([]byte(token))
	if _, found, err := w.db.Sessions.Find(base64.RawURLEncoding.EncodeToString(hash[:])); err != nil || !found {
		t.Errorf("the hash is not stored: %v, %v", found, err)
	}
}

func TestSession_EndsEarly(t *testing.T) {
	by := audit.By{Actor: audit.CommandLine}
	for name, end := range map[string]func(w *world, b *browser){
		"12 hours without activity": func(w *world, _ *browser) { w.clock.advance(12*time.Hour + time.Second) },
		"signed out everywhere": func(w *world, _ *browser) {
			w.as(w.owner).post("/dashboard/account/sign-out-everywhere").expect(t, http.StatusSeeOther)
		},
		"password changed elsewhere": func(w *world, _ *browser) {
			w.as(w.owner).post("/dashboard/account/password", "present", password, "password", newPassword).
				expect(t, http.StatusSeeOther)
		},
		"password reset": func(w *world, _ *browser) {
			secret, _, err := w.accounts.Links.CreateReset(t.Context(), by, w.owner.ID)
			w.must(err)
			w.browser().post("/dashboard/reset", "secret", secret, "password", newPassword).expect(t, http.StatusSeeOther)
		},
		"account disabled": func(w *world, _ *browser) {
			_, err := w.accounts.Accounts.Disable(t.Context(), by, w.owner.Account)
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
				t.Errorf("status %d, location %q, want a redirect to the sign-in page", a.status, a.location)
			}
			a := w.browser().do(http.MethodGet, "/dashboard", nil, http.Header{"Cookie": {"matching_session=" + token}})
			if a.status != http.StatusSeeOther {
				t.Error("the token still works")
			}
		})
	}
}

func TestSession_OfAdministratorsEndsAfterAnHour(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.admin)
	owner := w.as(w.owner)
	for range 3 {
		w.clock.advance(50 * time.Minute)
		b.get("/dashboard").expect(t, http.StatusOK)
	}
	w.clock.advance(time.Hour + time.Second)
	b.get("/dashboard").expect(t, http.StatusSeeOther)
	owner.get("/dashboard").expect(t, http.StatusOK)
}

func TestSession_Continues(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.owner)
	for range 5 {
		w.clock.advance(8 * time.Hour)
		b.get("/dashboard").expect(t, http.StatusOK)
	}
	b.post("/dashboard/account/password", "present", password, "password", newPassword).expect(t, http.StatusSeeOther)
	b.get("/dashboard/account").expect(t, http.StatusOK, "Password changed.")
	if a := b.get("/dashboard/account"); strings.Contains(a.body, "Password changed.") {
		t.Error("the notice is shown twice")
	}
}

// A user sees the browsers in which they are signed in, and signs out one of them.
func TestSessions_EndOne(t *testing.T) {
	w := newWorld(t)
	here, lost := w.as(w.owner), w.as(w.owner)
	w.as(w.stranger)
	const page = "/dashboard/account/sessions"

	list := here.get(page).expect(t, http.StatusOK, "this browser", "127.0.0.1")
	ends := regexp.MustCompile(`/dashboard/account/sessions/[0-9a-f]{16}/end`).FindAllString(list.body, -1)
	if len(ends) != 1 {
		t.Fatalf("%d sessions to end, want 1:\n%s", len(ends), list.text())
	}

	// Another user can't end it.
	w.as(w.stranger).post(ends[0]).expect(t, http.StatusNotFound)
	lost.get(page).expect(t, http.StatusOK)

	here.post(ends[0]).expect(t, http.StatusSeeOther)
	lost.get(page).expect(t, http.StatusSeeOther)
	here.get(page).expect(t, http.StatusOK, "Signed out in that browser")
	if again := here.get(page); strings.Contains(again.body, ends[0]) {
		t.Errorf("the ended session is still listed:\n%s", again.text())
	}
	here.get("/dashboard/activity").expect(t, http.StatusOK, "User session ended usr_")
}
