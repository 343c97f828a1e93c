// Package interviewtest holds the tests that stores of interviews must pass on every database, with the invitations to
// interviews and the messages about them. Every test gets an empty store.
package interviewtest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/store/storetest/check"
)

// A Store is an interview.Store whose audit log can be read.
type Store struct {
	interview.Store
	Log interface {
		Events(ctx context.Context, q audit.Query) ([]audit.Event, error)
	}
}

// Interviews tests an interview.Store.
func Interviews(t *testing.T, open func(t *testing.T) Store) {
	check.Suite[Store]{
		"a session is read as inserted":                     interviewRoundTrip,
		"a session expires":                                 interviewExpires,
		"a session is updated version by version":           updatesInterview,
		"one of several concurrent updates succeeds":        concurrentUpdates,
		"the sessions of an account are limited":            limitsInterviews,
		"the bytes of an account are limited":               limitsInterviewBytes,
		"the next session to expire is found":               findsNextToExpire,
		"a shorter retention applies to older sessions":     shortensInterviews,
		"a session is deleted by its account":               deletesInterview,
		"a claim is held until it is released or expires":   holdsClaim,
		"one of several concurrent claims is held":          concurrentClaims,
		"a claim is settled once":                           settlesClaim,
		"a claim is settled together with a session":        settlesWithInterview,
		"a session is not changed without its claim":        requiresClaim,
		"settled claims are deleted with their session":     deletesSettledClaims,
		"claims are settled while their session is deleted": settlesWhileDeleting,
		"expired sessions and claims are deleted":           deletesExpiredInterviews,
		"a deletion is recorded":                            recordsDeletion,
		"an entry is recorded once":                         recordsOnce,
		"sessions are listed, the newest first":             pagesInterviews,
		"selected sessions are deleted":                     deletesSelectedInterviews,
		"the session of an invitation is found":             findsInvited,
		"due invitations are found":                         findsDue,
		"an update is recorded":                             updatesAudited,
		"a canceled call changes nothing":                   canceledInterview,
	}.Run(t, open)
}

// noLimits returns limits that nothing exceeds.
func noLimits() interview.Limits { return interview.Limits{} }

// testRecord returns session n, as inserted.
func testRecord(n int) interview.Record {
	return interview.Record{
		ID: fmt.Sprintf("%032x", n), Account: "acc_1", Version: 1, Open: true, Expires: check.After(3600 + n),
		Data: fmt.Appendf(nil, `{"n":%d,"t":"é"}`, n), Freelancer: "f1", Begun: check.After(n),
	}
}

// nextVersion returns the version after r.
func nextVersion(r interview.Record, data string) interview.Record {
	r.Version, r.Data = r.Version+1, []byte(data)
	return r
}

func testClaim(n int) interview.Claim {
	return interview.Claim{
		Account: "acc_1", Key: "key of a client", Fingerprint: sha256.Sum256([]byte{1}),
		Holder: fmt.Sprintf("holder %d", n), Until: check.After(60),
	}
}

// settled returns a claim with a result about a session.
func settled(c interview.Claim, session string) *interview.Claim {
	c.Session, c.Result, c.Until = session, []byte(`{"a":1}`), check.After(600)
	return &c
}

func insertInterviews(t *testing.T, s interview.Store, records ...interview.Record) {
	t.Helper()
	for _, r := range records {
		check.NoError(t, s.Insert(t.Context(), r, noLimits(), check.Start(), nil))
	}
}

func wantInterview(t *testing.T, s interview.Store, want interview.Record) {
	t.Helper()
	check.Equal(t, want, check.Must(s.Find(t.Context(), want.ID, check.Start())))
}

func wantNoInterview(t *testing.T, s interview.Store, id string) {
	t.Helper()
	_, err := s.Find(t.Context(), id, check.Start())
	check.Error(t, err, interview.ErrNotFound)
}

// wantClaim makes a claim some seconds after the start, and compares the claim that holds afterwards.
func wantClaim(t *testing.T, s interview.Store, c, want interview.Claim, seconds int) {
	t.Helper()
	check.Equal(t, want, check.Must(s.Claim(t.Context(), c, check.After(seconds))))
}

