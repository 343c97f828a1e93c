package storetest

import (
	"net/netip"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/access/usage"
	"github.com/freelancer-matching/service/store"
)

// Keys tests an apikey.Store.
func Keys(t *testing.T, open func(t *testing.T) *store.DB) {
	suite[*store.DB]{
		"a key is read as written":                                keyRoundTrip,
		"an unknown key is not found":                             unknownKey,
		"keys are listed oldest first":                            listsKeys,
		"a change receives the keys of its account, oldest first": changeReceivesKeys,
		"keys are changed and added":                              changesKeys,
		"a change does not write the last use":                    keepsLastUse,
		"ids and hashes are unique":                               rejectsDuplicates,
		"a change that fails writes nothing":                      keyChangeIsAtomic,
		"a change that panics writes nothing":                     panickingChange,
		"an unknown account has no keys":                          unknownAccount,
		"changes of the keys of an account do not overlap":        limitsKeys,
		"a key is suspended with its account":                     suspendsKeys,
	}.run(t, open)
}

func keyRoundTrip(t *testing.T, s *store.DB) {
	register(t, s, 1)
	full := keyOf(1, 1)
	full.Counter = "key_before"
	full.ReplacedBy = "key_after"
	full.Operations = []string{"health", "match"}
	full.Permissions = []string{"data:read", "data:write"}
	full.Networks = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("2001:db8::/32")}
	full.Expires, full.GraceEnd, full.Disabled = after(60), after(59), after(61)
	full.Revoked, full.LastUsed = after(62), after(63)
	for _, want := range []apikey.Key{full, testKey(2)} {
		insertKeys(t, s, want)
		wantEqual(t, want, must(s.Keys.FindByHash(t.Context(), want.Hash)))
		wantEqual(t, want, must(s.Keys.Find(t.Context(), want.ID)))
		wantEqual(t, []apikey.Key{want}, must(s.Keys.ListOf(t.Context(), want.Account)))
	}

	wantEqual(t, []apikey.Key{full, testKey(2)}, allKeys(t, s))

	// All times are stored in one zone, so that the database can compare them.
	otherZone := testKey(3)
	otherZone.Created = otherZone.Created.In(time.FixedZone("", 3600))
	insertKeys(t, s, otherZone)

	if got := must(s.Keys.Find(t.Context(), otherZone.ID)).Created; got != testKey(3).Created {
		t.Errorf("a time in another zone is read as %v, want %v", got, testKey(3).Created)
	}
}

func unknownKey(t *testing.T, s *store.DB) {
	insertKeys(t, s, testKey(1))
	_, err := s.Keys.FindByHash(t.Context(), testKey(2).Hash)
	wantError(t, err, apikey.ErrNotFound)
	_, err = s.Keys.Find(t.Context(), testKey(2).ID)
	wantError(t, err, apikey.ErrNotFound)
}

func listsKeys(t *testing.T, s *store.DB) {
	if keys := allKeys(t, s); len(keys) != 0 {
		t.Fatalf("empty store: got %v", keys)
	}
	register(t, s, 1)
	register(t, s, 2)
	insertKeys(t, s, keyOf(5, 1), testKey(4), keyOf(3, 2), testKey(2), keyOf(1, 1))
	wantEqual(t, []apikey.Key{keyOf(1, 1), testKey(2), keyOf(3, 2), testKey(4), keyOf(5, 1)}, allKeys(t, s))
	for of, want := range map[string][]apikey.Key{
		"":                {testKey(2), testKey(4)},
		testAccount(1).ID: {keyOf(1, 1), keyOf(5, 1)},
		testAccount(2).ID: {keyOf(3, 2)},
		"acc_none":        nil,
	} {
		wantEqual(t, want, must(s.Keys.ListOf(t.Context(), of)))
	}
}

