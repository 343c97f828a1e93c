package account_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/access/account"
	"freelancer-matching/access/apikey"
	"freelancer-matching/access/audit"
	"freelancer-matching/internal/matching"
)

func TestRoles(t *testing.T) {
	roles := []account.Role{"", account.Member, account.Owner, account.Administrator}
	for i, r := range roles {
		for j, other := range roles {
			if got, want := r.Includes(other), j > 0 && i >= j; got != want {
				t.Errorf("%q includes %q: %v, want %v", r, other, got, want)
			}
		}
	}
}

// An account with users keeps an owner, and the service an administrator.
func TestRoles_SomeoneMustStay(t *testing.T) {
	type who = func(f *fixture) account.User
	byEmail := func(email string) who {
		return func(f *fixture) account.User {
			u, err := f.UserByEmail(t.Context(), email)
			if err != nil {
				t.Fatal(err)
			}
			return u
		}
	}
	admin, owner, member := byEmail("admin@example.com"), byEmail("owner@example.com"), byEmail("member@example.com")
	second := byEmail("second@example.com") // administrator, in an account of his own
	tests := []struct {
		name   string
		actor  who
		target who
		to     account.Role // "": removed
		want   matching.Code
	}{
		{"the last owner, removed", admin, owner, "", account.CodeLastOwner},
		{"the last owner, made a member", admin, owner, account.Member, account.CodeLastOwner},
		{"the last owner, by himself", owner, owner, "", account.CodeLastOwner},
		{"a member", owner, member, "", ""},
		{"a member made an owner", owner, member, account.Owner, ""},
		{"an administrator by another one", second, admin, account.Owner, ""},
		{"an administrator removed by another one", admin, second, "", ""},
		{"an administrator by himself", admin, admin, account.Owner, account.CodeLastAdministrator},
		{"an administrator removed by himself", second, second, "", account.CodeLastAdministrator},
		{"an administrator by an owner", owner, admin, "", account.CodeLastAdministrator},
		{"an administrator kept", admin, admin, account.Administrator, ""},
		{"an unknown role", admin, member, "king", matching.CodeInvalid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t)
			f.setUp(t)
			o := f.signUp(t, "owner@example.com")
			f.join(t, o.Account, "member@example.com", account.Member)
			s := f.signUp(t, "second@example.com")
			must[account.User](t)(f.SetRole(t.Context(), by(admin(f)), s.ID, account.Administrator))

			target := tt.target(f)
			n := len(f.events(t))
			var err error
			if tt.to == "" {
				err = f.RemoveUser(t.Context(), by(tt.actor(f)), target.ID)
			} else {
				_, err = f.SetRole(t.Context(), by(tt.actor(f)), target.ID, tt.to)
			}
			wantCode(t, err, tt.want)
			users := must[[]account.User](t)(f.Users(t.Context(), target.Account))
			i := slices.IndexFunc(users, func(u account.User) bool { return u.ID == target.ID })
			switch {
			case err != nil && (i < 0 || users[i].Role != target.Role || len(f.events(t)) != n):
				t.Errorf("refused, yet changed: %+v", users)
			case err == nil && tt.to == "" && i >= 0, err == nil && tt.to != "" && users[i].Role != tt.to:
				t.Errorf("nothing changed: %+v", users)
			}
		})
	}
}

func TestRoles_TheSecondOfAnAccountCanGo(t *testing.T) {
	f := newFixture(t)
	first := f.setUp(t)
	second := f.join(t, first.Account, "second@example.com", account.Administrator)
	must[account.User](t)(f.SetRole(t.Context(), by(first), first.ID, account.Owner)) // by himself: another one is left
	wantCode(t, f.RemoveUser(t.Context(), operator(), second.ID), account.CodeLastAdministrator)
	wantCode(t, f.RemoveUser(t.Context(), operator(), "usr_none"), matching.CodeNotFound)
}

