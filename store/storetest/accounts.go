package storetest

import (
	"slices"
	"testing"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/access/usage"
	"github.com/freelancer-matching/service/store"
)

// Accounts tests the stores of package account.
func Accounts(t *testing.T, open func(t *testing.T) *store.DB) {
	suite[*store.DB]{
		"a user is read as registered":                             userRoundTrip,
		"a user joins an account":                                  joinsAccount,
		"a registration is atomic":                                 registrationIsAtomic,
		"email addresses are unique regardless of case":            uniqueEmail,
		"one of several concurrent registrations gets an address":  concurrentEmail,
		"one of several concurrent registrations uses a link":      concurrentLink,
		"one of several concurrent registrations is the first":     concurrentFirst,
		"only the first registration is the first":                 notFirst,
		"a change of users deletes and adds links":                 changesLinks,
		"changes of users and of keys do not overlap":              usersAndKeys,
		"a change receives the users of its account, oldest first": changeReceivesUsers,
		"users are changed and removed":                            changesUsers,
		"a change of users is atomic":                              userChangeIsAtomic,
		"a change of users spends a link":                          changeSpendsLink,
		"changes of the users of an account do not overlap":        lastUser,
		"an account is changed together with its keys":             changesAccount,
		"a change of an account is atomic":                         accountChangeIsAtomic,
		"changes of an account do not overlap":                     overlappingAccount,
		"accounts are found by a part of a name or address":        searchesAccounts,
		"accounts are listed newest first":                         listsAccounts,
		"an account is deleted with everything in it":              deletesAccount,
		"an account is not deleted if that is not allowed":         refusesDeletion,
		"two administrators can't delete both of their accounts":   deletesOneOfTwo,
	}.run(t, open)

	suite[*store.DB]{
		"a link is read as inserted":                                       linkRoundTrip,
		"a link expires":                                                   linkExpires,
		"an expired link is deleted":                                       deletesExpiredLinks,
		"a link replaces the previous one of its kind":                     replacesLinks,
		"one of several concurrent links of a kind remains":                concurrentLinks,
		"links are listed newest first":                                    listsLinks,
		"a link is deleted":                                                deletesLink,
		"failed sign-ins are counted":                                      countsSignInFailures,
		"concurrent failed sign-ins are counted":                           countsConcurrentSignInFailures,
		"counts of failed sign-ins from the future are ignored":            ignoresFailuresOfTheFuture,
		"failed sign-ins share few events":                                 recordsSignInFailures,
		"browsers are known for a time":                                    remembersBrowsers,
		"events are listed newest first":                                   listsEvents,
		"events of the same time are listed in reverse order of insertion": eventsOfOneTime,
	}.run(t, open)
}

func userRoundTrip(t *testing.T, s *store.DB) {
	if must(s.Users.Exist(t.Context())) {
		t.Error("an empty store has users")
	}

	a := testAccount(1)
	u := testUser(1, 1)
	// Every field that can be unset is set, so that none is lost on the way unnoticed.
	events := []audit.Event{event(2, a.ID), event(1, a.ID)}
	a.Disabled, u.LastSignIn, u.Sessions = after(60), after(61), 7
	u.TwoFactor = account.TwoFactor{Secret: "ABC", Since: after(62), LastStep: 1 << 40, Recovery: []string{"a1", "b2"}}
	noError(t, s.Users.Register(t.Context(), account.Registration{Account: &a, User: u, Events: events}, start()))
	register(t, s, 2)

	wantEqual(t, a, must(s.Accounts.Find(t.Context(), a.ID)))
	wantEqual(t, u, must(s.Users.Find(t.Context(), u.ID)))
	wantEqual(t, u, must(s.Users.FindByEmail(t.Context(), u.Email)))
	wantEqual(t, []account.User{u}, users(t, s, a.ID))
	wantEqual(t, events, allEvents(t, s))

	if !must(s.Users.Exist(t.Context())) {
		t.Error("HasUsers is false after a registration")
	}

	_, err := s.Accounts.Find(t.Context(), "acc_none")
	wantError(t, err, account.ErrNotFound)
	_, err = s.Users.Find(t.Context(), "usr_none")
	wantError(t, err, account.ErrNotFound)
	_, err = s.Users.FindByEmail(t.Context(), "none@example.com")
	wantError(t, err, account.ErrNotFound)
}

