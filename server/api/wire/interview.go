package wire

import (
	"cmp"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/webhook"
)

// A ReviewedMark is one review in the history of an evaluation.
type ReviewedMark struct {
	Question  string              `json:"question"` // the question's ID
	Criterion interview.Criterion `json:"criterion"`
	Level     int                 `json:"level"`
	Reason    string              `json:"reason"`
	By        string              `json:"by"`
	At        time.Time           `json:"at"`
}

func newReviewedMark(r interview.MarkReview) ReviewedMark {
	return ReviewedMark{
		Question: r.Question, Criterion: r.Criterion, Level: r.Level, Reason: r.Reason, By: r.By, At: r.At,
	}
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

func newAnswerFacts(a interview.Answer) AnswerFacts {
	by := a.By
	if by == "" {
		by = interview.ByAPI
	}
	return AnswerFacts{
		a.Question, a.Facts.Seconds, a.Facts.TypedCharacters, a.Facts.PastedCharacters, a.Facts.Pastes, by,
	}
}

// InterviewAnswer is the response of POST /interview.
type InterviewAnswer = Answer[Interview]

// An Interview is the current state of an interview. Clients of the older service check whether evaluation is present.
type Interview struct {
	Freelancer    Interviewed       `json:"freelancer"`
	Mode          interview.Mode    `json:"mode"`
	SessionID     string            `json:"session_id"`
	State         interview.State   `json:"state"`
	Language      string            `json:"language"` // ISO 639-1
	InterviewData InterviewData     `json:"interview_data"`
	Evaluation    *Evaluation       `json:"evaluation,omitempty"`
	GeneratedBy   string            `json:"generated_by"` // llm:<model>, offline or client
	DerivedSkills []string          `json:"derived_skills,omitempty"`
	UnknownSkills []string          `json:"unknown_skills"`
	Remarks       []InterviewRemark `json:"remarks"`
	CreatedAt     time.Time         `json:"created_at"`
	ExpiresAt     time.Time         `json:"expires_at"`
	Invitation    *Invitation       `json:"invitation,omitempty"`
	Webhook       *WebhookStatus    `json:"webhook,omitempty"`
}

// A WebhookStatus is the state of the last message to the session's endpoint.
type WebhookStatus struct {
	URL           string         `json:"url"`
	Type          NullableString `json:"type"` // of the message; null before the first event
	Attempts      int            `json:"attempts"`
	DeliveredAt   *time.Time     `json:"delivered_at"`
	LastError     NullableString `json:"last_error"`
	NextAttemptAt *time.Time     `json:"next_attempt_at"` // null if there will be none
}

// Interviewed is the freelancer in an interview.
type Interviewed struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	JobTitle string `json:"job_title"`
}

// An InterviewRemark tells the client about a limitation, such as a question bank standing in for the model.
type InterviewRemark struct {
	Code    interview.NoticeCode `json:"code"`
	Message string               `json:"message"`
}

// InterviewData holds the questions and the answers to them, in the same order.
type InterviewData struct {
	Questions []InterviewQuestion `json:"questions"`
	Answers   []string            `json:"answers,omitempty"`

	AnswerFacts []AnswerFacts `json:"answer_facts,omitempty"`
}

// An InterviewQuestion is a question with the criteria for its answer.
type InterviewQuestion struct {
	ID              string          `json:"id"`
	Text            string          `json:"text"`
	Skill           NullableString  `json:"skill"`      // null if about the project as a whole
	Kind            NullableString  `json:"kind"`       // null for custom questions
	Difficulty      NullableString  `json:"difficulty"` // null for custom questions
	ExpectedAnswer  string          `json:"expected_answer"`
	Points          []string        `json:"points"`
	Anchors         []Anchor        `json:"anchors"`
	ScoringCriteria ScoringCriteria `json:"scoring_criteria"`
	FollowUp        []string        `json:"follow_up"`
	GeneratedBy     string          `json:"generated_by"`
}

// An Anchor describes a typical answer at a level.
type Anchor struct {
	Level int    `json:"level"`
	Text  string `json:"text"`
}

// ScoringCriteria holds the weight of each criterion in percent.
type ScoringCriteria struct {
	Technical     int `json:"technical"`
	Experience    int `json:"experience"`
	Communication int `json:"communication"`
}