func interviewRoundTrip(t *testing.T, s Store) {
	wantNoInterview(t, s, testRecord(1).ID)
	closed := testRecord(2)
	closed.Open = false
	closed.Account = ""
	insertInterviews(t, s, testRecord(1), closed)
	wantInterview(t, s, testRecord(1))
	wantInterview(t, s, closed)
	if err := s.Insert(t.Context(), testRecord(1), noLimits(), check.Start(), nil); err == nil {
		t.Error("a session was inserted twice")
	}
}

func interviewExpires(t *testing.T, s Store) {
	r := testRecord(1)
	insertInterviews(t, s, r)
	if _, err := s.Find(t.Context(), r.ID, r.Expires.Add(-1000)); err != nil {
		t.Errorf("a microsecond before it expires: %v", err)
	}
	_, err := s.Find(t.Context(), r.ID, r.Expires)
	check.Error(t, err, interview.ErrNotFound)
}

func updatesInterview(t *testing.T, s Store) {
	first := testRecord(1)
	insertInterviews(t, s, first, testRecord(2))
	second := nextVersion(first, "2")
	second.Open, second.Expires = false, check.After(9000)
	check.NoError(t, s.Update(t.Context(), second, noLimits(), check.Start(), nil))
	wantInterview(t, s, second)
	wantInterview(t, s, testRecord(2))
	check.Error(t, s.Update(t.Context(), nextVersion(first, "late"), noLimits(), check.Start(), nil), interview.ErrChanged)
	foreign := nextVersion(second, "foreign")
	foreign.Account = "acc_2"
	check.Error(t, s.Update(t.Context(), foreign, noLimits(), check.Start(), nil), interview.ErrChanged)
	unknown := nextVersion(testRecord(3), "none")
	check.Error(t, s.Update(t.Context(), unknown, noLimits(), check.Start(), nil), interview.ErrChanged)
	wantInterview(t, s, second)
}

func concurrentUpdates(t *testing.T, s Store) {
	first := testRecord(1)
	insertInterviews(t, s, first)
	update := func(i int) error {
		return s.Update(t.Context(), nextVersion(first, fmt.Sprint(i)), noLimits(), check.Start(), nil)
	}
	got := check.Concurrently(t, update, interview.ErrChanged)
	check.Equal(t, map[error]int{nil: 1, interview.ErrChanged: check.Callers - 1}, got)
}

func limitsInterviews(t *testing.T, s Store) {
	insert := func(r interview.Record) error {
		return s.Insert(t.Context(), r, interview.Limits{Sessions: 2}, check.Start(), nil)
	}
	expired := testRecord(2)
	other := testRecord(3)
	evaluated := testRecord(5)
	expired.Expires = check.Start()
	other.Account = "acc_2"
	evaluated.Open = false
	for _, r := range []interview.Record{expired, other, testRecord(4), evaluated} {
		check.NoError(t, insert(r))
	}

	check.Error(t, insert(testRecord(6)), interview.ErrTooMany)
	wantNoInterview(t, s, testRecord(6).ID)
	closed := testRecord(7)
	closed.Open = false
	check.Error(t, insert(closed), interview.ErrTooMany)
	done := nextVersion(testRecord(4), "done")
	done.Open = false
	check.NoError(t, s.Update(t.Context(), done, interview.Limits{Sessions: 1}, check.Start(), nil)) // adds no session
	check.Error(t, insert(testRecord(6)), interview.ErrTooMany)
	check.NoError(t, s.DeleteAudited(t.Context(), evaluated.Account, evaluated.ID, deletion()))
	check.NoError(t, insert(testRecord(6)))
}

