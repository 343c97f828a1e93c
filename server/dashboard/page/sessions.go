package page

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/alexedwards/scs/v2"

	"github.com/freelancer-matching/service/access/account"
)

// A SessionStore stores sessions under hashes of their tokens.
type SessionStore interface {
	scs.CtxStore
	// NameCtx sets whose session it is.
	NameCtx(ctx context.Context, token, user string) error
	// OfUserCtx returns the data of a user's sessions, by the hashes of their tokens.
	OfUserCtx(ctx context.Context, user string) (map[string][]byte, error)
}

// A Session is a browser in which a user is signed in.
type Session struct {
	ID      string // for forms; reveals nothing about the token
	Agent   string // browser and system, such as "Firefox on Linux"
	Address string // from which the user signed in
	Started time.Time
	Seen    time.Time // of the last activity, up to ten minutes earlier
	Current bool      // the session of the request

	stored string // the hash of the token
}

// Sessions returns the sessions of the user, the latest first. Those of releases that didn't store whose session it is
// are missing.
func (v *Visit) Sessions() ([]Session, error) {
	stored, err := v.site.Sessions.OfUserCtx(v.Context(), v.User.ID)
	if err != nil {
		return nil, err
	}

	var list []Session
	for token, data := range stored {
		_, values, err := v.site.sessions.Codec.Decode(data)
		if err != nil {
			return nil, err
		}
		if s, ok := v.describe(token, values); ok {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b Session) int {
		return cmp.Or(b.Started.Compare(a.Started), cmp.Compare(a.ID, b.ID))
	})

	return list, nil
}

// describe returns a session with some values. It reports false if the session has ended by itself: the user was
// signed out everywhere, or has been away for too long.
func (v *Visit) describe(token string, values map[string]any) (Session, bool) {
	generation, _ := values[sessionGeneration].(int)
	seen, _ := values[sessionSeen].(int64)
	started, _ := values[sessionStarted].(int64)
	s := Session{
		Started: time.Unix(started, 0).UTC(), Seen: time.Unix(seen, 0).UTC(),
		Current: token == v.storedToken(), stored: token,
	}
	s.Agent, _ = values[sessionAgent].(string)
	s.Address, _ = values[sessionAddress].(string)

	sum := sha256.Sum256([]byte(token))
	s.ID = hex.EncodeToString(sum[:8])

	limit := sessionIdle
	if v.User.Role.Includes(account.Administrator) {
		limit = adminIdle
	}
	return s, generation == v.User.Sessions && v.site.Now().Sub(s.Seen) <= limit
}

// EndOtherSession ends a session of the user by its ID. It reports whether there was one, other than that of the
// request.
func (v *Visit) EndOtherSession(id string) (found bool, err error) {
	list, err := v.Sessions()
	if err != nil {
		return false, err
	}
	i := slices.IndexFunc(list, func(s Session) bool { return s.ID == id && !s.Current })
	if i < 0 {
		return false, nil
	}

	// The audit log comes first, so that no end lacks an entry.
	if err := v.site.Accounts.Sessions.RecordEnd(v.Context(), v.By(), v.User.ID); err != nil {
		return false, err
	}
	return true, v.site.Sessions.DeleteCtx(v.Context(), list[i].stored)
}

// storedToken returns the hash under which scs stores the session of the request.
func (v *Visit) storedToken() string {
	sum := sha256.Sum256([]byte(v.site.sessions.Token(v.Context())))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// agentName returns the browser and the system of a User-Agent header, as far as they are known. Browsers name those
// that they resemble, so the order matters.
func agentName(header string) string {
	first := func(names ...[2]string) string {
		for _, name := range names {
			if strings.Contains(header, name[0]) {
				return name[1]
			}
		}
		return ""
	}

	browser := first([2]string{"Edg", "Edge"}, [2]string{"OPR/", "Opera"}, [2]string{"Firefox/", "Firefox"},
		[2]string{"FxiOS/", "Firefox"}, [2]string{"CriOS/", "Chrome"}, [2]string{"Chrome/", "Chrome"},
		[2]string{"Safari/", "Safari"})
	system := first([2]string{"iPhone", "iPhone"}, [2]string{"iPad", "iPad"}, [2]string{"Android", "Android"},
		[2]string{"Windows", "Windows"}, [2]string{"Mac OS X", "macOS"}, [2]string{"CrOS", "ChromeOS"},
		[2]string{"Linux", "Linux"})

	browser = cmp.Or(browser, "Unknown browser")
	if system == "" {
		return browser
	}
	return browser + " on " + system
}
