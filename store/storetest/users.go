package storetest

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/store"
)

func updateUsers(t *testing.T, s *store.DB, of string, changes account.UserChanges) error {
	t.Helper()
	return s.Users.Update(t.Context(), of, nil, start(),
		func([]account.User, []apikey.Key) (account.UserChanges, error) { return changes, nil })
}

func changeReceivesUsers(t *testing.T, s *store.DB) {
	register(t, s, 2)
	register(t, s, 3)
	noError(t, s.Users.Register(t.Context(), account.Registration{User: testUser(1, 2)}, start()))
	insertKeys(t, s, keyOf(2, 2), keyOf(1, 2), keyOf(3, 3), testKey(4))
	want := []account.User{testUser(1, 2), testUser(2, 2)}
	noError(t, s.Users.Update(t.Context(), testAccount(2).ID, nil, start(),
		func(got []account.User, keys []apikey.Key) (account.UserChanges, error) {
			wantEqual(t, want, got)
			wantEqual(t, []apikey.Key{keyOf(1, 2), keyOf(2, 2)}, keys)
			got[0].Role = account.Administrator // of the copy only
			return account.UserChanges{}, nil
		}))
	wantEqual(t, want, users(t, s, testAccount(2).ID))
	wantError(t, updateUsers(t, s, "acc_none", account.UserChanges{}), account.ErrNotFound)
}

func changesUsers(t *testing.T, s *store.DB) {
	register(t, s, 1)
	register(t, s, 2)
	for n := 3; n <= 4; n++ {
		noError(t, s.Users.Register(t.Context(), account.Registration{User: testUser(n, 1)}, start()))
	}

	for n := 1; n <= 4; n++ {
		l := testLink(n, account.Reset)
		l.User = testUser(n, 1).ID
		noError(t, s.Links.Insert(t.Context(), l))
	}

	changed := testUser(1, 1)
	events := []audit.Event{event(1, testAccount(1).ID)}
	changed.Role = account.Member
	changed.Password = "$argon2id$new"
	changed.LastSignIn = after(60)
	changed.Sessions = 3
	changed.Email = "new@example.com"
	changed.TwoFactor = account.TwoFactor{Secret: "ABC", Since: after(62), LastStep: 7, Recovery: []string{"a1"}}
	noError(t, updateUsers(t, s, testAccount(1).ID, account.UserChanges{
		Changed: []account.User{changed}, Removed: []string{testUser(3, 1).ID},
		DeleteResets: []string{testUser(4, 1).ID}, Events: events,
	}))

	wantEqual(t, []account.User{changed, testUser(4, 1)}, users(t, s, testAccount(1).ID))
	wantEqual(t, []account.User{testUser(2, 2)}, users(t, s, testAccount(2).ID))
	wantEqual(t, events, allEvents(t, s))

	for n, want := range map[int]error{1: nil, 2: nil, 3: account.ErrLinkSpent, 4: account.ErrLinkSpent} {
		_, err := s.Links.Find(t.Context(), testLink(n, account.Reset).Token, start())
		wantError(t, err, want)
	}

	successor := testUser(5, 2)
	successor.Email = testUser(3, 1).Email // the address of a removed user is free
	noError(t, s.Users.Register(t.Context(), account.Registration{User: successor}, start()))
}

// The links that a user created are deleted with the user, whatever their purpose and account.
func changesLinks(t *testing.T, s *store.DB) {
	register(t, s, 1)
	for n := 2; n <= 3; n++ {
		noError(t, s.Users.Register(t.Context(), account.Registration{User: testUser(n, 1)}, start()))
	}

	register(t, s, 4)

	// Each of the users has created an invitation, and a reset link for a user of another account.
	invitationBy := func(user int) account.Link { return testLink(user, account.Invitation) }
	resetBy := func(user int) account.Link { return testLink(10+user, account.Reset) }
	for n := 1; n <= 4; n++ {
		invitation := invitationBy(n)
		invitation.CreatedBy = testUser(n, 1).ID
		reset := resetBy(n)
		reset.CreatedBy = testUser(n, 1).ID
		reset.User = testUser(20+n, 4).ID
		reset.Account = testAccount(4).ID
		insertLinks(t, s, invitation, reset)
	}

	// A link that an operator made on the command line has no user who could be removed.
	byOperator := testLink(5, account.Invitation)
	byOperator.CreatedBy = audit.CommandLine
	insertLinks(t, s, byOperator)

	// User 2 stays, but loses the links as user 3 does, who gets a new one in the same change.
	added := testLink(6, account.Invitation)
	added.CreatedBy = testUser(3, 1).ID
	events := []audit.Event{event(1, testAccount(1).ID)}
	changes := account.UserChanges{
		Removed:       []string{testUser(1, 1).ID},
		DeleteCreated: []string{testUser(2, 1).ID, testUser(3, 1).ID},
		NewLinks:      []account.Link{added},
		Events:        events,
	}

	left := func() (ids []string) {
		for _, l := range links(t, s, "") {
			ids = append(ids, l.ID)
		}
		slices.Sort(ids)
		return ids
	}

	// A change that fails must leave all links in place.
	before := left()
	failing := func([]account.User, []apikey.Key) (account.UserChanges, error) { return changes, errTest }
	wantError(t, s.Users.Update(t.Context(), testAccount(1).ID, nil, start(), failing), errTest)
	wantEqual(t, before, left())

	noError(t, updateUsers(t, s, testAccount(1).ID, changes))
	wantEqual(t, []string{invitationBy(4).ID, byOperator.ID, added.ID, resetBy(4).ID}, left())
	wantEqual(t, added, must(s.Links.Find(t.Context(), added.Token, start())))
	wantEqual(t, events, allEvents(t, s))
}

