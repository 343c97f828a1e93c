package testmode

import (
	"context"
	"encoding/json"
	"regexp"
	"time"

	"github.com/freelancer-matching/service/feed"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/validate"
	"github.com/freelancer-matching/service/webhook"
)

// eventType is the form of the types of events.
var eventType = regexp.MustCompile(`^[a-z_]{1,40}(\.[a-z_]{1,40}){1,3}$`)

// samples returns the data of events that a test may leave out.
func samples(now time.Time) (map[string]json.RawMessage, error) {
	all := map[string]json.RawMessage{
		interview.MessageSubmitted: json.RawMessage(`{"session_id":"int_test","freelancer_id":"f1","state":"submitted",` +
			`"overall_score":null,"points":null,"hiring_recommendation":null}`),
		interview.MessageEvaluated: json.RawMessage(`{"session_id":"int_test","freelancer_id":"f1","state":"evaluated",` +
			`"overall_score":72,"points":{"covered":7,"of":10},"hiring_recommendation":true}`),
	}
	for _, e := range feed.Events() {
		data, err := json.Marshal(feed.Sample(e, now))
		if err != nil {
			return nil, err
		}
		all[string(e)] = data
	}
	return all, nil
}

// A triggered message says how its delivery went.
type triggered struct {
	ID        string  `json:"message_id"`
	Delivered bool    `json:"delivered"`
	Error     *string `json:"error"` // what a webhook's status says; null if it was delivered
}

// trigger handles POST /test/trigger: it sends one message about an event, signed like all messages, and waits for the
// receiver. There is no second attempt.
func (s *Server) trigger(ctx context.Context, call *endpoint.Call) error {
	var body struct {
		Type   string          `json:"type"`
		URL    string          `json:"url"`
		Secret string          `json:"secret"`
		Data   json.RawMessage `json:"data"`
	}
	var faults validate.Faults
	if err := decode(call, &body); err != nil {
		return err
	}

	now := s.clock.now()
	all, err := samples(now)
	if err != nil {
		return err
	}
	data, hasSample := all[body.Type]
	switch {
	case !eventType.MatchString(body.Type):
		faults.Add("type", "invalid", "type must be the type of an event, such as interview.evaluated; got %s.",
			validate.Quote(body.Type))
	case body.Data == nil && !hasSample:
		faults.Add("data", "missing", "data is required for %s, because it has no sample.", body.Type)
	case body.Data != nil:
		data = body.Data
	}
	secret, err := webhook.ParseSecret(body.Secret)
	if err != nil {
		faults.Add("secret", "invalid", "secret %v.", err)
	}
	if err := faults.Err(); err != nil {
		return err
	}

	content, err := json.Marshal(struct {
		Type      string          `json:"type"`
		Timestamp time.Time       `json:"timestamp"`
		Data      json.RawMessage `json:"data"`
	}{body.Type, now, data})
	if err != nil {
		return err
	}

	s.mu.RLock()
	defer s.mu.RUnlock()

	message := webhook.NewMessage(body.Type, content, now)
	sent := triggered{ID: message.ID, Delivered: true}
	err = s.app.Deliver(ctx, &webhook.Delivery{
		Message: *message, Endpoint: webhook.Endpoint{URL: body.URL, Secret: secret}, Attempt: 1,
	})
	if err != nil {
		text := err.Error()
		sent.Delivered = false
		sent.Error = &text
	}

	return endpoint.WriteAnswer(call, sent)
}