func users(t *testing.T, s *store.DB, of string) []account.User {
	t.Helper()
	return must(s.Users.List(t.Context(), of))
}

func joinsAccount(t *testing.T, s *store.DB) {
	register(t, s, 2)
	noError(t, s.Users.Register(t.Context(), account.Registration{User: testUser(1, 2)}, start()))
	wantEqual(t, []account.User{testUser(1, 2), testUser(2, 2)}, users(t, s, testAccount(2).ID))
	wantError(t, s.Users.Register(t.Context(), account.Registration{User: testUser(3, 3)}, start()), account.ErrNotFound)
}

// registrationIsAtomic makes registrations that write several rows. Each fails at a different row, and none of the
// rows before it may remain.
func registrationIsAtomic(t *testing.T, s *store.DB) {
	register(t, s, 1)

	now := after(10)
	valid := testLink(1, account.Invitation)
	expired := testLink(2, account.Invitation)
	expired.Expires = now
	insertLinks(t, s, valid, expired)
	unknown := account.Token{9}

	existing := testAccount(1)
	fresh := testAccount(2)
	user := testUser(2, 2)
	userOfExisting := testUser(2, 1)
	known := testUser(3, 2)
	known.Email = testUser(1, 1).Email

	for name, tt := range map[string]struct {
		failing account.Registration
		want    error // nil if any error will do
	}{
		"email taken":     {account.Registration{Account: &fresh, User: known, Link: &valid.Token}, account.ErrEmailTaken},
		"expired link":    {account.Registration{Account: &fresh, User: user, Link: &expired.Token}, account.ErrLinkSpent},
		"unknown link":    {account.Registration{Account: &fresh, User: user, Link: &unknown}, account.ErrLinkSpent},
		"not the first":   {account.Registration{Account: &fresh, User: user, First: true}, account.ErrNotFirst},
		"unknown account": {account.Registration{User: user, Link: &valid.Token}, account.ErrNotFound},
		"account exists":  {account.Registration{Account: &existing, User: userOfExisting}, nil},
	} {
		tt.failing.Events = []audit.Event{event(1, "")}
		err := s.Users.Register(t.Context(), tt.failing, now)
		if err == nil {
			t.Errorf("%s: no error", name)
		}
		if tt.want != nil {
			wantError(t, err, tt.want)
		}
	}

	wantEqual(t, []account.Account{existing}, accounts(t, s, ""))
	if events := allEvents(t, s); len(events) != 0 {
		t.Errorf("failed registrations wrote events: %v", events)
	}

	// A link that a failed attempt spends would lock the invited person out.
	if _, err := s.Links.Find(t.Context(), valid.Token, start()); err != nil {
		t.Errorf("a failed registration spent the link: %v", err)
	}
}

func uniqueEmail(t *testing.T, s *store.DB) {
	a := testAccount(1)
	u := testUser(1, 1)
	u.Email = "zoë@example.com"
	noError(t, s.Users.Register(t.Context(), account.Registration{Account: &a, User: u}, start()))
	for i, email := range []string{"zoë@example.com", "Zoë@example.com", "ZOË@EXAMPLE.COM"} {
		other := testUser(2+i, 1)
		other.Email = email
		wantError(t, s.Users.Register(t.Context(), account.Registration{User: other}, start()), account.ErrEmailTaken)
		wantEqual(t, u, must(s.Users.FindByEmail(t.Context(), email)))
	}
}

func concurrentEmail(t *testing.T, s *store.DB) {
	got := concurrently(t, func(i int) error {
		a := testAccount(i)
		u := testUser(i, i)
		u.Email = "same@example.com"
		return s.Users.Register(t.Context(), account.Registration{Account: &a, User: u}, start())
	}, account.ErrEmailTaken)
	wantEqual(t, map[error]int{nil: 1, account.ErrEmailTaken: callers - 1}, got)
	if all := accounts(t, s, ""); len(all) != 1 {
		t.Errorf("%d accounts, want 1", len(all))
	}
}

