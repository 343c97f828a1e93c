package apikey_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/access/apikey"
	"freelancer-matching/internal/matching"
)

func at(d time.Duration) time.Time { return time.Date(2031, 5, 17, 9, 30, 0, 0, time.UTC).Add(d) }

// Whose counter a new key takes over, of an account with room for three.
func TestIssue_Counter(t *testing.T) {
	revoked := func(id, counter string, made time.Duration) apikey.Key {
		return apikey.Key{ID: id, Counter: counter, Created: at(made), Revoked: at(0)}
	}
	tests := []struct {
		name string
		keys []apikey.Key
		want string // "": its own
	}{
		{"the first", nil, ""},
		{"beside a live one", []apikey.Key{{ID: "a", Counter: "a"}}, ""},
		{"beside a disabled one", []apikey.Key{{ID: "a", Counter: "a", Disabled: at(0)}}, ""},
		{"after a revoked one", []apikey.Key{revoked("a", "a", -3)}, "a"},
		{"after an expired one", []apikey.Key{{ID: "a", Counter: "a", Expires: at(0)}}, "a"},
		{"after several, the last made", []apikey.Key{revoked("a", "a", -3), revoked("b", "b", -1), revoked("c", "c", -2)}, "b"},
		{
			"whose counter a live one holds",
			[]apikey.Key{revoked("a", "a", -3), {ID: "b", Counter: "a", Created: at(-2)}},
			"",
		},
		{
			"only a replaced one holds it",
			[]apikey.Key{{ID: "a", Counter: "a", Created: at(-3), ReplacedBy: "b", Expires: at(time.Hour)}, revoked("b", "a", -2)},
			"a",
		},
		{
			"a rotated one that is live",
			[]apikey.Key{{ID: "a", Counter: "a", Created: at(-3), ReplacedBy: "b", Expires: at(time.Hour)}, {ID: "b", Counter: "a"}},
			"",
		},
	}
	owner := apikey.Owner{Account: "acc_1", Plan: "professional", PlanSince: at(-time.Hour)}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, k, err := apikey.Issue(at(0), owner, tt.keys, apikey.Request{Name: "Acme", Plan: "enterprise"})
			if err != nil {
				t.Fatal(err)
			}
			want := tt.want
			if want == "" {
				want = k.ID
			}
			if k.Counter != want || k.Plan != "professional" || !k.PlanSince.Equal(owner.PlanSince) || k.Account != "acc_1" {
				t.Errorf("got %+v, want the counter %s and the plan of the account", k, want)
			}
		})
	}
}

func TestIssue_RoomOfThePlan(t *testing.T) {
	keys := []apikey.Key{
		{ID: "a", Counter: "a"},
		{ID: "b", Counter: "b", Disabled: at(0)},
		{ID: "c", Counter: "c", Revoked: at(0)},
		{ID: "d", Counter: "d", Expires: at(0)},
		{ID: "e", Counter: "e", ReplacedBy: "a", Expires: at(time.Hour)},
	}
	owner := apikey.Owner{Account: "acc_1", Plan: "professional"}
	if _, _, err := apikey.Issue(at(0), owner, keys, apikey.Request{Name: "third"}); err != nil {
		t.Errorf("two of three keys in use: %v", err)
	}
	keys = append(keys, apikey.Key{ID: "f", Counter: "f"})
	if _, _, err := apikey.Issue(at(0), owner, keys, apikey.Request{Name: "fourth"}); matching.CodeOf(err) != apikey.CodeTooMany {
		t.Errorf("three of three in use: %v", err)
	}
	nobody := apikey.Owner{}
	if _, _, err := apikey.Issue(at(0), nobody, keys, apikey.Request{Name: "any", Plan: "freelancer"}); err != nil {
		t.Errorf("of no account: %v", err)
	}
}

