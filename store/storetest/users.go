package storetest

import (
	"errors"
	"slices"
	"testing"
	"time"

	"freelancer-matching/access/account"
	"freelancer-matching/access/apikey"
	"freelancer-matching/access/audit"
)

func updateUsers(t *testing.T, s Store, of string, changes account.UserChanges) error {
	t.Helper()
	return s.UpdateUsers(t.Context(), of, nil, start(),
		func([]account.User, []apikey.Key) (account.UserChanges, error) { return changes, nil })
}

func changeGetsUsers(t *testing.T, s Store) {
	register(t, s, 2)
	register(t, s, 3)
	must(t, s.Register(t.Context(), account.Registration{User: testUser(1, 2)}, start()))
	insertKeys(t, s, keyOf(2, 2), keyOf(1, 2), keyOf(3, 3), testKey(4))
	want := []account.User{testUser(1, 2), testUser(2, 2)}
	must(t, s.UpdateUsers(t.Context(), testAccount(2).ID, nil, start(),
		func(got []account.User, keys []apikey.Key) (account.UserChanges, error) {
			wantSame(t, want, got)
			wantSame(t, []apikey.Key{keyOf(1, 2), keyOf(2, 2)}, keys)
			got[0].Role = account.Administrator // of the copy only
			return account.UserChanges{}, nil
		}))
	wantSame(t, want, users(t, s, testAccount(2).ID))
	wantError(t, updateUsers(t, s, "acc_none", account.UserChanges{}), account.ErrNotFound)
}

func changesUsers(t *testing.T, s Store) {
	register(t, s, 1)
	register(t, s, 2)
	for n := 3; n <= 4; n++ {
		must(t, s.Register(t.Context(), account.Registration{User: testUser(n, 1)}, start()))
	}
	for n := 1; n <= 4; n++ {
		l := testLink(n, account.Reset)
		l.User = testUser(n, 1).ID
		must(t, s.InsertLink(t.Context(), l))
	}
	changed, events := testUser(1, 1), []audit.Event{event(1, testAccount(1).ID)}
	changed.Role, changed.Password, changed.LastSignIn, changed.Sessions = account.Member, "$argon2id$new", after(60), 3
	changed.Email = "new@example.com"
	must(t, updateUsers(t, s, testAccount(1).ID, account.UserChanges{
		Changed: []account.User{changed}, Removed: []string{testUser(3, 1).ID}, DeleteResets: []string{testUser(4, 1).ID}, Events: events,
	}))
	wantSame(t, []account.User{changed, testUser(4, 1)}, users(t, s, testAccount(1).ID))
	wantSame(t, []account.User{testUser(2, 2)}, users(t, s, testAccount(2).ID))
	wantSame(t, events, allEvents(t, s))
	for n, want := range map[int]error{1: nil, 2: nil, 3: account.ErrLinkSpent, 4: account.ErrLinkSpent} {
		_, err := s.Link(t.Context(), testLink(n, account.Reset).Token, start())
		wantError(t, err, want)
	}
	again := testUser(5, 2)
	again.Email = testUser(3, 1).Email // which is free again
	must(t, s.Register(t.Context(), account.Registration{User: again}, start()))
}

// Links that a user has made end with the user, whatever they are for and whichever account they lead to.
func changesLinks(t *testing.T, s Store) {
	register(t, s, 1)
	for n := 2; n <= 3; n++ {
		must(t, s.Register(t.Context(), account.Registration{User: testUser(n, 1)}, start()))
	}
	register(t, s, 4)
	for n := 1; n <= 4; n++ {
		invitation, reset := testLink(n, account.Invitation), testLink(10+n, account.Reset)
		invitation.CreatedBy, reset.CreatedBy = testUser(n, 1).ID, testUser(n, 1).ID
		reset.User, reset.Account = testUser(20+n, 4).ID, testAccount(4).ID
		insertLinks(t, s, invitation, reset)
	}
	operators := testLink(5, account.Invitation)
	operators.CreatedBy = audit.CommandLine
	insertLinks(t, s, operators)
	made, events := testLink(6, account.Invitation), []audit.Event{event(1, testAccount(1).ID)}
	made.CreatedBy = testUser(3, 1).ID
	changes := account.UserChanges{
		Removed: []string{testUser(1, 1).ID}, DeleteCreated: []string{testUser(2, 1).ID, testUser(3, 1).ID},
		NewLinks: []account.Link{made}, Events: events,
	}
	left := func() (ids []string) {
		for _, l := range links(t, s, "") {
			ids = append(ids, l.ID)
		}
		slices.Sort(ids)
		return ids
	}
	before := left()
	wantError(t, s.UpdateUsers(t.Context(), testAccount(1).ID, nil, start(),
		func([]account.User, []apikey.Key) (account.UserChanges, error) { return changes, errTest }), errTest)
	wantSame(t, before, left())
	must(t, updateUsers(t, s, testAccount(1).ID, changes))
	wantSame(t, []string{
		testLink(4, "").ID, operators.ID, made.ID, testLink(14, "").ID,
	}, left())
	got, err := s.Link(t.Context(), made.Token, start())
	wantSame(t, made, get(t, got, err))
	wantSame(t, events, allEvents(t, s))
}

