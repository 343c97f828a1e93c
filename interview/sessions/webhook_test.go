package sessions_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/webhook"
)

// hooked returns a request for a new session with a webhook.
func hooked(m interview.Mode) interview.Request {
	r := fresh(m)
	secret := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("s", 24)))
	r.Webhook = &interview.WebhookRequest{URL: "https://example.com/hook", Secret: "whsec_" + secret}
	return r
}

// claimMessage returns the message that is due now.
func (f *fixture) claimMessage(t *testing.T) webhook.Delivery {
	t.Helper()
	now := f.clock.now()
	d, err := f.db.Webhooks.Claim(t.Context(), now, now.Add(time.Minute), 2)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func (f *fixture) wantNoMessage(t *testing.T) {
	t.Helper()
	now := f.clock.now()
	if _, err := f.db.Webhooks.Claim(t.Context(), now, now.Add(time.Minute), 2); !errors.Is(err, webhook.ErrNone) {
		t.Errorf("a message is due: %v", err)
	}
}

// withNotify counts calls of Notify.
func withNotify(calls *int) func(*fixture) {
	return func(f *fixture) { f.config.Notify = func() { *calls++ } }
}

func TestWebhook_Evaluated(t *testing.T) {
	notified := 0
	f := newFixture(t, withNotify(&notified))
	first := f.conduct(t, hooked(interview.CustomFull))
	wantSame(t, &webhook.Status{URL: "https://example.com/hook"}, first.Webhook)
	f.wantNoMessage(t)

	f.clock.pass(time.Minute)
	again := fresh(interview.CustomFull)
	done := f.conduct(t, followUp(again, first.SessionID, interview.CustomFull, levels(4, 0)...))
	if w := done.Webhook; w == nil || w.Type != interview.MessageEvaluated || w.Attempts != 0 || notified != 1 {
		t.Errorf("webhook %+v, %d notifications", w, notified)
	}

	d := f.claimMessage(t)
	var got, want any
	body := `{"type":"interview.evaluated","timestamp":"2031-05-17T09:31:00.123456Z","data":{"session_id":"` +
		first.SessionID + `","freelancer_id":"f1","state":"evaluated","overall_score":0,"points":{"covered":0,"of":0},` +
		`"hiring_recommendation":null}}`
	if err := errors.Join(json.Unmarshal(d.Body, &got), json.Unmarshal([]byte(body), &want)); err != nil {
		t.Fatal(err)
	}

	data := want.(map[string]any)["data"].(map[string]any)
	data["overall_score"] = float64(done.Evaluation.Overall.Value)

	if r := done.Evaluation.Recommendation; r.Known {
		data["hiring_recommendation"] = r.Value
	}
	wantSame(t, want, got)

	if d.URL != "https://example.com/hook" || string(d.Secret) != strings.Repeat("s", 24) || strings.Contains(
		string(d.Body), "because") {
		t.Errorf("delivery %+v with %s", d, d.Body)
	}

	// Reading the session again causes no further message.
	f.conduct(t, followUp(again, first.SessionID, interview.CustomFull, levels(4, 0)...))
	err := f.db.Webhooks.Settle(t.Context(), d, webhook.Outcome{At: f.clock.now(), Error: "no response"})
	if err != nil {
		t.Fatal(err)
	}

	f.wantNoMessage(t)
	read, err := f.Read(t.Context(), "acc_1", first.SessionID, byKey())
	if err != nil {
		t.Fatal(err)
	}

	if last := read.Remarks[len(read.Remarks)-1]; last.Code != interview.NoticeWebhook ||
		!strings.Contains(last.Message, "not delivered in 1 attempt,") || len(read.Remarks) != len(done.Remarks)+1 {
		t.Errorf("remarks %v", read.Remarks)
	}
}

// Answers that arrive with the questions are evaluated at once.
func TestWebhook_EvaluatedAtOnce(t *testing.T) {
	f := newFixture(t)
	r := hooked(interview.CustomFull)
	r.ProvidedAnswers = levels(4, 3)
	r.IdempotencyKey = "k"
	first := f.conduct(t, r)
	if d := f.claimMessage(t); d.Session != first.SessionID || d.Type != interview.MessageEvaluated {
		t.Errorf("delivery %+v", d)
	}
	if second := f.conduct(t, r); second.Webhook == nil || second.Webhook.Attempts != 1 {
		t.Errorf("a repeated request has the webhook %+v", second.Webhook)
	}
	f.wantNoMessage(t)
	for got, err := range f.Export(t.Context(), interview.Selection{Account: "acc_1"}, byKey()) {
		if err != nil || got.Webhook == nil || got.Webhook.URL != r.Webhook.URL {
			t.Errorf("exported %+v, %v", got.Webhook, err)
		}
	}
}

// The secret is in the outbox only: neither in the session, which is exported, nor in results.
func TestWebhook_SecretStaysInTheOutbox(t *testing.T) {
	f := newFixture(t)
	r := hooked(interview.CustomFull)
	result := f.conduct(t, r)
	record, _, err := f.db.Interviews.Read(t.Context(), result.SessionID)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	secret := strings.TrimPrefix(r.Webhook.Secret, "whsec_")
	for _, data := range []string{string(record.Data), string(text)} {
		if strings.Contains(data, secret) || strings.Contains(data, strings.Repeat("s", 24)) {
			t.Errorf("the secret is in %s", data)
		}
	}
}

func TestWebhook_Faults(t *testing.T) {
	f := newFixture(t)
	first := f.conduct(t, fresh(interview.CustomFull))
	with := func(edit func(*interview.Request)) interview.Request {
		r := hooked(interview.CustomFull)
		edit(&r)
		return r
	}
	f.refused(t, with(func(r *interview.Request) { r.Webhook.URL = "http://example.com/" }), matching.CodeInvalid,
		"webhook.url invalid_value")
	f.refused(t, with(func(r *interview.Request) { r.Webhook.URL, r.Webhook.Secret = "https://10.0.0.1/", "short" }),
		matching.CodeInvalid, "webhook.url invalid_value", "webhook.secret invalid_value")
	f.refused(t, with(func(r *interview.Request) { r.SessionID = first.SessionID }), matching.CodeInvalid,
		"webhook not_in_mode")
}

// A candidate's submission and its evaluation, which comes later, have a message each.
func TestWebhook_Submitted(t *testing.T) {
	notified := 0
	f := newFixture(t, withNotify(&notified))
	session := f.conduct(t, hooked(interview.Questions)).SessionID
	invited, err := f.Invite(t.Context(), invitation(session))
	if err != nil {
		t.Fatal(err)
	}

	c, _, err := f.candidates.OpenInvitation(t.Context(), invited.Token)
	if err != nil {
		t.Fatal(err)
	}

	if _, err := f.candidates.Start(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	f.save(t, c, "q1", "level 4: because")
	f.wantNoMessage(t)

	for range 2 { // a second submission changes nothing
		if _, err := f.candidates.Submit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}

	d := f.claimMessage(t)
	if want := `"state":"open","overall_score":null`; d.Type != interview.MessageSubmitted ||
		!strings.Contains(string(d.Body), want) || notified != 1 {
		t.Errorf("delivery %+v with %s, %d notifications", d, d.Body, notified)
	}

	f.wantNoMessage(t)
	f.clock.pass(time.Second)
	f.settle(t)

	if d := f.claimMessage(t); d.Type != interview.MessageEvaluated || notified != 2 {
		t.Errorf("delivery %+v, %d notifications", d, notified)
	}
	f.wantNoMessage(t)
}
