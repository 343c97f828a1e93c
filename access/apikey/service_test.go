package apikey_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/store"
	"github.com/freelancer-matching/service/store/sqlite"
	"github.com/freelancer-matching/service/store/sqlite/sqlitetest"
)

// clock is a time that tests advance.
type clock struct{ at time.Time }

func (c *clock) now() time.Time               { return c.at }
func (c *clock) advance(d time.Duration)      { c.at = c.at.Add(d) }
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
	db, err := sqlite.Open(t.Context(), sqlitetest.NewFile(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	c := &clock{at: time.Date(2031, 5, 17, 9, 30, 0, 123_000_000, time.UTC)}
	return fixture{apikey.NewService(db.Keys, c.now), db, c}
}

func (f fixture) create(t *testing.T, r apikey.Request) (string, apikey.Key) {
	t.Helper()
	token, k, err := f.Create(t.Context(), operator(), r)
	if err != nil {
		t.Fatal(err)
	}
	return token, k
}

// stored returns a key from the database.
func (f fixture) stored(t *testing.T, id string) apikey.Key {
	t.Helper()
	k, err := f.Find(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// edit changes a key in the database, bypassing the rules of the service.
func (f fixture) edit(t *testing.T, id string, change func(*apikey.Key)) {
	t.Helper()
	k := f.stored(t, id)
	change(&k)
	err := f.db.Keys.Update(t.Context(), k.Account, func([]apikey.Key) (apikey.Changes, error) {
		return apikey.Changes{Keys: []apikey.Key{k}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// wantActions checks the audit log, oldest entry first.
func (f fixture) wantActions(t *testing.T, want ...audit.Action) {
	t.Helper()
	events, err := f.db.AuditLog.Events(t.Context(), audit.Query{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	var got []audit.Action
	for _, e := range events {
		got = append([]audit.Action{e.Action}, got...)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("actions in the audit log (-want +got):\n%s", diff)
	}
}

// invalidFields returns the fields that an error names.
func invalidFields(err error) (fields []string) {
	if e, ok := errors.AsType[*matching.Error](err); ok {
		for _, d := range e.Details {
			fields = append(fields, d.Field)
		}
	}
	return fields
}

func TestCreate_StoresOnlyTheHash(t *testing.T) {
	f := newFixture(t)
	token, k := f.create(t, apikey.Request{
		Name: "  Søren & Ko ", Plan: "Professional", Operations: []string{"parse", "match", "parse"},
		Networks: []string{"10.1.2.3/8", "::ffff:192.0.2.1", "10.0.0.0/8"}, Expires: f.clock.in(day),
	})

	last4 := token[len(token)-4:]
	if want := "svc_pr_…" + last4; k.Masked() != want {
		t.Errorf("Masked = %q, want %q", k.Masked(), want)
	}

	want := apikey.Key{
		ID: k.ID, Name: "Søren & Ko", Plan: "professional", Prefix: "svc_pr_", Last4: last4, Hash: apikey.HashOf(token),
		Counter: k.ID, PlanSince: f.clock.at, Operations: []string{"match", "parse"}, Networks: k.Networks,
		Created: f.clock.at, Expires: f.clock.in(day),
	}

	sameTime := cmp.Comparer(func(a, b time.Time) bool { return a.Equal(b) })
	networksAsText := cmp.Transformer("networksAsText", func(k apikey.Key) any {
		networks := networkTexts(k)
		k.Networks = nil
		type keyWithoutMethods apikey.Key
		return [2]any{keyWithoutMethods(k), networks}
	})
	for _, got := range []apikey.Key{k, f.stored(t, k.ID)} {
		if diff := cmp.Diff(want, got, networksAsText, sameTime); diff != "" {
			t.Errorf("key (-want +got):\n%s", diff)
		}
	}

	if diff := cmp.Diff([]string{"10.0.0.0/8", "192.0.2.1/32"}, networkTexts(k)); diff != "" {
		t.Errorf("networks (-want +got):\n%s", diff)
	}

	events, err := f.db.AuditLog.Events(t.Context(), audit.Query{Limit: 10})
	if err != nil || len(events) != 1 {
		t.Fatalf("%d events (%v), want 1", len(events), err)
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

func TestCreate_InvalidForm(t *testing.T) {
	f := newFixture(t)
	_, _, err := f.Create(t.Context(), operator(), apikey.Request{
		ID: "key_1", Name: " ", Plan: "gold", Expires: f.clock.at,
		Operations: []string{"match", "pay"}, Networks: []string{"10.0.0.0/40"},
	})
	if matching.CodeOf(err) != matching.CodeInvalid {
		t.Fatalf("%v, want %s", err, matching.CodeInvalid)
	}
	want := []string{"name", "expires", "operations[1]", "networks[0]", "plan", "id"}
	if diff := cmp.Diff(want, invalidFields(err)); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	if keys, err := f.List(t.Context()); err != nil || len(keys) != 0 {
		t.Errorf("List = %v, %v; want no keys", keys, err)
	}
	f.wantActions(t)
}

func TestCreate_SendingAFormTwiceCreatesOneKey(t *testing.T) {
	f := newFixture(t)
	r := apikey.Request{ID: apikey.NewID(), Name: "Acme", Plan: "freelancer"}
	if _, k := f.create(t, r); k.ID != r.ID {
		t.Errorf("the key has the id %s, want %s", k.ID, r.ID)
	}
	token, _, err := f.Create(t.Context(), operator(), r)
	if !errors.Is(err, apikey.ErrExists) || token != "" {
		t.Errorf("Create = %q, %v; want ErrExists", token, err)
	}
	if keys, err := f.List(t.Context()); err != nil || len(keys) != 1 {
		t.Errorf("%d keys (%v), want 1", len(keys), err)
	}
}

// Keys without an account belong to different people, so none takes over the counter of another.
func TestCreate_KeysWithoutAccountShareNoCounter(t *testing.T) {
	f := newFixture(t)
	for range 12 {
		_, k := f.create(t, apikey.Request{Name: "Acme", Plan: "freelancer"})
		if k.Counter != k.ID {
			t.Errorf("key %s has the counter %s", k.ID, k.Counter)
		}
		if _, err := f.Revoke(t.Context(), operator(), "", k.ID); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAuthenticate_States(t *testing.T) {
	f := newFixture(t)
	past := f.clock.in(-time.Hour)
	now := f.clock.at
	future := f.clock.in(time.Hour)
	tests := []struct {
		name   string
		change func(*apikey.Key)
		code   matching.Code
		state  apikey.State
	}{
		{"new", func(*apikey.Key) {}, "", apikey.Active},
		{"expires later", func(k *apikey.Key) { k.Expires = future }, "", apikey.Active},
		{"expires now", func(k *apikey.Key) { k.Expires = now }, apikey.CodeExpired, apikey.Expired},
		{"expired", func(k *apikey.Key) { k.Expires = past }, apikey.CodeExpired, apikey.Expired},
		{"grace period ends now", func(k *apikey.Key) { k.GraceEnd = now }, apikey.CodeExpired, apikey.Expired},
		{
			"grace period ended before the expiry", func(k *apikey.Key) { k.GraceEnd, k.Expires = past, future },
			apikey.CodeExpired, apikey.Expired,
		},
		{
			"expired in the grace period", func(k *apikey.Key) { k.GraceEnd, k.Expires = future, past },
			apikey.CodeExpired, apikey.Expired,
		},
		{"disabled", func(k *apikey.Key) { k.Disabled = past }, apikey.CodeDisabled, apikey.Disabled},
		{"revoked", func(k *apikey.Key) { k.Revoked = past }, apikey.CodeRevoked, apikey.Revoked},
		{
			"disabled, expired and revoked", func(k *apikey.Key) { k.Expires, k.Disabled, k.Revoked = past, past, past },
			apikey.CodeRevoked, apikey.Revoked,
		},
		{
			"disabled and expired", func(k *apikey.Key) { k.Expires, k.Disabled = past, past },
			apikey.CodeExpired, apikey.Expired,
		},
		{
			"replaced, in its grace period", func(k *apikey.Key) { k.GraceEnd, k.ReplacedBy = future, "key_2" },
			"", apikey.Active,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			token, created := f.create(t, apikey.Request{Name: "Acme", Plan: "enterprise"})
			f.edit(t, created.ID, tt.change)
			k, err := f.Authenticate(t.Context(), token)
			if got := matching.CodeOf(err); got != tt.code {
				t.Errorf("code %q (%v), want %q", got, err, tt.code)
			}

			if k.ID != created.ID || k.State(now) != tt.state {
				t.Errorf("key %q is %s, want %q to be %s", k.ID, k.State(now), created.ID, tt.state)
			}
		})
	}
}

// While servers of two versions run side by side, the newer one may know another plan. Older ones must not treat its
// keys as unlimited.
func TestAuthenticate_UnknownPlan(t *testing.T) {
	f := newFixture(t)
	token, k := f.create(t, apikey.Request{Name: "Acme", Plan: "freelancer"})
	f.edit(t, k.ID, func(k *apikey.Key) { k.Plan = "team" })
	if _, err := f.Authenticate(t.Context(), token); err == nil || !strings.Contains(err.Error(), `"team"`) {
		t.Errorf("%v, want an error that names the plan", err)
	}
}

// Disabling an account disables its keys from the next request on, and changes nothing about them.
func TestAuthenticate_DisabledAccount(t *testing.T) {
	f := newFixture(t)
	owner := f.account(t, "freelancer")
	token, k := f.issue(t, owner)
	f.setDisabled(t, owner.Account, f.clock.at)
	got, err := f.Authenticate(t.Context(), token)
	if matching.CodeOf(err) != apikey.CodeDisabled || !strings.Contains(err.Error(), "account") || got.ID != k.ID {
		t.Errorf("Authenticate = %q, %v; want that the account is disabled", got.ID, err)
	}
	if _, err := f.Enable(t.Context(), operator(), owner.Account, k.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Authenticate(t.Context(), token); matching.CodeOf(err) != apikey.CodeDisabled {
		t.Errorf("%v, want that enabling the key has no effect", err)
	}
	f.setDisabled(t, owner.Account, time.Time{})
	if _, err := f.Authenticate(t.Context(), token); err != nil {
		t.Error(err)
	}
}

// account creates an account on a plan.
func (f fixture) account(t *testing.T, plan string) apikey.Owner {
	t.Helper()
	a := account.Account{ID: "acc_1", Name: "Acme", Plan: plan, PlanSince: f.clock.at, Created: f.clock.at}
	u := account.User{ID: "usr_1", Account: a.ID, Email: "a@example.com", Role: account.Owner, Created: f.clock.at}
	if err := f.db.Users.Register(t.Context(), account.Registration{Account: &a, User: u}, f.clock.at); err != nil {
		t.Fatal(err)
	}
	return apikey.Owner{Account: a.ID, Plan: plan, PlanSince: a.PlanSince}
}

func (f fixture) setDisabled(t *testing.T, id string, at time.Time) {
	t.Helper()
	err := f.db.Accounts.Update(t.Context(), id, func(a *account.Account, _ []apikey.Key) (apikey.Changes, error) {
		a.Disabled = at
		return apikey.Changes{}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// issue creates and stores a key of an account.
func (f fixture) issue(t *testing.T, owner apikey.Owner) (token string, k apikey.Key) {
	t.Helper()
	err := f.db.Keys.Update(t.Context(), owner.Account, func(keys []apikey.Key) (c apikey.Changes, err error) {
		token, k, err = apikey.Issue(f.clock.at, owner, keys, apikey.Request{Name: "Acme"})
		return apikey.Changes{Keys: []apikey.Key{k}}, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return token, k
}

func TestAuthenticate_SameErrorForMalformedAndUnknownTokens(t *testing.T) {
	f := newFixture(t)
	plan, _ := apikey.PlanNamed("enterprise")
	unknown := apikey.Generate(plan)
	_, want := f.Authenticate(t.Context(), unknown)
	if matching.CodeOf(want) != apikey.CodeInvalid {
		t.Fatalf("unknown token: %v, want %s", want, apikey.CodeInvalid)
	}
	for _, token := range []string{"x", unknown[:len(unknown)-1], unknown + "A"} {
		if _, err := f.Authenticate(t.Context(), token); err == nil || err.Error() != want.Error() {
			t.Errorf("%q: %v, want %v", token, err, want)
		}
	}
	if _, err := f.Authenticate(t.Context(), ""); matching.CodeOf(err) != apikey.CodeMissing {
		t.Errorf("no token: %v, want %s", err, apikey.CodeMissing)
	}
}

// hookedStore counts lookups and can replace their results.
type hookedStore struct {
	apikey.Store
	lookups int
	replace func(apikey.Key, error) (apikey.Key, error)
}

func (s *hookedStore) FindByHash(ctx context.Context, h apikey.Hash) (apikey.Key, error) {
	s.lookups++
	k, err := s.Store.FindByHash(ctx, h)
	if s.replace != nil {
		return s.replace(k, err)
	}
	return k, err
}

func TestAuthenticate_SameLookupsForKnownAndUnknownTokens(t *testing.T) {
	f := newFixture(t)
	known, k := f.create(t, apikey.Request{Name: "Acme", Plan: "enterprise"})
	revoked, r := f.create(t, apikey.Request{Name: "Acme", Plan: "enterprise"})
	if _, err := f.Revoke(t.Context(), operator(), "", r.ID); err != nil {
		t.Fatal(err)
	}

	plan, _ := apikey.PlanNamed(k.Plan)
	for _, tt := range []struct {
		name, token string
		lookups     int
	}{
		{"known", known, 1},
		{"revoked", revoked, 1},
		{"unknown", apikey.Generate(plan), 1},
		{"wrong checksum", known + "x", 0},
		{"empty", "", 0},
	} {
		s := &hookedStore{Store: f.db.Keys}
		_, _ = apikey.NewService(s, f.clock.now).Authenticate(t.Context(), tt.token)
		if s.lookups != tt.lookups {
			t.Errorf("%s: %d lookups, want %d", tt.name, s.lookups, tt.lookups)
		}
	}
}

func TestAuthenticate_ChecksWhatTheStoreReturns(t *testing.T) {
	f := newFixture(t)
	token, _ := f.create(t, apikey.Request{Name: "Acme", Plan: "enterprise"})
	wrongKey := &hookedStore{Store: f.db.Keys, replace: func(k apikey.Key, err error) (apikey.Key, error) {
		k.Hash[31] ^= 1
		return k, err
	}}
	k, err := apikey.NewService(wrongKey, f.clock.now).Authenticate(t.Context(), token)
	if matching.CodeOf(err) != apikey.CodeInvalid || k.ID != "" {
		t.Errorf("a store that returns another key: %q, %v; want %s", k.ID, err, apikey.CodeInvalid)
	}
	failing := &hookedStore{Store: f.db.Keys, replace: func(apikey.Key, error) (apikey.Key, error) {
		return apikey.Key{}, errors.New("disk failure")
	}}
	_, err = apikey.NewService(failing, f.clock.now).Authenticate(t.Context(), token)
	if matching.CodeOf(err) != matching.CodeInternal {
		t.Errorf("a store that fails: %v, want %s", err, matching.CodeInternal)
	}
}