func limitsInterviewBytes(t *testing.T, s Store) {
	limits := interview.Limits{Bytes: 1000}
	insert := func(r interview.Record) error { return s.Insert(t.Context(), r, limits, check.Start(), nil) }
	update := func(n, size int) error {
		return s.Update(t.Context(), nextVersion(testRecord(n), strings.Repeat("y", size)), limits, check.Start(), nil)
	}
	record := func(n, size int) interview.Record {
		r := testRecord(n)
		r.Data = bytes.Repeat([]byte("x"), size)
		return r
	}

	// Neither expired sessions nor those of other accounts count.
	expired := record(1, 900)
	expired.Expires = check.Start()
	other := record(2, 900)
	other.Account = "acc_2"
	for _, r := range []interview.Record{expired, other, record(3, 400), record(4, 400)} {
		check.NoError(t, insert(r))
	}

	wantUsage(t, s, interview.Usage{Sessions: 2, Bytes: 800})
	check.Error(t, insert(record(5, 201)), interview.ErrFull)
	wantNoInterview(t, s, record(5, 0).ID)

	check.Error(t, update(3, 601), interview.ErrFull)
	wantInterview(t, s, record(3, 400))
	check.NoError(t, update(3, 600))
	wantUsage(t, s, interview.Usage{Sessions: 2, Bytes: 1000})

	// After a change to a smaller plan nothing grows, but what exists may still shrink.
	limits.Bytes = 10
	check.Error(t, update(4, 401), interview.ErrFull)
	check.NoError(t, update(4, 399))

	check.NoError(t, s.DeleteAudited(t.Context(), "acc_1", record(3, 0).ID, deletion()))
	wantUsage(t, s, interview.Usage{Sessions: 1, Bytes: 399})
}

func wantUsage(t *testing.T, s interview.Store, want interview.Usage) {
	t.Helper()
	check.Equal(t, want, check.Must(s.Usage(t.Context(), "acc_1", check.Start())))
}

func findsNextToExpire(t *testing.T, s Store) {
	next := func(account string, seconds int) string {
		t.Helper()
		id, expires, err := s.NextToExpire(t.Context(), account, check.After(seconds))
		if errors.Is(err, interview.ErrNotFound) {
			return "none"
		}
		check.NoError(t, err)
		return fmt.Sprint(id, " ", expires.Sub(check.Start()))
	}
	insertInterviews(t, s, testRecord(3), testRecord(1), testRecord(2))
	check.Equal(t, "none", next("acc_2", 0))
	check.Equal(t, testRecord(1).ID+" 1h0m1s", next("acc_1", 0))
	check.Equal(t, testRecord(2).ID+" 1h0m2s", next("acc_1", 3601))
	check.Equal(t, "none", next("acc_1", 3603))
}

func deletesInterview(t *testing.T, s Store) {
	r := testRecord(1)
	insertInterviews(t, s, r, testRecord(2))
	check.Error(t, s.DeleteAudited(t.Context(), "acc_2", r.ID, deletion()), interview.ErrNotFound)
	wantInterview(t, s, r)
	check.NoError(t, s.DeleteAudited(t.Context(), r.Account, r.ID, deletion()))
	check.Error(t, s.DeleteAudited(t.Context(), r.Account, r.ID, deletion()), interview.ErrNotFound)
	wantNoInterview(t, s, r.ID)
	wantInterview(t, s, testRecord(2))
	check.Error(t, s.Update(t.Context(), nextVersion(r, "back"), noLimits(), check.Start(), nil), interview.ErrChanged)
}

func holdsClaim(t *testing.T, s Store) {
	mine := testClaim(1)
	other := testClaim(2)
	other.Fingerprint = sha256.Sum256([]byte{2})
	wantClaim(t, s, mine, mine, 0)
	wantClaim(t, s, other, mine, 59)
	check.NoError(t, s.Release(t.Context(), other)) // holds no claim
	wantClaim(t, s, other, mine, 59)
	check.NoError(t, s.Release(t.Context(), mine))
	wantClaim(t, s, other, other, 59)
	late := testClaim(3)
	late.Until = check.After(120)
	wantClaim(t, s, late, late, 60) // the previous claim has expired

	elsewhere := testClaim(4)
	unlike := testClaim(5)
	elsewhere.Account = "acc_2"
	unlike.Key = "Key of a client"
	wantClaim(t, s, elsewhere, elsewhere, 0)
	wantClaim(t, s, unlike, unlike, 0)
}

