package dashboard

import (
	"net/http"
	"net/url"
	"time"

	"github.com/alexedwards/scs/v2"

	"freelancer-matching/access/account"
	"freelancer-matching/internal/matching"
)

const (
	sessionLifetime = 7 * 24 * time.Hour // absolute limit
	sessionIdle     = 12 * time.Hour     // limit without activity
	// activityInterval is how often the time of the last activity is stored. Storing it with every page would cost a
	// write each time, and a page in progress while its user signs out would write the session back.
	activityInterval = 10 * time.Minute
)

// The values in a session.
const (
	sessionUser       = "user"       // ID
	sessionGeneration = "generation" // User.Sessions at sign-in
	sessionSeen       = "seen"       // time of the last activity, in Unix seconds
	sessionNotice     = "notice"     // confirmation for the next page to show; never a secret
)

func newSessions(store scs.Store, public *url.URL) *scs.SessionManager {
	s := scs.New()
	s.Store = store
	s.HashTokenInStore = true
	s.Lifetime = sessionLifetime
	s.Cookie.Name = cookieName("matching_session", public)
	s.Cookie.HttpOnly = true
	s.Cookie.SameSite = http.SameSiteLaxMode
	s.Cookie.Secure = isSecure(public)
	return s
}

func isSecure(public *url.URL) bool { return public.Scheme == "https" }

// cookieName returns the name of a cookie. Over https it gets a prefix with which browsers let no other host set it.
func cookieName(name string, public *url.URL) string {
	if isSecure(public) {
		return "__Host-" + name
	}
	return name
}

// The cookie by which the service recognizes a browser in which a user has signed in before.
const (
	browserCookie     = "matching_browser"
	browserCookieTime = 180 * 24 * time.Hour
)

// browser returns the token of a browser, or "" if it has none.
func (d *dashboard) browser(r *http.Request) string {
	cookie, err := r.Cookie(cookieName(browserCookie, d.PublicURL))
	if err != nil {
		return ""
	}
	return cookie.Value
}

// rememberBrowser makes further sign-ins in this browser count for themselves. If that fails, the user is signed in
// nevertheless.
func (d *dashboard) rememberBrowser(v *visit, u account.User) {
	token, err := d.Accounts.RememberBrowser(v.r.Context(), u.ID, d.browser(v.r))
	if err != nil {
		d.Log.Warn("browser not remembered", "user", u.ID, "error", err)
		return
	}
	http.SetCookie(v.w, &http.Cookie{ //nolint:gosec // G124: Secure depends on the public URL, as for the session
		Name: cookieName(browserCookie, d.PublicURL), Value: token, Path: "/", MaxAge: int(browserCookieTime.Seconds()),
		HttpOnly: true, Secure: isSecure(d.PublicURL), SameSite: http.SameSiteLaxMode,
	})
}

// signInAs starts a session for a user. The token changes, so that a token planted before sign-in is useless.
func (d *dashboard) signInAs(v *visit, u account.User) error {
	ctx := v.r.Context()
	if err := d.sessions.Clear(ctx); err != nil {
		return err
	}
	if err := d.sessions.RenewToken(ctx); err != nil {
		return err
	}
	d.sessions.Put(ctx, sessionUser, u.ID)
	d.sessions.Put(ctx, sessionGeneration, u.Sessions)
	d.sessions.Put(ctx, sessionSeen, d.Now().Unix())
	d.rememberBrowser(v, u)
	return nil
}

// endSession deletes the session from the browser and the store.
func (d *dashboard) endSession(v *visit) error { return d.sessions.Destroy(v.r.Context()) }

// identify sets the user of a request from its session. It returns no error if nobody is signed in.
func (d *dashboard) identify(v *visit) error {
	ctx := v.r.Context()
	id := d.sessions.GetString(ctx, sessionUser)
	if id == "" {
		return nil
	}
	now := d.Now()
	idle := now.Sub(time.Unix(d.sessions.GetInt64(ctx, sessionSeen), 0))
	if idle > sessionIdle {
		return d.endSession(v)
	}
	user, acc, err := d.Accounts.Session(ctx, id, d.sessions.GetInt(ctx, sessionGeneration))
	if code := matching.CodeOf(err); code == account.CodeSessionEnded || code == account.CodeAccountDisabled {
		return d.endSession(v)
	}
	if err != nil {
		return err
	}
	if idle > activityInterval {
		d.sessions.Put(ctx, sessionSeen, now.Unix())
	}
	v.user, v.account = user, acc
	return nil
}

// notice stores a confirmation for the next page to show.
func (d *dashboard) notice(v *visit, sentence string) {
	d.sessions.Put(v.r.Context(), sessionNotice, sentence)
}

func (d *dashboard) sessionFailed(w http.ResponseWriter, r *http.Request, err error) {
	d.fail(&visit{w: w, r: r}, err)
}
