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
	sessionLife = 7 * 24 * time.Hour // of a session, whatever is done in it
	sessionIdle = 12 * time.Hour     // after which a session that nothing is done in ends
	// seenEvery is how exactly it is recorded when something was last done. Were it recorded with every page, each one would write
	// to the database, and one that is under way while its user signs out would write the session back.
	seenEvery = 10 * time.Minute
)

// What a session holds.
const (
	sessionUser       = "user"       // id
	sessionGeneration = "generation" // User.Sessions when it began
	sessionSeen       = "seen"       // when something was last done in it, Unix seconds
	sessionNotice     = "notice"     // what was just done, for the next page to say; never a secret
)

func newSessions(store scs.Store, public *url.URL) *scs.SessionManager {
	s := scs.New()
	s.Store = store
	s.HashTokenInStore = true
	s.Lifetime = sessionLife
	s.Cookie.Name = "matching_session"
	s.Cookie.HttpOnly = true
	s.Cookie.SameSite = http.SameSiteLaxMode
	if public.Scheme == "https" {
		s.Cookie.Secure = true
		s.Cookie.Name = "__Host-" + s.Cookie.Name // browsers then see to it that no other host can set it
	}
	return s
}

// begin makes the session that of a user. Its token changes, so that one that was planted before is of no use.
func (d *dashboard) begin(v *visit, u account.User) error {
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

// end ends the session here and in the store.
func (d *dashboard) end(v *visit) error { return d.sessions.Destroy(v.r.Context()) }

// identify finds out who makes a request. Nobody is no error.
func (d *dashboard) identify(v *visit) error {
	ctx := v.r.Context()
	id := d.sessions.GetString(ctx, sessionUser)
	if id == "" {
		return nil
	}
	now := d.Now()
	seen := time.Unix(d.sessions.GetInt64(ctx, sessionSeen), 0)
	if now.Sub(seen) > sessionIdle {
		return d.end(v)
	}
	user, acc, err := d.Accounts.Session(ctx, id, d.sessions.GetInt(ctx, sessionGeneration))
	if code := matching.CodeOf(err); code == account.CodeSessionEnded || code == account.CodeAccountDisabled {
		return d.end(v)
	}
	if err != nil {
		return err
	}
	if now.Sub(seen) > seenEvery {
		d.sessions.Put(ctx, sessionSeen, now.Unix())
	}
	v.user, v.account = user, acc
	return nil
}

// notice keeps a sentence for the next page to say.
func (d *dashboard) notice(v *visit, sentence string) {
	d.sessions.Put(v.r.Context(), sessionNotice, sentence)
}

func (d *dashboard) sessionFailed(w http.ResponseWriter, r *http.Request, err error) {
	d.fail(&visit{w: w, r: r}, err)
}
