package storetest

import (
	"net/netip"
	"testing"
	"time"

	"freelancer-matching/access/account"
	"freelancer-matching/access/apikey"
	"freelancer-matching/access/audit"
)

// Keys runs the contract of apikey.Store.
func Keys(t *testing.T, open func(t *testing.T) Store) {
	suite{
		"a key comes back as it was stored":                  keepsKey,
		"an unknown key is not found":                        unknownKey,
		"keys are listed oldest first":                       listsKeys,
		"a change gets the keys of its account oldest first": changeGetsKeys,
		"what is changed is written":                         changesKey,
		"a change never writes a last use":                   keepsLastUse,
		"ids and hashes are unique":                          refusesDuplicates,
		"a change that fails writes nothing":                 failingKeys,
		"a change that panics writes nothing":                panickingKeys,
		"an account that is not there has no keys":           keysOfNobody,
		"changes of one account never overlap":               limitsKeys,
		"a key is suspended with its account":                suspends,
	}.run(t, open)
}

func keepsKey(t *testing.T, s Store) {
	register(t, s, 1)
	full := keyOf(1, 1)
	full.Counter, full.ReplacedBy = "key_before", "key_after"
	full.Operations = []string{"health", "match"}
	full.Networks = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("2001:db8::/32")}
	full.Expires, full.GraceEnd, full.Disabled, full.Revoked, full.LastUsed = after(60), after(59), after(61), after(62), after(63)
	for _, want := range []apikey.Key{full, testKey(2)} {
		insertKeys(t, s, want)
		byHash, err := s.KeyByHash(t.Context(), want.Hash)
		wantSame(t, want, get(t, byHash, err))
		byID, err := s.KeyByID(t.Context(), want.ID)
		wantSame(t, want, get(t, byID, err))
		of, err := s.KeysOf(t.Context(), want.Account)
		wantSame(t, []apikey.Key{want}, get(t, of, err))
	}
	wantSame(t, []apikey.Key{full, testKey(2)}, allKeys(t, s))

	elsewhere := testKey(3)
	elsewhere.Created = elsewhere.Created.In(time.FixedZone("", 3600))
	insertKeys(t, s, elsewhere)
	if got, err := s.KeyByID(t.Context(), elsewhere.ID); err != nil || got.Created != testKey(3).Created {
		t.Errorf("a moment of another zone came back as %v (%v), want %v", got.Created, err, testKey(3).Created)
	}
}

func unknownKey(t *testing.T, s Store) {
	insertKeys(t, s, testKey(1))
	_, err := s.KeyByHash(t.Context(), testKey(2).Hash)
	wantError(t, err, apikey.ErrNotFound)
	_, err = s.KeyByID(t.Context(), testKey(2).ID)
	wantError(t, err, apikey.ErrNotFound)
}

func listsKeys(t *testing.T, s Store) {
	if keys := allKeys(t, s); len(keys) != 0 {
		t.Fatalf("empty store: got %v", keys)
	}
	register(t, s, 1)
	register(t, s, 2)
	insertKeys(t, s, keyOf(5, 1), testKey(4), keyOf(3, 2), testKey(2), keyOf(1, 1))
	wantSame(t, []apikey.Key{keyOf(1, 1), testKey(2), keyOf(3, 2), testKey(4), keyOf(5, 1)}, allKeys(t, s))
	for of, want := range map[string][]apikey.Key{
		"":                {testKey(2), testKey(4)},
		testAccount(1).ID: {keyOf(1, 1), keyOf(5, 1)},
		testAccount(2).ID: {keyOf(3, 2)},
		"acc_none":        nil,
	} {
		got, err := s.KeysOf(t.Context(), of)
		wantSame(t, want, get(t, got, err))
	}
}

func changeGetsKeys(t *testing.T, s Store) {
	register(t, s, 1)
	insertKeys(t, s, keyOf(3, 1), keyOf(1, 1), testKey(2))
	for of, want := range map[string][]apikey.Key{"": {testKey(2)}, testAccount(1).ID: {keyOf(1, 1), keyOf(3, 1)}} {
		called := false
		must(t, s.UpdateKeys(t.Context(), of, func(got []apikey.Key) (apikey.Changes, error) {
			called = true
			wantSame(t, want, got)
			got[0].Name = "of the copy only"
			return apikey.Changes{}, nil
		}))
		got, err := s.KeysOf(t.Context(), of)
		wantSame(t, want, get(t, got, err))
		if !called {
			t.Error("the change was not called")
		}
	}
}

func changesKey(t *testing.T, s Store) {
	register(t, s, 1)
	insertKeys(t, s, keyOf(1, 1), keyOf(2, 1))
	old, fresh, events := keyOf(1, 1), keyOf(3, 1), []audit.Event{event(2, testAccount(1).ID), event(1, testAccount(1).ID)}
	old.Name, old.Revoked, old.ReplacedBy = "renamed", after(9), fresh.ID
	old.Expires, old.GraceEnd = after(10), after(11)
	old.Operations = []string{"match"}
	fresh.Counter = old.Counter
	must(t, s.UpdateKeys(t.Context(), old.Account, func([]apikey.Key) (apikey.Changes, error) {
		return apikey.Changes{Keys: []apikey.Key{fresh, old}, Events: events}, nil
	}))
	wantSame(t, []apikey.Key{old, keyOf(2, 1), fresh}, allKeys(t, s))
	wantSame(t, events, allEvents(t, s))
}

