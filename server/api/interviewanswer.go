package api

import (
	"time"

	"github.com/gin-gonic/gin"

	"freelancer-matching/internal/matching"
	"freelancer-matching/interview"
)

// InterviewAnswer is the answer of POST /interview.
type InterviewAnswer struct {
	Status    string    `json:"status"` // success
	Data      Interview `json:"data"`
	RequestID string    `json:"request_id"`
	TookMS    float64   `json:"took_ms"`
}

// Interview is where an interview stands. Clients of the older service look whether evaluation is there.
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
}

type Interviewed struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	JobTitle string `json:"job_title"`
}

// InterviewRemark is something that happened on the way.
type InterviewRemark struct {
	Code    interview.NoticeCode `json:"code"`
	Message string               `json:"message"`
}

type InterviewData struct {
	Questions []InterviewQuestion `json:"questions"`
	Answers   []string            `json:"answers,omitempty"` // by position
}

type InterviewQuestion struct {
	ID              string          `json:"id"`
	Text            string          `json:"text"`
	Skill           NullableString  `json:"skill"`      // null: the project as a whole
	Kind            NullableString  `json:"kind"`       // null of a client's own
	Difficulty      NullableString  `json:"difficulty"` // null of a client's own
	ExpectedAnswer  string          `json:"expected_answer"`
	Points          []string        `json:"points"`
	Anchors         []Anchor        `json:"anchors"`
	ScoringCriteria ScoringCriteria `json:"scoring_criteria"`
	FollowUp        []string        `json:"follow_up"`
	GeneratedBy     string          `json:"generated_by"`
}

// Anchor is what an answer at a level is like.
type Anchor struct {
	Level int    `json:"level"`
	Text  string `json:"text"`
}

// ScoringCriteria is the share of each criterion in percent.
type ScoringCriteria struct {
	Technical     int `json:"technical"`
	Experience    int `json:"experience"`
	Communication int `json:"communication"`
}

// Evaluation has lists by position of the questions, as clients of the older service read them, and the same in detail.
type Evaluation struct {
	Scores               []matching.Optional[int] `json:"scores"` // 0 to 100; null where nothing could be measured
	Feedback             []string                 `json:"feedback"`
	AIScores             []matching.Optional[int] `json:"ai_scores,omitempty"` // of generated questions, where there are the client's own too
	AIFeedback           []string                 `json:"ai_feedback,omitempty"`
	CustomScores         []matching.Optional[int] `json:"custom_scores,omitempty"` // of these
	CustomFeedback       []string                 `json:"custom_feedback,omitempty"`
	OverallScore         matching.Optional[int]   `json:"overall_score"`
	Strengths            []string                 `json:"strengths"`
	AreasForImprovement  []string                 `json:"areas_for_improvement"`
	HiringRecommendation matching.Optional[bool]  `json:"hiring_recommendation"`
	RecommendationReason string                   `json:"recommendation_reason"`
	Evidence             []Quotation              `json:"evidence"`
	Method               string                   `json:"method"`  // llm:<model> or offline
	Verdict              bool                     `json:"verdict"` // the method can recommend
	Confidence           float64                  `json:"confidence"`
	EvaluatedAt          time.Time                `json:"evaluated_at"`
	Details              []Judgment               `json:"details"`
}

// Quotation is a passage of an answer, verbatim.
type Quotation struct {
	Question  string              `json:"question"` // its id
	Criterion interview.Criterion `json:"criterion"`
	Text      string              `json:"text"`
}

// Judgment is what one answer got.
type Judgment struct {
	Question            string                 `json:"question"` // its id
	Answered            bool                   `json:"answered"`
	Score               matching.Optional[int] `json:"score"`
	Marks               []Mark                 `json:"marks"`
	Unmeasured          []interview.Criterion  `json:"unmeasured"`
	Feedback            string                 `json:"feedback"`
	Strengths           []string               `json:"strengths"`
	AreasForImprovement []string               `json:"areas_for_improvement"`
	CoveredPoints       []int                  `json:"covered_points"` // positions among the question's points
	Remarks             []interview.Remark     `json:"remarks"`
	Method              NullableString         `json:"method"` // null without an answer
}

