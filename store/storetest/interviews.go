package storetest

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

	"freelancer-matching/access/audit"
	"freelancer-matching/interview"
)

// An InterviewStore is an interview.Store whose audit log can be read.
type InterviewStore struct {
	interview.Store
	Log interface {
		Events(ctx context.Context, q audit.Query) ([]audit.Event, error)
	}
}

// Interviews tests an interview.Store.
func Interviews(t *testing.T, open func(t *testing.T) InterviewStore) {
	suite[InterviewStore]{
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
	}.run(t, open)
}

// noLimits returns limits that nothing exceeds.
func noLimits() interview.Limits { return interview.Limits{} }

// testRecord returns session n, as inserted.
func testRecord(n int) interview.Record {
	return interview.Record{
		ID: fmt.Sprintf("%032x", n), Account: "acc_1", Version: 1, Open: true, Expires: after(3600 + n),
		Data: fmt.Appendf(nil, `{"n":%d,"t":"é"}`, n), Freelancer: "f1", Begun: after(n),
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
		Holder: fmt.Sprintf("holder %d", n), Until: after(60),
	}
}

// settled returns a claim with a result about a session.
func settled(c interview.Claim, session string) *interview.Claim {
	c.Session, c.Result, c.Until = session, []byte(`{"a":1}`), after(600)
	return &c
}

func insertInterviews(t *testing.T, s interview.Store, records ...interview.Record) {
	t.Helper()
	for _, r := range records {
		noError(t, s.Insert(t.Context(), r, noLimits(), start(), nil))
	}
}

func wantInterview(t *testing.T, s interview.Store, want interview.Record) {
	t.Helper()
	wantEqual(t, want, must(s.Find(t.Context(), want.ID, start())))
}

func wantNoInterview(t *testing.T, s interview.Store, id string) {
	t.Helper()
	_, err := s.Find(t.Context(), id, start())
	wantError(t, err, interview.ErrNotFound)
}

// wantClaim makes a claim some seconds after the start, and compares the claim that holds afterwards.
func wantClaim(t *testing.T, s interview.Store, c, want interview.Claim, seconds int) {
	t.Helper()
	wantEqual(t, want, must(s.Claim(t.Context(), c, after(seconds))))
}

func interviewRoundTrip(t *testing.T, s InterviewStore) {
	wantNoInterview(t, s, testRecord(1).ID)
	closed := testRecord(2)
	closed.Open = false
	closed.Account = ""
	insertInterviews(t, s, testRecord(1), closed)
	wantInterview(t, s, testRecord(1))
	wantInterview(t, s, closed)
	if err := s.Insert(t.Context(), testRecord(1), noLimits(), start(), nil); err == nil {
		t.Error("a session was inserted twice")
	}
}

func interviewExpires(t *testing.T, s InterviewStore) {
	r := testRecord(1)
	insertInterviews(t, s, r)
	if _, err := s.Find(t.Context(), r.ID, r.Expires.Add(-1000)); err != nil {
		t.Errorf("a microsecond before it expires: %v", err)
	}
	_, err := s.Find(t.Context(), r.ID, r.Expires)
	wantError(t, err, interview.ErrNotFound)
}

func updatesInterview(t *testing.T, s InterviewStore) {
	first := testRecord(1)
	insertInterviews(t, s, first, testRecord(2))
	second := nextVersion(first, "2")
	second.Open, second.Expires = false, after(9000)
	noError(t, s.Update(t.Context(), second, noLimits(), start(), nil))
	wantInterview(t, s, second)
	wantInterview(t, s, testRecord(2))
	wantError(t, s.Update(t.Context(), nextVersion(first, "late"), noLimits(), start(), nil), interview.ErrChanged)
	foreign := nextVersion(second, "foreign")
	foreign.Account = "acc_2"
	wantError(t, s.Update(t.Context(), foreign, noLimits(), start(), nil), interview.ErrChanged)
	wantError(t, s.Update(t.Context(), nextVersion(testRecord(3), "none"), noLimits(), start(), nil), interview.ErrChanged)
	wantInterview(t, s, second)
}

