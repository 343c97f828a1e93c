package dashboard

import (
	"context"
	"log/slog"
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
	adminIdle       = time.Hour          // the same for administrators
	// activityInterval is how often the time of the last activity is stored. Storing it with every page would cost a
	// write each time, and a page in progress while its user signs out would write the session back.
	activityInterval = 10 * time.Minute
)

// The values in a session.
const (
	sessionUser       = "user"       // ID
	sessionGeneration = "generation" // User.Sessions at sign-in
	sessionSeen       = "seen"       // time of the last activity, in Unix seconds
	sessionConfirmed  = "confirmed"  // time when the user last proved who they are, in Unix seconds
	sessionNotice     = "notice"     // confirmation for the next page to show; never a secret
)

func newSessions(store scs.CtxStore, public *url.URL) *scs.SessionManager {
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

// beginSession replaces the session by an empty one. The token changes, so that a token planted before sign-in is
// useless.
func (d *dashboard) beginSession(v *visit) error {
	ctx := v.r.Context()
	if err := d.sessions.Clear(ctx); err != nil {
		return err
	}
	return d.sessions.RenewToken(ctx)
}

// signInAs starts a session for a user who has proved who they are.
func (d *dashboard) signInAs(v *visit, u account.User) error {
	if err := d.beginSession(v); err != nil {
		return err
	}
	ctx := v.r.Context()
	d.sessions.Put(ctx, sessionUser, u.ID)
	d.sessions.Put(ctx, sessionGeneration, u.Sessions)
	d.sessions.Put(ctx, sessionSeen, d.Now().Unix())
	d.sessions.Put(ctx, sessionConfirmed, d.Now().Unix())
	if err := d.storeSession(v); err != nil {
		return err
	}
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

	idle := d.since(v, sessionSeen)
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
	if user.Role.Includes(account.Administrator) && idle > adminIdle {
		return d.endSession(v)
	}

	if idle > activityInterval {
		d.sessions.Put(ctx, sessionSeen, d.Now().Unix())
	}
	v.user = user
	v.account = acc

	return nil
}

// notice stores a confirmation for the next page to show.
func (d *dashboard) notice(v *visit, sentence string) {
	d.sessions.Put(v.r.Context(), sessionNotice, sentence)
}

func (d *dashboard) sessionFailed(w http.ResponseWriter, r *http.Request, err error) {
	d.fail(&visit{w: w, r: r}, err)
}

// lenientStore stores sessions. If the database cannot be written, for example because its disk is full, it drops what
// a user can do without: the time of the last activity, and notices. Only storeSession fails.
type lenientStore struct {
	scs.CtxStore
	log *slog.Logger
}

// CommitCtx implements scs.CtxStore.
func (s lenientStore) CommitCtx(ctx context.Context, token string, data []byte, expires time.Time) error {
	err := s.CtxStore.CommitCtx(ctx, token, data, expires)
	required, _ := ctx.Value(sessionRequired{}).(*bool)
	if matching.CodeOf(err).IsDatabaseFault() && (required == nil || !*required) {
		s.log.WarnContext(ctx, "session not updated", "error", err)
		return nil
	}
	return err
}

// sessionRequired is the context key of a *bool: whether the session must be stored.
type sessionRequired struct{}

// trackSession lets the handlers behind it call storeSession.
func trackSession(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), sessionRequired{}, new(bool))))
	})
}

// storeSession stores a session that the user cannot do without, before the response begins.
func (d *dashboard) storeSession(v *visit) error {
	ctx := v.r.Context()
	if required, ok := ctx.Value(sessionRequired{}).(*bool); ok {
		*required = true
		defer func() { *required = false }()
	}
	_, _, err := d.sessions.Commit(ctx)
	return err
}