func concurrentClaims(t *testing.T, s Store) {
	var mu sync.Mutex
	holders := map[string]int{}
	check.Concurrently(t, func(i int) error {
		got, err := s.Claim(t.Context(), testClaim(i), check.Start())
		mu.Lock()
		defer mu.Unlock()
		holders[got.Holder]++
		return err
	})
	if len(holders) != 1 {
		t.Errorf("the claim is held by %v, want one holder", holders)
	}
}

func settlesClaim(t *testing.T, s Store) {
	r := testRecord(1)
	mine := testClaim(1)
	other := testClaim(2)
	insertInterviews(t, s, r)
	check.Error(t, s.Settle(t.Context(), *settled(mine, r.ID)), interview.ErrChanged) // not claimed
	wantClaim(t, s, mine, mine, 0)
	check.Error(t, s.Settle(t.Context(), *settled(other, r.ID)), interview.ErrChanged)
	check.Error(t, s.Settle(t.Context(), *settled(mine, testRecord(2).ID)), interview.ErrChanged) // no such session
	want := settled(mine, r.ID)
	check.NoError(t, s.Settle(t.Context(), *want))
	check.Error(t, s.Settle(t.Context(), *want), interview.ErrChanged)
	check.NoError(t, s.Release(t.Context(), mine)) // has no effect on a settled claim
	wantClaim(t, s, other, *want, 599)
	wantClaim(t, s, other, other, 600)
}

func settlesWithInterview(t *testing.T, s Store) {
	r := testRecord(1)
	mine := testClaim(1)
	wantClaim(t, s, mine, mine, 0)
	check.NoError(t, s.Insert(t.Context(), r, noLimits(), check.Start(), settled(mine, r.ID)))
	wantInterview(t, s, r)
	wantClaim(t, s, testClaim(2), *settled(mine, r.ID), 1)

	second := testClaim(3)
	second.Key = "another"
	wantClaim(t, s, second, second, 0)
	check.NoError(t, s.Update(t.Context(), nextVersion(r, "2"), noLimits(), check.Start(), settled(second, r.ID)))
	wantInterview(t, s, nextVersion(r, "2"))
	wantClaim(t, s, second, *settled(second, r.ID), 1)
}

func requiresClaim(t *testing.T, s Store) {
	r := testRecord(1)
	mine := testClaim(1)
	other := testClaim(2)
	wantClaim(t, s, mine, mine, 0)
	check.Error(t, s.Insert(t.Context(), r, noLimits(), check.Start(), settled(other, r.ID)), interview.ErrChanged)
	wantNoInterview(t, s, r.ID)
	insertInterviews(t, s, r)
	update := func(r interview.Record, c interview.Claim) error {
		return s.Update(t.Context(), r, noLimits(), check.Start(), settled(c, r.ID))
	}
	check.Error(t, update(nextVersion(r, "2"), other), interview.ErrChanged)
	wantInterview(t, s, r)
	check.Error(t, update(nextVersion(nextVersion(r, "2"), "3"), mine), interview.ErrChanged)
	wantClaim(t, s, other, mine, 1)
}

func deletesSettledClaims(t *testing.T, s Store) {
	r := testRecord(1)
	mine := testClaim(1)
	other := testClaim(2)
	wantClaim(t, s, mine, mine, 0)
	check.NoError(t, s.Insert(t.Context(), r, noLimits(), check.Start(), settled(mine, r.ID)))
	check.NoError(t, s.DeleteAudited(t.Context(), r.Account, r.ID, deletion()))
	wantClaim(t, s, other, other, 1)
	check.Error(t, s.Settle(t.Context(), *settled(other, r.ID)), interview.ErrChanged)
}

