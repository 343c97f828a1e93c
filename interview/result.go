package interview

import (
	"time"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/webhook"
)

// A Result is the state of an interview after a request.
type Result struct {
	Freelancer    Person
	Brief         Brief
	Mode          Mode // of the request
	SessionID     string
	State         State
	Language      string     // ISO 639-1; requested, or that of the project description
	Questions     []Question // all questions so far, in order
	Answers       []Answer   // in the order of Questions; Text is blank for a skipped question
	Evaluation    *Evaluation
	GeneratedBy   string   // name of the last Asker used, or client if no question was generated
	DerivedSkills []string // found in title and description if the request had no required skills
	UnknownSkills []string // required skills that the taxonomy does not have
	Remarks       []Notice // what readers of the result should know, in order of occurrence
	Begun         time.Time
	Expires       time.Time // when the session will be deleted
	Invitation    *InvitationStatus
	HasWebhook    bool
	Webhook       *webhook.Status // nil without a webhook
}

// A Brief says what an interview is about.
type Brief struct {
	JobTitle string // of the project
	Project  string // description of the project
	Skills   []Skill
}

// A Person identifies the freelancer in a Result.
type Person struct{ ID, Name, JobTitle string }

// A State says whether a session accepts answers.
type State string

// The states.
const (
	Open      State = "open"      // has questions without an answer
	Evaluated State = "evaluated" // closed
)

// An Evaluation summarizes all answers of a session. Package scoring computes every number in it from the
// marks.
type Evaluation struct {
	Scores   []Score                // one per question, in order
	Overall  matching.Optional[int] // 0 to 100; unknown if nothing could be measured, or a counted answer isn't reviewed
	Evidence []Quotation            `json:"-"` // that of all marks; not stored a second time
	Points   Points                 `json:"-"` // of all questions with a measured answer

	TotalMethod   TotalMethod                `json:",omitzero"`  // "" in evaluations of earlier releases, which are means
	StandardError matching.Optional[float64] `json:",omitzero"`  // of Overall, in points; unknown if Overall is
	Skills        []SkillResult              `json:",omitempty"` // one per required skill, in the order of Subject.Skills
	Agreement     *Agreement                 `json:",omitempty"` // nil without a second judgment
	Reviews       []MarkReview               `json:",omitempty"` // all, in order; the last one of a mark counts

	Strengths, Improvements []string

	// Recommendation is true to hire, false to reject, and unknown if the judge gives no verdicts or the answers are not
	// sufficient. Reason explains it.
	Recommendation matching.Optional[bool]
	Reason         string // in the session's language
	Method         string // name of the judge
	Verdict        bool   // see Judge.IsVerdict
	// Confidence is the probability that the true total is on the same side of 60, the middle between scoring.RejectBelow
	// and scoring.HireFrom, as Overall. It is computed from Overall and StandardError only, rounded down to hundredths,
	// and at most 0.99. It is unknown if the judge gives no verdicts or nothing could be measured.
	Confidence matching.Optional[float64]
	At         time.Time
}

// A MarkReview is a review of one mark.
type MarkReview struct {
	Question  string // ID
	Criterion Criterion
	Review
}

// A TotalMethod says how a total was computed from the scores of answers.
type TotalMethod string

// The methods.
const (
	Mean    TotalMethod = "mean"
	Equated TotalMethod = "equated" // the expected mean on a reference form; see package scoring
)

// Points counts the points of rubrics.
type Points struct{ Covered, Of int }

// An Agreement compares two judgments of a sample of the answers. The judge marked each of them a second time, in a
// call of its own. It shows how repeatable the marks are, not whether they are right.
type Agreement struct {
	Answers   int      // judged twice
	Marks     int      // compared: criteria with a weight and a mark in both judgments
	Exact     int      // marks with the same level
	WithinOne int      // marks with a difference of at most one level, including Exact
	Disputed  []string // IDs of the questions with a difference of two levels or more
}

