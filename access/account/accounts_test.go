package account_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/matching"
)

func TestDisableAccount(t *testing.T) {
	f := newFixture(t)
	admin := f.setUp(t)
	_, err := f.Accounts.Disable(t.Context(), by(admin), admin.Account)
	wantCode(t, err, account.CodeOwnAccount)
	first := must(f.Accounts.Disable(t.Context(), operator(), admin.Account))
	f.clock.advance(time.Hour)
	second := must(f.Accounts.Disable(t.Context(), operator(), admin.Account))
	if first.Disabled.IsZero() || !second.Disabled.Equal(first.Disabled) {
		t.Errorf("disabled at %v, then at %v; want the same time", first.Disabled, second.Disabled)
	}

	_, _, err = f.Accounts.CreateKey(t.Context(), by(admin), admin.Account, apikey.Request{Name: "A"})
	wantCode(t, err, account.CodeAccountDisabled)
	must(f.Accounts.Enable(t.Context(), operator(), admin.Account))
	_, err = f.Accounts.Enable(t.Context(), operator(), "acc_none")
	wantCode(t, err, matching.CodeNotFound)
	events := f.events(t)
	if events[0].Action != audit.AccountEnabled || events[1].Action != audit.AccountDisabled ||
		events[2].Action == audit.AccountDisabled {
		t.Errorf("events %+v, want one for each change", events[:3])
	}
}

func TestAccounts_SearchesNamesAndAddresses(t *testing.T) {
	f := newFixture(t)
	f.setUp(t)
	f.signUp(t, "someone@example.com")
	for part, want := range map[string]int{"": 2, "OPERATORS": 1, "someone@": 1, "nothing": 0, "%": 0} {
		if got := must(f.Accounts.List(t.Context(), part, 10)); len(got) != want {
			t.Errorf("Accounts(%q) returns %d accounts, want %d", part, len(got), want)
		}
	}
}

func TestCreateKey(t *testing.T) {
	f := newFixture(t)
	f.setUp(t)
	u := f.signUp(t, "a@example.com")
	r := apikey.Request{ID: apikey.NewID(), Name: "<b>first</b>", Plan: "enterprise", Operations: []string{"match"}}
	token, k := f.createKey(t, u, r)
	if k.Plan != "freelancer" || k.Account != u.Account || !strings.HasPrefix(token, "svc_fr_") {
		t.Fatalf("key %+v, want one on the plan of the account", k)
	}

	if got, err := f.keys.Authenticate(t.Context(), token); err != nil || got.ID != k.ID {
		t.Errorf("Authenticate = %+v, %v; want %s", got, err, k.ID)
	}

	_, _, err := f.Accounts.CreateKey(t.Context(), by(u), u.Account, r)
	if !errors.Is(err, apikey.ErrExists) {
		t.Errorf("the same form: %v, want ErrExists", err)
	}

	for _, tt := range []struct {
		account string
		r       apikey.Request
		want    matching.Code
	}{
		{u.Account, apikey.Request{Name: "second"}, apikey.CodeTooMany},
		{u.Account, apikey.Request{}, matching.CodeInvalid},
		{"acc_none", apikey.Request{Name: "A"}, matching.CodeNotFound},
	} {
		_, _, err = f.Accounts.CreateKey(t.Context(), by(u), tt.account, tt.r)
		wantCode(t, err, tt.want)
	}

	must(f.keys.Revoke(t.Context(), by(u), u.Account, k.ID))
	if _, next := f.createKey(t, u, apikey.Request{Name: "second"}); next.Counter != k.Counter {
		t.Errorf("key %+v, want the counter of the revoked key %s", next, k.Counter)
	}

	f.wantNotLogged(t, token)
}

func TestCreateKey_ConcurrentCallsRespectTheKeyLimit(t *testing.T) {
	f := newFixture(t)
	f.setUp(t)
	u := f.signUp(t, "a@example.com")
	must(f.Accounts.ChangePlan(t.Context(), operator(), u.Account, "professional", 0))
	got := codes(20, func(i int) error {
		_, _, err := f.Accounts.CreateKey(t.Context(), by(u), u.Account, apikey.Request{Name: fmt.Sprint("key ", i)})
		return err
	})
	if diff := cmp.Diff(map[matching.Code]int{"": 3, apikey.CodeTooMany: 17}, got); diff != "" {
		t.Errorf("codes (-want +got):\n%s", diff)
	}
	if keys := must(f.keys.ListOf(t.Context(), u.Account)); len(keys) != 3 {
		t.Errorf("%d keys, want 3", len(keys))
	}
}