// Requests end while their session is deleted: there must be no deadlock, and no result must remain.
func settlesWhileDeleting(t *testing.T, s Store) {
	// A deadlock depends on the order of the calls, so one round wouldn't find it reliably.
	for round := range 10 {
		r := testRecord(round)
		insertInterviews(t, s, r)
		claims := make([]interview.Claim, check.Callers)
		for i := range claims {
			claims[i] = testClaim(i)
			claims[i].Key = fmt.Sprint(round, i)
			wantClaim(t, s, claims[i], claims[i], 0)
		}

		check.Concurrently(t, func(i int) error {
			switch {
			// The deletion starts in the middle, so that requests end before it and after it.
			case i == check.Callers/2:
				return s.DeleteAudited(t.Context(), r.Account, r.ID, deletion())
			case i%2 == 0:
				return s.Update(t.Context(), nextVersion(r, "2"), noLimits(), check.Start(), settled(claims[i], r.ID))
			default:
				return s.Settle(t.Context(), *settled(claims[i], r.ID))
			}
		}, interview.ErrChanged)

		wantNoInterview(t, s, r.ID)
		for _, c := range claims {
			if check.Must(s.Claim(t.Context(), c, check.Start())).Result != nil {
				t.Errorf("the result of %q remains", c.Key)
			}
		}
	}
}

func deletesExpiredInterviews(t *testing.T, s Store) {
	soon := testRecord(1)
	later := testRecord(2)
	insertInterviews(t, s, soon, later)
	mine := testClaim(1)
	wantClaim(t, s, mine, mine, 0)
	check.NoError(t, s.DeleteExpired(t.Context(), check.After(59), check.After(9000)))
	wantClaim(t, s, testClaim(2), mine, 0)
	check.NoError(t, s.DeleteExpired(t.Context(), soon.Expires, check.After(9000)))
	wantNoInterview(t, s, soon.ID) // deleted although it is not expired at start
	wantInterview(t, s, later)
	wantClaim(t, s, testClaim(2), testClaim(2), 0)
}

// deletion returns an entry of the audit log.
func deletion() audit.Event {
	return audit.Event{
		At: check.Start(), Actor: "key_1", Account: "acc_1", Action: audit.InterviewDeleted, Subject: testRecord(1).ID,
		Address: "192.0.2.1",
	}
}

func wantEvents(t *testing.T, s Store, want ...audit.Event) {
	t.Helper()
	check.Equal(t, want, check.Must(s.Log.Events(t.Context(), audit.Query{Account: "acc_1", Limit: 10})))
}

func recordsDeletion(t *testing.T, s Store) {
	r := testRecord(1)
	insertInterviews(t, s, r)
	check.Error(t, s.DeleteAudited(t.Context(), "acc_2", r.ID, deletion()), interview.ErrNotFound)
	wantEvents(t, s)
	check.NoError(t, s.DeleteAudited(t.Context(), r.Account, r.ID, deletion()))
	wantEvents(t, s, deletion())
}

func recordsOnce(t *testing.T, s Store) {
	read := deletion()
	read.Action, read.At = audit.InterviewRead, check.After(10)
	record := func(e audit.Event, since int) { check.NoError(t, s.AuditOnce(t.Context(), e, check.After(since))) }
	record(read, 0)
	again := read
	again.At = check.After(20)
	record(again, 0)
	record(again, 10)
	wantEvents(t, s, read)
	record(again, 11) // on another day, so to speak
	wantEvents(t, s, again, read)
	actor := again
	session := again
	actor.Actor, actor.At = "key_2", check.After(21)
	session.Subject, session.At = testRecord(2).ID, check.After(22)
	record(actor, 0)
	record(session, 0)
	wantEvents(t, s, session, actor, again, read)
}

