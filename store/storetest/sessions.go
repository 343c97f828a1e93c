package storetest

import (
	"bytes"
	"context"
	"testing"
	"time"
)

// SessionStore is an scs.CtxStore that forgets what has expired.
type SessionStore interface {
	FindCtx(ctx context.Context, token string) (data []byte, found bool, err error)
	CommitCtx(ctx context.Context, token string, data []byte, expires time.Time) error
	DeleteCtx(ctx context.Context, token string) error
	Find(token string) (data []byte, found bool, err error)
	Commit(token string, data []byte, expires time.Time) error
	Delete(token string) error
	DeleteExpired(ctx context.Context, now time.Time) error
}

// Sessions runs the contract of scs.CtxStore.
func Sessions(t *testing.T, open func(t *testing.T) SessionStore) {
	tests := map[string]func(t *testing.T, s SessionStore){
		"a session comes back as it was stored":   keepsSession,
		"a session is replaced":                   replacesSession,
		"a session ends":                          endsSession,
		"a session that ended does not come back": staysEnded,
		"an expired session is not found":         expires,
		"what has expired is forgotten":           forgetsExpired,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

// wantSession makes sure that a session has data; nil: that it is not found.
func wantSession(t *testing.T, s SessionStore, token string, want []byte) {
	t.Helper()
	for name, find := range map[string]func() ([]byte, bool, error){
		"FindCtx": func() ([]byte, bool, error) { return s.FindCtx(t.Context(), token) },
		"Find":    func() ([]byte, bool, error) { return s.Find(token) },
	} {
		got, found, err := find()
		if err != nil || found != (want != nil) || !bytes.Equal(got, want) {
			t.Errorf("%s of %q: got %q, %t, %v, want %q", name, token, got, found, err, want)
		}
	}
}

func inAnHour() time.Time { return time.Now().Add(time.Hour) }

func keepsSession(t *testing.T, s SessionStore) {
	wantSession(t, s, "none", nil)
	data := []byte("\x00\xff not a text")
	must(t, s.CommitCtx(t.Context(), "one", data, inAnHour()))
	must(t, s.Commit("two", []byte("2"), inAnHour()))
	wantSession(t, s, "one", data)
	wantSession(t, s, "two", []byte("2"))
	wantSession(t, s, "ONE", nil)
}

func replacesSession(t *testing.T, s SessionStore) {
	must(t, s.CommitCtx(t.Context(), "one", []byte("first"), inAnHour()))
	must(t, s.CommitCtx(t.Context(), "one", []byte("second"), inAnHour()))
	wantSession(t, s, "one", []byte("second"))
	must(t, s.CommitCtx(t.Context(), "one", []byte("third"), time.Now()))
	wantSession(t, s, "one", nil)
}

func endsSession(t *testing.T, s SessionStore) {
	for _, token := range []string{"one", "two", "three"} {
		must(t, s.Commit(token, []byte(token), inAnHour()))
	}
	must(t, s.DeleteCtx(t.Context(), "one"))
	must(t, s.Delete("two"))
	must(t, s.Delete("none"))
	wantSession(t, s, "one", nil)
	wantSession(t, s, "two", nil)
	wantSession(t, s, "three", []byte("three"))
}

// staysEnded is of a request that had read the session before another one ended it, and writes it afterwards.
func staysEnded(t *testing.T, s SessionStore) {
	must(t, s.CommitCtx(t.Context(), "one", []byte("1"), inAnHour()))
	must(t, s.DeleteCtx(t.Context(), "one"))
	must(t, s.CommitCtx(t.Context(), "one", []byte("again"), inAnHour()))
	wantSession(t, s, "one", nil)
	must(t, s.Delete("one"))
	must(t, s.Commit("one", []byte("once more"), inAnHour()))
	wantSession(t, s, "one", nil)
}

func expires(t *testing.T, s SessionStore) {
	must(t, s.CommitCtx(t.Context(), "one", []byte("1"), time.Now().Add(-time.Microsecond)))
	wantSession(t, s, "one", nil)
}

func forgetsExpired(t *testing.T, s SessionStore) {
	soon, later := inAnHour(), inAnHour().Add(time.Hour)
	must(t, s.CommitCtx(t.Context(), "soon", []byte("s"), soon))
	must(t, s.CommitCtx(t.Context(), "later", []byte("l"), later))
	must(t, s.DeleteExpired(t.Context(), time.Now()))
	wantSession(t, s, "soon", []byte("s"))
	must(t, s.DeleteExpired(t.Context(), soon))
	wantSession(t, s, "soon", nil) // though its time has not come by the clock: it is gone
	wantSession(t, s, "later", []byte("l"))
}