// The last owner of an account goes when nobody else is in it and none of its keys can be used.
func TestRemoveUser_TheLastOwner(t *testing.T) {
	f := newFixture(t)
	f.setUp(t)
	key := func(u account.User, expires time.Time) apikey.Key {
		_, k, err := f.CreateKey(t.Context(), by(u), u.Account, apikey.Request{Name: "key", Expires: expires})
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	revoke := func(k apikey.Key) { must[apikey.Key](t)(f.keys.Revoke(t.Context(), operator(), k.Account, k.ID)) }
	for name, tt := range map[string]struct {
		prepare func(u account.User) // to refuse it
		first   string               // what the refusal says is to be done
		then    func(u account.User) // to allow it; nil: prepare does
	}{
		"alone, without keys": {func(account.User) {}, "", nil},
		"keys are revoked":    {func(u account.User) { revoke(key(u, time.Time{})) }, "", nil},
		"keys have expired": {func(u account.User) {
			key(u, f.clock.now().Add(time.Hour))
			f.clock.pass(time.Hour)
		}, "", nil},
		"a key": {
			func(u account.User) { key(u, time.Time{}) }, "revoke them first",
			func(u account.User) { revoke(must[[]apikey.Key](t)(f.keys.ListOf(t.Context(), u.Account))[0]) },
		},
		"a key that is disabled": {
			func(u account.User) {
				must[apikey.Key](t)(f.keys.Disable(t.Context(), by(u), u.Account, key(u, time.Time{}).ID))
			}, "revoke them first",
			func(u account.User) { revoke(must[[]apikey.Key](t)(f.keys.ListOf(t.Context(), u.Account))[0]) },
		},
		"a key in its grace after a rotation": {
			func(u account.User) {
				old := key(u, time.Time{})
				_, next, err := f.keys.Rotate(t.Context(), by(u), u.Account, old.ID, day)
				if err != nil {
					t.Fatal(err)
				}
				revoke(next)
			}, "revoke them first",
			func(account.User) { f.clock.pass(day) },
		},
		"a member and a key": {
			func(u account.User) {
				key(u, time.Time{})
				f.join(t, u.Account, "member@example.com", account.Member)
			}, "make another user one first",
			func(account.User) {
				m := must[account.User](t)(f.UserByEmail(t.Context(), "member@example.com"))
				must[account.User](t)(f.SetRole(t.Context(), operator(), m.ID, account.Owner))
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			u := f.signUp(t, strings.ReplaceAll(strings.ReplaceAll(name, " ", "."), ",", "")+"@example.com")
			tt.prepare(u)
			if tt.then != nil {
				n := len(f.events(t))
				err := f.RemoveUser(t.Context(), by(u), u.ID)
				wantCode(t, err, account.CodeLastOwner)
				if err == nil || !strings.Contains(err.Error(), tt.first) {
					t.Errorf("got %v, want %q", err, tt.first)
				}
				_, err = f.SetRole(t.Context(), by(u), u.ID, account.Member)
				wantCode(t, err, account.CodeLastOwner)
				if len(f.events(t)) != n {
					t.Error("refused, yet in the audit log")
				}
				tt.then(u)
			}
			if err := f.RemoveUser(t.Context(), by(u), u.ID); err != nil {
				t.Error(err)
			}
			if e := f.last(t); e.Action != audit.UserRemoved || e.Subject != u.ID {
				t.Errorf("event %+v", e)
			}
		})
	}
}

// Two owners who remove each other at the same moment leave one.
func TestRoles_AtOnce(t *testing.T) {
	f := newFixture(t)
	f.setUp(t)
	owner := f.signUp(t, "owner@example.com")
	second := f.join(t, owner.Account, "second@example.com", account.Owner)
	f.join(t, owner.Account, "member@example.com", account.Member)
	var group sync.WaitGroup
	for _, pair := range [][2]account.User{{owner, second}, {second, owner}} {
		group.Go(func() { _ = f.RemoveUser(t.Context(), by(pair[0]), pair[1].ID) })
	}
	group.Wait()
	users := must[[]account.User](t)(f.Users(t.Context(), owner.Account))
	owners := 0
	for _, u := range users {
		if u.Role == account.Owner {
			owners++
		}
	}
	if len(users) != 2 || owners != 1 {
		t.Errorf("left: %+v", users)
	}
}

func TestDisableAccount_NotOnesOwn(t *testing.T) {
	f := newFixture(t)
	admin := f.setUp(t)
	_, err := f.DisableAccount(t.Context(), by(admin), admin.Account)
	wantCode(t, err, account.CodeOwnAccount)
	a := must[account.Account](t)(f.DisableAccount(t.Context(), operator(), admin.Account)) // the command line can enable it again
	again := must[account.Account](t)(f.DisableAccount(t.Context(), operator(), admin.Account))
	if a.Disabled.IsZero() || !again.Disabled.Equal(a.Disabled) {
		t.Errorf("disabled at %v, then %v", a.Disabled, again.Disabled)
	}
	_, _, err = f.CreateKey(t.Context(), by(admin), admin.Account, apikey.Request{Name: "A"})
	wantCode(t, err, account.CodeAccountDisabled)
	must[account.Account](t)(f.EnableAccount(t.Context(), operator(), admin.Account))
	_, err = f.EnableAccount(t.Context(), operator(), "acc_none")
	wantCode(t, err, matching.CodeNotFound)
	var got []audit.Action
	for _, e := range f.events(t)[:2] {
		got = append(got, e.Action)
	}
	if diff := cmp.Diff([]audit.Action{audit.AccountEnabled, audit.AccountDisabled}, got); diff != "" {
		t.Error(diff)
	}
}

func TestAccounts_FindsByNameAndAddress(t *testing.T) {
	f := newFixture(t)
	f.setUp(t)
	f.signUp(t, "someone@example.com")
	for part, want := range map[string]int{"": 2, "OPERATORS": 1, "someone@": 1, "nothing": 0, "%": 0} {
		if got := must[[]account.Account](t)(f.Accounts(t.Context(), part, 10)); len(got) != want {
			t.Errorf("%q: %d accounts, want %d", part, len(got), want)
		}
	}
}

func TestCreateKey(t *testing.T) {
	f := newFixture(t)
	f.setUp(t)
	u := f.signUp(t, "a@example.com")
	form := apikey.Request{ID: apikey.NewID(), Name: "<b>first</b>", Plan: "enterprise", Operations: []string{"match"}}
	token, k, err := f.CreateKey(t.Context(), by(u), u.Account, form)
	if err != nil || k.Plan != "freelancer" || k.Account != u.Account || !strings.HasPrefix(token, "svc_fr_") {
		t.Fatalf("got %+v, %v; want a key on the plan of the account", k, err)
	}
	if got, err := f.keys.Authenticate(t.Context(), token); err != nil || got.ID != k.ID {
		t.Errorf("%+v, %v", got, err)
	}
	_, _, err = f.CreateKey(t.Context(), by(u), u.Account, form)
	if !errors.Is(err, apikey.ErrExists) {
		t.Errorf("the same form again: %v", err)
	}
	_, _, err = f.CreateKey(t.Context(), by(u), u.Account, apikey.Request{Name: "second"})
	wantCode(t, err, apikey.CodeTooMany)
	_, _, err = f.CreateKey(t.Context(), by(u), u.Account, apikey.Request{})
	wantCode(t, err, matching.CodeInvalid)
	_, _, err = f.CreateKey(t.Context(), by(u), "acc_none", apikey.Request{Name: "A"})
	wantCode(t, err, matching.CodeNotFound)

	if _, err := f.keys.Revoke(t.Context(), by(u), u.Account, k.ID); err != nil {
		t.Fatal(err)
	}
	_, next, err := f.CreateKey(t.Context(), by(u), u.Account, apikey.Request{Name: "second"})
	if err != nil || next.Counter != k.Counter {
		t.Errorf("in the place of a revoked key: %+v, %v", next, err)
	}
	f.wantNowhere(t, token)
}

func TestCreateKey_ManyAtOnceKeepToThePlan(t *testing.T) {
	f := newFixture(t)
	f.setUp(t)
	u := f.signUp(t, "a@example.com")
	must[account.Account](t)(f.ChangePlan(t.Context(), operator(), u.Account, "professional", 0))
	codes := make(chan matching.Code, 20)
	var group sync.WaitGroup
	for i := range 20 {
		group.Go(func() {
			_, _, err := f.CreateKey(t.Context(), by(u), u.Account, apikey.Request{Name: fmt.Sprint("key ", i)})
			codes <- matching.CodeOf(err)
		})
	}
	group.Wait()
	close(codes)
	got := map[matching.Code]int{}
	for c := range codes {
		got[c]++
	}
	if diff := cmp.Diff(map[matching.Code]int{"": 3, apikey.CodeTooMany: 17}, got); diff != "" {
		t.Error(diff)
	}
	if keys := must[[]apikey.Key](t)(f.keys.ListOf(t.Context(), u.Account)); len(keys) != 3 {
		t.Errorf("%d keys, want 3", len(keys))
	}
}

func TestChangePlan(t *testing.T) {
	f := newFixture(t)
	f.setUp(t)
	u := f.signUp(t, "a@example.com")
	token, k, err := f.CreateKey(t.Context(), by(u), u.Account, apikey.Request{Name: "first"})
	if err != nil {
		t.Fatal(err)
	}
	f.clock.pass(day)
	for _, wrong := range []struct {
		plan  string
		grace time.Duration
	}{{"gold", day}, {"professional", time.Minute}} {
		_, err := f.ChangePlan(t.Context(), operator(), u.Account, wrong.plan, wrong.grace)
		wantCode(t, err, matching.CodeInvalid)
	}
	changed := f.clock.now()
	a := must[account.Account](t)(f.ChangePlan(t.Context(), operator(), u.Account, "Professional", day))
	if a.Plan != "professional" || !a.PlanSince.Equal(changed) {
		t.Errorf("got %+v", a)
	}
	// The record decides at once, whatever the prefix says.
	got, err := f.keys.Authenticate(t.Context(), token)
	if err != nil || got.Plan != "professional" || !got.PlanSince.Equal(changed) || !got.Expires.IsZero() || !got.End().Equal(changed.Add(day)) || got.Counter != k.Counter {
		t.Errorf("got %+v, %v", got, err)
	}
	if e := f.last(t); e.Action != audit.KeyChanged || e.Subject != k.ID || e.Account != u.Account {
		t.Errorf("event %+v", e)
	}
	n := len(f.events(t))
	f.clock.pass(time.Hour)
	if a := must[account.Account](t)(f.ChangePlan(t.Context(), operator(), u.Account, "professional", 0)); !a.PlanSince.Equal(changed) || len(f.events(t)) != n {
		t.Error("the same plan again began anew")
	}
	newToken, next, err := f.keys.Rotate(t.Context(), by(u), u.Account, k.ID, 0)
	if err != nil || next.Prefix != "svc_pr_" || next.Plan != "professional" || !next.Expires.IsZero() || next.Counter != k.Counter {
		t.Errorf("got %+v, %v", next, err)
	}
	// Back to the smaller plan without grace: refused at once, and more keys than it has room for are left as they are.
	for range 2 {
		if _, _, err := f.CreateKey(t.Context(), by(u), u.Account, apikey.Request{Name: "another"}); err != nil {
			t.Fatal(err)
		}
	}
	must[account.Account](t)(f.ChangePlan(t.Context(), operator(), u.Account, "freelancer", 7*day))
	if got, err := f.keys.Authenticate(t.Context(), newToken); err != nil || got.Plan != "freelancer" {
		t.Errorf("got %+v, %v", got, err)
	}
	_, _, err = f.CreateKey(t.Context(), by(u), u.Account, apikey.Request{Name: "one more"})
	wantCode(t, err, apikey.CodeTooMany)
	must[account.Account](t)(f.ChangePlan(t.Context(), operator(), u.Account, "enterprise", 0))
	_, err = f.keys.Authenticate(t.Context(), newToken)
	wantCode(t, err, apikey.CodeExpired)
}

// A rotation in the grace period of a change of plan goes on with the expiry that the owner chose, whichever comes first.
func TestChangePlan_KeepsTheExpiry(t *testing.T) {
	for name, expires := range map[string]time.Duration{"before the grace is over": time.Hour, "after": 30 * day} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.setUp(t)
			u := f.signUp(t, "a@example.com")
			chosen := f.clock.now().Add(expires)
			_, k, err := f.CreateKey(t.Context(), by(u), u.Account, apikey.Request{Name: "first", Expires: chosen})
			if err != nil {
				t.Fatal(err)
			}
			must[account.Account](t)(f.ChangePlan(t.Context(), operator(), u.Account, "professional", day))
			must[account.Account](t)(f.ChangePlan(t.Context(), operator(), u.Account, "enterprise", 7*day))
			end := f.clock.now().Add(min(day, expires))
			if e := f.last(t); !strings.Contains(e.Detail, "ends "+end.Format(time.RFC3339)) {
				t.Errorf("event %+v, want the end %v", e, end)
			}
			_, next, err := f.keys.Rotate(t.Context(), by(u), u.Account, k.ID, 7*day)
			if err != nil || !next.Expires.Equal(chosen) || !next.End().Equal(chosen) {
				t.Errorf("rotated to %+v, %v; want to expire %v", next, err, chosen)
			}
			old := must[apikey.Key](t)(f.keys.Get(t.Context(), u.Account, k.ID))
			if !old.End().Equal(end) || !old.Expires.Equal(chosen) {
				t.Errorf("the old key ends %v and expires %v, want %v and %v", old.End(), old.Expires, end, chosen)
			}
		})
	}
}