func concurrentLink(t *testing.T, s *store.DB) {
	l := testLink(1, account.Invitation)
	noError(t, s.Links.Insert(t.Context(), l))
	got := concurrently(t, func(i int) error {
		a := testAccount(i)
		return s.Users.Register(t.Context(), account.Registration{Account: &a, User: testUser(i, i), Link: &l.Token}, start())
	}, account.ErrLinkSpent)
	wantEqual(t, map[error]int{nil: 1, account.ErrLinkSpent: callers - 1}, got)
	if all := accounts(t, s, ""); len(all) != 1 {
		t.Errorf("%d accounts, want 1", len(all))
	}
}

func concurrentFirst(t *testing.T, s *store.DB) {
	got := concurrently(t, func(i int) error {
		a := testAccount(i)
		return s.Users.Register(t.Context(), account.Registration{Account: &a, User: testUser(i, i), First: true}, start())
	}, account.ErrNotFirst)
	wantEqual(t, map[error]int{nil: 1, account.ErrNotFirst: callers - 1}, got)
}

func notFirst(t *testing.T, s *store.DB) {
	register(t, s, 1)
	a := testAccount(2)
	err := s.Users.Register(t.Context(), account.Registration{Account: &a, User: testUser(2, 2), First: true}, start())
	wantError(t, err, account.ErrNotFirst)
}

func changesAccount(t *testing.T, s *store.DB) {
	register(t, s, 1)
	register(t, s, 2)
	insertKeys(t, s, keyOf(2, 1), keyOf(1, 1), keyOf(3, 2))
	want := testAccount(1)
	events := []audit.Event{event(1, testAccount(1).ID)}
	want.Name, want.Plan, want.PlanSince, want.Disabled = "Ærlig talt", "enterprise", after(60), after(61)
	want.ResultsOff, want.TwoFactorRequired, want.RecordingUntil = after(62), after(63), after(64)
	old := keyOf(1, 1)
	fresh := keyOf(4, 1)
	old.Expires = after(100)
	change := func(a *account.Account, keys []apikey.Key) (apikey.Changes, error) {
		wantEqual(t, testAccount(1), *a)
		wantEqual(t, []apikey.Key{keyOf(1, 1), keyOf(2, 1)}, keys)
		*a = want
		return apikey.Changes{Keys: []apikey.Key{fresh, old}, Events: events}, nil
	}
	noError(t, s.Accounts.Update(t.Context(), want.ID, change))

	wantEqual(t, want, must(s.Accounts.Find(t.Context(), want.ID)))
	wantEqual(t, testAccount(2), must(s.Accounts.Find(t.Context(), testAccount(2).ID)))
	wantEqual(t, events, allEvents(t, s))
	wantEqual(t, []account.Account{want}, accounts(t, s, "ærlig"))

	// Suspending is a property of the account, which every one of its keys has to show.
	wantKeys := []apikey.Key{old, keyOf(2, 1), fresh}
	for i := range wantKeys {
		wantKeys[i].Suspended, wantKeys[i].RecordingUntil = want.Disabled, want.RecordingUntil
	}

	wantEqual(t, wantKeys, must(s.Keys.ListOf(t.Context(), want.ID)))
}

func accountChangeIsAtomic(t *testing.T, s *store.DB) {
	register(t, s, 1)
	insertKeys(t, s, keyOf(1, 1), testKey(2))
	for _, tt := range []struct {
		key       apikey.Key
		changeErr error
	}{{keyOf(3, 1), errTest}, {testKey(3), nil}, {keyOf(2, 1), nil}} {
		err := s.Accounts.Update(t.Context(), testAccount(1).ID,
			func(a *account.Account, _ []apikey.Key) (apikey.Changes, error) {
				a.Plan = "enterprise"
				return apikey.Changes{Keys: []apikey.Key{tt.key}, Events: []audit.Event{event(1, a.ID)}}, tt.changeErr
			})
		if err == nil {
			t.Errorf("a change with key %+v succeeded", tt.key)
		}

		if tt.changeErr != nil {
			wantError(t, err, tt.changeErr)
		}

		// Whatever failed, neither the new plan nor the key may remain.
		wantEqual(t, []account.Account{testAccount(1)}, accounts(t, s, ""))
		wantEqual(t, []apikey.Key{keyOf(1, 1), testKey(2)}, allKeys(t, s))
		wantEqual(t, []audit.Event(nil), allEvents(t, s))
	}

	wantError(t, s.Accounts.Update(t.Context(), "acc_none", func(*account.Account, []apikey.Key) (apikey.Changes, error) {
		t.Error("the change function was called for an unknown account")
		return apikey.Changes{}, nil
	}), account.ErrNotFound)
}

