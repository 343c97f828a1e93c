package matching

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	exampleSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	exampleID     = "msg_p5jXN8AQM9LWM0D4loKWxJek"
	exampleTime   = 1614265330
	exampleBody   = `{"type":"key.expiring","data":{}}`

	otherSecret = "whsec_b3RoZXJvdGhlcm90aGVyb3RoZXJvdGhlcm90aGVy"
)

// exampleHeader returns the header of a message that is signed as the service signs it.
func exampleHeader(t *testing.T, body string) http.Header {
	t.Helper()
	timestamp := strconv.Itoa(exampleTime)
	signature, err := sign(exampleSecret, exampleID, timestamp, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return http.Header{
		"Webhook-Id": {exampleID}, "Webhook-Timestamp": {timestamp}, "Webhook-Signature": {signature},
	}
}

// The example of the specification of Standard Webhooks.
func TestSign(t *testing.T) {
	const want = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
	got, err := sign(exampleSecret, exampleID, strconv.Itoa(exampleTime), []byte(`{"test": 2432232314}`))
	if err != nil || got != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

// exampleVerifier returns a verifier some time after the example was sent.
func exampleVerifier(later time.Duration, secrets ...string) *WebhookVerifier {
	return &WebhookVerifier{Secrets: secrets, Now: func() time.Time { return time.Unix(exampleTime, 0).Add(later) }}
}

func TestVerify(t *testing.T) {
	tests := []struct {
		name   string
		change func(v *WebhookVerifier, h http.Header, body *string)
		want   error
	}{
		{"as sent", func(*WebhookVerifier, http.Header, *string) {}, nil},
		{"after a rotation, the old secret", func(_ *WebhookVerifier, h http.Header, _ *string) {
			h.Set("Webhook-Signature", "v1,bmV3 "+h.Get("Webhook-Signature"))
		}, nil},
		{"after a rotation, a receiver with both", func(v *WebhookVerifier, _ http.Header, _ *string) {
			v.Secrets = []string{otherSecret, exampleSecret}
		}, nil},
		{"another body", func(_ *WebhookVerifier, _ http.Header, body *string) { *body += " " }, ErrSignature},
		{"another ID", func(_ *WebhookVerifier, h http.Header, _ *string) { h.Set("Webhook-Id", "msg_x") }, ErrSignature},
		{"another time", func(_ *WebhookVerifier, h http.Header, _ *string) {
			h.Set("Webhook-Timestamp", strconv.Itoa(exampleTime+1))
		}, ErrSignature},
		{"another secret", func(v *WebhookVerifier, _ http.Header, _ *string) {
			v.Secrets = []string{otherSecret}
		}, ErrSignature},
		{"no secret", func(v *WebhookVerifier, _ http.Header, _ *string) { v.Secrets = nil }, errNoSecret},
		{"no ID", func(_ *WebhookVerifier, h http.Header, body *string) {
			signature, _ := sign(exampleSecret, "", h.Get("Webhook-Timestamp"), []byte(*body))
			h.Set("Webhook-Signature", signature)
			h.Del("Webhook-Id")
		}, ErrSignature},
		{"a part of the body as the time", func(_ *WebhookVerifier, h http.Header, body *string) {
			later := strconv.Itoa(exampleTime + 60)
			h.Set("Webhook-Signature", exampleHeader(t, later+"."+*body).Get("Webhook-Signature"))
			h.Set("Webhook-Id", exampleID+"."+h.Get("Webhook-Timestamp"))
			h.Set("Webhook-Timestamp", later)
		}, ErrSignature},
		{"no signature", func(_ *WebhookVerifier, h http.Header, _ *string) { h.Del("Webhook-Signature") }, ErrSignature},
		{"a part of the signature", func(_ *WebhookVerifier, h http.Header, _ *string) {
			h.Set("Webhook-Signature", h.Get("Webhook-Signature")[:20])
		}, ErrSignature},
		{"no time", func(_ *WebhookVerifier, h http.Header, _ *string) { h.Del("Webhook-Timestamp") }, ErrTimestamp},
		{"no number", func(_ *WebhookVerifier, h http.Header, _ *string) {
			h.Set("Webhook-Timestamp", "99999999999999999999")
		}, ErrTimestamp},
		{"repeated later", func(v *WebhookVerifier, _ http.Header, _ *string) {
			v.Now = exampleVerifier(5*time.Minute + time.Second).Now
		}, ErrTimestamp},
		{"from the future", func(v *WebhookVerifier, _ http.Header, _ *string) {
			v.Now = exampleVerifier(-6 * time.Minute).Now
		}, ErrTimestamp},
		{"within a longer tolerance", func(v *WebhookVerifier, _ http.Header, _ *string) {
			v.Now = exampleVerifier(time.Hour).Now
			v.Tolerance = 2 * time.Hour
		}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			v := exampleVerifier(time.Minute, exampleSecret)
			header := exampleHeader(t, exampleBody)
			body := exampleBody
			test.change(v, header, &body)

			m, err := v.Verify(header, []byte(body))
			if !errors.Is(err, test.want) || (err == nil) != (test.want == nil) {
				t.Fatalf("got %v, want %v", err, test.want)
			}
			if err == nil && m.ID != exampleID {
				t.Errorf("got %+v", m)
			}
		})
	}
}

// An error doesn't show the secret, and a secret that can't be read is not the sender's fault.
func TestVerify_InvalidSecret(t *testing.T) {
	for _, secret := range []string{"", "whsec_", "whsec_c2VjcmV0!", "c2VjcmV0"} {
		_, err := exampleVerifier(0, secret).Verify(exampleHeader(t, exampleBody), []byte(exampleBody))
		hidden := err != nil && !strings.Contains(err.Error(), "c2VjcmV0")
		if !hidden || errors.Is(err, ErrSignature) {
			t.Errorf("%q: got %v", secret, err)
		}
	}
}

// receive returns the message of a request that is signed as the service signs it.
func receive(t *testing.T, body string) (*WebhookMessage, error) {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	r.Header = exampleHeader(t, body)
	return exampleVerifier(0, exampleSecret).Receive(r)
}

func TestReceive_DecodesEachType(t *testing.T) {
	tests := map[string]struct {
		data string
		ok   func(*WebhookMessage) bool
	}{
		"freelancer.changed": {
			`{"changes":[{"sequence":41,"kind":"stored","id":"f1"}]}`,
			func(m *WebhookMessage) bool { return m.Changes[0].ID == "f1" && m.Changes[0].Sequence == 41 },
		},
		"freelancer.erased": {
			`{"changes":[{"kind":"erased","id":"f1"}]}`,
			func(m *WebhookMessage) bool { return m.Changes[0].Kind == "erased" },
		},
		"load.live":    {`{"command":"rollback"}`, func(m *WebhookMessage) bool { return m.LoadLive.Command == "rollback" }},
		"load.refused": {`{"file":"a.csv"}`, func(m *WebhookMessage) bool { return m.LoadRefused.File == "a.csv" }},
		"quota.nearly_exhausted": {
			`{"used":40000}`, func(m *WebhookMessage) bool { return m.Quota.Used == 40_000 },
		},
		"key.expiring": {`{"key_id":"key_1"}`, func(m *WebhookMessage) bool { return m.Key.KeyID == "key_1" }},
		"interview.evaluated": {
			`{"session_id":"s1","overall_score":72,"points":null,"hiring_recommendation":true}`,
			func(m *WebhookMessage) bool {
				i := m.Interview
				return *i.OverallScore == 72 && i.Points == nil && *i.HiringRecommendation
			},
		},
		"something.new": {`{"a":1}`, func(m *WebhookMessage) bool { return string(m.Data) == `{"a":1}` }},
	}
	for kind, test := range tests {
		m, err := receive(t, `{"type":"`+kind+`","timestamp":"2031-05-17T09:31:00Z","test":true,"data":`+test.data+`}`)
		if err != nil || m.Type != kind || !m.Test || m.Timestamp.Year() != 2031 || !test.ok(m) {
			t.Errorf("%s: got %+v, %v", kind, m, err)
		}
	}
}

func TestReceive_RefusesWhatItCannotRead(t *testing.T) {
	for name, body := range map[string]string{
		"not JSON":   "hello",
		"other data": `{"type":"load.live","data":[]}`,
		"too large":  `{"type":"x","data":"` + strings.Repeat("x", maxMessage) + `"}`,
	} {
		if m, err := receive(t, body); !errors.Is(err, ErrMessage) {
			t.Errorf("%s: got %+v, %v", name, m, err)
		}
	}
}