// Concurrent changes add a key if there is a user, or remove the user if there is no key. Both never happens.
func usersAndKeys(t *testing.T, s *store.DB) {
	register(t, s, 1)
	of := testAccount(1).ID
	concurrently(t, func(i int) error {
		if i%2 == 0 {
			return s.Users.Update(t.Context(), of, nil, start(),
				func(users []account.User, keys []apikey.Key) (account.UserChanges, error) {
					if len(users) == 0 || len(keys) > 0 {
						return account.UserChanges{}, errTest
					}
					return account.UserChanges{Removed: []string{users[0].ID}}, nil
				})
		}

		// Without a lock on the account, the check could pass before the removal and the insertion come after it.
		return s.Keys.Update(t.Context(), of, func([]apikey.Key) (apikey.Changes, error) {
			if left, err := s.Users.List(t.Context(), of); err != nil || len(left) == 0 {
				return apikey.Changes{}, errors.Join(err, errTest)
			}
			return apikey.Changes{Keys: []apikey.Key{keyOf(i, 1)}}, nil
		})
	}, errTest)

	left := users(t, s, of)
	keys := must(s.Keys.ListOf(t.Context(), of))
	if (len(keys) > 0) != (len(left) > 0) {
		t.Errorf("%d users and %d keys are left, want either both or neither", len(left), len(keys))
	}
}

func userChangeIsAtomic(t *testing.T, s *store.DB) {
	register(t, s, 1)
	register(t, s, 2)
	changed := testUser(1, 1)
	changed.Role = account.Member

	for name, tt := range map[string]struct {
		changes   account.UserChanges
		changeErr error
		want      error
	}{
		"change fails": {account.UserChanges{}, errTest, errTest},
		"changed user of another account": {
			account.UserChanges{Changed: []account.User{testUser(2, 2)}}, nil, account.ErrNotFound,
		},
		"removed user of another account": {
			account.UserChanges{Removed: []string{testUser(2, 2).ID}}, nil, account.ErrNotFound,
		},
		"unknown user": {account.UserChanges{Changed: []account.User{testUser(3, 1)}}, nil, account.ErrNotFound},
	} {
		// A valid change precedes the one that fails.
		tt.changes.Changed = append([]account.User{changed}, tt.changes.Changed...)
		tt.changes.Events = []audit.Event{event(1, testAccount(1).ID)}
		err := s.Users.Update(t.Context(), testAccount(1).ID, nil, start(),
			func([]account.User, []apikey.Key) (account.UserChanges, error) { return tt.changes, tt.changeErr })
		t.Log(name)
		wantError(t, err, tt.want)
		wantEqual(t, []account.User{testUser(1, 1)}, users(t, s, testAccount(1).ID))
		wantEqual(t, []account.User{testUser(2, 2)}, users(t, s, testAccount(2).ID))
		wantEqual(t, []audit.Event(nil), allEvents(t, s))
	}
}

func changeSpendsLink(t *testing.T, s *store.DB) {
	register(t, s, 1)
	l := testLink(1, account.Reset)
	l.User = testUser(1, 1).ID
	noError(t, s.Links.Insert(t.Context(), l))
	spend := func(at time.Time, changeErr error) error {
		return s.Users.Update(t.Context(), testAccount(1).ID, &l.Token, at,
			func(users []account.User, _ []apikey.Key) (account.UserChanges, error) {
				users[0].Sessions++
				return account.UserChanges{Changed: users}, changeErr
			})
	}
	wantError(t, spend(l.Expires, nil), account.ErrLinkSpent)
	wantError(t, spend(start(), errTest), errTest)
	got := concurrently(t, func(int) error { return spend(start(), nil) }, account.ErrLinkSpent)
	wantEqual(t, map[error]int{nil: 1, account.ErrLinkSpent: callers - 1}, got)
	if u := must(s.Users.Find(t.Context(), l.User)); u.Sessions != 1 {
		t.Errorf("the user changed %d times, want once", u.Sessions)
	}
}

// Concurrent changes each remove a user unless it is the last one.
func lastUser(t *testing.T, s *store.DB) {
	register(t, s, 0)
	for i := 1; i < callers; i++ {
		noError(t, s.Users.Register(t.Context(), account.Registration{User: testUser(i, 0)}, start()))
	}
	got := concurrently(t, func(i int) error {
		return s.Users.Update(t.Context(), testAccount(0).ID, nil, start(),
			func(users []account.User, _ []apikey.Key) (account.UserChanges, error) {
				if len(users) == 1 {
					return account.UserChanges{}, errTest
				}
				return account.UserChanges{Removed: []string{testUser(i, 0).ID}}, nil
			})
	}, errTest)
	wantEqual(t, map[error]int{nil: callers - 1, errTest: 1}, got)
	if left := users(t, s, testAccount(0).ID); len(left) != 1 {
		t.Errorf("%d users are left, want 1", len(left))
	}
}