// Concurrent changes of an account and of its keys each see the results of the ones before.
func overlappingAccount(t *testing.T, s *store.DB) {
	register(t, s, 1)
	got := concurrently(t, func(i int) error {
		if i%2 == 0 {
			return s.Keys.Update(t.Context(), testAccount(1).ID, func(keys []apikey.Key) (apikey.Changes, error) {
				return apikey.Changes{Keys: []apikey.Key{keyOf(len(keys), 1)}}, nil
			})
		}
		return s.Accounts.Update(t.Context(), testAccount(1).ID,
			func(a *account.Account, keys []apikey.Key) (apikey.Changes, error) {
				a.Name += "x"
				return apikey.Changes{Keys: []apikey.Key{keyOf(len(keys), 1)}}, nil
			})
	})
	wantEqual(t, map[error]int{nil: callers}, got)
	wantEqual(t, testAccount(1).Name+longText(callers/2), must(s.Accounts.Find(t.Context(), testAccount(1).ID)).Name)
	if keys := allKeys(t, s); len(keys) != callers {
		t.Errorf("%d keys, want %d", len(keys), callers)
	}
}

func accounts(t *testing.T, s *store.DB, part string) []account.Account {
	t.Helper()
	return must(s.Accounts.List(t.Context(), part, 1000))
}