// Whatever the owner of an account does with its keys: no more are current than its plan has room for, each of these counts for
// itself, and the counters of all keys there ever were are no more than that room. So the sum of what they may use never grows.
func TestKeys_GiveNoFreshAllowance(t *testing.T) {
	for _, plan := range apikey.Plans() {
		t.Run(plan.Name, func(t *testing.T) {
			f := newFixture(t)
			f.setUp(t)
			u := f.signUp(t, "a@example.com")
			must[account.Account](t)(f.ChangePlan(t.Context(), operator(), u.Account, plan.Name, 0))
			random := rand.New(rand.NewPCG(6, uint64(plan.MaxKeys)))
			for step := range 250 {
				what := f.randomStep(t, random, u)
				keys := must[[]apikey.Key](t)(f.keys.ListOf(t.Context(), u.Account))
				counters, held, current := map[string]bool{}, map[string]bool{}, 0
				for _, k := range keys {
					counters[k.Counter] = true
					if k.Current(f.clock.now()) {
						current++
						held[k.Counter] = true
					}
				}
				if current > plan.MaxKeys || len(held) != current || len(counters) > plan.MaxKeys {
					t.Fatalf("after step %d, %s: %d current keys with %d counters of %d in all; the plan has room for %d",
						step, what, current, len(held), len(counters), plan.MaxKeys)
				}
			}
		})
	}
}