func TestChangePlan(t *testing.T) {
	f := newFixture(t)
	f.setUp(t)
	u := f.signUp(t, "a@example.com")
	token, k := f.createKey(t, u, apikey.Request{Name: "first"})
	f.clock.advance(day)

	for _, tt := range []struct {
		plan  string
		grace time.Duration
	}{{"gold", day}, {"professional", time.Minute}} {
		_, err := f.Accounts.ChangePlan(t.Context(), operator(), u.Account, tt.plan, tt.grace)
		wantCode(t, err, matching.CodeInvalid)
	}

	changed := f.clock.now()
	a := must(f.Accounts.ChangePlan(t.Context(), operator(), u.Account, "Professional", day))
	if a.Plan != "professional" || !a.PlanSince.Equal(changed) {
		t.Errorf("account %+v, want the plan professional since %v", a, changed)
	}

	// The key is on the new plan at once, although its prefix names the old one.
	got := must(f.keys.Authenticate(t.Context(), token))
	if got.Plan != "professional" || !got.PlanSince.Equal(changed) || got.Counter != k.Counter ||
		!got.Expires.IsZero() || !got.End().Equal(changed.Add(day)) {
		t.Errorf("key %+v, want the new plan, the same counter, and its end in a day", got)
	}

	if e := f.events(t)[0]; e.Action != audit.KeyChanged || e.Subject != k.ID || e.Account != u.Account {
		t.Errorf("event %+v", e)
	}

	before := len(f.events(t))
	f.clock.advance(time.Hour)
	a = must(f.Accounts.ChangePlan(t.Context(), operator(), u.Account, "professional", 0))
	if !a.PlanSince.Equal(changed) || len(f.events(t)) != before {
		t.Error("a change to the same plan restarted it")
	}

	newToken, next, err := f.keys.Rotate(t.Context(), by(u), u.Account, k.ID, 0)
	if err != nil || next.Prefix != "svc_pr_" || next.Plan != "professional" || !next.Expires.IsZero() ||
		next.Counter != k.Counter {
		t.Errorf("Rotate = %+v, %v; want a key with the prefix of the new plan", next, err)
	}

	// A smaller plan applies at once, but keeps the excess keys.
	for range 2 {
		f.createKey(t, u, apikey.Request{Name: "another"})
	}

	must(f.Accounts.ChangePlan(t.Context(), operator(), u.Account, "freelancer", 7*day))

	if got, err := f.keys.Authenticate(t.Context(), newToken); err != nil || got.Plan != "freelancer" {
		t.Errorf("Authenticate = %+v, %v; want the smaller plan", got, err)
	}

	_, _, err = f.Accounts.CreateKey(t.Context(), by(u), u.Account, apikey.Request{Name: "one too many"})
	wantCode(t, err, apikey.CodeTooMany)
	must(f.Accounts.ChangePlan(t.Context(), operator(), u.Account, "enterprise", 0))
	_, err = f.keys.Authenticate(t.Context(), newToken)
	wantCode(t, err, apikey.CodeExpired)
}

