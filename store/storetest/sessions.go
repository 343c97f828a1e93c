package storetest

import (
	"bytes"
	"context"
	"testing"
	"time"
)

// A SessionStore is an scs.CtxStore that deletes expired sessions.
type SessionStore interface {
	FindCtx(ctx context.Context, token string) (data []byte, found bool, err error)
	CommitCtx(ctx context.Context, token string, data []byte, expires time.Time) error
	DeleteCtx(ctx context.Context, token string) error
	Find(token string) (data []byte, found bool, err error)
	Commit(token string, data []byte, expires time.Time) error
	Delete(token string) error
	NameCtx(ctx context.Context, token, user string) error
	OfUserCtx(ctx context.Context, user string) (map[string][]byte, error)
	DeleteExpired(ctx context.Context, at time.Time) error
}

// Sessions tests an scs.CtxStore.
func Sessions(t *testing.T, open func(t *testing.T) SessionStore) {
	suite[SessionStore]{
		"a session is read as written":      sessionRoundTrip,
		"a session is replaced":             replacesSession,
		"a session ends":                    endsSession,
		"an ended session cannot come back": staysEnded,
		"a session expires":                 sessionExpires,
		"expired sessions are deleted":      deletesExpiredSessions,
		"sessions of a user are listed":     listsSessionsOfUser,
	}.run(t, open)
}

// wantSession checks the data of a session. If want is nil, the session must not be found.
func wantSession(t *testing.T, s SessionStore, token string, want []byte) {
	t.Helper()
	for name, find := range map[string]func() ([]byte, bool, error){
		"FindCtx": func() ([]byte, bool, error) { return s.FindCtx(t.Context(), token) },
		"Find":    func() ([]byte, bool, error) { return s.Find(token) },
	} {
		got, found, err := find()
		if err != nil || found != (want != nil) || !bytes.Equal(got, want) {
			t.Errorf("%s(%q) = %q, %t, %v; want %q", name, token, got, found, err, want)
		}
	}
}

func inAnHour() time.Time { return time.Now().Add(time.Hour) }

func sessionRoundTrip(t *testing.T, s SessionStore) {
	wantSession(t, s, "none", nil)
	data := []byte("\x00\xff not a text")
	noError(t, s.CommitCtx(t.Context(), "one", data, inAnHour()))
	noError(t, s.Commit("two", []byte("2"), inAnHour()))
	wantSession(t, s, "one", data)
	wantSession(t, s, "two", []byte("2"))
	wantSession(t, s, "ONE", nil)
}

func replacesSession(t *testing.T, s SessionStore) {
	noError(t, s.CommitCtx(t.Context(), "one", []byte("first"), inAnHour()))
	noError(t, s.CommitCtx(t.Context(), "one", []byte("second"), inAnHour()))
	wantSession(t, s, "one", []byte("second"))
	noError(t, s.CommitCtx(t.Context(), "one", []byte("third"), time.Now()))
	wantSession(t, s, "one", nil)
}

func endsSession(t *testing.T, s SessionStore) {
	for _, token := range []string{"one", "two", "three"} {
		noError(t, s.Commit(token, []byte(token), inAnHour()))
	}
	noError(t, s.DeleteCtx(t.Context(), "one"))
	noError(t, s.Delete("two"))
	noError(t, s.Delete("none"))
	wantSession(t, s, "one", nil)
	wantSession(t, s, "two", nil)
	wantSession(t, s, "three", []byte("three"))
}

// A request reads a session, another request ends the session, and the first request writes it.
func staysEnded(t *testing.T, s SessionStore) {
	noError(t, s.CommitCtx(t.Context(), "one", []byte("1"), inAnHour()))
	noError(t, s.DeleteCtx(t.Context(), "one"))
	noError(t, s.CommitCtx(t.Context(), "one", []byte("again"), inAnHour()))
	wantSession(t, s, "one", nil)
	noError(t, s.Delete("one"))
	noError(t, s.Commit("one", []byte("once more"), inAnHour()))
	wantSession(t, s, "one", nil)
}

func sessionExpires(t *testing.T, s SessionStore) {
	noError(t, s.CommitCtx(t.Context(), "one", []byte("1"), time.Now().Add(-time.Microsecond)))
	wantSession(t, s, "one", nil)
}

func listsSessionsOfUser(t *testing.T, s SessionStore) {
	for _, token := range []string{"one", "two", "ended", "expired", "other", "nobody"} {
		noError(t, s.CommitCtx(t.Context(), token, []byte(token), inAnHour()))
		if token != "nobody" {
			noError(t, s.NameCtx(t.Context(), token, "usr_1"))
		}
	}
	noError(t, s.NameCtx(t.Context(), "other", "usr_2"))
	noError(t, s.NameCtx(t.Context(), "none", "usr_1"))
	noError(t, s.DeleteCtx(t.Context(), "ended"))
	noError(t, s.CommitCtx(t.Context(), "expired", []byte("expired"), time.Now().Add(-time.Microsecond)))
	noError(t, s.CommitCtx(t.Context(), "two", []byte("second"), inAnHour())) // keeps the user

	want := map[string][]byte{"one": []byte("one"), "two": []byte("second")}
	wantEqual(t, want, must(s.OfUserCtx(t.Context(), "usr_1")))
	wantEqual(t, map[string][]byte{}, must(s.OfUserCtx(t.Context(), "")))
}

func deletesExpiredSessions(t *testing.T, s SessionStore) {
	soon := inAnHour()
	later := inAnHour().Add(time.Hour)
	noError(t, s.CommitCtx(t.Context(), "soon", []byte("s"), soon))
	noError(t, s.CommitCtx(t.Context(), "later", []byte("l"), later))
	noError(t, s.DeleteExpired(t.Context(), time.Now()))
	wantSession(t, s, "soon", []byte("s"))
	noError(t, s.DeleteExpired(t.Context(), soon))
	wantSession(t, s, "soon", nil) // deleted although it is not expired yet
	wantSession(t, s, "later", []byte("l"))
}
