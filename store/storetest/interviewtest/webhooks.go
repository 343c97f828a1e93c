package interviewtest

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/store"
	"github.com/freelancer-matching/service/store/storetest/check"
	"github.com/freelancer-matching/service/webhook"
)

// Webhooks tests the outbox of messages about interviews.
func Webhooks(t *testing.T, open func(t *testing.T) *store.DB) {
	check.Suite[*store.DB]{
		"a message is stored with its session":        storesMessage,
		"a message is delivered once":                 deliversMessage,
		"a failed message becomes due again":          retriesMessage,
		"a message is given up":                       givesMessageUp,
		"a lease ends":                                repeatsMessage,
		"one of several concurrent claims is granted": concurrentDeliveries,
		"a busy account leaves workers to others":     sharesWorkers,
		"messages are deleted with their session":     deletesMessages,
		"a session that isn't stored has no message":  storesNoMessage,
	}.Run(t, open)
}

// Announced returns session n with an endpoint and a message that is due n seconds after the start.
func Announced(n int) interview.Record {
	r := testRecord(n)
	r.Endpoint = &webhook.Endpoint{
		URL: "https://example.com/hook", Secret: webhook.Secret("0123456789abcdef01234567"),
	}
	r.Message = &webhook.Message{
		ID: "msg_" + r.ID, Type: interview.MessageEvaluated, Body: []byte(`{"n":"é"}`), Created: check.After(n),
	}
	return r
}

// claimed returns the delivery that is due some seconds after the start, held for a minute.
func claimed(t *testing.T, db *store.DB, seconds int) webhook.Delivery {
	t.Helper()
	return check.Must(db.Webhooks.Claim(t.Context(), check.After(seconds), check.After(seconds+60), 2))
}

func wantNothingDue(t *testing.T, db *store.DB, seconds int) {
	t.Helper()
	_, err := db.Webhooks.Claim(t.Context(), check.After(seconds), check.After(seconds+60), 2)
	check.Error(t, err, webhook.ErrNone)
}

func wantStatus(t *testing.T, db *store.DB, session string, want webhook.Status) {
	t.Helper()
	check.Equal(t, want, check.Must(db.Interviews.Webhook(t.Context(), session)))
}

func wantNoStatus(t *testing.T, db *store.DB, session string) {
	t.Helper()
	_, err := db.Interviews.Webhook(t.Context(), session)
	check.Error(t, err, interview.ErrNotFound)
}

func settle(t *testing.T, db *store.DB, d webhook.Delivery, o webhook.Outcome) {
	t.Helper()
	check.NoError(t, db.Webhooks.Settle(t.Context(), d, o))
}

func storesMessage(t *testing.T, db *store.DB) {
	r := Announced(1)
	first := r
	first.Message = nil
	insertInterviews(t, db.Interviews, first, testRecord(2))
	wantInterview(t, db.Interviews, testRecord(1)) // without the endpoint
	wantStatus(t, db, r.ID, webhook.Status{URL: r.Endpoint.URL})
	wantNoStatus(t, db, testRecord(2).ID)
	wantNothingDue(t, db, 100)
	second := nextVersion(r, "2")
	second.Endpoint = nil
	check.NoError(t, db.Interviews.Update(t.Context(), second, noLimits(), check.Start(), nil))
	wantStatus(t, db, r.ID, webhook.Status{URL: r.Endpoint.URL, Type: r.Message.Type, Next: check.After(1)})
	wantNothingDue(t, db, 0)
	d := claimed(t, db, 1)
	if d.Holder == "" {
		t.Error("the attempt has no holder")
	}

	d.Holder = ""
	check.Equal(t, webhook.Delivery{Message: *r.Message, Endpoint: *r.Endpoint, Session: r.ID, Attempt: 1}, d)
}

func deliversMessage(t *testing.T, db *store.DB) {
	r := Announced(1)
	insertInterviews(t, db.Interviews, r)
	settle(t, db, claimed(t, db, 1), webhook.Outcome{At: check.After(2)})
	want := webhook.Status{URL: r.Endpoint.URL, Type: r.Message.Type, Attempts: 1, Delivered: check.After(2)}
	wantStatus(t, db, r.ID, want)
	wantNothingDue(t, db, 1<<20)
}

