package apikey_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/internal/matching"
)

func at(d time.Duration) time.Time { return time.Date(2031, 5, 17, 9, 30, 0, 0, time.UTC).Add(d) }

func planNamed(t *testing.T, name string) apikey.Plan {
	t.Helper()
	p, known := apikey.PlanNamed(name)
	if !known {
		t.Fatalf("there is no plan %s", name)
	}
	return p
}

// The account in this test can have three current keys.
func TestIssue_Counter(t *testing.T) {
	revoked := func(id, counter string, created time.Duration) apikey.Key {
		return apikey.Key{ID: id, Counter: counter, Created: at(created), Revoked: at(0)}
	}
	rotated := apikey.Key{ID: "a", Counter: "a", Created: at(-3), ReplacedBy: "b", Expires: at(time.Hour)}
	tests := []struct {
		name string
		keys []apikey.Key
		want string // "": the id of the new key
	}{
		{"first key", nil, ""},
		{"an active key", []apikey.Key{{ID: "a", Counter: "a"}}, ""},
		{"a disabled key", []apikey.Key{{ID: "a", Counter: "a", Disabled: at(0)}}, ""},
		{"a revoked key", []apikey.Key{revoked("a", "a", -3)}, "a"},
		{"an expired key", []apikey.Key{{ID: "a", Counter: "a", Expires: at(0)}}, "a"},
		{"revoked keys", []apikey.Key{revoked("a", "a", -3), revoked("b", "b", -1), revoked("c", "c", -2)}, "b"},
		{
			"a revoked and a current key with the same counter",
			[]apikey.Key{revoked("a", "a", -3), {ID: "b", Counter: "a", Created: at(-2)}},
			"",
		},
		{"a rotated key whose replacement is revoked", []apikey.Key{rotated, revoked("b", "a", -2)}, "a"},
		{"a rotated key and its replacement", []apikey.Key{rotated, {ID: "b", Counter: "a"}}, ""},
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

			if k.Counter != want || k.Plan != "professional" || !k.PlanSince.Equal(owner.PlanSince) ||
				k.Account != "acc_1" {
				t.Errorf("key %+v, want the counter %s and the plan of the account", k, want)
			}
		})
	}
}

func TestIssue_KeyLimit(t *testing.T) {
	keys := []apikey.Key{
		{ID: "a", Counter: "a"},
		{ID: "b", Counter: "b", Disabled: at(0)},
		{ID: "c", Counter: "c", Revoked: at(0)},
		{ID: "d", Counter: "d", Expires: at(0)},
		{ID: "e", Counter: "e", ReplacedBy: "a", Expires: at(time.Hour)},
	}

	owner := apikey.Owner{Account: "acc_1", Plan: "professional"}
	if _, _, err := apikey.Issue(at(0), owner, keys, apikey.Request{Name: "third"}); err != nil {
		t.Errorf("with two of three current keys: %v", err)
	}

	keys = append(keys, apikey.Key{ID: "f", Counter: "f"})
	_, _, err := apikey.Issue(at(0), owner, keys, apikey.Request{Name: "fourth"})
	if matching.CodeOf(err) != apikey.CodeTooMany {
		t.Errorf("with three of three current keys: %v, want %s", err, apikey.CodeTooMany)
	}

	r := apikey.Request{Name: "any", Plan: "freelancer"}
	if _, _, err := apikey.Issue(at(0), apikey.Owner{}, keys, r); err != nil {
		t.Errorf("without an account: %v", err)
	}
}

func TestReplan(t *testing.T) {
	key := func(id string, change func(*apikey.Key)) apikey.Key {
		k := apikey.Key{ID: id, Plan: "professional", Prefix: "svc_pr_", Counter: id, PlanSince: at(-time.Hour)}
		change(&k)
		return k
	}

	keys := []apikey.Key{
		key("no expiry", func(*apikey.Key) {}),
		key("early expiry", func(k *apikey.Key) { k.Expires = at(time.Hour) }),
		key("late expiry", func(k *apikey.Key) { k.Expires = at(30 * day) }),
		key("prefix of the new plan", func(k *apikey.Key) { k.Prefix = "svc_ent_" }),
		key("revoked", func(k *apikey.Key) { k.Revoked = at(-1) }),
		key("expired", func(k *apikey.Key) { k.Expires = at(-1) }),
	}

	type times struct{ Expires, GraceEnd, End time.Time }
	got := map[string]times{}
	for _, k := range apikey.Replan(at(0), keys, planNamed(t, "enterprise"), day) {
		if k.Plan != "enterprise" || !k.PlanSince.Equal(at(0)) || k.Counter != k.ID {
			t.Errorf("key %+v, want the new plan and the same counter", k)
		}
		got[k.ID] = times{k.Expires, k.GraceEnd, k.End()}
	}

	want := map[string]times{
		"no expiry":              {time.Time{}, at(day), at(day)},
		"early expiry":           {at(time.Hour), at(day), at(time.Hour)},
		"late expiry":            {at(30 * day), at(day), at(day)},
		"prefix of the new plan": {},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("times of the changed keys (-want +got):\n%s", diff)
	}
}

