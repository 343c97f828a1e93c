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
	s.Cookie.Name = "matching_session"
	s.Cookie.HttpOnly = true
	s.Cookie.SameSite = http.SameSiteLaxMode
	if public.Scheme == "https" {
		s.Cookie.Secure = true
		s.Cookie.Name = "__Host-" + s.Cookie.Name // with this prefix, browsers let no other host set the cookie
	}
	return s
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