func concurrentUpdates(t *testing.T, s InterviewStore) {
	first := testRecord(1)
	insertInterviews(t, s, first)
	update := func(i int) error {
		return s.Update(t.Context(), nextVersion(first, fmt.Sprint(i)), noLimits(), start(), nil)
	}
	got := concurrently(t, update, interview.ErrChanged)
	wantEqual(t, map[error]int{nil: 1, interview.ErrChanged: callers - 1}, got)
}

func limitsInterviews(t *testing.T, s InterviewStore) {
	insert := func(r interview.Record) error {
		return s.Insert(t.Context(), r, interview.Limits{Sessions: 2}, start(), nil)
	}
	expired := testRecord(2)
	other := testRecord(3)
	evaluated := testRecord(5)
	expired.Expires = start()
	other.Account = "acc_2"
	evaluated.Open = false
	for _, r := range []interview.Record{expired, other, testRecord(4), evaluated} {
		noError(t, insert(r))
	}

	wantError(t, insert(testRecord(6)), interview.ErrTooMany)
	wantNoInterview(t, s, testRecord(6).ID)
	closed := testRecord(7)
	closed.Open = false
	wantError(t, insert(closed), interview.ErrTooMany)
	done := nextVersion(testRecord(4), "done")
	done.Open = false
	noError(t, s.Update(t.Context(), done, interview.Limits{Sessions: 1}, start(), nil)) // adds no session
	wantError(t, insert(testRecord(6)), interview.ErrTooMany)
	noError(t, s.DeleteAudited(t.Context(), evaluated.Account, evaluated.ID, deletion()))
	noError(t, insert(testRecord(6)))
}

func limitsInterviewBytes(t *testing.T, s InterviewStore) {
	record := func(n, size int) interview.Record {
		r := testRecord(n)
		r.Data = bytes.Repeat([]byte("x"), size)
		return r
	}

	limits := interview.Limits{Bytes: 1000}
	insert := func(r interview.Record) error { return s.Insert(t.Context(), r, limits, start(), nil) }
	update := func(r interview.Record) error { return s.Update(t.Context(), r, limits, start(), nil) }
	expired := record(1, 900)
	other := record(2, 900)
	expired.Expires = start()
	other.Account = "acc_2"
	for _, r := range []interview.Record{expired, other, record(3, 400), record(4, 400)} {
		noError(t, insert(r))
	}

	wantUsage(t, s, interview.Usage{Sessions: 2, Bytes: 800})
	wantError(t, insert(record(5, 201)), interview.ErrFull)
	wantNoInterview(t, s, record(5, 0).ID)
	wantError(t, update(nextVersion(record(3, 0), strings.Repeat("y", 601))), interview.ErrFull)
	wantInterview(t, s, record(3, 400))
	noError(t, update(nextVersion(record(3, 0), strings.Repeat("y", 600))))
	wantUsage(t, s, interview.Usage{Sessions: 2, Bytes: 1000})
	limits.Bytes = 10 // as if the account's plan changed: nothing grows, but what exists may still shrink
	wantError(t, update(nextVersion(record(4, 0), strings.Repeat("y", 401))), interview.ErrFull)
	noError(t, update(nextVersion(record(4, 0), strings.Repeat("y", 399))))
	noError(t, s.DeleteAudited(t.Context(), "acc_1", record(3, 0).ID, deletion()))
	wantUsage(t, s, interview.Usage{Sessions: 1, Bytes: 399})
}

func wantUsage(t *testing.T, s interview.Store, want interview.Usage) {
	t.Helper()
	wantEqual(t, want, must(s.Usage(t.Context(), "acc_1", start())))
}

func findsNextToExpire(t *testing.T, s InterviewStore) {
	next := func(account string, seconds int) string {
		t.Helper()
		id, expires, err := s.NextToExpire(t.Context(), account, after(seconds))
		if errors.Is(err, interview.ErrNotFound) {
			return "none"
		}
		noError(t, err)
		return fmt.Sprint(id, " ", expires.Sub(start()))
	}
	insertInterviews(t, s, testRecord(3), testRecord(1), testRecord(2))
	wantEqual(t, "none", next("acc_2", 0))
	wantEqual(t, testRecord(1).ID+" 1h0m1s", next("acc_1", 0))
	wantEqual(t, testRecord(2).ID+" 1h0m2s", next("acc_1", 3601))
	wantEqual(t, "none", next("acc_1", 3603))
}

