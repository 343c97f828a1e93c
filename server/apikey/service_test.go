package apikey

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/internal/matching"
)

// memory is a Store in memory. It counts its writes, and fails with err where that is set.
type memory struct {
	mu      sync.Mutex
	keys    []Key
	touches int
	err     error
}

func (m *memory) InsertKey(_ context.Context, k Key) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.keys = append(m.keys, k)
	return m.err
}

func (m *memory) find(is func(Key) bool) (*Key, error) {
	if m.err != nil {
		return nil, m.err
	}
	if i := slices.IndexFunc(m.keys, is); i >= 0 {
		return &m.keys[i], nil
	}
	return nil, ErrNotFound
}

func (m *memory) KeyByHash(_ context.Context, h Hash) (Key, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k, err := m.find(func(k Key) bool { return k.Hash == h })
	if err != nil {
		return Key{}, err
	}
	return *k, nil
}

func (m *memory) Keys(context.Context) ([]Key, error) { return m.keys, m.err }

func (m *memory) RevokeKey(_ context.Context, id string, at time.Time) (Key, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k, err := m.find(func(k Key) bool { return k.ID == id })
	if err != nil {
		return Key{}, err
	}
	k.Revoked = at
	return *k, nil
}

func (m *memory) TouchKeys(_ context.Context, used map[string]time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.touches++
	if m.err != nil {
		return m.err
	}
	for i, k := range m.keys {
		if at, ok := used[k.ID]; ok {
			m.keys[i].LastUsed = at
		}
	}
	return nil
}

// written is how often last uses were written, and the last use of the first key.
func (m *memory) written() (int, time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.touches, m.keys[0].LastUsed
}

func (m *memory) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.err = err
}