// A SkillResult says how well the answers show a required skill.
type SkillResult struct {
	Skill         string
	MustHave      bool
	State         SkillState
	Score         matching.Optional[int]     // 0 to 100, computed like Evaluation.Overall, and unknown like it
	Level         matching.Optional[float64] // Score on the scale of marks, to one decimal
	StandardError matching.Optional[float64] // of Score, in points
	Questions     []string                   // IDs of the questions about the skill
	Evidence      []Quotation                `json:"-"` // from the answers to them; not stored a second time
	Points        Points                     `json:"-"` // of the questions about the skill with a measured answer
}

// A SkillState says whether a skill was shown. An answer is substantial if it could be measured, has a level above
// NoAnswer and isn't off topic, and if it covers a point unless it is too short or says that its writer has no idea.
type SkillState string

// The states.
const (
	Shown       SkillState = "shown"        // the score is at least scoring.HireFrom
	PartlyShown SkillState = "partly_shown" // between Shown and Weak
	Weak        SkillState = "weak"         // the score of the substantial answers is below scoring.RejectBelow
	Answered    SkillState = "answered"     // there are substantial answers, but they were only counted, not judged
	NotShown    SkillState = "not_shown"    // no answer is substantial
	NotAsked    SkillState = "not_asked"
)

// A Score holds the score and the feedback for one answer.
type Score struct {
	Question string // ID of the question
	Answered bool
	// Counted says that the judge counted and gave no verdict. Counting can't tell whether an answer is right, so levels
	// of such marks aren't shown, and Value is unknown until a person has reviewed all marks that have a weight.
	Counted      bool                   `json:",omitzero"`
	Value        matching.Optional[int] // 0 to 100; 0 without an answer, unknown if no criterion was measured
	Marks        []Mark                 // in the order of the criteria
	Unmeasured   []Criterion            // criteria with a weight but no mark; the score is the mean of the others
	Feedback     string                 // in the language of the interview
	Strengths    []string
	Improvements []string
	Covered      []int // indexes of the question's Points that the answer covers
	Remarks      []Remark
	By           string // name of the judge; "" without an answer
}

// A Quotation is a verbatim passage of an answer that supports a mark.
type Quotation struct {
	Question  string // ID of the question
	Criterion Criterion
	Text      string
}

// A Notice reports something unusual about the interview. Clients may rely on its code; the message is for people, in
// the session's language, or in English if it has no messages in that language.
type Notice struct {
	Code    NoticeCode
	Message string
}

// A NoticeCode identifies a kind of notice.
type NoticeCode string

// The notice codes.
const (
	NoticeAskerFailed   NoticeCode = "asker_failed" // the next asker generated the remaining questions
	NoticeFewer         NoticeCode = "fewer_questions"
	NoticeJudgeFailed   NoticeCode = "judge_failed" // the next judge evaluated the answers
	NoticeLanguage      NoticeCode = "language"     // questions are not in the requested language
	NoticeDerivedSkills NoticeCode = "derived_skills"
	NoticeUnknownSkills NoticeCode = "unknown_skills"
	NoticeUnmeasured    NoticeCode = "unmeasured" // some criteria were not measured
	NoticeQuotation     NoticeCode = "quotation"  // evidence was dropped because the answer does not contain it
	NoticeInstructions  NoticeCode = "instructions"
	NoticeDisagreement  NoticeCode = "disagreement" // two judgments of an answer differ by two levels or more
	NoticeAboutMarks    NoticeCode = "about_marks"  // evidence or feedback is about marks, levels or instructions
	NoticeJudgesApart   NoticeCode = "judges_apart" // a model's marks are far above what can be counted
	NoticeCut           NoticeCode = "cut"          // part of the profile was too long
	NoticeTimeOver      NoticeCode = "time_over"    // a candidate had no time for the remaining questions
	NoticeWebhook       NoticeCode = "webhook_failed"
)

// An Event reports progress to the watcher of a request. It has exactly one of Question, Score and Notice. If another
// judge takes over, it scores all answers again, and a later Score replaces an earlier one for the same question.
// Events are preliminary until Conduct returns.
type Event struct {
	SessionID string
	Question  *Question
	Score     *Score
	Notice    *Notice
}
