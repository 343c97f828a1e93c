package api

import (
	"net/url"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"freelancer-matching/access/apikey"
	"freelancer-matching/internal/matching"
	"freelancer-matching/interview"
	"freelancer-matching/server/api/validate"
)

// InvitationRequest is the body of POST /interviews/{id}/invitation. interview.InvitationRequest has its rules.
type InvitationRequest struct {
	ExpiresIn        *int   `json:"expires_in,omitempty"` // hours
	ExpiresAt        string `json:"expires_at,omitempty"`
	TimeLimitMinutes *int   `json:"time_limit_minutes,omitempty"`
	Language         string `json:"language,omitempty"`
	ConsentText      string `json:"consent_text,omitempty"`
	ReturnURL        string `json:"return_url,omitempty"`
}

// InvitationAnswer is the response of POST /interviews/{id}/invitation.
type InvitationAnswer = Answer[NewInvitation]

// A NewInvitation has the link for the candidate. It is shown only once.
type NewInvitation struct {
	URL       string    `json:"url"`
	ExpiresAt time.Time `json:"expires_at"`
}

// An Invitation is the state of the invitation of a session.
type Invitation struct {
	State       interview.InvitationState `json:"state"`
	ExpiresAt   time.Time                 `json:"expires_at"`
	OpenedAt    *time.Time                `json:"opened_at"`    // null: not yet, as for the others
	ConsentedAt *time.Time                `json:"consented_at"` // when the candidate agreed and started
	SubmittedAt *time.Time                `json:"submitted_at"`
}

// wireInvitation returns the state of an invitation at a time, or nil for none.
func wireInvitation(i *interview.InvitationStatus, now time.Time) *Invitation {
	if i == nil {
		return nil
	}
	known := func(t time.Time) *time.Time {
		if t.IsZero() {
			return nil
		}
		return &t
	}
	return &Invitation{i.State(now), i.Expires, known(i.Opened), known(i.Consented), known(i.Submitted)}
}

// invite creates the link with which a candidate answers the questions of a session.
func (s *Server) invite(c *gin.Context) error {
	id, err := idOf(c)
	if err != nil {
		return err
	}
	var body InvitationRequest
	var faults validate.Faults
	if err := decodeBody(c, &body, &faults); err != nil {
		return err
	}

	k := keyOf(c)
	plan, _ := apikey.PlanNamed(k.Plan)
	r := interview.InvitationRequest{
		Account:     ownerOf(k),
		Limits:      interview.Limits{Sessions: plan.Interviews, Bytes: plan.InterviewBytes},
		By:          interviewRequester(c),
		SessionID:   id,
		ExpiresIn:   optional(body.ExpiresIn),
		TimeLimit:   optional(body.TimeLimitMinutes),
		Language:    body.Language,
		ConsentText: body.ConsentText,
		ReturnURL:   body.ReturnURL,
	}

	const field = "expires_at"
	if body.ExpiresAt != "" {
		if r.ExpiresAt, err = time.Parse(time.RFC3339, body.ExpiresAt); err != nil {
			faults.Add(field, "invalid", "expires_at must be a time such as 2026-01-31T12:00:00Z; got %s.", validate.Quote(body.ExpiresAt))
		}
	}

	faults.Merge(r.Check(time.Now()))
	if err := faults.Err(); err != nil {
		return err
	}
	invited, err := s.deps.Interviewer.Invite(c.Request.Context(), r)
	if err != nil {
		return err
	}

	return writeAnswer(c, NewInvitation{CandidateLink(s.deps.PublicURL, invited.Token), invited.Expires})
}

// CandidateLink returns the link with a token. The token follows the #, so that no server and no log receives it.
func CandidateLink(public *url.URL, token string) string {
	return strings.TrimSuffix(public.Scheme+"://"+public.Host, "/") + candidatePath + "/#" + token
}