// An Evaluation holds the scores of all answers. Its lists are in the order of the questions; clients of the older
// service read these, and Details has more.
type Evaluation struct {
	Scores   []matching.Optional[int] `json:"scores"` // 0 to 100; null if nothing could be measured
	Feedback []string                 `json:"feedback"`

	// Present only if there are both generated and custom questions.
	AIScores       []matching.Optional[int] `json:"ai_scores,omitempty"`
	AIFeedback     []string                 `json:"ai_feedback,omitempty"`
	CustomScores   []matching.Optional[int] `json:"custom_scores,omitempty"`
	CustomFeedback []string                 `json:"custom_feedback,omitempty"`

	OverallScore         matching.Optional[int]  `json:"overall_score"`
	Strengths            []string                `json:"strengths"`
	AreasForImprovement  []string                `json:"areas_for_improvement"`
	HiringRecommendation matching.Optional[bool] `json:"hiring_recommendation"`
	RecommendationReason string                  `json:"recommendation_reason"`
	Evidence             []Quotation             `json:"evidence"`
	Method               string                  `json:"method"`  // llm:<model> or offline
	Verdict              bool                    `json:"verdict"` // whether the method can recommend
	EvaluatedAt          time.Time               `json:"evaluated_at"`
	Reviews              []ReviewedMark          `json:"reviews,omitempty"` // all, in order
	Details              []Judgment              `json:"details"`

	TotalMethod   interview.TotalMethod      `json:"total_method"`
	StandardError matching.Optional[float64] `json:"standard_error"` // of OverallScore
	Confidence    matching.Optional[float64] `json:"confidence"`     // null without a verdict
	Skills        []SkillResult              `json:"skills"`
	Points        CoveredPoints              `json:"points"`
	Agreement     *Agreement                 `json:"agreement"` // null without a second judgment
}

// A SkillResult says how well the answers show a required skill.
type SkillResult struct {
	Skill         string                     `json:"skill"`
	MustHave      bool                       `json:"must_have"`
	State         interview.SkillState       `json:"state"`
	Level         matching.Optional[float64] `json:"level"` // 0 to 5
	Score         matching.Optional[int]     `json:"score"` // 0 to 100
	StandardError matching.Optional[float64] `json:"standard_error"`
	Questions     []string                   `json:"questions"` // IDs
	Evidence      []Quotation                `json:"evidence"`
	Points        CoveredPoints              `json:"points"`
}

// CoveredPoints counts the points of the questions with a measured answer.
type CoveredPoints struct {
	Covered int `json:"covered"`
	Of      int `json:"of"`
}

// An Agreement compares two judgments of a sample of the answers.
type Agreement struct {
	Answers   int `json:"answers"`
	Marks     int `json:"marks"`
	Exact     int `json:"exact"`
	WithinOne int `json:"within_one"`
}

// A Quotation is a verbatim passage of an answer.
type Quotation struct {
	Question  string              `json:"question"` // the question's ID
	Criterion interview.Criterion `json:"criterion"`
	Text      string              `json:"text"`
}

// A Judgment is the result for one answer.
type Judgment struct {
	Question            string                 `json:"question"` // the question's ID
	Answered            bool                   `json:"answered"`
	Score               matching.Optional[int] `json:"score"`
	Marks               []Mark                 `json:"marks"`
	Unmeasured          []interview.Criterion  `json:"unmeasured"`
	Feedback            string                 `json:"feedback"`
	Strengths           []string               `json:"strengths"`
	AreasForImprovement []string               `json:"areas_for_improvement"`
	CoveredPoints       []int                  `json:"covered_points"` // indexes of the question's points
	Remarks             []interview.Remark     `json:"remarks"`
	Method              NullableString         `json:"method"` // null if not answered
}

// A Mark is the level of an answer in one criterion.
type Mark struct {
	Criterion interview.Criterion    `json:"criterion"`
	Level     matching.Optional[int] `json:"level"` // 0 to 5, from the judge; null if it only counts
	Evidence  []string               `json:"evidence"`
	Review    *MarkReview            `json:"review,omitempty"` // present if a person replaced the level
}

// A MarkReview replaces the level of a mark.
type MarkReview struct {
	Level  int       `json:"level"`
	Reason string    `json:"reason"`
	By     string    `json:"by"`
	At     time.Time `json:"at"`
}

// NewInterview returns an interview as clients see it at a time.
func NewInterview(r *interview.Result, now time.Time) Interview {
	return Interview{
		Freelancer: Interviewed(r.Freelancer),
		Mode:       r.Mode,
		SessionID:  r.SessionID,
		State:      r.State,
		Language:   r.Language,
		InterviewData: InterviewData{
			Questions: Convert(r.Questions, newInterviewQuestion),
			Answers:   Convert(r.Answers, func(a interview.Answer) string { return a.Text }),

			AnswerFacts: Convert(r.Answers, newAnswerFacts),
		},
		Evaluation:    newEvaluation(r),
		GeneratedBy:   r.GeneratedBy,
		DerivedSkills: r.DerivedSkills,
		UnknownSkills: OrEmpty(r.UnknownSkills),
		Remarks:       Convert(r.Remarks, func(n interview.Notice) InterviewRemark { return InterviewRemark(n) }),
		CreatedAt:     r.Begun,
		ExpiresAt:     r.Expires,
		Invitation:    newInvitation(r.Invitation, now),
		Webhook:       newWebhookStatus(r.Webhook),
	}
}

