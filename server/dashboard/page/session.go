package page

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/alexedwards/scs/v2"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/internal/matching"
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
	sessionStarted    = "started"    // time of the sign-in, in Unix seconds
	sessionAddress    = "address"    // of the client at sign-in
	sessionAgent      = "agent"      // the browser, as it names itself
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

// Browser returns the token of a browser, or "" if it has none.
func (v *Visit) Browser() string {
	cookie, err := v.Request.Cookie(cookieName(browserCookie, v.site.PublicURL))
	if err != nil {
		return ""
	}
	return cookie.Value
}

// rememberBrowser makes further sign-ins in this browser count for themselves. If that fails, the user is signed in
// nevertheless.
func (v *Visit) rememberBrowser(u account.User) {
	token, err := v.site.Accounts.Browsers.Remember(v.Context(), u.ID, v.Browser())
	if err != nil {
		v.site.Log.Warn("browser not remembered", "user", u.ID, "error", err)
		return
	}
	http.SetCookie(v.Writer, &http.Cookie{ //nolint:gosec // G124: Secure depends on the public URL, as for the session
		Name: cookieName(browserCookie, v.site.PublicURL), Value: token, Path: "/", MaxAge: int(browserCookieTime.Seconds()),
		HttpOnly: true, Secure: isSecure(v.site.PublicURL), SameSite: http.SameSiteLaxMode,
	})
}

// BeginSession replaces the session by an empty one. The token changes, so that a token planted before sign-in is
// useless.
func (v *Visit) BeginSession() error {
	ctx := v.Context()
	if err := v.site.sessions.Clear(ctx); err != nil {
		return err
	}
	return v.site.sessions.RenewToken(ctx)
}

// SignInAs starts a session for a user who has proved who they are.
func (v *Visit) SignInAs(u account.User) error {
	if err := v.BeginSession(); err != nil {
		return err
	}
	ctx := v.Context()
	v.site.sessions.Put(ctx, sessionUser, u.ID)
	v.site.sessions.Put(ctx, sessionGeneration, u.Sessions)
	v.site.sessions.Put(ctx, sessionSeen, v.site.Now().Unix())
	v.site.sessions.Put(ctx, sessionConfirmed, v.site.Now().Unix())
	v.site.sessions.Put(ctx, sessionStarted, v.site.Now().Unix())
	v.site.sessions.Put(ctx, sessionAddress, v.address)
	v.site.sessions.Put(ctx, sessionAgent, v.Agent())
	if err := v.StoreSession(); err != nil {
		return err
	}
	if err := v.site.Sessions.NameCtx(ctx, v.storedToken(), u.ID); err != nil {
		return err
	}
	v.rememberBrowser(u)
	return nil
}

// EndSession deletes the session from the browser and the store.
func (v *Visit) EndSession() error { return v.site.sessions.Destroy(v.Context()) }

// identify sets the user of a request from its session. It returns no error if nobody is signed in.
func (s *site) identify(v *Visit) error {
	ctx := v.Context()
	id := s.sessions.GetString(ctx, sessionUser)
	if id == "" {
		return nil
	}

	// The time is checked before the user is read, so an old session costs no query.
	idle := v.Since(sessionSeen)
	if idle > sessionIdle {
		return v.EndSession()
	}

	user, acc, err := s.Accounts.Sessions.Find(ctx, id, s.sessions.GetInt(ctx, sessionGeneration))
	if code := matching.CodeOf(err); code == account.CodeSessionEnded || code == account.CodeAccountDisabled {
		return v.EndSession()
	}

	if err != nil {
		return err
	}

	// Only now is it known that the shorter limit applies.
	if user.Role.Includes(account.Administrator) && idle > adminIdle {
		return v.EndSession()
	}

	if idle > activityInterval {
		s.sessions.Put(ctx, sessionSeen, s.Now().Unix())
	}
	v.User = user
	v.Account = acc

	return nil
}

// Notice stores a confirmation for the next page to show.
func (v *Visit) Notice(sentence string) {
	v.site.sessions.Put(v.Context(), sessionNotice, sentence)
}

func (s *site) sessionFailed(w http.ResponseWriter, r *http.Request, err error) {
	s.fail(&Visit{site: s, Writer: w, Request: r}, err)
}

// lenientStore stores sessions. If the database cannot be written, for example because its disk is full, it drops what
// a user can do without: the time of the last activity, and notices. Only StoreSession fails.
type lenientStore struct {
	scs.CtxStore
	log *slog.Logger
}

// CommitCtx implements scs.CtxStore.
func (s lenientStore) CommitCtx(ctx context.Context, token string, data []byte, expires time.Time) error {
	err := s.CtxStore.CommitCtx(ctx, token, data, expires)
	required, _ := ctx.Value(sessionRequired{}).(*bool)
	optional := required == nil || !*required
	if matching.CodeOf(err).IsDatabaseFault() && optional {
		s.log.WarnContext(ctx, "session not updated", "error", err)
		return nil
	}
	return err
}

// sessionRequired is the context key of a *bool: whether the session must be stored.
type sessionRequired struct{}

// trackSession lets the handlers behind it call StoreSession.
func trackSession(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), sessionRequired{}, new(bool))))
	})
}

// StoreSession stores a session that the user cannot do without, before the response begins.
func (v *Visit) StoreSession() error {
	ctx := v.Context()
	if required, ok := ctx.Value(sessionRequired{}).(*bool); ok {
		*required = true
		defer func() { *required = false }()
	}
	_, _, err := v.site.sessions.Commit(ctx)
	return err
}

// Since returns the time since the one that a session has under a name.
func (v *Visit) Since(name string) time.Duration {
	return v.site.Now().Sub(time.Unix(v.site.sessions.GetInt64(v.Context(), name), 0))
}

// Put stores a value in the session. It is written when the response begins, or by StoreSession.
func (v *Visit) Put(name string, value any) { v.site.sessions.Put(v.Context(), name, value) }

// PutNow stores the present time in the session, for since.
func (v *Visit) PutNow(name string) { v.Put(name, v.site.Now().Unix()) }

// GetString returns a value of the session, or "".
func (v *Visit) GetString(name string) string { return v.site.sessions.GetString(v.Context(), name) }

// GetInt returns a value of the session, or 0.
func (v *Visit) GetInt(name string) int { return v.site.sessions.GetInt(v.Context(), name) }

// Remove removes a value from the session.
func (v *Visit) Remove(name string) { v.site.sessions.Remove(v.Context(), name) }

// RenewSession continues the session of a user with a new token. A new session counts as confirmed; but for a user with
// a second factor, only a code confirms, so the time of the last confirmation stays.
func (v *Visit) RenewSession(u account.User) error {
	confirmed := v.site.sessions.GetInt64(v.Context(), sessionConfirmed)
	if err := v.SignInAs(u); err != nil {
		return err
	}
	if u.TwoFactor.On() {
		v.Put(sessionConfirmed, confirmed)
	}
	return nil
}