// A second change of plan, even one back to the plan of the prefix, never extends the grace period of the first.
func TestReplan_NeverExtendsTheGracePeriod(t *testing.T) {
	key := apikey.Key{ID: "key_1", Plan: "freelancer", Prefix: "svc_fr_", Expires: at(30 * day)}
	for _, second := range []string{"professional", "freelancer"} {
		keys := apikey.Replan(at(0), []apikey.Key{key}, planNamed(t, "enterprise"), day)
		keys = apikey.Replan(at(time.Hour), keys, planNamed(t, second), 7*day)
		if k := keys[0]; !k.GraceEnd.Equal(at(day)) || !k.Expires.Equal(at(30*day)) {
			t.Errorf("enterprise, then %s: the grace period ends at %v and the key expires at %v", second, k.GraceEnd, k.Expires)
		}
	}
	keys := apikey.Replan(at(0), []apikey.Key{key}, planNamed(t, "enterprise"), 7*day)
	k := apikey.Replan(at(time.Hour), keys, planNamed(t, "professional"), time.Hour)[0]
	if !k.GraceEnd.Equal(at(2 * time.Hour)) {
		t.Errorf("the grace period ends at %v, want the earlier end of the second change", k.GraceEnd)
	}
}

// No expiry that an owner chooses extends the life of a key with the prefix of an earlier plan. Rotating the key
// returns one with the chosen expiry and without the end of the grace period.
func TestRotate_KeyOfAnEarlierPlan(t *testing.T) {
	for _, lifetime := range []time.Duration{0, time.Minute, 2 * day} { // 0: unlimited
		t.Run(lifetime.String(), func(t *testing.T) {
			f := newFixture(t)
			oldToken, k := f.create(t, apikey.Request{Name: "Acme", Plan: "freelancer"})
			graceEnd := f.clock.in(day)
			f.edit(t, k.ID, func(k *apikey.Key) { k.Plan, k.GraceEnd = "enterprise", graceEnd })
			expires := time.Time{}
			end := graceEnd

			if lifetime > 0 {
				expires = f.clock.in(lifetime)
			}

			if lifetime == time.Minute {
				end = expires
			}

			changed, err := f.Change(t.Context(), operator(), "", k.ID, apikey.Settings{Name: "Acme", Expires: expires})
			if err != nil || !changed.Expires.Equal(expires) || !changed.End().Equal(end) {
				t.Fatalf("the key expires at %v and ends at %v (%v), want %v and %v",
					changed.Expires, changed.End(), err, expires, end)
			}

			_, next, err := f.Rotate(t.Context(), operator(), "", k.ID, 7*day)
			if err != nil || next.Prefix != "svc_ent_" || next.Counter != k.Counter ||
				!next.Expires.Equal(expires) || !next.End().Equal(expires) {
				t.Errorf("Rotate = %+v, %v; want the prefix of the current plan and the expiry %v", next, err, expires)
			}

			f.clock.at = end
			if _, err := f.Authenticate(t.Context(), oldToken); matching.CodeOf(err) != apikey.CodeExpired {
				t.Errorf("the old key at its end: %v, want %s", err, apikey.CodeExpired)
			}
		})
	}
}

func TestAllows(t *testing.T) {
	networks := func(texts ...string) (parsed []netip.Prefix) {
		for _, text := range texts {
			parsed = append(parsed, netip.MustParsePrefix(text))
		}
		return parsed
	}

	both := networks("10.0.0.0/8", "2001:db8::/32")
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
		{"permitted operation", []string{"match"}, nil, "match", "192.0.2.1", ""},
		{"other operation", []string{"match", "parse"}, nil, "interview", "192.0.2.1", apikey.CodeOperation},
		{"permitted IPv4 network", nil, both, "match", "10.9.8.7", ""},
		{"permitted IPv4 network, written as IPv6", nil, both, "match", "::ffff:10.9.8.7", ""},
		{"permitted IPv6 network", nil, both, "match", "2001:db8::1", ""},
		{"address with a zone", nil, networks("fe80::/10"), "match", "fe80::1%eth0", ""},
		{"other network", nil, both, "match", "192.0.2.1", apikey.CodeNetwork},
		{"no address", nil, networks("0.0.0.0/0"), "match", "", apikey.CodeNetwork},
		{"other operation and network", []string{"parse"}, both, "match", "192.0.2.1", apikey.CodeOperation},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			address, _ := netip.ParseAddr(tt.address)
			k := apikey.Key{Operations: tt.operations, Networks: tt.networks}
			if err := k.Allows(tt.operation, address); matching.CodeOf(err) != tt.want {
				t.Errorf("Allows: %v, want %q", err, tt.want)
			}
		})
	}
}
