package apikey_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/access/account"
	"freelancer-matching/access/apikey"
	"freelancer-matching/access/audit"
	"freelancer-matching/internal/matching"
	"freelancer-matching/store"
	"freelancer-matching/store/sqlite"
)

// clock is a time that a test moves.
type clock struct{ at time.Time }

func (c *clock) now() time.Time               { return c.at }
func (c *clock) pass(d time.Duration)         { c.at = c.at.Add(d) }
func (c *clock) in(d time.Duration) time.Time { return c.at.Add(d) }

const day = 24 * time.Hour

func operator() audit.By { return audit.By{Actor: audit.CommandLine, Address: "192.0.2.7"} }

type fixture struct {
	*apikey.Service
	db    *store.DB
	clock *clock
}

func newFixture(t *testing.T) fixture {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "service.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	c := &clock{at: time.Date(2031, 5, 17, 9, 30, 0, 123_000_000, time.UTC)}
	return fixture{apikey.NewService(db, c.now), db, c}
}

func (f fixture) create(t *testing.T, r apikey.Request) (string, apikey.Key) {
	t.Helper()
	token, k, err := f.Create(t.Context(), operator(), r)
	if err != nil {
		t.Fatal(err)
	}
	return token, k
}

// stored is a key as the database holds it.
func (f fixture) stored(t *testing.T, id string) apikey.Key {
	t.Helper()
	k, err := f.Find(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// edit changes a key past the rules of the service.
func (f fixture) edit(t *testing.T, id string, change func(*apikey.Key)) {
	t.Helper()
	k := f.stored(t, id)
	change(&k)
	err := f.db.UpdateKeys(t.Context(), k.Account, func([]apikey.Key) (apikey.Changes, error) {
		return apikey.Changes{Keys: []apikey.Key{k}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// actions is what the audit log holds, oldest first.
func (f fixture) actions(t *testing.T) (actions []audit.Action) {
	t.Helper()
	events, err := f.db.Events(t.Context(), audit.Query{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		actions = append([]audit.Action{e.Action}, actions...)
	}
	return actions
}

func fields(err error) (fields []string) {
	if fault, ok := errors.AsType[*matching.Error](err); ok {
		for _, d := range fault.Details {
			fields = append(fields, d.Field)
		}
	}
	return fields
}

func TestCreate_KeepsOnlyTheHash(t *testing.T) {
	f := newFixture(t)
	token, k := f.create(t, apikey.Request{
		Name: "  Søren & Ko ", Plan: "Professional", Operations: []string{"parse", "match", "parse"},
		Networks: []string{"10.1.2.3/8", "::ffff:192.0.2.1", "10.0.0.0/8"}, Expires: f.clock.in(day),
	})
	last4 := token[len(token)-4:]
	if want := "svc_pr_…" + last4; k.Masked() != want || strings.Contains(token, want) {
		t.Errorf("masked as %q, want %q", k.Masked(), want)
	}
	want := apikey.Key{
		ID: k.ID, Name: "Søren & Ko", Plan: "professional", Prefix: "svc_pr_", Last4: last4, Hash: apikey.HashOf(token),
		Counter: k.ID, PlanSince: f.clock.at, Operations: []string{"match", "parse"}, Networks: k.Networks,
		Created: f.clock.at, Expires: f.clock.in(day),
	}
	equal := cmp.Comparer(func(a, b time.Time) bool { return a.Equal(b) })
	prefixes := cmp.Transformer("string", func(k apikey.Key) any {
		n := networkTexts(k)
		k.Networks = nil
		type plain apikey.Key
		return [2]any{plain(k), n}
	})
	for _, got := range []apikey.Key{k, f.stored(t, k.ID)} {
		if diff := cmp.Diff(want, got, prefixes, equal); diff != "" {
			t.Error(diff)
		}
	}
	if diff := cmp.Diff([]string{"10.0.0.0/8", "192.0.2.1/32"}, networkTexts(k)); diff != "" {
		t.Error(diff)
	}
	events, err := f.db.Events(t.Context(), audit.Query{Limit: 10})
	if err != nil || len(events) != 1 {
		t.Fatalf("%d events, %v; want 1", len(events), err)
	}
	e := events[0]
	if e.Action != audit.KeyCreated || e.Subject != k.ID || e.Actor != audit.CommandLine || e.Address != "192.0.2.7" ||
		!e.At.Equal(f.clock.at) || !strings.Contains(e.Detail, "Søren") || strings.Contains(e.Detail, token) {
		t.Errorf("event %+v", e)
	}
}

func networkTexts(k apikey.Key) (texts []string) {
	for _, n := range k.Networks {
		texts = append(texts, n.String())
	}
	return texts
}

func TestCreate_TellsEveryFault(t *testing.T) {
	f := newFixture(t)
	_, _, err := f.Create(t.Context(), operator(), apikey.Request{
		ID: "key_1", Name: " ", Plan: "gold", Expires: f.clock.at, Operations: []string{"match", "pay"}, Networks: []string{"10.0.0.0/40"},
	})
	if matching.CodeOf(err) != matching.CodeInvalid {
		t.Fatalf("got %v", err)
	}
	want := []string{"name", "expires", "operations[1]", "networks[0]", "plan", "id"}
	if diff := cmp.Diff(want, fields(err)); diff != "" {
		t.Error(diff)
	}
	if keys, err := f.List(t.Context()); err != nil || len(keys) != 0 || len(f.actions(t)) != 0 {
		t.Errorf("left behind: %v, %v, %v", keys, err, f.actions(t))
	}
}

func TestCreate_TheSameFormTwiceMakesOneKey(t *testing.T) {
	f := newFixture(t)
	r := apikey.Request{ID: apikey.NewID(), Name: "Acme", Plan: "freelancer"}
	if _, k := f.create(t, r); k.ID != r.ID {
		t.Errorf("id %s, want %s", k.ID, r.ID)
	}
	token, _, err := f.Create(t.Context(), operator(), r)
	if !errors.Is(err, apikey.ErrExists) || token != "" {
		t.Errorf("got %q, %v, want ErrExists", token, err)
	}
	if keys, err := f.List(t.Context()); err != nil || len(keys) != 1 {
		t.Errorf("%d keys, %v", len(keys), err)
	}
}

// Those that belong to nobody are each their own: a dead one's counter is nobody else's.
func TestCreate_KeysOfNoAccountShareNothing(t *testing.T) {
	f := newFixture(t)
	for range 12 {
		_, k := f.create(t, apikey.Request{Name: "Acme", Plan: "freelancer"})
		if k.Counter != k.ID {
			t.Errorf("key %s counts as %s", k.ID, k.Counter)
		}
		if _, err := f.Revoke(t.Context(), operator(), "", k.ID); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAuthenticate_CodeOfEveryState(t *testing.T) {
	f := newFixture(t)
	past, future := f.clock.in(-time.Hour), f.clock.in(time.Hour)
	tests := []struct {
		name   string
		change func(*apikey.Key)
		want   matching.Code
		state  apikey.State
	}{
		{"as made", func(*apikey.Key) {}, "", apikey.Active},
		{"expires later", func(k *apikey.Key) { k.Expires = future }, "", apikey.Active},
		{"expires now", func(k *apikey.Key) { k.Expires = f.clock.at }, apikey.CodeExpired, apikey.Expired},
		{"expired", func(k *apikey.Key) { k.Expires = past }, apikey.CodeExpired, apikey.Expired},
		{"its grace is over", func(k *apikey.Key) { k.GraceEnd = f.clock.at }, apikey.CodeExpired, apikey.Expired},
		{"its grace is over before it expires", func(k *apikey.Key) { k.GraceEnd, k.Expires = past, future }, apikey.CodeExpired, apikey.Expired},
		{"expired in its grace", func(k *apikey.Key) { k.GraceEnd, k.Expires = future, past }, apikey.CodeExpired, apikey.Expired},
		{"disabled", func(k *apikey.Key) { k.Disabled = past }, apikey.CodeDisabled, apikey.Disabled},
		{"revoked", func(k *apikey.Key) { k.Revoked = past }, apikey.CodeRevoked, apikey.Revoked},
		{"all", func(k *apikey.Key) { k.Expires, k.Disabled, k.Revoked = past, past, past }, apikey.CodeRevoked, apikey.Revoked},
		{"disabled and expired", func(k *apikey.Key) { k.Expires, k.Disabled = past, past }, apikey.CodeExpired, apikey.Expired},
		{"replaced, in its grace", func(k *apikey.Key) { k.GraceEnd, k.ReplacedBy = future, "key_2" }, "", apikey.Active},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			token, made := f.create(t, apikey.Request{Name: "Acme", Plan: "enterprise"})
			f.edit(t, made.ID, tt.change)
			k, err := f.Authenticate(t.Context(), token)
			if got := matching.CodeOf(err); got != tt.want {
				t.Errorf("got %q (%v), want %q", got, err, tt.want)
			}
			if k.ID != made.ID || k.State(f.clock.at) != tt.state {
				t.Errorf("got the key %q, %s; want %q, %s", k.ID, k.State(f.clock.at), made.ID, tt.state)
			}
		})
	}
}

// While servers of two versions run side by side, the newer one may have a plan more. Its keys are not unlimited elsewhere.
func TestAuthenticate_UnknownPlan(t *testing.T) {
	f := newFixture(t)
	token, made := f.create(t, apikey.Request{Name: "Acme", Plan: "freelancer"})
	f.edit(t, made.ID, func(k *apikey.Key) { k.Plan = "team" })
	if _, err := f.Authenticate(t.Context(), token); err == nil || !strings.Contains(err.Error(), `"team"`) {
		t.Errorf("got %v", err)
	}
}

// A disabled account disables its keys, from the next request on, and loses none of what they were.
func TestAuthenticate_AccountDisabled(t *testing.T) {
	f := newFixture(t)
	owner := f.account(t, "freelancer")
	token, k := f.issue(t, owner)
	f.disable(t, owner.Account, f.clock.at)
	got, err := f.Authenticate(t.Context(), token)
	if matching.CodeOf(err) != apikey.CodeDisabled || !strings.Contains(err.Error(), "account") || got.ID != k.ID {
		t.Errorf("got %q, %v", got.ID, err)
	}
	// Enabling the key does not help, and the account's being disabled does not stick to it.
	if _, err := f.Enable(t.Context(), operator(), owner.Account, k.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Authenticate(t.Context(), token); matching.CodeOf(err) != apikey.CodeDisabled {
		t.Errorf("got %v", err)
	}
	f.disable(t, owner.Account, time.Time{})
	if _, err := f.Authenticate(t.Context(), token); err != nil {
		t.Error(err)
	}
}

// account makes an account on a plan.
func (f fixture) account(t *testing.T, plan string) apikey.Owner {
	t.Helper()
	a := account.Account{ID: "acc_1", Name: "Acme", Plan: plan, PlanSince: f.clock.at, Created: f.clock.at}
	u := account.User{ID: "usr_1", Account: a.ID, Email: "a@example.com", Role: account.Owner, Created: f.clock.at}
	if err := f.db.Register(t.Context(), account.Registration{Account: &a, User: u}, f.clock.at); err != nil {
		t.Fatal(err)
	}
	return apikey.Owner{Account: a.ID, Plan: plan, PlanSince: a.PlanSince}
}

func (f fixture) disable(t *testing.T, id string, at time.Time) {
	t.Helper()
	err := f.db.UpdateAccount(t.Context(), id, func(a *account.Account, _ []apikey.Key) (apikey.Changes, error) {
		a.Disabled = at
		return apikey.Changes{}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// issue makes a key of an account and stores it.
func (f fixture) issue(t *testing.T, owner apikey.Owner) (token string, k apikey.Key) {
	t.Helper()
	err := f.db.UpdateKeys(t.Context(), owner.Account, func(keys []apikey.Key) (c apikey.Changes, err error) {
		token, k, err = apikey.Issue(f.clock.at, owner, keys, apikey.Request{Name: "Acme"})
		return apikey.Changes{Keys: []apikey.Key{k}}, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return token, k
}

func TestAuthenticate_RefusesWhatIsNoKeyAlike(t *testing.T) {
	f := newFixture(t)
	plan, _ := apikey.PlanNamed("enterprise")
	unknown := apikey.Generate(plan)
	_, wantErr := f.Authenticate(t.Context(), unknown)
	if matching.CodeOf(wantErr) != apikey.CodeInvalid {
		t.Fatalf("unknown key: %v", wantErr)
	}
	for _, token := range []string{"x", unknown[:len(unknown)-1], unknown + "A"} {
		if _, err := f.Authenticate(t.Context(), token); err == nil || err.Error() != wantErr.Error() {
			t.Errorf("%q: %v, want as for an unknown key: %v", token, err, wantErr)
		}
	}
	if _, err := f.Authenticate(t.Context(), ""); matching.CodeOf(err) != apikey.CodeMissing {
		t.Errorf("no key: %v", err)
	}
}

// counting counts what a store is asked, and may answer otherwise than the one behind it.
type counting struct {
	apikey.Store
	asked  int
	answer func(apikey.Key, error) (apikey.Key, error)
}

func (c *counting) KeyByHash(ctx context.Context, h apikey.Hash) (apikey.Key, error) {
	c.asked++
	k, err := c.Store.KeyByHash(ctx, h)
	if c.answer != nil {
		return c.answer(k, err)
	}
	return k, err
}

func TestAuthenticate_AsksTheStoreAlikeForKnownAndUnknown(t *testing.T) {
	f := newFixture(t)
	known, k := f.create(t, apikey.Request{Name: "Acme", Plan: "enterprise"})
	revoked, r := f.create(t, apikey.Request{Name: "Acme", Plan: "enterprise"})
	if _, err := f.Revoke(t.Context(), operator(), "", r.ID); err != nil {
		t.Fatal(err)
	}
	plan, _ := apikey.PlanNamed(k.Plan)
	for name, tt := range map[string]struct {
		token string
		asked int
	}{
		"known": {known, 1}, "revoked": {revoked, 1}, "unknown": {apikey.Generate(plan), 1}, "wrong checksum": {known + "x", 0}, "none": {"", 0},
	} {
		c := &counting{Store: f.db}
		s := apikey.NewService(c, f.clock.now)
		_, _ = s.Authenticate(t.Context(), tt.token)
		if c.asked != tt.asked {
			t.Errorf("%s: asked %d times, want %d", name, c.asked, tt.asked)
		}
	}
}

func TestAuthenticate_DistrustsTheStore(t *testing.T) {
	f := newFixture(t)
	token, _ := f.create(t, apikey.Request{Name: "Acme", Plan: "enterprise"})
	another := &counting{Store: f.db, answer: func(k apikey.Key, err error) (apikey.Key, error) {
		k.Hash[31] ^= 1
		return k, err
	}}
	k, err := apikey.NewService(another, f.clock.now).Authenticate(t.Context(), token)
	if matching.CodeOf(err) != apikey.CodeInvalid || k.ID != "" {
		t.Errorf("a store that answers with another key: %q, %v", k.ID, err)
	}
	gone := &counting{Store: f.db, answer: func(apikey.Key, error) (apikey.Key, error) {
		return apikey.Key{}, errors.New("disk gone")
	}}
	if _, err := apikey.NewService(gone, f.clock.now).Authenticate(t.Context(), token); matching.CodeOf(err) != matching.CodeInternal {
		t.Errorf("failing store: %v", err)
	}
}