func keepsLastUse(t *testing.T, s Store) {
	insertKeys(t, s, testKey(1))
	want := testKey(1)
	want.Name, want.LastUsed = "renamed", after(60)
	must(t, s.AddUsage(t.Context(), usageOf(map[string]time.Time{want.ID: want.LastUsed})))
	stale := testKey(1)
	stale.Name = want.Name
	insertKeys(t, s, stale)
	wantSame(t, []apikey.Key{want}, allKeys(t, s))
}

func refusesDuplicates(t *testing.T, s Store) {
	register(t, s, 1)
	register(t, s, 2)
	insertKeys(t, s, keyOf(1, 1), testKey(2))
	sameHash, sameID, sameIDOfNone, elsewhere := keyOf(3, 2), keyOf(4, 2), testKey(5), keyOf(6, 1)
	sameHash.Hash, sameID.ID, sameIDOfNone.ID = keyOf(1, 1).Hash, keyOf(1, 1).ID, keyOf(1, 1).ID
	for name, tt := range map[string]struct {
		of  string
		key apikey.Key
	}{
		"the hash of another key":                {testAccount(2).ID, sameHash},
		"the id of another account's key":        {testAccount(2).ID, sameID},
		"the id of an account's key, of none":    {"", sameIDOfNone},
		"a key that says it is of another":       {testAccount(2).ID, elsewhere},
		"a key that says it is of an account":    {"", elsewhere},
		"a key that says it is of none":          {testAccount(1).ID, testKey(6)},
		"the key of none, taken into an account": {testAccount(1).ID, keyOf(2, 1)},
	} {
		good := testKey(7)
		good.Account = tt.of
		err := s.UpdateKeys(t.Context(), tt.of, func([]apikey.Key) (apikey.Changes, error) {
			return apikey.Changes{Keys: []apikey.Key{good, tt.key}, Events: []audit.Event{event(1, tt.of)}}, nil
		})
		if err == nil {
			t.Errorf("%s was accepted", name)
		}
		wantSame(t, []apikey.Key{keyOf(1, 1), testKey(2)}, allKeys(t, s))
		wantSame(t, []audit.Event(nil), allEvents(t, s))
	}
}

func failingKeys(t *testing.T, s Store) {
	register(t, s, 1)
	for _, of := range []string{"", testAccount(1).ID} {
		err := s.UpdateKeys(t.Context(), of, func([]apikey.Key) (apikey.Changes, error) {
			k := testKey(1)
			k.Account = of
			return apikey.Changes{Keys: []apikey.Key{k}, Events: []audit.Event{event(1, of)}}, errTest
		})
		wantError(t, err, errTest)
	}
	if keys, events := allKeys(t, s), allEvents(t, s); len(keys) != 0 || len(events) != 0 {
		t.Errorf("written in spite of the failure: %v, %v", keys, events)
	}
}

func panickingKeys(t *testing.T, s Store) {
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		_ = s.UpdateKeys(t.Context(), "", func([]apikey.Key) (apikey.Changes, error) { panic("a bug") })
	}()
	insertKeys(t, s, testKey(1)) // waits for ever where the transaction is still open
	wantSame(t, []apikey.Key{testKey(1)}, allKeys(t, s))
}

func keysOfNobody(t *testing.T, s Store) {
	k := testKey(1)
	k.Account = "acc_none"
	wantError(t, s.UpdateKeys(t.Context(), k.Account, put(k)), account.ErrNotFound)
}

// Many changes at once, each of which adds a key while there are fewer than three.
func limitsKeys(t *testing.T, s Store) {
	const limit = 3
	register(t, s, 1)
	for _, of := range []string{"", testAccount(1).ID} {
		got := atOnce(t, func(i int) error {
			return s.UpdateKeys(t.Context(), of, func(keys []apikey.Key) (apikey.Changes, error) {
				if len(keys) >= limit {
					return apikey.Changes{}, errTest
				}
				k := testKey(i)
				if of != "" {
					k = keyOf(many+i, 1)
				}
				return apikey.Changes{Keys: []apikey.Key{k}, Events: []audit.Event{event(i, of)}}, nil
			})
		}, errTest)
		wantSame(t, map[error]int{nil: limit, errTest: many - limit}, got)
		keys, err := s.KeysOf(t.Context(), of)
		if err != nil || len(keys) != limit {
			t.Errorf("account %q has %d keys (%v), want %d", of, len(keys), err, limit)
		}
	}
	if events := allEvents(t, s); len(events) != 2*limit {
		t.Errorf("%d events, want one for each of %d keys", len(events), 2*limit)
	}
}

func suspends(t *testing.T, s Store) {
	register(t, s, 1)
	register(t, s, 2)
	insertKeys(t, s, keyOf(1, 1), keyOf(2, 2), testKey(3))
	for _, disabled := range []time.Time{after(60), {}} {
		must(t, s.UpdateAccount(t.Context(), testAccount(1).ID,
			func(a *account.Account, keys []apikey.Key) (apikey.Changes, error) {
				a.Disabled = disabled
				return apikey.Changes{Keys: keys}, nil
			}))
		for _, want := range []apikey.Key{keyOf(1, 1), keyOf(2, 2), testKey(3)} {
			if want.Account == testAccount(1).ID {
				want.Suspended = disabled
			}
			got, err := s.KeyByHash(t.Context(), want.Hash)
			wantSame(t, want, get(t, got, err))
		}
	}
}
