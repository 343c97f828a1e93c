package storetest

import (
	"slices"
	"testing"

	"freelancer-matching/access/account"
	"freelancer-matching/access/apikey"
	"freelancer-matching/access/audit"
)

// Accounts runs the contract of account.Store.
func Accounts(t *testing.T, open func(t *testing.T) Store) {
	suite{
		"a user comes back as registered":                     keepsUser,
		"a user joins an account":                             joins,
		"a registration is written whole or not at all":       failingRegistrations,
		"an address is unique in any case of letters":         uniqueEmail,
		"one of many registrations with an address is let in": concurrentEmail,
		"a link lets one of many in":                          concurrentLink,
		"one of many is the first user":                       concurrentFirst,
		"nobody is the first user after the first":            notFirst,
		"a change of users ends links and makes others":       changesLinks,
		"users stay as they are while keys change":            usersAndKeys,
		"a change gets the users of its account oldest first": changeGetsUsers,
		"users are changed and removed":                       changesUsers,
		"a change of users is written whole or not at all":    failingUsers,
		"a change of users spends a link":                     changeSpends,
		"changes of the users of an account never overlap":    lastOwner,
		"an account changes together with its keys":           changesAccount,
		"a change of an account that fails writes nothing":    failingAccount,
		"changes of an account never overlap":                 overlappingAccount,
		"accounts are found by a part of a name or address":   searches,
		"accounts are listed newest first":                    listsAccounts,
	}.run(t, open)
	suite{
		"a link comes back as it was stored":                     keepsLink,
		"a link cannot be used when it is out of date":           outOfDate,
		"a link takes the place of those like it":                replacesLinks,
		"of links of one user that are made at once one is good": concurrentLinks,
		"links are listed newest first":                          listsLinks,
		"a link is revoked":                                      revokesLink,
		"events come newest first":                               listsEvents,
		"events of one moment come in the order of the log":      eventsOfMoment,
	}.run(t, open)
}

func keepsUser(t *testing.T, s Store) {
	if any, err := s.HasUsers(t.Context()); err != nil || any {
		t.Errorf("empty store: HasUsers is %t, %v", any, err)
	}
	a, u, events := testAccount(1), testUser(1, 1), []audit.Event{event(2, testAccount(1).ID), event(1, testAccount(1).ID)}
	a.Disabled, u.LastSignIn, u.Sessions = after(60), after(61), 7
	must(t, s.Register(t.Context(), account.Registration{Account: &a, User: u, Events: events}, start()))
	register(t, s, 2)

	gotAccount, err := s.Account(t.Context(), a.ID)
	wantSame(t, a, get(t, gotAccount, err))
	gotUser, err := s.User(t.Context(), u.ID)
	wantSame(t, u, get(t, gotUser, err))
	gotUser, err = s.UserByEmail(t.Context(), u.Email)
	wantSame(t, u, get(t, gotUser, err))
	wantSame(t, []account.User{u}, users(t, s, a.ID))
	wantSame(t, events, allEvents(t, s))
	if any, err := s.HasUsers(t.Context()); err != nil || !any {
		t.Errorf("HasUsers is %t, %v", any, err)
	}

	_, err = s.Account(t.Context(), "acc_none")
	wantError(t, err, account.ErrNotFound)
	_, err = s.User(t.Context(), "usr_none")
	wantError(t, err, account.ErrNotFound)
	_, err = s.UserByEmail(t.Context(), "none@example.com")
	wantError(t, err, account.ErrNotFound)
}

func users(t *testing.T, s Store, of string) []account.User {
	t.Helper()
	got, err := s.Users(t.Context(), of)
	return get(t, got, err)
}

func joins(t *testing.T, s Store) {
	register(t, s, 2)
	must(t, s.Register(t.Context(), account.Registration{User: testUser(1, 2)}, start()))
	wantSame(t, []account.User{testUser(1, 2), testUser(2, 2)}, users(t, s, testAccount(2).ID))
	wantError(t, s.Register(t.Context(), account.Registration{User: testUser(3, 3)}, start()), account.ErrNotFound)
}