func TestReplan(t *testing.T) {
	professional := func(id string) apikey.Key {
		return apikey.Key{ID: id, Plan: "professional", Prefix: "svc_pr_", Counter: id, PlanSince: at(-time.Hour)}
	}
	own, late, again, revoked, expired := professional("own"), professional("late"), professional("again"), professional("revoked"), professional("expired")
	own.Expires, late.Expires = at(time.Hour), at(30*day)
	again.Prefix = "svc_ent_" // from an earlier change of plan
	revoked.Revoked, expired.Expires = at(-1), at(-1)
	keys := []apikey.Key{professional("plain"), own, late, again, revoked, expired}
	plan, _ := apikey.PlanNamed("enterprise")
	type ends struct{ Expires, Grace, End time.Time }
	got := map[string]ends{}
	for _, k := range apikey.Replan(at(0), keys, plan, day) {
		if k.Plan != "enterprise" || !k.PlanSince.Equal(at(0)) || k.Counter != k.ID {
			t.Errorf("got %+v", k)
		}
		got[k.ID] = ends{k.Expires, k.GraceEnd, k.End()}
	}
	want := map[string]ends{
		"plain": {time.Time{}, at(day), at(day)},
		"own":   {at(time.Hour), at(day), at(time.Hour)},
		"late":  {at(30 * day), at(day), at(day)},
		"again": {},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A second change of plan, also one back to the plan of the prefix, lets no key live longer than the first one did.
func TestReplan_NeverProlongs(t *testing.T) {
	plan := func(name string) apikey.Plan {
		p, _ := apikey.PlanNamed(name)
		return p
	}
	key := apikey.Key{ID: "key_1", Plan: "freelancer", Prefix: "svc_fr_", Expires: at(30 * day)}
	for _, again := range []string{"professional", "freelancer"} {
		keys := apikey.Replan(at(0), []apikey.Key{key}, plan("enterprise"), day)
		keys = apikey.Replan(at(time.Hour), keys, plan(again), 7*day)
		if k := keys[0]; !k.GraceEnd.Equal(at(day)) || !k.Expires.Equal(at(30*day)) {
			t.Errorf("by way of enterprise to %s: the grace ends %v, the key expires %v", again, k.GraceEnd, k.Expires)
		}
	}
	keys := apikey.Replan(at(0), []apikey.Key{key}, plan("enterprise"), 7*day)
	if k := apikey.Replan(at(time.Hour), keys, plan("professional"), time.Hour)[0]; !k.GraceEnd.Equal(at(2 * time.Hour)) {
		t.Errorf("the grace ends %v, want that of the second change", k.GraceEnd)
	}
}

// No expiry that an owner chooses puts off the end of a key with the prefix of an earlier plan. Rotating it gives a key without
// that end, and with that expiry.
func TestRotate_OfAKeyOfAnEarlierPlan(t *testing.T) {
	for _, expires := range []time.Duration{0, time.Minute, 2 * day} { // 0: never
		t.Run(expires.String(), func(t *testing.T) {
			f := newFixture(t)
			oldToken, k := f.create(t, apikey.Request{Name: "Acme", Plan: "freelancer"})
			grace := f.clock.in(day)
			f.edit(t, k.ID, func(k *apikey.Key) { k.Plan, k.GraceEnd = "enterprise", grace })
			chosen, end := time.Time{}, grace
			if expires > 0 {
				chosen = f.clock.in(expires)
			}
			if expires == time.Minute {
				end = chosen
			}
			changed, err := f.Change(t.Context(), operator(), "", k.ID, apikey.Settings{Name: "Acme", Expires: chosen})
			if err != nil || !changed.Expires.Equal(chosen) || !changed.End().Equal(end) {
				t.Fatalf("expires %v and ends %v, %v; want %v, %v", changed.Expires, changed.End(), err, chosen, end)
			}
			_, next, err := f.Rotate(t.Context(), operator(), "", k.ID, 7*day)
			if err != nil || next.Prefix != "svc_ent_" || next.Counter != k.Counter || !next.Expires.Equal(chosen) || !next.End().Equal(chosen) {
				t.Errorf("rotated to %+v, %v", next, err)
			}
			f.clock.at = end
			if _, err := f.Authenticate(t.Context(), oldToken); matching.CodeOf(err) != apikey.CodeExpired {
				t.Errorf("the old key at its end: %v", err)
			}
		})
	}
}

func TestAllows(t *testing.T) {
	v4, v6 := netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8::/32")
	tests := []struct {
		name       string
		operations []string
		networks   []netip.Prefix
		operation  string
		address    string
		want       matching.Code
	}{
		{"no limits", nil, nil, "match", "192.0.2.1", ""},
		{"no limits, no address", nil, nil, "match", "", ""},
		{"its operation", []string{"match"}, nil, "match", "192.0.2.1", ""},
		{"another operation", []string{"match", "parse"}, nil, "interview", "192.0.2.1", apikey.CodeOperation},
		{"its network", nil, []netip.Prefix{v6, v4}, "match", "10.9.8.7", ""},
		{"its network, written as IPv6", nil, []netip.Prefix{v4}, "match", "::ffff:10.9.8.7", ""},
		{"its network of IPv6", nil, []netip.Prefix{v4, v6}, "match", "2001:db8::1", ""},
		{"with a zone", nil, []netip.Prefix{netip.MustParsePrefix("fe80::/10")}, "match", "fe80::1%eth0", ""},
		{"another network", nil, []netip.Prefix{v4, v6}, "match", "192.0.2.1", apikey.CodeNetwork},
		{"no address", nil, []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0")}, "match", "", apikey.CodeNetwork},
		{"both wrong", []string{"parse"}, []netip.Prefix{v4}, "match", "192.0.2.1", apikey.CodeOperation},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			address, _ := netip.ParseAddr(tt.address)
			k := apikey.Key{Operations: tt.operations, Networks: tt.networks}
			if err := k.Allows(tt.operation, address); matching.CodeOf(err) != tt.want {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