func newWebhookStatus(s *webhook.Status) *WebhookStatus {
	if s == nil {
		return nil
	}
	known := func(t time.Time) *time.Time {
		if t.IsZero() {
			return nil
		}
		return &t
	}
	return &WebhookStatus{
		URL: s.URL, Type: NullableString(s.Type), Attempts: s.Attempts, DeliveredAt: known(s.Delivered),
		LastError: NullableString(s.LastError), NextAttemptAt: known(s.Next),
	}
}

func newInterviewQuestion(q interview.Question) InterviewQuestion {
	return InterviewQuestion{
		ID:             q.ID,
		Text:           q.Text,
		Skill:          NullableString(q.Skill),
		Kind:           NullableString(q.Kind),
		Difficulty:     NullableString(q.Difficulty),
		ExpectedAnswer: q.Expected,
		Points:         OrEmpty(q.Points),
		Anchors:        Convert(q.Anchors, func(a interview.Anchor) Anchor { return Anchor(a) }),
		ScoringCriteria: ScoringCriteria{
			Technical:     q.Weights[interview.Technical],
			Experience:    q.Weights[interview.Experience],
			Communication: q.Weights[interview.Communication],
		},
		FollowUp:    OrEmpty(q.FollowUps),
		GeneratedBy: q.By,
	}
}

func newEvaluation(r *interview.Result) *Evaluation {
	e := r.Evaluation
	if e == nil {
		return nil
	}

	wire := &Evaluation{
		Scores:               Convert(e.Scores, func(s interview.Score) matching.Optional[int] { return s.Value }),
		Feedback:             Convert(e.Scores, func(s interview.Score) string { return s.Feedback }),
		OverallScore:         e.Overall,
		Strengths:            OrEmpty(e.Strengths),
		AreasForImprovement:  OrEmpty(e.Improvements),
		HiringRecommendation: e.Recommendation,
		RecommendationReason: e.Reason,
		Evidence:             Convert(e.Evidence, func(q interview.Quotation) Quotation { return Quotation(q) }),
		Method:               e.Method,
		Verdict:              e.Verdict,
		EvaluatedAt:          e.At,
		Reviews:              Convert(e.Reviews, newReviewedMark),
		Details:              Convert(e.Scores, NewJudgment),
		TotalMethod:          cmp.Or(e.TotalMethod, interview.Mean), // earlier releases stored none
		StandardError:        e.StandardError,
		Confidence:           e.Confidence,
		Skills:               Convert(e.Skills, newSkillResult),
		Points:               CoveredPoints(e.Points),
	}

	if a := e.Agreement; a != nil {
		wire.Agreement = &Agreement{Answers: a.Answers, Marks: a.Marks, Exact: a.Exact, WithinOne: a.WithinOne}
	}
	wire.split(r.Questions)

	return wire
}

func newSkillResult(r interview.SkillResult) SkillResult {
	return SkillResult{
		Skill:         r.Skill,
		MustHave:      r.MustHave,
		State:         r.State,
		Level:         r.Level,
		Score:         r.Score,
		StandardError: r.StandardError,
		Questions:     OrEmpty(r.Questions),
		Evidence:      Convert(r.Evidence, func(q interview.Quotation) Quotation { return Quotation(q) }),
		Points:        CoveredPoints(r.Points),
	}
}

// byClient is the value of interview.Question.By for questions that the client wrote.
const byClient = "client"

// split lists the scores of generated and of custom questions separately if there are both.
func (e *Evaluation) split(questions []interview.Question) {
	var ai, custom Evaluation
	for i := range min(len(questions), len(e.Scores)) {
		of := &ai
		if questions[i].By == byClient {
			of = &custom
		}
		of.Scores, of.Feedback = append(of.Scores, e.Scores[i]), append(of.Feedback, e.Feedback[i])
	}
	if len(ai.Scores) > 0 && len(custom.Scores) > 0 {
		e.AIScores = ai.Scores
		e.AIFeedback = ai.Feedback
		e.CustomScores = custom.Scores
		e.CustomFeedback = custom.Feedback
	}
}

// NewJudgment returns the result for one answer.
func NewJudgment(s interview.Score) Judgment {
	return Judgment{
		Question: s.Question,
		Answered: s.Answered,
		Score:    s.Value,
		Marks: Convert(s.Marks, func(m interview.Mark) Mark {
			level := matching.Some(m.Level)
			if s.Counted {
				level = matching.Optional[int]{}
			}
			return Mark{m.Criterion, level, OrEmpty(m.Evidence), (*MarkReview)(m.Review)}
		}),
		Unmeasured:          OrEmpty(s.Unmeasured),
		Feedback:            s.Feedback,
		Strengths:           OrEmpty(s.Strengths),
		AreasForImprovement: OrEmpty(s.Improvements),
		CoveredPoints:       OrEmpty(s.Covered),
		Remarks:             OrEmpty(s.Remarks),
		Method:              NullableString(s.By),
	}
}
