package storetest

import (
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/store"
)

func insertLinks(t *testing.T, s *store.DB, links ...account.Link) {
	t.Helper()
	for _, l := range links {
		noError(t, s.Links.Insert(t.Context(), l))
	}
}

func links(t *testing.T, s *store.DB, of string) []account.Link {
	t.Helper()
	return must(s.Links.List(t.Context(), of, start()))
}

func linkRoundTrip(t *testing.T, s *store.DB) {
	full := testLink(1, account.Invitation)
	events := []audit.Event{event(1, "")}
	full.Email, full.Account, full.Plan, full.Role = "new@example.com", testAccount(1).ID, "professional", account.Owner
	full.User, full.CreatedBy = testUser(1, 1).ID, testUser(2, 1).ID
	noError(t, s.Links.Insert(t.Context(), full, events...))
	insertLinks(t, s, testLink(2, account.SetUp))
	for _, want := range []account.Link{full, testLink(2, account.SetUp)} {
		wantEqual(t, want, must(s.Links.Find(t.Context(), want.Token, start())))
	}
	wantEqual(t, events, allEvents(t, s))
}

func linkExpires(t *testing.T, s *store.DB) {
	l := testLink(1, account.Invitation)
	insertLinks(t, s, l)
	if _, err := s.Links.Find(t.Context(), l.Token, l.Expires.Add(-1000)); err != nil {
		t.Errorf("a microsecond before it expires: %v", err)
	}
	_, err := s.Links.Find(t.Context(), l.Token, l.Expires)
	wantError(t, err, account.ErrLinkSpent)
	_, err = s.Links.Find(t.Context(), account.Token{}, start())
	wantError(t, err, account.ErrLinkSpent)
	wantEqual(t, []account.Link(nil), must(s.Links.List(t.Context(), "", l.Expires)))
}

// Links have email addresses, which must not be kept without need.
func deletesExpiredLinks(t *testing.T, s *store.DB) {
	expired := testLink(1, account.Invitation)
	valid := testLink(2, account.Invitation)
	valid.Expires = expired.Expires.Add(time.Hour)
	insertLinks(t, s, expired, valid)
	noError(t, s.Links.DeleteExpired(t.Context(), expired.Expires))
	wantEqual(t, []account.Link{valid}, links(t, s, ""))
}

func replacesLinks(t *testing.T, s *store.DB) {
	reset := func(n, user int) account.Link {
		l := testLink(n, account.Reset)
		l.User, l.Account = testUser(user, 1).ID, testAccount(1).ID
		return l
	}
	second := reset(7, 1)
	second.CreatedBy = testUser(3, 1).ID
	insertLinks(t, s,
		testLink(1, account.SetUp), reset(2, 1), reset(3, 2),
		testLink(4, account.Invitation), testLink(5, account.Invitation),
		testLink(6, account.SetUp), second)
	wantEqual(t, []account.Link{
		second, testLink(6, account.SetUp), testLink(5, account.Invitation), testLink(4, account.Invitation), reset(3, 2),
	}, links(t, s, ""))
	for _, replaced := range []account.Link{testLink(1, account.SetUp), reset(2, 1)} {
		_, err := s.Links.Find(t.Context(), replaced.Token, start())
		wantError(t, err, account.ErrLinkSpent)
	}
}

func concurrentLinks(t *testing.T, s *store.DB) {
	got := concurrently(t, func(i int) error {
		return s.Links.Insert(t.Context(), testLink(i, account.SetUp), event(i, ""))
	})
	wantEqual(t, map[error]int{nil: callers}, got)
	if left := links(t, s, ""); len(left) != 1 {
		t.Errorf("%d links are valid, want 1", len(left))
	}
	if events := allEvents(t, s); len(events) != callers {
		t.Errorf("%d events, want %d", len(events), callers)
	}
}

func listsLinks(t *testing.T, s *store.DB) {
	first := testLink(1, account.Invitation)
	second := testLink(2, account.Invitation)
	third := testLink(3, account.Invitation)
	second.Account = testAccount(1).ID
	insertLinks(t, s, first, third, second)
	wantEqual(t, []account.Link{third, second, first}, links(t, s, ""))
	wantEqual(t, []account.Link{second}, links(t, s, testAccount(1).ID))
	wantEqual(t, []account.Link(nil), links(t, s, "acc_none"))
}

func deletesLink(t *testing.T, s *store.DB) {
	insertLinks(t, s, testLink(1, account.Invitation), testLink(2, account.Invitation))
	events := []audit.Event{event(1, "")}
	noError(t, s.Links.Delete(t.Context(), testLink(1, account.Invitation).ID, events...))
	wantError(t, s.Links.Delete(t.Context(), testLink(1, account.Invitation).ID, event(2, "")), account.ErrNotFound)
	wantEqual(t, []account.Link{testLink(2, account.Invitation)}, links(t, s, ""))
	wantEqual(t, events, allEvents(t, s))
}

// recordEvents writes events in one transaction.
func recordEvents(t *testing.T, s *store.DB, events ...audit.Event) {
	t.Helper()
	noError(t, s.Keys.Update(t.Context(), "", func([]apikey.Key) (apikey.Changes, error) {
		return apikey.Changes{Events: events}, nil
	}))
}

func listsEvents(t *testing.T, s *store.DB) {
	of := testAccount(1).ID
	// Recorded out of order, so that the order of insertion can't pass for that of time.
	recordEvents(t, s, event(1, of), event(4, "acc_other"))
	recordEvents(t, s, event(3, of), event(2, ""))

	for name, tt := range map[string]struct {
		query audit.Query
		want  []audit.Event
	}{
		"all": {
			audit.Query{Limit: 10}, []audit.Event{event(4, "acc_other"), event(3, of), event(2, ""), event(1, of)},
		},
		"limited":               {audit.Query{Limit: 2}, []audit.Event{event(4, "acc_other"), event(3, of)}},
		"before a time":         {audit.Query{Before: after(3), Limit: 10}, []audit.Event{event(2, ""), event(1, of)}},
		"account":               {audit.Query{Account: of, Limit: 10}, []audit.Event{event(3, of), event(1, of)}},
		"account before a time": {audit.Query{Account: of, Before: after(3), Limit: 10}, []audit.Event{event(1, of)}},
		"account, limited":      {audit.Query{Account: of, Limit: 1}, []audit.Event{event(3, of)}},
		"since a time":          {audit.Query{Since: after(4), Limit: 10}, []audit.Event{event(4, "acc_other")}},
		"between two times":     {audit.Query{Since: after(2), Before: after(3), Limit: 10}, []audit.Event{event(2, "")}},
		"actor":                 {audit.Query{Actor: audit.System, Account: of, Limit: 1}, []audit.Event{event(3, of)}},
		"another actor":         {audit.Query{Actor: "usr_none", Limit: 10}, nil},
		"action":                {audit.Query{Action: audit.KeyChanged, Account: of, Limit: 1}, []audit.Event{event(3, of)}},
		"another action":        {audit.Query{Action: "key.danced", Limit: 10}, nil},
		"before all":            {audit.Query{Before: start(), Limit: 10}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			wantEqual(t, tt.want, must(s.AuditLog.Events(t.Context(), tt.query)))
		})
	}
}

func eventsOfOneTime(t *testing.T, s *store.DB) {
	first := event(1, "")
	second := event(1, "")
	second.Action = audit.KeyRevoked
	recordEvents(t, s, first, second)
	wantEqual(t, []audit.Event{second, first}, allEvents(t, s))
}
