package dashboard

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"freelancer-matching/internal/matching"
	"freelancer-matching/interview"
)

// interviewAnswer is the answer of POST /interview.
type interviewAnswer struct {
	Data readInterview `json:"data"`
}

// readInterview is where an interview stands. What is null is "".
type readInterview struct {
	Freelancer struct {
		ID       string `json:"id"`
		Name     string `json:"name"`
		JobTitle string `json:"job_title"`
	} `json:"freelancer"`
	Mode      interview.Mode `json:"mode"`
	SessionID string         `json:"session_id"`
	Language  string         `json:"language"` // ISO 639-1
	Data      struct {
		Questions []readQuestion `json:"questions"`
		Answers   []string       `json:"answers"` // by position
	} `json:"interview_data"`
	Evaluation    *readEvaluation `json:"evaluation,omitempty"` // nil: not all is answered
	GeneratedBy   string          `json:"generated_by"`
	DerivedSkills []string        `json:"derived_skills"`
	UnknownSkills []string        `json:"unknown_skills"`
	Remarks       []readRemark    `json:"remarks"`
	Begun         time.Time       `json:"created_at"`
	Expires       time.Time       `json:"expires_at"`
}

type readRemark struct {
	Code    interview.NoticeCode `json:"code"`
	Message string               `json:"message"`
}

type readQuestion struct {
	ID         string         `json:"id"`
	Text       string         `json:"text"`
	Skill      string         `json:"skill"`
	Kind       interview.Kind `json:"kind"`
	Difficulty string         `json:"difficulty"`
	Expected   string         `json:"expected_answer,omitempty"`
	Points     []string       `json:"points,omitempty"`
	Weights    readWeights    `json:"scoring_criteria"`
	FollowUps  []string       `json:"follow_up,omitempty"`
	By         string         `json:"generated_by"`
}

// readWeights is the share of each criterion in percent.
type readWeights map[interview.Criterion]int

type readEvaluation struct {
	Overall        matching.Optional[int]  `json:"overall_score"`
	Strengths      []string                `json:"strengths"`
	Improvements   []string                `json:"areas_for_improvement"`
	Recommendation matching.Optional[bool] `json:"hiring_recommendation"`
	Reason         string                  `json:"recommendation_reason"`
	Method         string                  `json:"method"`
	Verdict        bool                    `json:"verdict"`
	Confidence     float64                 `json:"confidence"`
	At             time.Time               `json:"evaluated_at"`
	Details        []readJudgement         `json:"details"` // by position of the questions
}

type readJudgement struct {
	Answered   bool                   `json:"answered"`
	Score      matching.Optional[int] `json:"score"`
	Marks      []readMark             `json:"marks"`
	Unmeasured []interview.Criterion  `json:"unmeasured"`
	Feedback   string                 `json:"feedback"`
	Covered    []int                  `json:"covered_points"`
	Remarks    []interview.Remark     `json:"remarks"`
}

type readMark struct {
	Criterion interview.Criterion `json:"criterion"`
	Level     int                 `json:"level"`
	Evidence  []string            `json:"evidence"`
}

// heldInterview is an interview as the playground holds it.
type heldInterview struct {
	readInterview
	Planned int `json:"planned"` // questions of an adaptive one; 0: not known
}

// Adaptive reports whether questions come one by one.
func (h *heldInterview) Adaptive() bool { return h.Mode == interview.Adaptive }

// Answerable reports whether answers are awaited here. A report is only read.
func (h *heldInterview) Answerable() bool { return h.Evaluation == nil && h.Mode != interview.Report }

// Last reports whether the newest question of an adaptive interview is its last.
func (h *heldInterview) Last() bool { return h.Planned > 0 && len(h.Data.Questions) >= h.Planned }

// Progress is how far the interview is, in words.
func (h *heldInterview) Progress() string {
	asked := len(h.Data.Questions)
	switch {
	case !h.Answerable():
		blank := func(text string) bool { return strings.TrimSpace(text) == "" }
		answered := len(slices.DeleteFunc(slices.Clone(h.Data.Answers), blank))
		return plural(asked, "question", "questions") + ", " + plural(answered, "answer", "answers")
	case h.Adaptive() && h.Planned > 0:
		return fmt.Sprintf("Question %d of %d", asked, max(asked, h.Planned))
	case h.Adaptive():
		return fmt.Sprintf("Question %d", asked)
	default:
		return plural(asked, "question", "questions")
	}
}