func pagesInterviews(t *testing.T, s Store) {
	first := testRecord(1)
	otherFreelancer := testRecord(3)
	otherFreelancer.Freelancer = "f2"
	closed := testRecord(4)
	closed.Open = false

	// Sessions of earlier releases have no time of beginning and come last.
	undated := testRecord(6)
	undated.Begun = time.Time{}

	// Two sessions of the same second: a page that ends between them must not skip or repeat one.
	twinOfClosed := testRecord(7)
	twinOfClosed.Begun = closed.Begun

	// Neither the sessions of other accounts nor expired ones are listed.
	foreign := testRecord(2)
	foreign.Account = "acc_2"
	expired := testRecord(5)
	expired.Expires = check.Start()
	insertInterviews(t, s, first, foreign, otherFreelancer, closed, expired, undated, twinOfClosed)

	all := interview.Selection{}
	beginning := interview.Place{}
	place := func(r interview.Record) interview.Place { return interview.Place{Begun: r.Begun, ID: r.ID} }
	for _, tt := range []struct {
		name     string
		selected interview.Selection
		after    interview.Place
		limit    int
		want     []interview.Record
	}{
		{
			"all", all, beginning, 10,
			[]interview.Record{twinOfClosed, closed, otherFreelancer, first, undated},
		},
		{"first page", all, beginning, 2, []interview.Record{twinOfClosed, closed}},
		{"page between twins", all, place(twinOfClosed), 2, []interview.Record{closed, otherFreelancer}},
		{"rest", all, place(otherFreelancer), 10, []interview.Record{first, undated}},
		{"after the last dated one", all, place(first), 10, []interview.Record{undated}},
		{"after the last", all, place(undated), 10, nil},
		{
			"of a freelancer",
			interview.Selection{FreelancerID: "f2"},
			beginning, 10,
			[]interview.Record{otherFreelancer},
		},
		{"of an unknown freelancer", interview.Selection{FreelancerID: "f3"}, beginning, 10, nil},
		{"evaluated", interview.Selection{State: interview.Evaluated}, beginning, 10, []interview.Record{closed}},
		{
			"open ones of a freelancer",
			interview.Selection{State: interview.Open, FreelancerID: "f1"},
			beginning, 2,
			[]interview.Record{twinOfClosed, first},
		},
	} {
		tt.selected.Account = "acc_1"
		t.Log(tt.name)
		check.Equal(t, tt.want, check.Must(s.List(t.Context(), tt.selected, tt.after, tt.limit, check.Start())))
	}
}

func deletesSelectedInterviews(t *testing.T, s Store) {
	open := testRecord(1)
	foreign := testRecord(2)
	foreign.Account = "acc_2"
	otherFreelancer := testRecord(3)
	otherFreelancer.Freelancer = "f2"
	expired := testRecord(4)
	expired.Expires = check.Start()
	closed := testRecord(5)
	closed.Open = false
	insertInterviews(t, s, open, foreign, otherFreelancer, expired, closed)

	claim := testClaim(1)
	wantClaim(t, s, claim, claim, 0)
	check.NoError(t, s.Settle(t.Context(), *settled(claim, open.ID)))

	entry := func(id string) audit.Event {
		e := deletion()
		e.Subject = id
		return e
	}
	remove := func(selected interview.Selection, limit, wantDeleted int) {
		t.Helper()
		selected.Account = "acc_1"
		check.Equal(t, wantDeleted, check.Must(s.DeleteSome(t.Context(), selected, limit, entry)))
	}

	// Two sessions are open, of which the limit leaves the second by ID. The settled claim goes with the session, so
	// the same key can be claimed again.
	remove(interview.Selection{FreelancerID: "f1", State: interview.Open}, 1, 1)
	wantNoInterview(t, s, open.ID)
	wantClaim(t, s, testClaim(2), testClaim(2), 0)

	remove(interview.Selection{FreelancerID: "f1"}, 10, 2)
	remove(interview.Selection{FreelancerID: "f1"}, 10, 0)
	wantInterview(t, s, otherFreelancer)
	wantInterview(t, s, foreign)
	wantEvents(t, s, entry(closed.ID), entry(expired.ID), entry(open.ID))

	remove(interview.Selection{}, 10, 1)
	wantInterview(t, s, foreign)
}

func shortensInterviews(t *testing.T, s Store) {
	early := testRecord(1)
	late := testRecord(100)
	insertInterviews(t, s, early, late)
	check.NoError(t, s.DeleteExpired(t.Context(), check.Start(), check.After(3650)))
	late.Expires = check.After(3650)
	wantInterview(t, s, early)
	wantInterview(t, s, late)
}

func canceledInterview(t *testing.T, s Store) {
	r := testRecord(1)
	insertInterviews(t, s, r)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Update(ctx, nextVersion(r, "2"), noLimits(), check.Start(), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Update: %v, want context.Canceled", err)
	}
	wantInterview(t, s, r)
}