func changeReceivesKeys(t *testing.T, s *store.DB) {
	register(t, s, 1)
	insertKeys(t, s, keyOf(3, 1), keyOf(1, 1), testKey(2))
	for of, want := range map[string][]apikey.Key{"": {testKey(2)}, testAccount(1).ID: {keyOf(1, 1), keyOf(3, 1)}} {
		called := false
		noError(t, s.Keys.Update(t.Context(), of, func(got []apikey.Key) (apikey.Changes, error) {
			called = true
			wantEqual(t, want, got)
			got[0].Name = "changes the copy only"
			return apikey.Changes{}, nil
		}))
		wantEqual(t, want, must(s.Keys.ListOf(t.Context(), of)))
		if !called {
			t.Error("the change function was not called")
		}
	}
}

func changesKeys(t *testing.T, s *store.DB) {
	register(t, s, 1)
	insertKeys(t, s, keyOf(1, 1), keyOf(2, 1))
	changed := keyOf(1, 1)
	added := keyOf(3, 1)
	events := []audit.Event{event(2, testAccount(1).ID), event(1, testAccount(1).ID)}
	changed.Name, changed.Revoked, changed.ReplacedBy = "renamed", after(9), added.ID
	changed.Expires, changed.GraceEnd = after(10), after(11)
	changed.Operations = []string{"match"}
	changed.Permissions = []string{"data:write"}
	added.Counter = changed.Counter
	noError(t, s.Keys.Update(t.Context(), changed.Account, func([]apikey.Key) (apikey.Changes, error) {
		return apikey.Changes{Keys: []apikey.Key{added, changed}, Events: events}, nil
	}))
	wantEqual(t, []apikey.Key{changed, keyOf(2, 1), added}, allKeys(t, s))
	wantEqual(t, events, allEvents(t, s))
}

func keepsLastUse(t *testing.T, s *store.DB) {
	insertKeys(t, s, testKey(1))
	want := testKey(1)
	want.Name, want.LastUsed, want.LastFrom = "renamed", after(60), "192.0.2.60"
	noError(t, s.Usage.AddUsage(t.Context(), usageOf(map[string]usage.Use{want.ID: used(60)})))
	stale := testKey(1)
	stale.Name = want.Name
	insertKeys(t, s, stale)
	wantEqual(t, []apikey.Key{want}, allKeys(t, s))
}

// A store rejects a key whose id or hash is in use, and a key of another account than the changed one: it would let one
// customer use another one's quota.
func rejectsDuplicates(t *testing.T, s *store.DB) {
	register(t, s, 1)
	register(t, s, 2)
	existing := keyOf(1, 1)
	existingWithoutAccount := testKey(2)
	insertKeys(t, s, existing, existingWithoutAccount)

	sameHash := keyOf(3, 2)
	sameHash.Hash = existing.Hash
	sameID := keyOf(4, 2)
	sameID.ID = existing.ID
	sameIDWithoutAccount := testKey(5)
	sameIDWithoutAccount.ID = existing.ID

	const noAccount = ""
	firstAccount := testAccount(1).ID
	secondAccount := testAccount(2).ID
	for _, tt := range []struct {
		name    string
		account string     // whose keys change
		key     apikey.Key // what the change writes
	}{
		{"hash of a key of another account", secondAccount, sameHash},
		{"id of a key of another account", secondAccount, sameID},
		{"id of a key of an account, for a key without an account", noAccount, sameIDWithoutAccount},
		{"new key of account 1 in a change of account 2", secondAccount, keyOf(6, 1)},
		{"new key of account 1 in a change of keys without an account", noAccount, keyOf(6, 1)},
		{"new key without an account in a change of account 1", firstAccount, testKey(6)},
		{"existing key without an account, moved to account 1", firstAccount, keyOf(2, 1)},
	} {
		// A valid key precedes the invalid one. It must not remain, because a change is written as a whole.
		valid := testKey(7)
		valid.Account = tt.account
		err := s.Keys.Update(t.Context(), tt.account, func([]apikey.Key) (apikey.Changes, error) {
			return apikey.Changes{
				Keys:   []apikey.Key{valid, tt.key},
				Events: []audit.Event{event(1, tt.account)},
			}, nil
		})
		if err == nil {
			t.Errorf("%s: no error", tt.name)
		}

		wantEqual(t, []apikey.Key{existing, existingWithoutAccount}, allKeys(t, s))
		wantEqual(t, []audit.Event(nil), allEvents(t, s))
	}
}