// searchesAccounts looks for accounts by parts of their names and of the email addresses of their users. A part is
// taken literally, although databases have wildcards, and regardless of case.
func searchesAccounts(t *testing.T, s *store.DB) {
	names := []string{"100% Größe", "100 percent", "snake_case", "snakecase", `back\slash`, "Ørsted"}
	for i, name := range names {
		a := testAccount(i)
		a.Name = name
		u := testUser(i, i) // user0@example.com, and so on
		noError(t, s.Users.Register(t.Context(), account.Registration{Account: &a, User: u}, start()))
	}

	// These users join the account "snakecase". It has two users whose addresses have a part in common.
	for i, email := range []string{"twice.a@example.org", "twice.b@example.org", "under_score@example.org"} {
		u := testUser(10+i, 3)
		u.Email = email
		noError(t, s.Users.Register(t.Context(), account.Registration{User: u}, start()))
	}

	newestFirst := slices.Clone(names)
	slices.Reverse(newestFirst)
	for part, want := range map[string][]string{
		"": newestFirst,

		// Wildcards, and the characters that escape and quote them.
		"%":      {"100% Größe"},
		"100%":   {"100% Größe"},
		"100":    {"100 percent", "100% Größe"},
		"%%":     nil,
		"_":      {"snakecase", "snake_case"}, // the former by its user under_score@example.org
		"snake_": {"snake_case"},
		"snake":  {"snakecase", "snake_case"},
		`\`:      {`back\slash`},
		`k\s`:    {`back\slash`},
		`\\`:     nil,
		"'":      nil,

		// Upper and lower case of letters beyond ASCII. "ß" has no upper case of one letter.
		"SNAKECASE": {"snakecase"},
		"größe":     {"100% Größe"},
		"GRÖß":      {"100% Größe"},
		"GRÖSSE":    nil,
		"ørsted":    {"Ørsted"},
		"øRSTED":    {"Ørsted"},

		// Addresses.
		"twice":       {"snakecase"},
		"Twice.A@":    {"snakecase"},
		"under_score": {"snakecase"},
		"underXscore": nil,
		"user4@":      {`back\slash`},
		"nobody":      nil,
	} {
		var got []string
		for _, a := range accounts(t, s, part) {
			got = append(got, a.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("Accounts(%q) returns the accounts %q, want %q", part, got, want)
		}
	}
}

func listsAccounts(t *testing.T, s *store.DB) {
	wantEqual(t, []account.Account(nil), accounts(t, s, ""))
	for _, n := range []int{2, 3, 1} {
		register(t, s, n)
	}
	wantEqual(t, []account.Account{testAccount(3), testAccount(2), testAccount(1)}, accounts(t, s, ""))
	wantEqual(t, []account.Account{testAccount(3), testAccount(2)}, must(s.Accounts.List(t.Context(), "FILS", 2)))
}

func deletesAccount(t *testing.T, s *store.DB) {
	register(t, s, 1)
	register(t, s, 2)
	insertKeys(t, s, keyOf(1, 1), keyOf(2, 2), testKey(3))

	for n := 1; n <= 3; n++ {
		noError(t, s.Usage.AddUsage(t.Context(), usage.Batch{
			Counts: []usage.Count{count(n, 1, "match", 200, 1)}, Failures: []usage.Failure{failure(n, n)},
		}))
	}

	// A link belongs to an account in two ways: it leads into it, or one of its users has made it.
	mine := testLink(1, account.Invitation)
	made := testLink(2, account.Invitation)
	other := testLink(3, account.Invitation)
	mine.Account, made.CreatedBy = testAccount(1).ID, testUser(1, 1).ID
	for _, l := range []account.Link{mine, made, other} {
		noError(t, s.Links.Insert(t.Context(), l))
	}

	// An administrator of another account must be reported, because the last one can't be deleted.
	admin := testUser(9, 2)
	admin.Role = account.Administrator
	noError(t, s.Users.Register(t.Context(), account.Registration{User: admin}, start()))

	var seen account.Deletion
	err := s.Accounts.Delete(t.Context(), testAccount(1).ID, func(d account.Deletion) ([]audit.Event, error) {
		seen = d
		return []audit.Event{event(5, d.Account.ID)}, nil
	})

	noError(t, err)
	wantEqual(t, account.Deletion{
		Account: testAccount(1), Users: []account.User{testUser(1, 1)}, Keys: 1, AdministratorElsewhere: true,
	}, seen)
	_, err = s.Accounts.Find(t.Context(), testAccount(1).ID)
	wantError(t, err, account.ErrNotFound)
	_, err = s.Users.Find(t.Context(), testUser(1, 1).ID)
	wantError(t, err, account.ErrNotFound)
	wantEqual(t, []string{testKey(2).ID, testKey(3).ID}, idsOf(allKeys(t, s)))
	wantEqual(t, []account.Link{other}, must(s.Links.List(t.Context(), "", start())))
	wantEqual(t, []audit.Event{event(5, testAccount(1).ID)}, allEvents(t, s))
	wantEqual(t, 1, len(counts(t, s, testAccount(2).ID, day(1))))
	wantEqual(t, 1, len(failures(t, s, testAccount(2).ID, 10)))
	wantEqual(t, 1, len(must(s.Users.List(t.Context(), testAccount(2).ID)))-1)

	err = s.Accounts.Delete(t.Context(), testAccount(2).ID, func(d account.Deletion) ([]audit.Event, error) {
		if d.AdministratorElsewhere {
			t.Error("the account with the only administrator has another one elsewhere")
		}
		return nil, nil
	})

	noError(t, err)
	wantEqual(t, false, must(s.Users.Exist(t.Context())))
	err = s.Accounts.Delete(t.Context(), testAccount(2).ID, nil)
	wantError(t, err, account.ErrNotFound)
}

func idsOf(keys []apikey.Key) (ids []string) {
	for _, k := range keys {
		ids = append(ids, k.ID)
	}
	return ids
}

func refusesDeletion(t *testing.T, s *store.DB) {
	register(t, s, 1)
	insertKeys(t, s, keyOf(1, 1))
	err := s.Accounts.Delete(t.Context(), testAccount(1).ID, func(account.Deletion) ([]audit.Event, error) {
		return []audit.Event{event(1, "")}, errTest
	})
	wantError(t, err, errTest)
	wantEqual(t, []string{testKey(1).ID}, idsOf(allKeys(t, s)))
	wantEqual(t, 0, len(allEvents(t, s)))
}

func deletesOneOfTwo(t *testing.T, s *store.DB) {
	for n := range callers {
		u := testUser(n, n)
		u.Role = account.Administrator
		a := testAccount(n)
		noError(t, s.Users.Register(t.Context(), account.Registration{Account: &a, User: u}, start()))
	}
	got := concurrently(t, func(i int) error {
		return s.Accounts.Delete(t.Context(), testAccount(i).ID, func(d account.Deletion) ([]audit.Event, error) {
			if !d.AdministratorElsewhere {
				return nil, errTest
			}
			return nil, nil
		})
	}, errTest)
	wantEqual(t, map[error]int{nil: callers - 1, errTest: 1}, got)
}
