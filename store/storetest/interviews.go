package storetest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"testing"

	"freelancer-matching/interview"
)

// Interviews runs the contract of interview.Store.
func Interviews(t *testing.T, open func(t *testing.T) interview.Store) {
	tests := map[string]func(t *testing.T, s interview.Store){
		"a session comes back as it was stored":       keepsInterview,
		"an expired session is not found":             expiresInterview,
		"a session is replaced version by version":    replacesInterview,
		"of many changes at once one is made":         concurrentInterviews,
		"an account has so many open sessions":        limitsInterviews,
		"a session is deleted by its account":         deletesInterview,
		"a claim is held until it is given back":      holdsClaim,
		"of many claims at once one is held":          concurrentClaims,
		"a claim is settled once":                     settlesClaim,
		"a claim settled with a session":              settlesWithInterview,
		"a session is not changed without its claim":  needsClaim,
		"what was answered goes with its session":     forgetsAnswers,
		"what is answered while its session goes":     answersWhileDeleting,
		"what has expired is forgotten":               forgetsInterviews,
		"a request that was given up changes nothing": givenUp,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

// testRecord is session n as it is inserted.
func testRecord(n int) interview.Record {
	return interview.Record{
		ID: fmt.Sprintf("%032x", n), Account: "acc_1", Version: 1, Open: true, Expires: after(3600 + n), Data: fmt.Appendf(nil, `{"n":%d,"t":"é"}`, n),
	}
}

// next is the version of a session that comes after another.
func next(r interview.Record, data string) interview.Record {
	r.Version, r.Data = r.Version+1, []byte(data)
	return r
}

func testClaim(n int) interview.Claim {
	return interview.Claim{
		Account: "acc_1", Key: "key of a client", Fingerprint: sha256.Sum256([]byte{1}), Holder: fmt.Sprintf("holder %d", n), Until: after(60),
	}
}

// settledBy is a claim with the answer about a session.
func settledBy(c interview.Claim, session string) *interview.Claim {
	c.Session, c.Result, c.Until = session, []byte(`{"a":1}`), after(600)
	return &c
}

func insertInterviews(t *testing.T, s interview.Store, records ...interview.Record) {
	t.Helper()
	for _, r := range records {
		must(t, s.Insert(t.Context(), r, 100, start(), nil))
	}
}

func wantInterview(t *testing.T, s interview.Store, want interview.Record) {
	t.Helper()
	got, err := s.Find(t.Context(), want.ID, start())
	wantSame(t, want, get(t, got, err))
}

func wantNoInterview(t *testing.T, s interview.Store, id string) {
	t.Helper()
	_, err := s.Find(t.Context(), id, start())
	wantError(t, err, interview.ErrNotFound)
}

// wantClaim takes a claim at a moment, and makes sure which one holds then.
func wantClaim(t *testing.T, s interview.Store, c, want interview.Claim, seconds int) {
	t.Helper()
	got, err := s.Claim(t.Context(), c, after(seconds))
	wantSame(t, want, get(t, got, err))
}

func keepsInterview(t *testing.T, s interview.Store) {
	wantNoInterview(t, s, testRecord(1).ID)
	closed := testRecord(2)
	closed.Open, closed.Account = false, ""
	insertInterviews(t, s, testRecord(1), closed)
	wantInterview(t, s, testRecord(1))
	wantInterview(t, s, closed)
	if err := s.Insert(t.Context(), testRecord(1), 100, start(), nil); err == nil {
		t.Error("inserted twice")
	}
}

func expiresInterview(t *testing.T, s interview.Store) {
	r := testRecord(1)
	insertInterviews(t, s, r)
	if _, err := s.Find(t.Context(), r.ID, r.Expires.Add(-1000)); err != nil {
		t.Errorf("a microsecond before its end: %v", err)
	}
	_, err := s.Find(t.Context(), r.ID, r.Expires)
	wantError(t, err, interview.ErrNotFound)
}

func replacesInterview(t *testing.T, s interview.Store) {
	first := testRecord(1)
	insertInterviews(t, s, first, testRecord(2))
	second := next(first, "2")
	second.Open, second.Expires = false, after(9000)
	must(t, s.Update(t.Context(), second, nil))
	wantInterview(t, s, second)
	wantInterview(t, s, testRecord(2))
	wantError(t, s.Update(t.Context(), next(first, "late"), nil), interview.ErrChanged)
	foreign := next(second, "foreign")
	foreign.Account = "acc_2"
	wantError(t, s.Update(t.Context(), foreign, nil), interview.ErrChanged)
	wantError(t, s.Update(t.Context(), next(testRecord(3), "none"), nil), interview.ErrChanged)
	wantInterview(t, s, second)
}

func concurrentInterviews(t *testing.T, s interview.Store) {
	first := testRecord(1)
	insertInterviews(t, s, first)
	got := atOnce(t, func(i int) error { return s.Update(t.Context(), next(first, fmt.Sprint(i)), nil) }, interview.ErrChanged)
	wantSame(t, map[error]int{nil: 1, interview.ErrChanged: many - 1}, got)
}

func limitsInterviews(t *testing.T, s interview.Store) {
	insert := func(r interview.Record) error { return s.Insert(t.Context(), r, 2, start(), nil) }
	closed, expired, other := testRecord(1), testRecord(2), testRecord(3)
	closed.Open = false
	expired.Expires = start()
	other.Account = "acc_2"
	for _, r := range []interview.Record{closed, expired, other, testRecord(4), testRecord(5)} {
		must(t, insert(r))
	}
	wantError(t, insert(testRecord(6)), interview.ErrTooMany)
	wantNoInterview(t, s, testRecord(6).ID)
	evaluated := testRecord(7)
	evaluated.Open = false
	must(t, insert(evaluated)) // it takes no place
	done := next(testRecord(4), "done")
	done.Open = false
	must(t, s.Update(t.Context(), done, nil))
	must(t, insert(testRecord(6)))
}

func deletesInterview(t *testing.T, s interview.Store) {
	r := testRecord(1)
	insertInterviews(t, s, r, testRecord(2))
	wantError(t, s.Delete(t.Context(), "acc_2", r.ID), interview.ErrNotFound)
	wantInterview(t, s, r)
	must(t, s.Delete(t.Context(), r.Account, r.ID))
	wantError(t, s.Delete(t.Context(), r.Account, r.ID), interview.ErrNotFound)
	wantNoInterview(t, s, r.ID)
	wantInterview(t, s, testRecord(2))
	wantError(t, s.Update(t.Context(), next(r, "back"), nil), interview.ErrChanged)
}

func holdsClaim(t *testing.T, s interview.Store) {
	mine, other := testClaim(1), testClaim(2)
	other.Fingerprint = sha256.Sum256([]byte{2})
	wantClaim(t, s, mine, mine, 0)
	wantClaim(t, s, other, mine, 59)
	must(t, s.Release(t.Context(), other)) // not its
	wantClaim(t, s, other, mine, 59)
	must(t, s.Release(t.Context(), mine))
	wantClaim(t, s, other, other, 59)
	late := testClaim(3)
	late.Until = after(120)
	wantClaim(t, s, late, late, 60) // its time had come

	elsewhere, unlike := testClaim(4), testClaim(5)
	elsewhere.Account, unlike.Key = "acc_2", "Key of a client"
	wantClaim(t, s, elsewhere, elsewhere, 0)
	wantClaim(t, s, unlike, unlike, 0)
}

func concurrentClaims(t *testing.T, s interview.Store) {
	var mu sync.Mutex
	holders := map[string]int{}
	atOnce(t, func(i int) error {
		got, err := s.Claim(t.Context(), testClaim(i), start())
		mu.Lock()
		defer mu.Unlock()
		holders[got.Holder]++
		return err
	})
	if len(holders) != 1 {
		t.Errorf("held by %v, want one holder", holders)
	}
}

func settlesClaim(t *testing.T, s interview.Store) {
	r, mine, other := testRecord(1), testClaim(1), testClaim(2)
	insertInterviews(t, s, r)
	wantError(t, s.Settle(t.Context(), *settledBy(mine, r.ID)), interview.ErrChanged) // not claimed
	wantClaim(t, s, mine, mine, 0)
	wantError(t, s.Settle(t.Context(), *settledBy(other, r.ID)), interview.ErrChanged)
	wantError(t, s.Settle(t.Context(), *settledBy(mine, testRecord(2).ID)), interview.ErrChanged) // no such session
	want := settledBy(mine, r.ID)
	must(t, s.Settle(t.Context(), *want))
	wantError(t, s.Settle(t.Context(), *want), interview.ErrChanged)
	must(t, s.Release(t.Context(), mine)) // it is settled
	wantClaim(t, s, other, *want, 599)
	wantClaim(t, s, other, other, 600)
}

func settlesWithInterview(t *testing.T, s interview.Store) {
	r, mine := testRecord(1), testClaim(1)
	wantClaim(t, s, mine, mine, 0)
	must(t, s.Insert(t.Context(), r, 1, start(), settledBy(mine, r.ID)))
	wantInterview(t, s, r)
	wantClaim(t, s, testClaim(2), *settledBy(mine, r.ID), 1)

	second := testClaim(3)
	second.Key = "another"
	wantClaim(t, s, second, second, 0)
	must(t, s.Update(t.Context(), next(r, "2"), settledBy(second, r.ID)))
	wantInterview(t, s, next(r, "2"))
	wantClaim(t, s, second, *settledBy(second, r.ID), 1)
}

func needsClaim(t *testing.T, s interview.Store) {
	r, mine, other := testRecord(1), testClaim(1), testClaim(2)
	wantClaim(t, s, mine, mine, 0)
	wantError(t, s.Insert(t.Context(), r, 1, start(), settledBy(other, r.ID)), interview.ErrChanged)
	wantNoInterview(t, s, r.ID)
	insertInterviews(t, s, r)
	wantError(t, s.Update(t.Context(), next(r, "2"), settledBy(other, r.ID)), interview.ErrChanged)
	wantInterview(t, s, r)
	wantError(t, s.Update(t.Context(), next(next(r, "2"), "3"), settledBy(mine, r.ID)), interview.ErrChanged)
	wantClaim(t, s, other, mine, 1)
}

func forgetsAnswers(t *testing.T, s interview.Store) {
	r, mine, other := testRecord(1), testClaim(1), testClaim(2)
	wantClaim(t, s, mine, mine, 0)
	must(t, s.Insert(t.Context(), r, 1, start(), settledBy(mine, r.ID)))
	must(t, s.Delete(t.Context(), r.Account, r.ID))
	wantClaim(t, s, other, other, 1)
	wantError(t, s.Settle(t.Context(), *settledBy(other, r.ID)), interview.ErrChanged)
}

// answersWhileDeleting is of requests that end while their session is deleted: neither waits for the other, and no answer stays.
func answersWhileDeleting(t *testing.T, s interview.Store) {
	for round := range 10 {
		r := testRecord(round)
		insertInterviews(t, s, r)
		claims := make([]interview.Claim, many)
		for i := range claims {
			claims[i] = testClaim(i)
			claims[i].Key = fmt.Sprint(round, i)
			wantClaim(t, s, claims[i], claims[i], 0)
		}
		atOnce(t, func(i int) error {
			switch {
			case i == many/2:
				return s.Delete(t.Context(), r.Account, r.ID)
			case i%2 == 0:
				return s.Update(t.Context(), next(r, "2"), settledBy(claims[i], r.ID))
			default:
				return s.Settle(t.Context(), *settledBy(claims[i], r.ID))
			}
		}, interview.ErrChanged)
		wantNoInterview(t, s, r.ID)
		for _, c := range claims {
			got, err := s.Claim(t.Context(), c, start())
			if get(t, got, err).Result != nil {
				t.Errorf("the answer to %q is still there", c.Key)
			}
		}
	}
}

func forgetsInterviews(t *testing.T, s interview.Store) {
	soon, later := testRecord(1), testRecord(2)
	insertInterviews(t, s, soon, later)
	mine := testClaim(1)
	wantClaim(t, s, mine, mine, 0)
	must(t, s.DeleteExpired(t.Context(), after(59)))
	wantClaim(t, s, testClaim(2), mine, 0)
	must(t, s.DeleteExpired(t.Context(), soon.Expires))
	wantNoInterview(t, s, soon.ID) // though its time has not come at the moment asked for: it is gone
	wantInterview(t, s, later)
	wantClaim(t, s, testClaim(2), testClaim(2), 0)
}

func givenUp(t *testing.T, s interview.Store) {
	r := testRecord(1)
	insertInterviews(t, s, r)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Update(ctx, next(r, "2"), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that it was given up", err)
	}
	wantInterview(t, s, r)
}