func failingRegistrations(t *testing.T, s Store) {
	register(t, s, 1)
	good, stale := testLink(1, account.Invitation), testLink(2, account.Invitation)
	stale.Expires = after(10)
	must(t, s.InsertLink(t.Context(), good))
	must(t, s.InsertLink(t.Context(), stale))
	fresh, taken := testAccount(2), testUser(3, 2)
	taken.Email = testUser(1, 1).Email
	unknown := account.Token{9}
	for name, tt := range map[string]struct {
		r    account.Registration
		want error
	}{
		"the address is taken":      {account.Registration{Account: &fresh, User: taken, Link: &good.Token}, account.ErrEmailTaken},
		"the link is out of date":   {account.Registration{Account: &fresh, User: testUser(2, 2), Link: &stale.Token}, account.ErrLinkSpent},
		"the link is unknown":       {account.Registration{Account: &fresh, User: testUser(2, 2), Link: &unknown}, account.ErrLinkSpent},
		"it is not the first":       {account.Registration{Account: &fresh, User: testUser(2, 2), First: true}, account.ErrNotFirst},
		"there is no account":       {account.Registration{User: testUser(2, 2), Link: &good.Token}, account.ErrNotFound},
		"the account is there, too": {account.Registration{Account: &account.Account{ID: testAccount(1).ID}, User: testUser(2, 1)}, nil},
	} {
		tt.r.Events = []audit.Event{event(1, "")}
		err := s.Register(t.Context(), tt.r, stale.Expires)
		if err == nil {
			t.Errorf("%s: registered", name)
		}
		if tt.want != nil {
			wantError(t, err, tt.want)
		}
	}
	if events := allEvents(t, s); len(events) != 0 {
		t.Errorf("events of registrations that failed: %v", events)
	}
	wantSame(t, []account.Account{testAccount(1)}, accounts(t, s, ""))
	if _, err := s.Link(t.Context(), good.Token, start()); err != nil {
		t.Errorf("the link was spent by a registration that failed: %v", err)
	}
}

func uniqueEmail(t *testing.T, s Store) {
	a, u := testAccount(1), testUser(1, 1)
	u.Email = "zoë@example.com"
	must(t, s.Register(t.Context(), account.Registration{Account: &a, User: u}, start()))
	for i, email := range []string{"zoë@example.com", "Zoë@example.com", "ZOË@EXAMPLE.COM"} {
		other := testUser(2+i, 1)
		other.Email = email
		wantError(t, s.Register(t.Context(), account.Registration{User: other}, start()), account.ErrEmailTaken)
		if got, err := s.UserByEmail(t.Context(), email); err != nil || got.ID != u.ID {
			t.Errorf("%s: got %q, %v", email, got.ID, err)
		}
	}
}

func concurrentEmail(t *testing.T, s Store) {
	got := atOnce(t, func(i int) error {
		a, u := testAccount(i), testUser(i, i)
		u.Email = "same@example.com"
		return s.Register(t.Context(), account.Registration{Account: &a, User: u}, start())
	}, account.ErrEmailTaken)
	wantSame(t, map[error]int{nil: 1, account.ErrEmailTaken: many - 1}, got)
	if all := accounts(t, s, ""); len(all) != 1 {
		t.Errorf("%d accounts, want 1", len(all))
	}
}

func concurrentLink(t *testing.T, s Store) {
	l := testLink(1, account.Invitation)
	must(t, s.InsertLink(t.Context(), l))
	got := atOnce(t, func(i int) error {
		a := testAccount(i)
		return s.Register(t.Context(), account.Registration{Account: &a, User: testUser(i, i), Link: &l.Token}, start())
	}, account.ErrLinkSpent)
	wantSame(t, map[error]int{nil: 1, account.ErrLinkSpent: many - 1}, got)
	if all := accounts(t, s, ""); len(all) != 1 {
		t.Errorf("%d accounts, want 1", len(all))
	}
}

func concurrentFirst(t *testing.T, s Store) {
	got := atOnce(t, func(i int) error {
		a := testAccount(i)
		return s.Register(t.Context(), account.Registration{Account: &a, User: testUser(i, i), First: true}, start())
	}, account.ErrNotFirst)
	wantSame(t, map[error]int{nil: 1, account.ErrNotFirst: many - 1}, got)
}

func notFirst(t *testing.T, s Store) {
	register(t, s, 1)
	a := testAccount(2)
	err := s.Register(t.Context(), account.Registration{Account: &a, User: testUser(2, 2), First: true}, start())
	wantError(t, err, account.ErrNotFirst)
}

func changesAccount(t *testing.T, s Store) {
	register(t, s, 1)
	register(t, s, 2)
	insertKeys(t, s, keyOf(2, 1), keyOf(1, 1), keyOf(3, 2))
	want, events := testAccount(1), []audit.Event{event(1, testAccount(1).ID)}
	want.Name, want.Plan, want.PlanSince, want.Disabled = "Ærlig talt", "enterprise", after(60), after(61)
	old, fresh := keyOf(1, 1), keyOf(4, 1)
	old.Expires = after(100)
	must(t, s.UpdateAccount(t.Context(), want.ID, func(a *account.Account, keys []apikey.Key) (apikey.Changes, error) {
		wantSame(t, testAccount(1), *a)
		wantSame(t, []apikey.Key{keyOf(1, 1), keyOf(2, 1)}, keys)
		*a = want
		return apikey.Changes{Keys: []apikey.Key{fresh, old}, Events: events}, nil
	}))
	got, err := s.Account(t.Context(), want.ID)
	wantSame(t, want, get(t, got, err))
	other, err := s.Account(t.Context(), testAccount(2).ID)
	wantSame(t, testAccount(2), get(t, other, err))
	wantSame(t, events, allEvents(t, s))
	wantSame(t, []account.Account{want}, accounts(t, s, "ærlig"))
	wantKeys := []apikey.Key{old, keyOf(2, 1), fresh}
	for i := range wantKeys {
		wantKeys[i].Suspended = want.Disabled
	}
	keys, err := s.KeysOf(t.Context(), want.ID)
	wantSame(t, wantKeys, get(t, keys, err))
}

