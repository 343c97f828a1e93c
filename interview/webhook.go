package interview

import (
	"github.com/freelancer-matching/service/interview/faults"
	"github.com/freelancer-matching/service/webhook"
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
func (r *Request) checkWebhook(f *faults.List, allowed *webhook.Allowed) {
	if r.Webhook == nil {
		return
	}
	if r.SessionID != "" || r.Mode == Report {
		f.Add("webhook", "not_in_mode", "webhook is allowed only in the request that starts a session")
		return
	}
	if err := allowed.CheckURL(r.Webhook.URL); err != nil {
		f.Add("webhook.url", "invalid_value", "webhook.url %v", err)
	}
	if _, err := webhook.ParseSecret(r.Webhook.Secret); err != nil {
		f.Add("webhook.secret", "invalid_value", "webhook.secret %v", err)
	}
}