// Many at once make a key while there is a user, or remove the user while there is no key: both never happens.
func usersAndKeys(t *testing.T, s Store) {
	register(t, s, 1)
	of := testAccount(1).ID
	atOnce(t, func(i int) error {
		if i%2 == 0 {
			return s.UpdateUsers(t.Context(), of, nil, start(),
				func(users []account.User, keys []apikey.Key) (account.UserChanges, error) {
					if len(users) == 0 || len(keys) > 0 {
						return account.UserChanges{}, errTest
					}
					return account.UserChanges{Removed: []string{users[0].ID}}, nil
				})
		}
		return s.UpdateKeys(t.Context(), of, func([]apikey.Key) (apikey.Changes, error) {
			if left, err := s.Users(t.Context(), of); err != nil || len(left) == 0 {
				return apikey.Changes{}, errors.Join(err, errTest)
			}
			return apikey.Changes{Keys: []apikey.Key{keyOf(i, 1)}}, nil
		})
	}, errTest)
	keys, err := s.KeysOf(t.Context(), of)
	if left := users(t, s, of); (len(get(t, keys, err)) > 0) != (len(left) > 0) {
		t.Errorf("%d users and %d keys are left", len(left), len(keys))
	}
}

func failingUsers(t *testing.T, s Store) {
	register(t, s, 1)
	register(t, s, 2)
	changed := testUser(1, 1)
	changed.Role = account.Member
	for name, tt := range map[string]struct {
		changes account.UserChanges
		fault   error
		want    error
	}{
		"the change fails":                 {account.UserChanges{}, errTest, errTest},
		"a user of another is changed":     {account.UserChanges{Changed: []account.User{testUser(2, 2)}}, nil, account.ErrNotFound},
		"a user of another is removed":     {account.UserChanges{Removed: []string{testUser(2, 2).ID}}, nil, account.ErrNotFound},
		"a user that is not there changes": {account.UserChanges{Changed: []account.User{testUser(3, 1)}}, nil, account.ErrNotFound},
	} {
		tt.changes.Changed = append([]account.User{changed}, tt.changes.Changed...)
		tt.changes.Events = []audit.Event{event(1, testAccount(1).ID)}
		err := s.UpdateUsers(t.Context(), testAccount(1).ID, nil, start(),
			func([]account.User, []apikey.Key) (account.UserChanges, error) { return tt.changes, tt.fault })
		t.Log(name)
		wantError(t, err, tt.want)
		wantSame(t, []account.User{testUser(1, 1)}, users(t, s, testAccount(1).ID))
		wantSame(t, []account.User{testUser(2, 2)}, users(t, s, testAccount(2).ID))
		wantSame(t, []audit.Event(nil), allEvents(t, s))
	}
}

func changeSpends(t *testing.T, s Store) {
	register(t, s, 1)
	l := testLink(1, account.Reset)
	l.User = testUser(1, 1).ID
	must(t, s.InsertLink(t.Context(), l))
	spend := func(at time.Time, fault error) error {
		return s.UpdateUsers(t.Context(), testAccount(1).ID, &l.Token, at,
			func(users []account.User, _ []apikey.Key) (account.UserChanges, error) {
				users[0].Sessions++
				return account.UserChanges{Changed: users}, fault
			})
	}
	wantError(t, spend(l.Expires, nil), account.ErrLinkSpent)
	wantError(t, spend(start(), errTest), errTest)
	got := atOnce(t, func(int) error { return spend(start(), nil) }, account.ErrLinkSpent)
	wantSame(t, map[error]int{nil: 1, account.ErrLinkSpent: many - 1}, got)
	if u, err := s.User(t.Context(), l.User); err != nil || u.Sessions != 1 {
		t.Errorf("changed %d times (%v), want once", u.Sessions, err)
	}
}

// Many at once remove a user each, unless only one is left.
func lastOwner(t *testing.T, s Store) {
	register(t, s, 0)
	for i := 1; i < many; i++ {
		must(t, s.Register(t.Context(), account.Registration{User: testUser(i, 0)}, start()))
	}
	got := atOnce(t, func(i int) error {
		return s.UpdateUsers(t.Context(), testAccount(0).ID, nil, start(),
			func(users []account.User, _ []apikey.Key) (account.UserChanges, error) {
				if len(users) == 1 {
					return account.UserChanges{}, errTest
				}
				return account.UserChanges{Removed: []string{testUser(i, 0).ID}}, nil
			})
	}, errTest)
	wantSame(t, map[error]int{nil: many - 1, errTest: 1}, got)
	if left := users(t, s, testAccount(0).ID); len(left) != 1 {
		t.Errorf("%d users are left, want 1", len(left))
	}
}