// Mark is the level of an answer by one criterion.
type Mark struct {
	Criterion interview.Criterion `json:"criterion"`
	Level     int                 `json:"level"` // 0 to 5
	Evidence  []string            `json:"evidence"`
}

func wireInterview(c *gin.Context, r *interview.Result) InterviewAnswer {
	return InterviewAnswer{Status: "success", RequestID: requestID(c), TookMS: tookMS(c), Data: Interview{
		Freelancer: Interviewed(r.Freelancer), Mode: r.Mode, SessionID: r.SessionID, State: r.State, Language: r.Language,
		InterviewData: InterviewData{
			Questions: each(r.Questions, func(q interview.Question) InterviewQuestion { return wireQuestion(&q) }),
			Answers:   each(r.Answers, func(a interview.Answer) string { return a.Text }),
		},
		Evaluation: wireEvaluation(r), GeneratedBy: r.GeneratedBy, DerivedSkills: r.DerivedSkills, UnknownSkills: list(r.UnknownSkills),
		Remarks:   each(r.Remarks, func(n interview.Notice) InterviewRemark { return InterviewRemark(n) }),
		CreatedAt: r.Begun, ExpiresAt: r.Expires,
	}}
}

func wireQuestion(q *interview.Question) InterviewQuestion {
	return InterviewQuestion{
		ID: q.ID, Text: q.Text, Skill: NullableString(q.Skill), Kind: NullableString(q.Kind), Difficulty: NullableString(q.Difficulty),
		ExpectedAnswer: q.Expected, Points: list(q.Points), FollowUp: list(q.FollowUps), GeneratedBy: q.By,
		Anchors: each(q.Anchors, func(a interview.Anchor) Anchor { return Anchor(a) }),
		ScoringCriteria: ScoringCriteria{
			Technical: q.Weights[interview.Technical], Experience: q.Weights[interview.Experience],
			Communication: q.Weights[interview.Communication],
		},
	}
}

func wireEvaluation(r *interview.Result) *Evaluation {
	e := r.Evaluation
	if e == nil {
		return nil
	}
	w := &Evaluation{
		OverallScore: e.Overall, Strengths: list(e.Strengths), AreasForImprovement: list(e.Improvements),
		HiringRecommendation: e.Recommendation, RecommendationReason: e.Reason, Method: e.Method, Verdict: e.Verdict,
		Confidence: e.Confidence, EvaluatedAt: e.At,
		Evidence: each(e.Evidence, func(q interview.Quotation) Quotation { return Quotation(q) }),
		Details:  each(e.Scores, func(s interview.Score) Judgment { return wireJudgment(&s) }),
		Scores:   each(e.Scores, func(s interview.Score) matching.Optional[int] { return s.Value }),
		Feedback: each(e.Scores, func(s interview.Score) string { return s.Feedback }),
	}
	w.split(r.Questions)
	return w
}

// byClient is what interview.Question.By says of the client's own.
const byClient = "client"

// split tells scores by who asked, where both the service and the client did.
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
		e.AIScores, e.AIFeedback, e.CustomScores, e.CustomFeedback = ai.Scores, ai.Feedback, custom.Scores, custom.Feedback
	}
}

func wireJudgment(s *interview.Score) Judgment {
	return Judgment{
		Question: s.Question, Answered: s.Answered, Score: s.Value, Unmeasured: list(s.Unmeasured), Feedback: s.Feedback,
		Strengths: list(s.Strengths), AreasForImprovement: list(s.Improvements), CoveredPoints: list(s.Covered), Remarks: list(s.Remarks),
		Method: NullableString(s.By),
		Marks: each(s.Marks, func(m interview.Mark) Mark {
			return Mark{Criterion: m.Criterion, Level: m.Level, Evidence: list(m.Evidence)}
		}),
	}
}