func deletesInterview(t *testing.T, s InterviewStore) {
	r := testRecord(1)
	insertInterviews(t, s, r, testRecord(2))
	wantError(t, s.DeleteAudited(t.Context(), "acc_2", r.ID, deletion()), interview.ErrNotFound)
	wantInterview(t, s, r)
	noError(t, s.DeleteAudited(t.Context(), r.Account, r.ID, deletion()))
	wantError(t, s.DeleteAudited(t.Context(), r.Account, r.ID, deletion()), interview.ErrNotFound)
	wantNoInterview(t, s, r.ID)
	wantInterview(t, s, testRecord(2))
	wantError(t, s.Update(t.Context(), nextVersion(r, "back"), noLimits(), start(), nil), interview.ErrChanged)
}

func holdsClaim(t *testing.T, s InterviewStore) {
	mine := testClaim(1)
	other := testClaim(2)
	other.Fingerprint = sha256.Sum256([]byte{2})
	wantClaim(t, s, mine, mine, 0)
	wantClaim(t, s, other, mine, 59)
	noError(t, s.Release(t.Context(), other)) // holds no claim
	wantClaim(t, s, other, mine, 59)
	noError(t, s.Release(t.Context(), mine))
	wantClaim(t, s, other, other, 59)
	late := testClaim(3)
	late.Until = after(120)
	wantClaim(t, s, late, late, 60) // the previous claim has expired

	elsewhere := testClaim(4)
	unlike := testClaim(5)
	elsewhere.Account = "acc_2"
	unlike.Key = "Key of a client"
	wantClaim(t, s, elsewhere, elsewhere, 0)
	wantClaim(t, s, unlike, unlike, 0)
}

func concurrentClaims(t *testing.T, s InterviewStore) {
	var mu sync.Mutex
	holders := map[string]int{}
	concurrently(t, func(i int) error {
		got, err := s.Claim(t.Context(), testClaim(i), start())
		mu.Lock()
		defer mu.Unlock()
		holders[got.Holder]++
		return err
	})
	if len(holders) != 1 {
		t.Errorf("the claim is held by %v, want one holder", holders)
	}
}

func settlesClaim(t *testing.T, s InterviewStore) {
	r := testRecord(1)
	mine := testClaim(1)
	other := testClaim(2)
	insertInterviews(t, s, r)
	wantError(t, s.Settle(t.Context(), *settled(mine, r.ID)), interview.ErrChanged) // not claimed
	wantClaim(t, s, mine, mine, 0)
	wantError(t, s.Settle(t.Context(), *settled(other, r.ID)), interview.ErrChanged)
	wantError(t, s.Settle(t.Context(), *settled(mine, testRecord(2).ID)), interview.ErrChanged) // no such session
	want := settled(mine, r.ID)
	noError(t, s.Settle(t.Context(), *want))
	wantError(t, s.Settle(t.Context(), *want), interview.ErrChanged)
	noError(t, s.Release(t.Context(), mine)) // has no effect on a settled claim
	wantClaim(t, s, other, *want, 599)
	wantClaim(t, s, other, other, 600)
}

func settlesWithInterview(t *testing.T, s InterviewStore) {
	r := testRecord(1)
	mine := testClaim(1)
	wantClaim(t, s, mine, mine, 0)
	noError(t, s.Insert(t.Context(), r, noLimits(), start(), settled(mine, r.ID)))
	wantInterview(t, s, r)
	wantClaim(t, s, testClaim(2), *settled(mine, r.ID), 1)

	second := testClaim(3)
	second.Key = "another"
	wantClaim(t, s, second, second, 0)
	noError(t, s.Update(t.Context(), nextVersion(r, "2"), noLimits(), start(), settled(second, r.ID)))
	wantInterview(t, s, nextVersion(r, "2"))
	wantClaim(t, s, second, *settled(second, r.ID), 1)
}

func requiresClaim(t *testing.T, s InterviewStore) {
	r := testRecord(1)
	mine := testClaim(1)
	other := testClaim(2)
	wantClaim(t, s, mine, mine, 0)
	wantError(t, s.Insert(t.Context(), r, noLimits(), start(), settled(other, r.ID)), interview.ErrChanged)
	wantNoInterview(t, s, r.ID)
	insertInterviews(t, s, r)
	update := func(r interview.Record, c interview.Claim) error {
		return s.Update(t.Context(), r, noLimits(), start(), settled(c, r.ID))
	}
	wantError(t, update(nextVersion(r, "2"), other), interview.ErrChanged)
	wantInterview(t, s, r)
	wantError(t, update(nextVersion(nextVersion(r, "2"), "3"), mine), interview.ErrChanged)
	wantClaim(t, s, other, mine, 1)
}

