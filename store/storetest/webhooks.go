package storetest

import (
	"strings"
	"sync"
	"testing"
	"time"

	"freelancer-matching/interview"
	"freelancer-matching/store"
	"freelancer-matching/webhook"
)

// Webhooks tests the outbox of messages about interviews.
func Webhooks(t *testing.T, open func(t *testing.T) *store.DB) {
	suite[*store.DB]{
		"a message is stored with its session":        storesMessage,
		"a message is delivered once":                 deliversMessage,
		"a failed message becomes due again":          retriesMessage,
		"a message is given up":                       givesMessageUp,
		"a lease ends":                                repeatsMessage,
		"one of several concurrent claims is granted": concurrentDeliveries,
		"a busy account leaves workers to others":     sharesWorkers,
		"messages are deleted with their session":     deletesMessages,
		"a session that isn't stored has no message":  storesNoMessage,
	}.run(t, open)
}

func testEndpoint() *webhook.Endpoint {
	return &webhook.Endpoint{URL: "https://example.com/hook", Secret: webhook.Secret("0123456789abcdef01234567")}
}

// announced returns session n with an endpoint and a message that is due n seconds after the start.
func announced(n int) interview.Record {
	r := testRecord(n)
	r.Endpoint = testEndpoint()
	r.Message = &webhook.Message{
		ID: "msg_" + r.ID, Type: interview.MessageEvaluated, Body: []byte(`{"n":"é"}`), Created: after(n),
	}
	return r
}

// claimed returns the delivery that is due some seconds after the start, held for a minute.
func claimed(t *testing.T, db *store.DB, seconds int) webhook.Delivery {
	t.Helper()
	return must(db.Webhooks.Claim(t.Context(), after(seconds), after(seconds+60), 2))
}

func wantNothingDue(t *testing.T, db *store.DB, seconds int) {
	t.Helper()
	_, err := db.Webhooks.Claim(t.Context(), after(seconds), after(seconds+60), 2)
	wantError(t, err, webhook.ErrNone)
}

func wantStatus(t *testing.T, db *store.DB, session string, want webhook.Status) {
	t.Helper()
	wantEqual(t, want, must(db.Interviews.Webhook(t.Context(), session)))
}

func wantNoStatus(t *testing.T, db *store.DB, session string) {
	t.Helper()
	_, err := db.Interviews.Webhook(t.Context(), session)
	wantError(t, err, interview.ErrNotFound)
}

func settle(t *testing.T, db *store.DB, d webhook.Delivery, o webhook.Outcome) {
	t.Helper()
	noError(t, db.Webhooks.Settle(t.Context(), d, o))
}

func storesMessage(t *testing.T, db *store.DB) {
	r := announced(1)
	first := r
	first.Message = nil
	insertInterviews(t, db.Interviews, first, testRecord(2))
	wantInterview(t, db.Interviews, testRecord(1)) // without the endpoint
	wantStatus(t, db, r.ID, webhook.Status{URL: r.Endpoint.URL})
	wantNoStatus(t, db, testRecord(2).ID)
	wantNothingDue(t, db, 100)
	second := nextVersion(r, "2")
	second.Endpoint = nil
	noError(t, db.Interviews.Update(t.Context(), second, noLimits(), start(), nil))
	wantStatus(t, db, r.ID, webhook.Status{URL: r.Endpoint.URL, Type: r.Message.Type, Next: after(1)})
	wantNothingDue(t, db, 0)
	d := claimed(t, db, 1)
	if d.Holder == "" {
		t.Error("the attempt has no holder")
	}

	d.Holder = ""
	wantEqual(t, webhook.Delivery{Message: *r.Message, Endpoint: *r.Endpoint, Session: r.ID, Attempt: 1}, d)
}

func deliversMessage(t *testing.T, db *store.DB) {
	r := announced(1)
	insertInterviews(t, db.Interviews, r)
	settle(t, db, claimed(t, db, 1), webhook.Outcome{At: after(2)})
	wantStatus(t, db, r.ID, webhook.Status{URL: r.Endpoint.URL, Type: r.Message.Type, Attempts: 1, Delivered: after(2)})
	wantNothingDue(t, db, 1<<20)
}

