package interview

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"freelancer-matching/internal/matching"
	"freelancer-matching/webhook"
)

// The types of messages.
const (
	// MessageSubmitted means that a candidate has submitted all answers, which are not evaluated yet.
	MessageSubmitted = "interview.submitted"
	// MessageEvaluated means that the session is evaluated. If the answers are evaluated as soon as they arrive, there is
	// no other message.
	MessageEvaluated = "interview.evaluated"
)

// A WebhookRequest names the endpoint that receives messages about a new session.
type WebhookRequest struct {
	URL    string // see webhook.Allowed.CheckURL
	Secret string // see webhook.ParseSecret
}

// checkWebhook adds the faults of the request's webhook. They don't quote it.
func (r *Request) checkWebhook(f *faults, allowed *webhook.Allowed) {
	if r.Webhook == nil {
		return
	}
	if r.SessionID != "" || r.Mode == Report {
		f.add("webhook", "not_in_mode", "webhook is allowed only in the request that starts a session")
		return
	}
	if err := allowed.CheckURL(r.Webhook.URL); err != nil {
		f.add("webhook.url", "invalid_value", "webhook.url %v", err)
	}
	if _, err := webhook.ParseSecret(r.Webhook.Secret); err != nil {
		f.add("webhook.secret", "invalid_value", "webhook.secret %v", err)
	}
}

// setWebhook sets the endpoint of a new session to that of a valid request.
func (se *session) setWebhook(w *WebhookRequest) error {
	if w == nil {
		return nil
	}
	secret, err := webhook.ParseSecret(w.Secret)
	if err != nil {
		return err
	}
	se.HasWebhook = true
	se.endpoint = &webhook.Endpoint{URL: w.URL, Secret: secret}
	return nil
}

// A payload is the body of a message.
type payload struct {
	Type      string      `json:"type"`
	Timestamp time.Time   `json:"timestamp"`
	Data      payloadData `json:"data"`
}

type payloadData struct {
	SessionID            string                  `json:"session_id"`
	FreelancerID         string                  `json:"freelancer_id"`
	State                State                   `json:"state"`
	OverallScore         matching.Optional[int]  `json:"overall_score"`
	HiringRecommendation matching.Optional[bool] `json:"hiring_recommendation"`
}

// message returns the message about what has happened to the session, or nil if its endpoint knows already or there is
// none. It marks the message as sent.
func (se *session) message() (*webhook.Message, error) {
	var p payload
	switch {
	case !se.HasWebhook:
		return nil, nil
	case se.Evaluation != nil:
		p.Type = MessageEvaluated
		p.Timestamp = se.Evaluation.At
		p.Data.OverallScore = se.Evaluation.Overall
		p.Data.HiringRecommendation = se.Evaluation.Recommendation

	case se.submitted():
		p.Type = MessageSubmitted
		p.Timestamp = se.Invited.Submitted
	default:
		return nil, nil
	}

	// The endpoint gets each type once, however often the session is saved afterward.
	if slices.Contains(se.Sent, p.Type) {
		return nil, nil
	}
	r := se.result(Report)
	p.Data.SessionID = r.SessionID
	p.Data.FreelancerID = r.Freelancer.ID
	p.Data.State = r.State
	body, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("encode a message about session %s: %w", r.SessionID, err)
	}

	se.Sent = append(se.Sent, p.Type)
	return webhook.NewMessage(p.Type, body, p.Timestamp), nil
}

// withWebhook returns a result with the state of the session's endpoint, and with a notice if a message was given up.
func (s *Service) withWebhook(ctx context.Context, r *Result) (Result, error) {
	if !r.HasWebhook {
		return *r, nil
	}
	status, err := s.config.Store.Webhook(ctx, r.SessionID)
	if errors.Is(err, ErrNotFound) {
		return Result{}, s.errNotFound()
	}
	if err != nil {
		return Result{}, err
	}
	r.Webhook = &status
	if status.GaveUp() {
		text := (&session{Subject: Subject{Language: r.Language}}).say(string(NoticeWebhook), status.Attempts)
		r.Remarks = append(slices.Clone(r.Remarks), Notice{NoticeWebhook, text})
	}
	return *r, nil
}