// A key that is rotated in the grace period of a change of plan keeps the expiry its owner chose.
func TestChangePlan_KeepsTheExpiry(t *testing.T) {
	for name, lifetime := range map[string]time.Duration{
		"before the grace period ends": time.Hour, "after the grace period ends": 30 * day,
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.setUp(t)
			u := f.signUp(t, "a@example.com")
			expires := f.clock.now().Add(lifetime)
			_, k := f.createKey(t, u, apikey.Request{Name: "first", Expires: expires})
			must(f.Accounts.ChangePlan(t.Context(), operator(), u.Account, "professional", day))
			must(f.Accounts.ChangePlan(t.Context(), operator(), u.Account, "enterprise", 7*day))
			end := f.clock.now().Add(min(day, lifetime))
			if e := f.events(t)[0]; !strings.Contains(e.Detail, "ends "+end.Format(time.RFC3339)) {
				t.Errorf("event %+v, want the end %v", e, end)
			}

			_, next, err := f.keys.Rotate(t.Context(), by(u), u.Account, k.ID, 7*day)
			if err != nil || !next.Expires.Equal(expires) || !next.End().Equal(expires) {
				t.Errorf("Rotate = %+v, %v; want a key that expires at %v", next, err, expires)
			}

			old := must(f.keys.Get(t.Context(), u.Account, k.ID))
			if !old.End().Equal(end) || !old.Expires.Equal(expires) {
				t.Errorf("the old key ends at %v and expires at %v, want %v and %v", old.End(), old.Expires, end, expires)
			}
		})
	}
}

// Whatever owners do with their keys, an account never has more current keys than its plan permits, each current key
// has its own counter, and all keys ever created share no more counters than the plan permits keys. So no sequence of
// changes grants more than the plan's allowance.
func TestKeys_NeverGrantAFreshAllowance(t *testing.T) {
	for _, plan := range apikey.Plans() {
		t.Run(plan.Name, func(t *testing.T) {
			f := newFixture(t)
			f.setUp(t)
			u := f.signUp(t, "a@example.com")
			must(f.Accounts.ChangePlan(t.Context(), operator(), u.Account, plan.Name, 0))
			random := rand.New(rand.NewPCG(6, uint64(plan.MaxKeys)))
			for step := range 250 {
				action := f.randomAction(t, random, u)
				counters := map[string]bool{}
				currentCounters := map[string]bool{}
				current := 0
				for _, k := range must(f.keys.ListOf(t.Context(), u.Account)) {
					counters[k.Counter] = true
					if k.Current(f.clock.now()) {
						current++
						currentCounters[k.Counter] = true
					}
				}

				if current > plan.MaxKeys || len(currentCounters) != current || len(counters) > plan.MaxKeys {
					t.Fatalf("after step %d, %s: %d current keys with %d counters, %d counters of all keys; the plan permits %d",
						step, action, current, len(currentCounters), len(counters), plan.MaxKeys)
				}
			}
		})
	}
}

// randomAction does something an owner can do, or advances the clock. The action may be refused.
func (f *fixture) randomAction(t *testing.T, random *rand.Rand, u account.User) (action string) {
	t.Helper()
	ctx := t.Context()
	owner := by(u)
	id := ""
	if keys := must(f.keys.ListOf(ctx, u.Account)); len(keys) > 0 {
		id = keys[len(keys)-1-random.IntN(min(len(keys), 12))].ID
	}

	grace := apikey.Graces()[random.IntN(len(apikey.Graces()))]
	var expires time.Time
	if random.IntN(2) == 0 {
		expires = f.clock.now().Add(time.Duration(1+random.IntN(72)) * time.Hour)
	}

	var err error
	switch random.IntN(8) {
	case 0, 1, 2:
		action = "create"
		_, _, err = f.Accounts.CreateKey(ctx, owner, u.Account, apikey.Request{Name: "key", Expires: expires})
	case 3:
		action = "rotate"
		_, _, err = f.keys.Rotate(ctx, owner, u.Account, id, grace)
	case 4:
		action = "revoke"
		_, err = f.keys.Revoke(ctx, owner, u.Account, id)
	case 5:
		action = "disable"
		if _, err = f.keys.Disable(ctx, owner, u.Account, id); err == nil && random.IntN(2) == 0 {
			action = "disable and enable"
			_, err = f.keys.Enable(ctx, owner, u.Account, id)
		}

	case 6:
		action = "change"
		_, err = f.keys.Change(ctx, owner, u.Account, id, apikey.Settings{Name: "key", Expires: expires})
	case 7:
		action = "wait"
		f.clock.advance(time.Duration(random.IntN(48)) * time.Hour)
	}

	switch matching.CodeOf(err) {
	case "", apikey.CodeTooMany, apikey.CodeEnded, matching.CodeNotFound:
	default:
		t.Fatalf("%s: %v", action, err)
	}

	return action
}
