package storetest

import (
	"testing"

	"freelancer-matching/access/account"
	"freelancer-matching/access/apikey"
	"freelancer-matching/access/audit"
)

func insertLinks(t *testing.T, s Store, links ...account.Link) {
	t.Helper()
	for _, l := range links {
		must(t, s.InsertLink(t.Context(), l))
	}
}

func links(t *testing.T, s Store, of string) []account.Link {
	t.Helper()
	got, err := s.Links(t.Context(), of, start())
	return get(t, got, err)
}

func keepsLink(t *testing.T, s Store) {
	full, events := testLink(1, account.Invitation), []audit.Event{event(1, "")}
	full.Email, full.Account, full.Plan, full.Role = "new@example.com", testAccount(1).ID, "professional", account.Owner
	full.User, full.CreatedBy = testUser(1, 1).ID, testUser(2, 1).ID
	must(t, s.InsertLink(t.Context(), full, events...))
	insertLinks(t, s, testLink(2, account.SetUp))
	for _, want := range []account.Link{full, testLink(2, account.SetUp)} {
		got, err := s.Link(t.Context(), want.Token, start())
		wantSame(t, want, get(t, got, err))
	}
	wantSame(t, events, allEvents(t, s))
}

func outOfDate(t *testing.T, s Store) {
	l := testLink(1, account.Invitation)
	insertLinks(t, s, l)
	if _, err := s.Link(t.Context(), l.Token, l.Expires.Add(-1000)); err != nil {
		t.Errorf("a microsecond before its end: %v", err)
	}
	_, err := s.Link(t.Context(), l.Token, l.Expires)
	wantError(t, err, account.ErrLinkSpent)
	_, err = s.Link(t.Context(), account.Token{}, start())
	wantError(t, err, account.ErrLinkSpent)
	got, err := s.Links(t.Context(), "", l.Expires)
	wantSame(t, []account.Link(nil), get(t, got, err))
}

func replacesLinks(t *testing.T, s Store) {
	reset := func(n, user int) account.Link {
		l := testLink(n, account.Reset)
		l.User, l.Account = testUser(user, 1).ID, testAccount(1).ID
		return l
	}
	again := reset(7, 1)
	again.CreatedBy = testUser(3, 1).ID
	insertLinks(t, s,
		testLink(1, account.SetUp), reset(2, 1), reset(3, 2), testLink(4, account.Invitation), testLink(5, account.Invitation),
		testLink(6, account.SetUp), again)
	wantSame(t, []account.Link{
		again, testLink(6, account.SetUp), testLink(5, account.Invitation), testLink(4, account.Invitation), reset(3, 2),
	}, links(t, s, ""))
	for _, gone := range []account.Link{testLink(1, account.SetUp), reset(2, 1)} {
		_, err := s.Link(t.Context(), gone.Token, start())
		wantError(t, err, account.ErrLinkSpent)
	}
}

func concurrentLinks(t *testing.T, s Store) {
	got := atOnce(t, func(i int) error { return s.InsertLink(t.Context(), testLink(i, account.SetUp), event(i, "")) })
	wantSame(t, map[error]int{nil: many}, got)
	if left := links(t, s, ""); len(left) != 1 {
		t.Errorf("%d links can be used, want 1", len(left))
	}
	if events := allEvents(t, s); len(events) != many {
		t.Errorf("%d events, want %d", len(events), many)
	}
}

func listsLinks(t *testing.T, s Store) {
	mine := testLink(2, account.Invitation)
	mine.Account = testAccount(1).ID
	insertLinks(t, s, testLink(1, account.Invitation), testLink(3, account.Invitation), mine)
	wantSame(t, []account.Link{testLink(3, account.Invitation), mine, testLink(1, account.Invitation)}, links(t, s, ""))
	wantSame(t, []account.Link{mine}, links(t, s, testAccount(1).ID))
	wantSame(t, []account.Link(nil), links(t, s, "acc_none"))
}

func revokesLink(t *testing.T, s Store) {
	insertLinks(t, s, testLink(1, account.Invitation), testLink(2, account.Invitation))
	events := []audit.Event{event(1, "")}
	must(t, s.DeleteLink(t.Context(), testLink(1, account.Invitation).ID, events...))
	wantError(t, s.DeleteLink(t.Context(), testLink(1, account.Invitation).ID, event(2, "")), account.ErrNotFound)
	wantSame(t, []account.Link{testLink(2, account.Invitation)}, links(t, s, ""))
	wantSame(t, events, allEvents(t, s))
}

// recordEvents writes events in one transaction.
func recordEvents(t *testing.T, s Store, events ...audit.Event) {
	t.Helper()
	must(t, s.UpdateKeys(t.Context(), "", func([]apikey.Key) (apikey.Changes, error) {
		return apikey.Changes{Events: events}, nil
	}))
}

func listsEvents(t *testing.T, s Store) {
	of := testAccount(1).ID
	recordEvents(t, s, event(1, of), event(4, "acc_other"))
	recordEvents(t, s, event(3, of), event(2, ""))
	for name, tt := range map[string]struct {
		query audit.Query
		want  []audit.Event
	}{
		"all":                {audit.Query{Limit: 10}, []audit.Event{event(4, "acc_other"), event(3, of), event(2, ""), event(1, of)}},
		"the newest":         {audit.Query{Limit: 2}, []audit.Event{event(4, "acc_other"), event(3, of)}},
		"before":             {audit.Query{Before: after(3), Limit: 10}, []audit.Event{event(2, ""), event(1, of)}},
		"of one account":     {audit.Query{Account: of, Limit: 10}, []audit.Event{event(3, of), event(1, of)}},
		"of one, before":     {audit.Query{Account: of, Before: after(3), Limit: 10}, []audit.Event{event(1, of)}},
		"of one, the newest": {audit.Query{Account: of, Limit: 1}, []audit.Event{event(3, of)}},
		"before all":         {audit.Query{Before: start(), Limit: 10}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := s.Events(t.Context(), tt.query)
			wantSame(t, tt.want, get(t, got, err))
		})
	}
}

func eventsOfMoment(t *testing.T, s Store) {
	first, second := event(1, ""), event(1, "")
	second.Action = audit.KeyRevoked
	recordEvents(t, s, first, second)
	wantSame(t, []audit.Event{second, first}, allEvents(t, s))
}
