package apikey_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/internal/matching"
	"freelancer-matching/internal/store"
	"freelancer-matching/internal/store/sqlite"
	"freelancer-matching/server/account"
	"freelancer-matching/server/apikey"
	"freelancer-matching/server/audit"
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
		{"disabled", func(k *apikey.Key) { k.Disabled = past }, apikey.CodeDisabled, apikey.Disabled},
		{"revoked", func(k *apikey.Key) { k.Revoked = past }, apikey.CodeRevoked, apikey.Revoked},
		{"all", func(k *apikey.Key) { k.Expires, k.Disabled, k.Revoked = past, past, past }, apikey.CodeRevoked, apikey.Revoked},
		{"disabled and expired", func(k *apikey.Key) { k.Expires, k.Disabled = past, past }, apikey.CodeDisabled, apikey.Disabled},
		{"replaced, in its grace", func(k *apikey.Key) { k.Expires, k.ReplacedBy = future, "key_2" }, "", apikey.Active},
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

func TestRevoke_TakesEffectAtOnceAndForGood(t *testing.T) {
	f := newFixture(t)
	token, k := f.create(t, apikey.Request{Name: "Acme", Plan: "freelancer"})
	if _, err := f.Authenticate(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	revoked, err := f.Revoke(t.Context(), operator(), "", k.ID)
	if err != nil || revoked.State(f.clock.at) != apikey.Revoked {
		t.Fatalf("%v, %v", revoked, err)
	}
	if _, err := f.Authenticate(t.Context(), token); matching.CodeOf(err) != apikey.CodeRevoked {
		t.Errorf("got %v", err)
	}
	f.clock.pass(time.Hour)
	again, err := f.Revoke(t.Context(), operator(), "", k.ID)
	if err != nil || !again.Revoked.Equal(revoked.Revoked) {
		t.Errorf("revoked at %v, then %v, %v", revoked.Revoked, again.Revoked, err)
	}
	if diff := cmp.Diff([]audit.Action{audit.KeyCreated, audit.KeyRevoked}, f.actions(t)); diff != "" {
		t.Error(diff)
	}
}

func TestDisable_CanBeUndone(t *testing.T) {
	f := newFixture(t)
	token, k := f.create(t, apikey.Request{Name: "Acme", Plan: "freelancer"})
	for range 2 { // twice is fine, and told once
		if _, err := f.Disable(t.Context(), operator(), "", k.ID); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.Authenticate(t.Context(), token); matching.CodeOf(err) != apikey.CodeDisabled {
		t.Errorf("got %v", err)
	}
	for range 2 {
		if _, err := f.Enable(t.Context(), operator(), "", k.ID); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.Authenticate(t.Context(), token); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]audit.Action{audit.KeyCreated, audit.KeyDisabled, audit.KeyEnabled}, f.actions(t)); diff != "" {
		t.Error(diff)
	}
}

func TestChange_SaysWhatChanged(t *testing.T) {
	f := newFixture(t)
	_, k := f.create(t, apikey.Request{Name: "Acme", Plan: "freelancer"})
	change := func(s apikey.Settings) apikey.Key {
		t.Helper()
		got, err := f.Change(t.Context(), operator(), "", k.ID, s)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	change(apikey.Settings{Name: "Acme"}) // nothing
	change(apikey.Settings{Name: "Acme Ltd"})
	change(apikey.Settings{Name: "Acme Ltd", Operations: []string{"match"}, Networks: []string{"10.0.0.1"}, Expires: f.clock.in(day)})
	got := change(apikey.Settings{Name: "Acme", Operations: []string{"match"}, Expires: f.clock.in(day)})
	if got.Name != "Acme" || got.Networks != nil || len(got.Operations) != 1 || !got.Expires.Equal(f.clock.in(day)) {
		t.Errorf("got %+v", got)
	}
	want := []audit.Action{audit.KeyCreated, audit.KeyRenamed, audit.KeyChanged, audit.KeyRenamed, audit.KeyChanged}
	if diff := cmp.Diff(want, f.actions(t)); diff != "" {
		t.Error(diff)
	}
	_, err := f.Change(t.Context(), operator(), "", k.ID, apikey.Settings{Operations: []string{"x"}, Expires: f.clock.in(-day)})
	if diff := cmp.Diff([]string{"name", "expires", "operations[0]"}, fields(err)); diff != "" {
		t.Error(diff)
	}
}

func TestRotate_GoesOn(t *testing.T) {
	for _, tt := range []struct {
		name          string
		expires       time.Duration // 0: never
		grace, oldEnd time.Duration
	}{
		{"at once", 0, 0, 0},
		{"an hour", 0, time.Hour, time.Hour},
		{"a day", 30 * day, day, day},
		{"never past its own end", 2 * day, 7 * day, 2 * day},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t)
			r := apikey.Request{Name: "Acme", Plan: "professional", Operations: []string{"match"}, Networks: []string{"10.0.0.0/8"}}
			if tt.expires != 0 {
				r.Expires = f.clock.in(tt.expires)
			}
			oldToken, made := f.create(t, r)
			f.clock.pass(time.Minute)
			end := f.clock.in(tt.oldEnd)
			if tt.oldEnd == tt.expires && tt.expires != 0 {
				end = made.Expires
			}
			token, k, err := f.Rotate(t.Context(), operator(), "", made.ID, tt.grace)
			if err != nil {
				t.Fatal(err)
			}
			if old := f.stored(t, made.ID); old.ReplacedBy != k.ID || !old.Expires.Equal(end) || old.Current(f.clock.at) {
				t.Errorf("the old key is %+v, want replaced by %s, to end at %v", old, k.ID, end)
			}
			if k.Counter != made.Counter || !k.PlanSince.Equal(made.PlanSince) || k.Name != made.Name || k.Plan != made.Plan ||
				!k.Expires.Equal(made.Expires) || k.ReplacedBy != "" || !k.Created.Equal(f.clock.at) || k.ID == made.ID {
				t.Errorf("rotated to %+v\nfrom %+v", k, made)
			}
			if diff := cmp.Diff(networkTexts(made), networkTexts(k)); diff != "" || len(k.Operations) != 1 {
				t.Errorf("%v %s", k.Operations, diff)
			}
			if _, err := f.Authenticate(t.Context(), token); err != nil {
				t.Error(err)
			}
			_, err = f.Authenticate(t.Context(), oldToken)
			if alive := f.clock.at.Before(end); (err == nil) != alive {
				t.Errorf("the old key before %v: %v", end, err)
			}
			f.clock.at = end
			if _, err := f.Authenticate(t.Context(), oldToken); matching.CodeOf(err) != apikey.CodeExpired {
				t.Errorf("the old key at its end: %v", err)
			}
		})
	}
}