func deletesSettledClaims(t *testing.T, s InterviewStore) {
	r := testRecord(1)
	mine := testClaim(1)
	other := testClaim(2)
	wantClaim(t, s, mine, mine, 0)
	noError(t, s.Insert(t.Context(), r, noLimits(), start(), settled(mine, r.ID)))
	noError(t, s.DeleteAudited(t.Context(), r.Account, r.ID, deletion()))
	wantClaim(t, s, other, other, 1)
	wantError(t, s.Settle(t.Context(), *settled(other, r.ID)), interview.ErrChanged)
}

// Requests end while their session is deleted: there must be no deadlock, and no result must remain.
func settlesWhileDeleting(t *testing.T, s InterviewStore) {
	// A deadlock depends on the order of the calls, so one round wouldn't find it reliably.
	for round := range 10 {
		r := testRecord(round)
		insertInterviews(t, s, r)
		claims := make([]interview.Claim, callers)
		for i := range claims {
			claims[i] = testClaim(i)
			claims[i].Key = fmt.Sprint(round, i)
			wantClaim(t, s, claims[i], claims[i], 0)
		}

		concurrently(t, func(i int) error {
			switch {
			// The deletion starts in the middle, so that requests end before it and after it.
			case i == callers/2:
				return s.DeleteAudited(t.Context(), r.Account, r.ID, deletion())
			case i%2 == 0:
				return s.Update(t.Context(), nextVersion(r, "2"), noLimits(), start(), settled(claims[i], r.ID))
			default:
				return s.Settle(t.Context(), *settled(claims[i], r.ID))
			}
		}, interview.ErrChanged)

		wantNoInterview(t, s, r.ID)
		for _, c := range claims {
			if must(s.Claim(t.Context(), c, start())).Result != nil {
				t.Errorf("the result of %q remains", c.Key)
			}
		}
	}
}

func deletesExpiredInterviews(t *testing.T, s InterviewStore) {
	soon := testRecord(1)
	later := testRecord(2)
	insertInterviews(t, s, soon, later)
	mine := testClaim(1)
	wantClaim(t, s, mine, mine, 0)
	noError(t, s.DeleteExpired(t.Context(), after(59), after(9000)))
	wantClaim(t, s, testClaim(2), mine, 0)
	noError(t, s.DeleteExpired(t.Context(), soon.Expires, after(9000)))
	wantNoInterview(t, s, soon.ID) // deleted although it is not expired at start
	wantInterview(t, s, later)
	wantClaim(t, s, testClaim(2), testClaim(2), 0)
}

// deletion returns an entry of the audit log.
func deletion() audit.Event {
	return audit.Event{
		At: start(), Actor: "key_1", Account: "acc_1", Action: audit.InterviewDeleted, Subject: testRecord(1).ID,
		Address: "192.0.2.1",
	}
}

func wantEvents(t *testing.T, s InterviewStore, want ...audit.Event) {
	t.Helper()
	wantEqual(t, want, must(s.Log.Events(t.Context(), audit.Query{Account: "acc_1", Limit: 10})))
}

func recordsDeletion(t *testing.T, s InterviewStore) {
	r := testRecord(1)
	insertInterviews(t, s, r)
	wantError(t, s.DeleteAudited(t.Context(), "acc_2", r.ID, deletion()), interview.ErrNotFound)
	wantEvents(t, s)
	noError(t, s.DeleteAudited(t.Context(), r.Account, r.ID, deletion()))
	wantEvents(t, s, deletion())
}

func recordsOnce(t *testing.T, s InterviewStore) {
	read := deletion()
	read.Action, read.At = audit.InterviewRead, after(10)
	record := func(e audit.Event, since int) { noError(t, s.AuditOnce(t.Context(), e, after(since))) }
	record(read, 0)
	again := read
	again.At = after(20)
	record(again, 0)
	record(again, 10)
	wantEvents(t, s, read)
	record(again, 11) // on another day, so to speak
	wantEvents(t, s, again, read)
	actor := again
	session := again
	actor.Actor, actor.At = "key_2", after(21)
	session.Subject, session.At = testRecord(2).ID, after(22)
	record(actor, 0)
	record(session, 0)
	wantEvents(t, s, session, actor, again, read)
}