func retriesMessage(t *testing.T, db *store.DB) {
	r := Announced(1)
	insertInterviews(t, db.Interviews, r)
	settle(t, db, claimed(t, db, 1), webhook.Outcome{At: check.After(2), Error: "no response", Next: check.After(30)})
	want := webhook.Status{
		URL: r.Endpoint.URL, Type: r.Message.Type, Attempts: 1, LastError: "no response", Next: check.After(30),
	}
	wantStatus(t, db, r.ID, want)
	wantNothingDue(t, db, 29)
	d := claimed(t, db, 30)
	check.Equal(t, 2, d.Attempt)
	settle(t, db, d, webhook.Outcome{At: check.After(31)})
	want.Attempts, want.Delivered, want.Next = 2, check.After(31), time.Time{}
	wantStatus(t, db, r.ID, want) // with the error of the first attempt
}

func givesMessageUp(t *testing.T, db *store.DB) {
	r := Announced(1)
	insertInterviews(t, db.Interviews, r)
	settle(t, db, claimed(t, db, 1), webhook.Outcome{At: check.After(2), Error: "gone"})
	status := check.Must(db.Interviews.Webhook(t.Context(), r.ID))
	if !status.GaveUp() || status.LastError != "gone" {
		t.Errorf("status %+v, want one that was given up", status)
	}
	wantNothingDue(t, db, 1<<20)
}

func repeatsMessage(t *testing.T, db *store.DB) {
	insertInterviews(t, db.Interviews, Announced(1))
	lost := claimed(t, db, 1)
	wantNothingDue(t, db, 60)
	second := claimed(t, db, 61)
	check.Equal(t, 2, second.Attempt)
	settle(t, db, lost, webhook.Outcome{At: check.After(62), Error: "late"}) // holds it no longer
	check.Equal(t, "", check.Must(db.Interviews.Webhook(t.Context(), lost.Session)).LastError)
	settle(t, db, second, webhook.Outcome{At: check.After(63)})
	wantNothingDue(t, db, 1<<20)
}

func concurrentDeliveries(t *testing.T, db *store.DB) {
	insertInterviews(t, db.Interviews, Announced(1), Announced(2))
	var mu sync.Mutex
	got := map[string]int{}
	check.Concurrently(t, func(int) error {
		d, err := db.Webhooks.Claim(t.Context(), check.After(10), check.After(70), check.Callers)
		mu.Lock()
		defer mu.Unlock()
		got[strings.TrimLeft(d.Session, "0")]++
		return err
	}, webhook.ErrNone)
	check.Equal(t, map[string]int{"1": 1, "2": 1, "": check.Callers - 2}, got)
}

func sharesWorkers(t *testing.T, db *store.DB) {
	other := Announced(4)
	other.Account = "acc_2"
	insertInterviews(t, db.Interviews, Announced(1), Announced(2), Announced(3), other)
	var sessions []string
	for range 3 {
		sessions = append(sessions, claimed(t, db, 10).Session)
	}
	check.Equal(t, []string{testRecord(1).ID, testRecord(2).ID, other.ID}, sessions)
	wantNothingDue(t, db, 11)
	check.Equal(t, testRecord(3).ID, claimed(t, db, 70).Session) // the leases of the others have ended
}

func deletesMessages(t *testing.T, db *store.DB) {
	insertInterviews(t, db.Interviews, Announced(1), Announced(2))
	d := claimed(t, db, 1)
	check.NoError(t, db.Interviews.DeleteAudited(t.Context(), "acc_1", d.Session, deletion()))
	settle(t, db, d, webhook.Outcome{At: check.After(2), Error: "late", Next: check.After(3)})
	wantNoStatus(t, db, d.Session)
	check.NoError(t, db.Interviews.DeleteExpired(t.Context(), Announced(2).Expires, check.After(1<<20)))
	wantNothingDue(t, db, 1<<20)
}

func storesNoMessage(t *testing.T, db *store.DB) {
	r := Announced(1)
	check.Error(t, db.Interviews.Insert(t.Context(), r, interview.Limits{Bytes: 1}, check.Start(), nil), interview.ErrFull)
	insertInterviews(t, db.Interviews, testRecord(2))
	late := nextVersion(nextVersion(testRecord(2), "2"), "3")
	late.Endpoint = r.Endpoint
	late.Message = r.Message
	check.Error(t, db.Interviews.Update(t.Context(), late, noLimits(), check.Start(), nil), interview.ErrChanged)
	wantNothingDue(t, db, 1<<20)
}