func keyChangeIsAtomic(t *testing.T, s *store.DB) {
	register(t, s, 1)
	for _, of := range []string{"", testAccount(1).ID} {
		err := s.Keys.Update(t.Context(), of, func([]apikey.Key) (apikey.Changes, error) {
			k := testKey(1)
			k.Account = of
			return apikey.Changes{Keys: []apikey.Key{k}, Events: []audit.Event{event(1, of)}}, errTest
		})
		wantError(t, err, errTest)
	}
	if keys, events := allKeys(t, s), allEvents(t, s); len(keys) != 0 || len(events) != 0 {
		t.Errorf("a failed change wrote keys %v and events %v", keys, events)
	}
}

func panickingChange(t *testing.T, s *store.DB) {
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was suppressed")
			}
		}()
		_ = s.Keys.Update(t.Context(), "", func([]apikey.Key) (apikey.Changes, error) { panic("a bug") })
	}()
	insertKeys(t, s, testKey(1)) // would hang if the transaction were still open
	wantEqual(t, []apikey.Key{testKey(1)}, allKeys(t, s))
}

func unknownAccount(t *testing.T, s *store.DB) {
	k := testKey(1)
	k.Account = "acc_none"
	wantError(t, s.Keys.Update(t.Context(), k.Account, writeKeys(k)), account.ErrNotFound)
}

// Concurrent changes each add a key if there are fewer than three.
func limitsKeys(t *testing.T, s *store.DB) {
	const limit = 3
	register(t, s, 1)
	for _, of := range []string{"", testAccount(1).ID} {
		got := concurrently(t, func(i int) error {
			return s.Keys.Update(t.Context(), of, func(keys []apikey.Key) (apikey.Changes, error) {
				// Between this check and the insertion, no other call may add a key.
				if len(keys) >= limit {
					return apikey.Changes{}, errTest
				}

				k := testKey(i)
				if of != "" {
					k = keyOf(callers+i, 1)
				}
				return apikey.Changes{Keys: []apikey.Key{k}, Events: []audit.Event{event(i, of)}}, nil
			})
		}, errTest)

		wantEqual(t, map[error]int{nil: limit, errTest: callers - limit}, got)
		if keys := must(s.Keys.ListOf(t.Context(), of)); len(keys) != limit {
			t.Errorf("account %q has %d keys, want %d", of, len(keys), limit)
		}
	}

	if events := allEvents(t, s); len(events) != 2*limit {
		t.Errorf("%d events, want one for each of %d keys", len(events), 2*limit)
	}
}

func suspendsKeys(t *testing.T, s *store.DB) {
	register(t, s, 1)
	register(t, s, 2)
	insertKeys(t, s, keyOf(1, 1), keyOf(2, 2), testKey(3))
	for _, disabled := range []time.Time{after(60), {}} {
		noError(t, s.Accounts.Update(t.Context(), testAccount(1).ID,
			func(a *account.Account, keys []apikey.Key) (apikey.Changes, error) {
				a.Disabled = disabled
				return apikey.Changes{Keys: keys}, nil
			}))
		for _, want := range []apikey.Key{keyOf(1, 1), keyOf(2, 2), testKey(3)} {
			if want.Account == testAccount(1).ID {
				want.Suspended = disabled
			}
			wantEqual(t, want, must(s.Keys.FindByHash(t.Context(), want.Hash)))
		}
	}
}