// Tongue is the name of the questions' language; "" where it was not told.
func (h *heldInterview) Tongue() string { return tongue(h.Language) }

// AskedBy is who made the questions, in words.
func (h *heldInterview) AskedBy() string {
	return maker(h.GeneratedBy, "the question bank, without a language model")
}

// maker is who asked or judged, in words; offline, for what does so without a language model.
func maker(name, offline string) string {
	model, is := strings.CutPrefix(name, "llm:")
	switch {
	case is:
		return "the language model " + model
	case name == "offline":
		return offline
	case name == "client":
		return "the client"
	default:
		return name
	}
}

// Cautions is what should be known before the evaluation is relied on, in plain words.
func (r *readInterview) Cautions() []string {
	known := map[interview.NoticeCode]string{
		interview.NoticeAskerFailed:  "The language model made no questions that could be used. They come from the question bank.",
		interview.NoticeJudgeFailed:  "The language model gave no judgement that could be used. The answers were judged without it.",
		interview.NoticeQuotation:    "Some of the evidence that was named does not stand in the answers. It was left out.",
		interview.NoticeInstructions: "An answer may address a language model. Read it yourself before you rely on its marks.",
		interview.NoticeCut:          "The profile is longer than what is read of one. The rest was left out.",
	}
	return r.told(func(n readRemark) string {
		if r.isNote(n.Code) {
			return ""
		}
		if text := known[n.Code]; text != "" {
			return text
		}
		return sentence(n.Message)
	})
}

// Notes is what else happened on the way, in plain words.
func (r *readInterview) Notes() []string {
	known := map[interview.NoticeCode]string{
		interview.NoticeFewer:         "There are fewer questions than were asked for: no more could be made that differ.",
		interview.NoticeLanguage:      "There were no questions in the language that was asked for. They are in another one.",
		interview.NoticeDerivedSkills: "No skills were named. These were found in the description: " + strings.Join(r.DerivedSkills, ", ") + ".",
		interview.NoticeUnknownSkills: "Not known, and asked about by the name that was given: " + strings.Join(r.UnknownSkills, ", ") + ".",
		interview.NoticeUnmeasured:    "Not every criterion could be measured in every answer. There the others weigh more.",
	}
	return r.told(func(n readRemark) string { return known[n.Code] })
}

func (*readInterview) isNote(code interview.NoticeCode) bool {
	return slices.Contains([]interview.NoticeCode{
		interview.NoticeFewer, interview.NoticeLanguage, interview.NoticeDerivedSkills, interview.NoticeUnknownSkills, interview.NoticeUnmeasured,
	}, code)
}

// told is the remarks in words, each once; those without words are left out.
func (r *readInterview) told(words func(readRemark) string) []string {
	var all []string
	for _, n := range r.Remarks {
		if text := words(n); text != "" && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}

// turn is a question with its answer, and what that got.
type turn struct {
	readQuestion
	N         int // from 1
	Field     string
	Asks      bool   // for an answer
	Answer    string // "": there is none
	Judgement *readJudgement
}

// Turns is the questions in their order.
func (h *heldInterview) Turns() []turn {
	var turns []turn
	for i, q := range h.Data.Questions {
		t := turn{readQuestion: q, N: i + 1, Field: answerField(i)}
		if i < len(h.Data.Answers) {
			t.Answer = h.Data.Answers[i]
		} else {
			t.Asks = h.Answerable()
		}
		if h.Evaluation != nil && i < len(h.Evaluation.Details) {
			t.Judgement = &h.Evaluation.Details[i]
		}
		turns = append(turns, t)
	}
	return turns
}

// Labels is what kind of question it is.
func (q *readQuestion) Labels() []string {
	var labels []string
	for _, label := range []string{string(q.Kind), q.Difficulty} {
		if label != "" {
			labels = append(labels, title(label))
		}
	}
	if q.By == "client" {
		labels = append(labels, "Asked by the client")
	}
	return labels
}
