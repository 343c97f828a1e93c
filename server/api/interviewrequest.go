package api

import (
	"errors"
	"net/http"
	"strings"

	"freelancer-matching/access/apikey"
	"freelancer-matching/internal/matching"
	"freelancer-matching/interview"
)

const (
	headerIdempotencyKey = "Idempotency-Key"
	headerLastEventID    = "Last-Event-ID"
)

// InterviewRequest is the body of POST /interview. Its rules are those of interview.Request.
type InterviewRequest struct {
	FreelancerID        string           `json:"freelancer_id,omitempty"`
	ProjectDescription  string           `json:"project_description,omitempty"`
	JobTitle            string           `json:"job_title,omitempty"`
	RequiredSkills      []string         `json:"required_skills,omitempty"`
	Mode                *string          `json:"mode,omitempty"`
	SessionID           string           `json:"session_id,omitempty"`
	ProvidedAnswers     []string         `json:"provided_answers,omitempty"`
	CustomQuestions     []CustomQuestion `json:"custom_questions,omitempty"`
	AdditionalQuestions []string         `json:"additional_questions,omitempty"`
	ScoringCriteria     map[string]int   `json:"scoring_criteria,omitempty"`
	Language            string           `json:"language,omitempty"`
	NumQuestions        *int             `json:"num_questions,omitempty"`
}

// CustomQuestion is a question of the client's own.
type CustomQuestion struct {
	Text            string         `json:"text"`
	ExpectedAnswer  string         `json:"expected_answer"`
	ScoringCriteria map[string]int `json:"scoring_criteria"`
	FollowUp        []string       `json:"follow_up"`
}

func (r *InterviewRequest) request() interview.Request {
	own := make([]interview.CustomQuestion, len(r.CustomQuestions))
	for i, q := range r.CustomQuestions {
		own[i] = interview.CustomQuestion(q)
	}
	return interview.Request{
		FreelancerID: r.FreelancerID, ProjectDescription: r.ProjectDescription, JobTitle: r.JobTitle, RequiredSkills: r.RequiredSkills,
		Mode: interview.Mode(valueOr(r.Mode, string(interview.Questions))), SessionID: r.SessionID, ProvidedAnswers: r.ProvidedAnswers,
		CustomQuestions: own, AdditionalQuestions: r.AdditionalQuestions, ScoringCriteria: r.ScoringCriteria, Language: r.Language,
		NumQuestions: optional(r.NumQuestions),
	}
}

// readInterview is what a request asks of k's account. Where members cannot be read, the rules that the others break are told along
// with that; otherwise whoever conducts the interview tells them.
func (s *Server) readInterview(r *http.Request, k apikey.Key) (interview.Request, error) {
	var body InterviewRequest
	var f faults
	if err := decode(r, &body, &f); err != nil {
		return interview.Request{}, err
	}
	request := body.request()
	request.Account = ownerOf(k)
	request.IdempotencyKey = readIdempotencyKey(r.Header, &f)
	if f.count > 0 && !f.in("mode") && !f.in("session_id") { // the rules for the others depend on these
		f.join(s.deps.Interviewer.Check(&request))
	}
	return request, f.err()
}

// ownerOf is the account whose sessions a key can see. A key without one has its own, also after a rotation.
func ownerOf(k apikey.Key) string {
	if k.Account != "" {
		return k.Account
	}
	return k.Counter
}

func readIdempotencyKey(h http.Header, f *faults) string {
	switch values := h.Values(headerIdempotencyKey); {
	case len(values) > 1:
		f.add(headerIdempotencyKey, "duplicate_field", "%s is there twice, send it once", headerIdempotencyKey)
	case len(values) == 1 && values[0] == "":
		f.add(headerIdempotencyKey, "invalid", "%s must have 1 to %d characters, all of printable ASCII, or be left out",
			headerIdempotencyKey, interview.MaxKey)
	case len(values) == 1:
		return values[0]
	}
	return ""
}

// join adds the faults that err tells of fields that have none yet, nor what they are a part of.
func (f *faults) join(err error) {
	e, ok := errors.AsType[*matching.Error](err)
	if !ok {
		return
	}
	for _, d := range e.Details {
		whole := d.Field[:max(0, strings.LastIndexAny(d.Field, ".["))]
		if !f.in(d.Field) && !f.in(whole) {
			f.add(d.Field, d.Code, "%s", d.Message)
		}
	}
}
