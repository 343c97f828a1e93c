package interview

import (
	"time"

	"freelancer-matching/internal/matching"
)

// Result is where an interview stands after a request.
type Result struct {
	Freelancer    Person
	Mode          Mode // of the request
	SessionID     string
	State         State
	Language      string     // asked for, or the project description's, ISO 639-1; a remark tells of questions in another
	Questions     []Question // asked so far, in their order
	Answers       []Answer   // as many as were given, in the order of Questions; blank where there was none
	Evaluation    *Evaluation
	GeneratedBy   string   // llm:<model>; offline where the bank made one question at least; client where none was generated
	DerivedSkills []string // taken from title and description, where no required skills were sent
	UnknownSkills []string // of those that were sent, as they were
	Remarks       []Notice // what happened on the way that whoever reads this should know, in order
	Begun         time.Time
	Expires       time.Time // the session is forgotten then
}

// Person is a freelancer as an interview shows one.
type Person struct{ ID, Name, JobTitle string }

// State is whether a session takes answers.
type State string

// The states.
const (
	Open      State = "open"      // has questions without answers
	Evaluated State = "evaluated" // and closed
)

// Evaluation is what was made of all answers of a session. Everything in it that is a number is computed here, from marks.
type Evaluation struct {
	Scores   []Score                // one for each question, in order
	Overall  matching.Optional[int] // 0 to 100; unknown where nothing could be measured
	Evidence []Quotation

	Strengths, Improvements []string

	// Recommendation is whether to hire. Unknown: the judge gives no verdicts, or the answers do not suffice for one; Reason says
	// which.
	Recommendation matching.Optional[bool]
	Reason         string  // in English
	Method         string  // name of the judge
	Verdict        bool    // the judge gives verdicts: see Judge.IsVerdict
	Confidence     float64 // 0 to 1: how much was measured, of how many questions; half of it without verdicts
	At             time.Time
}

// Score is what one answer got.
type Score struct {
	Question     string // its ID
	Answered     bool
	Value        matching.Optional[int] // 0 to 100; 0 without an answer, unknown where no criterion could be measured
	Marks        []Mark                 // in the order of the criteria
	Unmeasured   []Criterion            // that have a weight and no mark: left out, the others weighing more
	Feedback     string                 // in the language of the interview
	Strengths    []string
	Improvements []string
	Covered      []int // indexes of the question's Points
	Remarks      []Remark
	By           string // name of the judge; "" without an answer
}

// Quotation is evidence: a passage of an answer, verbatim.
type Quotation struct {
	Question  string // its ID
	Criterion Criterion
	Text      string
}

// Notice is something that happened on the way, in a stable word and a sentence.
type Notice struct {
	Code    NoticeCode
	Message string
}

// NoticeCode is the kind of a notice.
type NoticeCode string

// The notices.
const (
	NoticeAskerFailed   NoticeCode = "asker_failed" // questions are from the next asker
	NoticeFewer         NoticeCode = "fewer_questions"
	NoticeJudgeFailed   NoticeCode = "judge_failed" // the evaluation is from the next judge
	NoticeLanguage      NoticeCode = "language"     // questions are in another language than the one asked for
	NoticeDerivedSkills NoticeCode = "derived_skills"
	NoticeUnknownSkills NoticeCode = "unknown_skills"
	NoticeUnmeasured    NoticeCode = "unmeasured" // criteria were left out, and the others weigh more
	NoticeQuotation     NoticeCode = "quotation"  // evidence that is not in the answer was left out
	NoticeInstructions  NoticeCode = "instructions"
	NoticeCut           NoticeCode = "cut" // a text of the profile was too long
)

// Event is a step of an interview under way, for those who watch: one of Question, Score and Notice. A later score of the same
// question takes the place of the one before: another judge judges all answers anew. Nothing of it lasts before Conduct has returned.
type Event struct {
	SessionID string
	Question  *Question
	Score     *Score
	Notice    *Notice
}