func failingAccount(t *testing.T, s Store) {
	register(t, s, 1)
	insertKeys(t, s, keyOf(1, 1), testKey(2))
	for _, tt := range []struct {
		key   apikey.Key
		fault error
	}{{keyOf(3, 1), errTest}, {testKey(3), nil}, {keyOf(2, 1), nil}} {
		err := s.UpdateAccount(t.Context(), testAccount(1).ID,
			func(a *account.Account, _ []apikey.Key) (apikey.Changes, error) {
				a.Plan = "enterprise"
				return apikey.Changes{Keys: []apikey.Key{tt.key}, Events: []audit.Event{event(1, a.ID)}}, tt.fault
			})
		if err == nil {
			t.Errorf("key %+v was accepted", tt.key)
		}
		if tt.fault != nil {
			wantError(t, err, tt.fault)
		}
		wantSame(t, []account.Account{testAccount(1)}, accounts(t, s, ""))
		wantSame(t, []apikey.Key{keyOf(1, 1), testKey(2)}, allKeys(t, s))
		wantSame(t, []audit.Event(nil), allEvents(t, s))
	}
	wantError(t, s.UpdateAccount(t.Context(), "acc_none", func(*account.Account, []apikey.Key) (apikey.Changes, error) {
		t.Error("the change was called for an account that is not there")
		return apikey.Changes{}, nil
	}), account.ErrNotFound)
}

// An account and its keys are changed in both ways at once: each change sees all of those before it.
func overlappingAccount(t *testing.T, s Store) {
	register(t, s, 1)
	got := atOnce(t, func(i int) error {
		if i%2 == 0 {
			return s.UpdateKeys(t.Context(), testAccount(1).ID, func(keys []apikey.Key) (apikey.Changes, error) {
				return apikey.Changes{Keys: []apikey.Key{keyOf(len(keys), 1)}}, nil
			})
		}
		return s.UpdateAccount(t.Context(), testAccount(1).ID,
			func(a *account.Account, keys []apikey.Key) (apikey.Changes, error) {
				a.Name += "x"
				return apikey.Changes{Keys: []apikey.Key{keyOf(len(keys), 1)}}, nil
			})
	})
	wantSame(t, map[error]int{nil: many}, got)
	a, err := s.Account(t.Context(), testAccount(1).ID)
	wantSame(t, testAccount(1).Name+long(many/2), get(t, a, err).Name)
	if keys := allKeys(t, s); len(keys) != many {
		t.Errorf("%d keys, want %d", len(keys), many)
	}
}

func accounts(t *testing.T, s Store, part string) []account.Account {
	t.Helper()
	got, err := s.Accounts(t.Context(), part, 1000)
	return get(t, got, err)
}

func searches(t *testing.T, s Store) {
	for i, name := range []string{"100% Größe", "100 percent", "snake_case", "snakecase", `back\slash`, "Ørsted"} {
		a, u := testAccount(i), testUser(i, i)
		a.Name = name
		must(t, s.Register(t.Context(), account.Registration{Account: &a, User: u}, start()))
	}
	for i, email := range []string{"twice.a@example.org", "twice.b@example.org", "under_score@example.org"} {
		u := testUser(10+i, 3)
		u.Email = email
		must(t, s.Register(t.Context(), account.Registration{User: u}, start()))
	}
	tests := map[string][]int{
		"":  {5, 4, 3, 2, 1, 0},
		"%": {0}, "100%": {0}, "100": {1, 0}, "_": {3, 2}, "snake_": {2}, "snake": {3, 2}, `\`: {4}, `k\s`: {4}, `\\`: nil,
		"GRÖSSE": nil, "GRÖß": {0}, "größe": {0}, "øRSTED": {5}, "ørsted": {5}, "SNAKECASE": {3},
		"twice": {3}, "Twice.A@": {3}, "under_score": {3}, "underXscore": nil, "user4@": {4}, "nobody": nil, "%%": nil, "'": nil,
	}
	for part, want := range tests {
		var got []int
		for _, a := range accounts(t, s, part) {
			got = append(got, slices.IndexFunc([]int{0, 1, 2, 3, 4, 5}, func(n int) bool { return testAccount(n).ID == a.ID }))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q finds accounts %v, want %v", part, got, want)
		}
	}
}

func listsAccounts(t *testing.T, s Store) {
	wantSame(t, []account.Account(nil), accounts(t, s, ""))
	for _, n := range []int{2, 3, 1} {
		register(t, s, n)
	}
	wantSame(t, []account.Account{testAccount(3), testAccount(2), testAccount(1)}, accounts(t, s, ""))
	got, err := s.Accounts(t.Context(), "FILS", 2)
	wantSame(t, []account.Account{testAccount(3), testAccount(2)}, get(t, got, err))
}