func pagesInterviews(t *testing.T, s InterviewStore) {
	foreign := testRecord(2)
	other := testRecord(3)
	closed := testRecord(4)
	expired := testRecord(5)
	unknown := testRecord(6)
	foreign.Account = "acc_2"
	other.Freelancer = "f2"
	closed.Open = false
	expired.Expires = start()
	// Sessions of earlier releases have no time of beginning and come last.
	unknown.Begun = time.Time{}
	// Two sessions of the same second: a page that ends between them must not skip or repeat one.
	twin := testRecord(7)
	twin.Begun = closed.Begun
	insertInterviews(t, s, testRecord(1), foreign, other, closed, expired, unknown, twin)
	want := func(selected interview.Selection, after interview.Place, limit int, want ...interview.Record) {
		t.Helper()
		selected.Account = "acc_1"
		wantEqual(t, want, must(s.List(t.Context(), selected, after, limit, start())))
	}

	place := func(r interview.Record) interview.Place { return interview.Place{Begun: r.Begun, ID: r.ID} }
	all := interview.Selection{}
	begin := interview.Place{}
	want(all, begin, 10, twin, closed, other, testRecord(1), unknown)
	want(all, begin, 2, twin, closed)
	want(all, place(twin), 2, closed, other)
	want(all, place(other), 10, testRecord(1), unknown)
	want(all, place(testRecord(1)), 10, unknown)
	want(all, place(unknown), 10)
	want(interview.Selection{FreelancerID: "f2"}, begin, 10, other)
	want(interview.Selection{FreelancerID: "f3"}, begin, 10)
	want(interview.Selection{State: interview.Evaluated}, begin, 10, closed)
	want(interview.Selection{State: interview.Open, FreelancerID: "f1"}, begin, 2, twin, testRecord(1))
}

func deletesSelectedInterviews(t *testing.T, s InterviewStore) {
	foreign := testRecord(2)
	other := testRecord(3)
	expired := testRecord(4)
	closed := testRecord(5)
	foreign.Account, other.Freelancer, expired.Expires, closed.Open = "acc_2", "f2", start(), false
	insertInterviews(t, s, testRecord(1), foreign, other, expired, closed)
	mine := testClaim(1)
	wantClaim(t, s, mine, mine, 0)
	noError(t, s.Settle(t.Context(), *settled(mine, testRecord(1).ID)))
	entry := func(id string) audit.Event {
		e := deletion()
		e.Subject = id
		return e
	}

	remove := func(selected interview.Selection, limit, want int) {
		t.Helper()
		selected.Account = "acc_1"
		wantEqual(t, want, must(s.DeleteSome(t.Context(), selected, limit, entry)))
	}

	remove(interview.Selection{FreelancerID: "f1", State: interview.Open}, 1, 1) // the first by ID
	wantNoInterview(t, s, testRecord(1).ID)
	wantClaim(t, s, testClaim(2), testClaim(2), 0)
	remove(interview.Selection{FreelancerID: "f1"}, 10, 2)
	remove(interview.Selection{FreelancerID: "f1"}, 10, 0)
	wantInterview(t, s, other)
	wantInterview(t, s, foreign)
	wantEvents(t, s, entry(closed.ID), entry(expired.ID), entry(testRecord(1).ID))
	remove(interview.Selection{}, 10, 1)
	wantInterview(t, s, foreign)
}

func shortensInterviews(t *testing.T, s InterviewStore) {
	early := testRecord(1)
	late := testRecord(100)
	insertInterviews(t, s, early, late)
	noError(t, s.DeleteExpired(t.Context(), start(), after(3650)))
	late.Expires = after(3650)
	wantInterview(t, s, early)
	wantInterview(t, s, late)
}

func canceledInterview(t *testing.T, s InterviewStore) {
	r := testRecord(1)
	insertInterviews(t, s, r)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Update(ctx, nextVersion(r, "2"), noLimits(), start(), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Update: %v, want context.Canceled", err)
	}
	wantInterview(t, s, r)
}
