package wire

import "github.com/freelancer-matching/service/interview"

// InterviewRequest is the body of POST /interview. Interviewer.Check has its rules.
type InterviewRequest struct {
	FreelancerID        string           `json:"freelancer_id,omitempty"`
	ProjectDescription  string           `json:"project_description,omitempty"`
	JobTitle            string           `json:"job_title,omitempty"`
	RequiredSkills      []string         `json:"required_skills,omitempty"`
	MustHaveSkills      []string         `json:"must_have_skills,omitempty"`
	Mode                *string          `json:"mode,omitempty"`
	SessionID           string           `json:"session_id,omitempty"`
	ProvidedAnswers     []string         `json:"provided_answers,omitempty"`
	CustomQuestions     []CustomQuestion `json:"custom_questions,omitempty"`
	AdditionalQuestions []string         `json:"additional_questions,omitempty"`
	ScoringCriteria     map[string]int   `json:"scoring_criteria,omitempty"`
	Language            string           `json:"language,omitempty"`
	NumQuestions        *int             `json:"num_questions,omitempty"`
	View                *string          `json:"view,omitempty"`
	Webhook             *WebhookRequest  `json:"webhook,omitempty"`
}

// Request returns the request for the service. It has no account yet.
func (r *InterviewRequest) Request() interview.Request {
	return interview.Request{
		FreelancerID:       r.FreelancerID,
		ProjectDescription: r.ProjectDescription,
		JobTitle:           r.JobTitle,
		RequiredSkills:     r.RequiredSkills,
		MustHaveSkills:     r.MustHaveSkills,
		Mode:               interview.Mode(valueOr(r.Mode, string(interview.Questions))),
		SessionID:          r.SessionID,
		ProvidedAnswers:    r.ProvidedAnswers,
		CustomQuestions: Convert(r.CustomQuestions, func(q CustomQuestion) interview.CustomQuestion {
			return interview.CustomQuestion(q)
		}),
		AdditionalQuestions: r.AdditionalQuestions,
		ScoringCriteria:     r.ScoringCriteria,
		Language:            r.Language,
		NumQuestions:        Optional(r.NumQuestions),
		Webhook:             (*interview.WebhookRequest)(r.Webhook),
	}
}

// A WebhookRequest names the endpoint that receives messages about a new session.
type WebhookRequest struct {
	URL    string `json:"url"`
	Secret string `json:"secret"`
}

// A CustomQuestion is a question that the client wrote.
type CustomQuestion struct {
	Text            string         `json:"text"`
	ExpectedAnswer  string         `json:"expected_answer"`
	ScoringCriteria map[string]int `json:"scoring_criteria"`
	FollowUp        []string       `json:"follow_up"`
	Kind            interview.Kind `json:"kind"`
}

// ReviewRequest is the body of POST /interviews/{id}/reviews.
type ReviewRequest struct {
	Question  string `json:"question"`
	Criterion string `json:"criterion"`
	Level     *int   `json:"level"`
	Reason    string `json:"reason"`
	Reviewer  string `json:"reviewer,omitempty"`
}

// InvitationRequest is the body of POST /interviews/{id}/invitation. interview.InvitationRequest has its rules.
type InvitationRequest struct {
	ExpiresIn        *int   `json:"expires_in,omitempty"` // hours
	ExpiresAt        string `json:"expires_at,omitempty"`
	TimeLimitMinutes *int   `json:"time_limit_minutes,omitempty"`
	Language         string `json:"language,omitempty"`
	ConsentText      string `json:"consent_text,omitempty"`
	ReturnURL        string `json:"return_url,omitempty"`
}
