package sessions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/interview/messages"
	"github.com/freelancer-matching/service/webhook"
)

// setWebhook sets the endpoint of a new session to that of a valid request.
func (se *session) setWebhook(w *interview.WebhookRequest) error {
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
	State                interview.State         `json:"state"`
	OverallScore         matching.Optional[int]  `json:"overall_score"`
	Points               *payloadPoints          `json:"points"` // null before the evaluation
	HiringRecommendation matching.Optional[bool] `json:"hiring_recommendation"`
}

// payloadPoints counts the points of rubrics that the answers cover.
type payloadPoints struct {
	Covered int `json:"covered"`
	Of      int `json:"of"`
}

// message returns the message about what has happened to the session, or nil if its endpoint knows already or there is
// none. It marks the message as sent.
func (se *session) message() (*webhook.Message, error) {
	var p payload
	switch {
	case !se.HasWebhook:
		return nil, nil
	case se.Evaluation != nil:
		p.Type = interview.MessageEvaluated
		p.Timestamp = se.Evaluation.At
		p.Data.OverallScore = se.Evaluation.Overall
		p.Data.Points = (*payloadPoints)(&se.Evaluation.Points)
		p.Data.HiringRecommendation = se.Evaluation.Recommendation

	case se.submitted():
		p.Type = interview.MessageSubmitted
		p.Timestamp = se.Invited.Submitted
	default:
		return nil, nil
	}

	// The endpoint gets each type once, however often the session is saved afterward.
	if slices.Contains(se.Sent, p.Type) {
		return nil, nil
	}
	r := se.result(interview.Report)
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
func (s *Service) withWebhook(ctx context.Context, r *interview.Result) (interview.Result, error) {
	if !r.HasWebhook {
		return *r, nil
	}
	status, err := s.config.Store.Webhook(ctx, r.SessionID)
	if errors.Is(err, interview.ErrNotFound) {
		return interview.Result{}, s.errNotFound()
	}
	if err != nil {
		return interview.Result{}, err
	}
	r.Webhook = &status
	if status.GaveUp() {
		text := messages.In(r.Language).Say(string(interview.NoticeWebhook), status.Attempts)
		r.Remarks = append(slices.Clone(r.Remarks), interview.Notice{Code: interview.NoticeWebhook, Message: text})
	}
	return *r, nil
}