func newService(t *testing.T, m *memory) *Service {
	t.Helper()
	s := NewService(m, time.Now, slog.New(slog.DiscardHandler))
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func create(t *testing.T, s *Service, r Request) (string, Key) {
	t.Helper()
	token, k, err := s.Create(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return token, k
}

func TestCreate_KeepsOnlyTheHash(t *testing.T) {
	m := &memory{}
	s := newService(t, m)
	token, k := create(t, s, Request{Name: "  Acme ", Plan: "Professional"})
	want := Key{
		ID: k.ID, Name: "Acme", Plan: "professional", Prefix: "svc_pr_", Last4: token[len(token)-4:],
		Hash: HashOf(token), Created: k.Created,
	}
	if diff := cmp.Diff([]Key{want}, m.keys); diff != "" {
		t.Error(diff)
	}
	if got := k.Masked(); got != "svc_pr_…"+token[len(token)-4:] || strings.Contains(token, got) {
		t.Errorf("masked as %q", got)
	}
}

func TestCreate_TellsEveryFault(t *testing.T) {
	s := newService(t, &memory{})
	_, _, err := s.Create(t.Context(), Request{Name: " ", Plan: "gold", Expires: time.Unix(0, 0)})
	fault, ok := errors.AsType[*matching.Error](err)
	if !ok || fault.Code != matching.CodeInvalid {
		t.Fatalf("got %v", err)
	}
	var fields []string
	for _, d := range fault.Details {
		fields = append(fields, d.Field)
	}
	if diff := cmp.Diff([]string{"name", "plan", "expires"}, fields); diff != "" {
		t.Error(diff)
	}
}

func TestAuthenticate_CodeOfEveryState(t *testing.T) {
	past, future := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	tests := []struct {
		name   string
		change func(*Key)
		want   matching.Code
	}{
		{"as made", func(*Key) {}, ""},
		{"expires later", func(k *Key) { k.Expires = future }, ""},
		{"expired", func(k *Key) { k.Expires = past }, CodeExpired},
		{"disabled", func(k *Key) { k.Disabled = past }, CodeDisabled},
		{"revoked", func(k *Key) { k.Revoked = past }, CodeRevoked},
		{"all of these", func(k *Key) { k.Expires, k.Disabled, k.Revoked = past, past, past }, CodeRevoked},
		{"disabled and expired", func(k *Key) { k.Expires, k.Disabled = past, past }, CodeDisabled},
		{"a store that answers with another key", func(k *Key) { k.Hash[31] ^= 1 }, CodeInvalid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := &memory{}
			s := newService(t, m)
			token, _ := create(t, s, Request{Name: "Acme", Plan: "enterprise"})
			tt.change(&m.keys[0])
			k, err := s.Authenticate(t.Context(), token)
			if got := matching.CodeOf(err); got != tt.want {
				t.Errorf("got %q (%v), want %q", got, err, tt.want)
			}
			if (err == nil) != (k.ID != "") {
				t.Errorf("got the key %+v with the error %v", k, err)
			}
		})
	}
}

func TestAuthenticate_RefusesWhatIsNoKeyAlike(t *testing.T) {
	m := &memory{}
	s := newService(t, m)
	plan, _ := PlanNamed("enterprise")
	unknown := Generate(plan)
	_, wantErr := s.Authenticate(t.Context(), unknown)
	if matching.CodeOf(wantErr) != CodeInvalid {
		t.Fatalf("unknown key: %v", wantErr)
	}
	for _, token := range []string{"x", unknown[:len(unknown)-1], unknown + "A"} {
		if _, err := s.Authenticate(t.Context(), token); err.Error() != wantErr.Error() {
			t.Errorf("%q: %v, want as for an unknown key: %v", token, err, wantErr)
		}
	}
	if _, err := s.Authenticate(t.Context(), ""); matching.CodeOf(err) != CodeMissing {
		t.Errorf("no key: %v", err)
	}
	m.err = errors.New("disk gone")
	if _, err := s.Authenticate(t.Context(), unknown); matching.CodeOf(err) != matching.CodeInternal {
		t.Errorf("failing store: %v", err)
	}
}

func TestRevoke_TakesEffectAtOnce(t *testing.T) {
	s := newService(t, &memory{})
	token, k := create(t, s, Request{Name: "Acme", Plan: "freelancer"})
	if _, err := s.Authenticate(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Revoke(t.Context(), k.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Authenticate(t.Context(), token); matching.CodeOf(err) != CodeRevoked {
		t.Errorf("got %v", err)
	}
	if _, err := s.Revoke(t.Context(), "key_none"); !errors.Is(err, ErrNotFound) {
		t.Errorf("unknown key: %v", err)
	}
	keys, err := s.List(t.Context())
	if err != nil || len(keys) != 1 || keys[0].State(time.Now()) != Revoked {
		t.Errorf("listed %+v, %v", keys, err)
	}
}

// In the bubble of synctest time stands still until everyone waits, so minutes pass at once.
func TestLastUse_IsWrittenOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &memory{}
		s := newService(t, m)
		token, k := create(t, s, Request{Name: "Acme", Plan: "freelancer"})
		pass := func(d time.Duration) {
			<-time.After(d)
			synctest.Wait()
		}
		for range 100 {
			if _, err := s.Authenticate(t.Context(), token); err != nil {
				t.Fatal(err)
			}
		}
		if n, _ := m.written(); n != 0 {
			t.Error("a request waited for the write")
		}
		pass(61 * time.Second)
		n, used := m.written()
		if n != 1 || used.IsZero() {
			t.Errorf("after a minute: %d writes, last used %v", n, used)
		}
		pass(10 * time.Minute)
		if n, _ := m.written(); n != 1 {
			t.Errorf("%d writes without a request between", n)
		}

		m.fail(errors.New("disk full"))
		s.usage.touch(k.ID, time.Now())
		pass(time.Minute)
		m.fail(nil)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if _, later := m.written(); !later.After(used) {
			t.Error("a use was lost when its write failed")
		}
		if err := s.Close(); err != nil {
			t.Errorf("closing twice: %v", err)
		}
	})
}

func TestClose_SaysWhatWasNotWritten(t *testing.T) {
	m := &memory{}
	var log bytes.Buffer
	s := NewService(m, time.Now, slog.New(slog.NewTextHandler(&log, nil)))
	token, _ := create(t, s, Request{Name: "Acme", Plan: "freelancer"})
	if _, err := s.Authenticate(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	m.err = errors.New("disk full")
	if err := s.Close(); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("got %v", err)
	}
	if strings.Contains(log.String(), token) {
		t.Error("the log holds a key")
	}
}