func retriesMessage(t *testing.T, db *store.DB) {
	r := announced(1)
	insertInterviews(t, db.Interviews, r)
	settle(t, db, claimed(t, db, 1), webhook.Outcome{At: after(2), Error: "no response", Next: after(30)})
	want := webhook.Status{
		URL: r.Endpoint.URL, Type: r.Message.Type, Attempts: 1, LastError: "no response", Next: after(30),
	}
	wantStatus(t, db, r.ID, want)
	wantNothingDue(t, db, 29)
	d := claimed(t, db, 30)
	wantEqual(t, 2, d.Attempt)
	settle(t, db, d, webhook.Outcome{At: after(31)})
	want.Attempts, want.Delivered, want.Next = 2, after(31), time.Time{}
	wantStatus(t, db, r.ID, want) // with the error of the first attempt
}

func givesMessageUp(t *testing.T, db *store.DB) {
	r := announced(1)
	insertInterviews(t, db.Interviews, r)
	settle(t, db, claimed(t, db, 1), webhook.Outcome{At: after(2), Error: "gone"})
	status := must(db.Interviews.Webhook(t.Context(), r.ID))
	if !status.GaveUp() || status.LastError != "gone" {
		t.Errorf("status %+v, want one that was given up", status)
	}
	wantNothingDue(t, db, 1<<20)
}

func repeatsMessage(t *testing.T, db *store.DB) {
	insertInterviews(t, db.Interviews, announced(1))
	lost := claimed(t, db, 1)
	wantNothingDue(t, db, 60)
	second := claimed(t, db, 61)
	wantEqual(t, 2, second.Attempt)
	settle(t, db, lost, webhook.Outcome{At: after(62), Error: "late"}) // holds it no longer
	wantEqual(t, "", must(db.Interviews.Webhook(t.Context(), lost.Session)).LastError)
	settle(t, db, second, webhook.Outcome{At: after(63)})
	wantNothingDue(t, db, 1<<20)
}

func concurrentDeliveries(t *testing.T, db *store.DB) {
	insertInterviews(t, db.Interviews, announced(1), announced(2))
	var mu sync.Mutex
	got := map[string]int{}
	concurrently(t, func(int) error {
		d, err := db.Webhooks.Claim(t.Context(), after(10), after(70), callers)
		mu.Lock()
		defer mu.Unlock()
		got[strings.TrimLeft(d.Session, "0")]++
		return err
	}, webhook.ErrNone)
	wantEqual(t, map[string]int{"1": 1, "2": 1, "": callers - 2}, got)
}

func sharesWorkers(t *testing.T, db *store.DB) {
	other := announced(4)
	other.Account = "acc_2"
	insertInterviews(t, db.Interviews, announced(1), announced(2), announced(3), other)
	var sessions []string
	for range 3 {
		sessions = append(sessions, claimed(t, db, 10).Session)
	}
	wantEqual(t, []string{testRecord(1).ID, testRecord(2).ID, other.ID}, sessions)
	wantNothingDue(t, db, 11)
	wantEqual(t, testRecord(3).ID, claimed(t, db, 70).Session) // the leases of the others have ended
}

func deletesMessages(t *testing.T, db *store.DB) {
	insertInterviews(t, db.Interviews, announced(1), announced(2))
	d := claimed(t, db, 1)
	noError(t, db.Interviews.DeleteAudited(t.Context(), "acc_1", d.Session, deletion()))
	settle(t, db, d, webhook.Outcome{At: after(2), Error: "late", Next: after(3)})
	wantNoStatus(t, db, d.Session)
	noError(t, db.Interviews.DeleteExpired(t.Context(), announced(2).Expires, after(1<<20)))
	wantNothingDue(t, db, 1<<20)
}

func storesNoMessage(t *testing.T, db *store.DB) {
	r := announced(1)
	wantError(t, db.Interviews.Insert(t.Context(), r, interview.Limits{Bytes: 1}, start(), nil), interview.ErrFull)
	insertInterviews(t, db.Interviews, testRecord(2))
	late := nextVersion(nextVersion(testRecord(2), "2"), "3")
	late.Endpoint = r.Endpoint
	late.Message = r.Message
	wantError(t, db.Interviews.Update(t.Context(), late, noLimits(), start(), nil), interview.ErrChanged)
	wantNothingDue(t, db, 1<<20)
}