// revokeInvitation ends the invitation of a session.
func (s *Server) revokeInvitation(c *gin.Context) error {
	id, err := idOf(c)
	if err != nil {
		return err
	}
	if err := s.deps.Interviewer.Revoke(c.Request.Context(), ownerOf(keyOf(c)), id, interviewRequester(c)); err != nil {
		return err
	}
	return writeAnswer(c, deletedSession{id})
}

// CandidateAnswer is the response of POST /interview with the view candidate.
type CandidateAnswer = Answer[CandidateInterview]

// A CandidateInterview is the part of an Interview that the interviewed person may see: nothing of how answers are
// judged, and no scores.
type CandidateInterview struct {
	Freelancer    Interviewed     `json:"freelancer"`
	Mode          interview.Mode  `json:"mode"`
	SessionID     string          `json:"session_id"`
	State         interview.State `json:"state"`
	Language      string          `json:"language"` // ISO 639-1
	InterviewData CandidateData   `json:"interview_data"`
	CreatedAt     time.Time       `json:"created_at"`
	ExpiresAt     time.Time       `json:"expires_at"`
}

// CandidateData holds the questions and the answers to them, in the same order.
type CandidateData struct {
	Questions []CandidateQuestion `json:"questions"`
	Answers   []string            `json:"answers,omitempty"`
}

// A CandidateQuestion is a question without its rubric, and without its difficulty, which in adaptive interviews
// depends on the score of the answer before.
type CandidateQuestion struct {
	ID    string         `json:"id"`
	Text  string         `json:"text"`
	Skill NullableString `json:"skill"` // null if about the project as a whole
	Kind  NullableString `json:"kind"`  // null for custom questions
}

func wireCandidateInterview(r *interview.Result) CandidateInterview {
	return CandidateInterview{
		Freelancer: Interviewed(r.Freelancer),
		Mode:       r.Mode,
		SessionID:  r.SessionID,
		State:      r.State,
		Language:   r.Language,
		InterviewData: CandidateData{
			Questions: convert(r.Questions, wireCandidateQuestion),
			Answers:   convert(r.Answers, func(a interview.Answer) string { return a.Text }),
		},
		CreatedAt: r.Begun,
		ExpiresAt: r.Expires,
	}
}

func wireCandidateQuestion(q interview.Question) CandidateQuestion {
	return CandidateQuestion{ID: q.ID, Text: q.Text, Skill: NullableString(q.Skill), Kind: NullableString(q.Kind)}
}

// A view is the part of an interview that a response has.
type view string

const (
	viewFull      view = "full"
	viewCandidate view = "candidate"
)

// readView returns the view that a request asks for.
func readView(name *string, faults *validate.Faults) view {
	v := view(valueOr(name, string(viewFull)))
	if v != viewFull && v != viewCandidate {
		faults.Add("view", "unknown_value", "view must be full or candidate; got %s.", validate.Quote(string(v)))
	}
	return v
}

// interview returns the data of a response.
func (v view) interview(r *interview.Result) any {
	if v == viewCandidate {
		return wireCandidateInterview(r)
	}
	return NewInterview(r)
}

// question returns the data of an event.
func (v view) question(q interview.Question) any {
	if v == viewCandidate {
		return wireCandidateQuestion(q)
	}
	return wireQuestion(q)
}

// AnswerFacts says how an answer was written, as the candidate's browser reported it.
type AnswerFacts struct {
	Question         string                 `json:"question"` // the question's ID
	Seconds          matching.Optional[int] `json:"seconds"`  // null if unknown, as for the others
	TypedCharacters  matching.Optional[int] `json:"typed_characters"`
	PastedCharacters matching.Optional[int] `json:"pasted_characters"`
	Pastes           matching.Optional[int] `json:"pastes"`
	By               interview.AnswerSource `json:"by"`
}

func wireAnswerFacts(a interview.Answer) AnswerFacts {
	by := a.By
	if by == "" {
		by = interview.ByAPI
	}
	return AnswerFacts{
		a.Question, a.Facts.Seconds, a.Facts.TypedCharacters, a.Facts.PastedCharacters, a.Facts.Pastes, by,
	}
}