// randomStep does one thing that an owner can do, or lets time pass; refusals are fine.
func (f *fixture) randomStep(t *testing.T, random *rand.Rand, u account.User) (what string) {
	t.Helper()
	ctx, actor, id := t.Context(), by(u), ""
	if keys := must[[]apikey.Key](t)(f.keys.ListOf(ctx, u.Account)); len(keys) > 0 {
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
		what = "create"
		_, _, err = f.CreateKey(ctx, actor, u.Account, apikey.Request{Name: "key", Expires: expires})
	case 3:
		what = "rotate"
		_, _, err = f.keys.Rotate(ctx, actor, u.Account, id, grace)
	case 4:
		what = "revoke"
		_, err = f.keys.Revoke(ctx, actor, u.Account, id)
	case 5:
		what = "disable and enable"
		if _, err = f.keys.Disable(ctx, actor, u.Account, id); err == nil && random.IntN(2) == 0 {
			_, err = f.keys.Enable(ctx, actor, u.Account, id)
		}
	case 6:
		what = "change"
		_, err = f.keys.Change(ctx, actor, u.Account, id, apikey.Settings{Name: "key", Expires: expires})
	case 7:
		what = "wait"
		f.clock.pass(time.Duration(random.IntN(48)) * time.Hour)
	}
	switch matching.CodeOf(err) {
	case "", apikey.CodeTooMany, apikey.CodeEnded, matching.CodeNotFound:
	default:
		t.Fatalf("%s: %v", what, err)
	}
	return what
}