func TestRotate_KeepsADisabledKeyDisabled(t *testing.T) {
	f := newFixture(t)
	_, k := f.create(t, apikey.Request{Name: "Acme", Plan: "professional"})
	if _, err := f.Disable(t.Context(), operator(), "", k.ID); err != nil {
		t.Fatal(err)
	}
	token, _, err := f.Rotate(t.Context(), operator(), "", k.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Authenticate(t.Context(), token); matching.CodeOf(err) != apikey.CodeDisabled {
		t.Errorf("got %v", err)
	}
}

// What a key that has ended, or was replaced, can still be.
func TestChanges_RefuseWhatHasEnded(t *testing.T) {
	f := newFixture(t)
	past := f.clock.in(-time.Hour)
	states := map[string]func(*apikey.Key){
		"revoked":  func(k *apikey.Key) { k.Revoked = past },
		"expired":  func(k *apikey.Key) { k.Expires = past },
		"replaced": func(k *apikey.Key) { k.ReplacedBy, k.Expires = "key_2", f.clock.in(day) },
		"unknown":  func(k *apikey.Key) {},
	}
	changes := map[string]func(ctx context.Context, id string) error{
		"change": func(ctx context.Context, id string) error {
			_, err := f.Change(ctx, operator(), "", id, apikey.Settings{Name: "Another"})
			return err
		},
		"rotate": func(ctx context.Context, id string) error {
			token, _, err := f.Rotate(ctx, operator(), "", id, day)
			if (token == "") != (err != nil) {
				t.Errorf("token %q with error %v", token, err)
			}
			return err
		},
		"disable": func(ctx context.Context, id string) error {
			_, err := f.Disable(ctx, operator(), "", id)
			return err
		},
		"enable": func(ctx context.Context, id string) error {
			_, err := f.Enable(ctx, operator(), "", id)
			return err
		},
		"revoke": func(ctx context.Context, id string) error {
			_, err := f.Revoke(ctx, operator(), "", id)
			return err
		},
	}
	allowed := map[string]bool{"replaced disable": true, "replaced enable": true, "replaced revoke": true, "expired revoke": true, "revoked revoke": true}
	for state, set := range states {
		for name, change := range changes {
			t.Run(state+" "+name, func(t *testing.T) {
				_, k := f.create(t, apikey.Request{Name: "Acme", Plan: "freelancer"})
				f.edit(t, k.ID, set)
				id, want := k.ID, apikey.CodeEnded
				if state == "unknown" {
					id, want = "key_none", matching.CodeNotFound
				}
				before := f.stored(t, k.ID)
				err := change(t.Context(), id)
				if allowed[state+" "+name] {
					if err != nil {
						t.Error(err)
					}
					return
				}
				if matching.CodeOf(err) != want || errors.Is(err, apikey.ErrNotFound) != (state == "unknown") {
					t.Errorf("got %v, want %s", err, want)
				}
				if after := f.stored(t, k.ID); !after.Expires.Equal(before.Expires) || after.Name != before.Name || after.ReplacedBy != before.ReplacedBy {
					t.Errorf("changed from %+v to %+v", before, after)
				}
			})
		}
	}
}

func TestRotate_WantsAKnownGrace(t *testing.T) {
	f := newFixture(t)
	_, k := f.create(t, apikey.Request{Name: "Acme", Plan: "freelancer"})
	for _, grace := range []time.Duration{-time.Hour, time.Second, 365 * day} {
		if _, _, err := f.Rotate(t.Context(), operator(), "", k.ID, grace); fields(err) == nil {
			t.Errorf("%s: %v", grace, err)
		}
	}
}

// A key of one account is out of reach from another one, for reading and for every change.
func TestKeys_AreOfOneAccount(t *testing.T) {
	f := newFixture(t)
	owner := f.account(t, "professional")
	_, k := f.issue(t, owner)
	_, own := f.create(t, apikey.Request{Name: "Mine", Plan: "freelancer"})
	if got, err := f.Get(t.Context(), owner.Account, k.ID); err != nil || got.ID != k.ID {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := f.Get(t.Context(), "acc_2", k.ID); !errors.Is(err, apikey.ErrNotFound) {
		t.Errorf("read from another account: %v", err)
	}
	if _, err := f.Revoke(t.Context(), operator(), "", k.ID); !errors.Is(err, apikey.ErrNotFound) {
		t.Errorf("revoked from outside: %v", err)
	}
	if _, err := f.Revoke(t.Context(), operator(), owner.Account, own.ID); !errors.Is(err, apikey.ErrNotFound) {
		t.Errorf("revoked from another account: %v", err)
	}
	for account, want := range map[string]string{owner.Account: k.ID, "": own.ID} {
		keys, err := f.ListOf(t.Context(), account)
		if err != nil || len(keys) != 1 || keys[0].ID != want {
			t.Errorf("keys of %q: %v, %v", account, keys, err)
		}
	}
}

// Of many rotations of one key at once one succeeds: the key is looked at inside the transaction.
func TestRotate_OnceOnly(t *testing.T) {
	f := newFixture(t)
	_, k := f.create(t, apikey.Request{Name: "Acme", Plan: "freelancer"})
	var group sync.WaitGroup
	codes := make(chan matching.Code, 10)
	for range 10 {
		group.Go(func() {
			_, _, err := f.Rotate(t.Context(), operator(), "", k.ID, day)
			codes <- matching.CodeOf(err)
		})
	}
	group.Wait()
	close(codes)
	got := map[matching.Code]int{}
	for c := range codes {
		got[c]++
	}
	if diff := cmp.Diff(map[matching.Code]int{"": 1, apikey.CodeEnded: 9}, got); diff != "" {
		t.Error(diff)
	}
}
