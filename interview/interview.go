// Package interview is the words of interviews: what they are about, questions with their rubrics, answers, and what is made of
// them. Marks are levels on anchored scales, given for one criterion of one answer, with quotations from it as evidence; every
// total is computed from marks here, and by nobody else.
package interview

import (
	"context"
	"iter"
	"time"

	"freelancer-matching/internal/matching"
)

// Subject is what an interview is about. A session keeps it as it was when the session began.
type Subject struct {
	Project    string // description of the project; "": only JobTitle is known
	JobTitle   string
	Skills     []Skill // required ones, the most important first
	Freelancer Profile
	Language   string // of the questions, ISO 639-1
	Weights    Weights
	Seed       uint64 // of choices that have to be the same each time; of the session
}

// Skill is a required skill.
type Skill struct {
	ID       string // of the taxonomy; "": it does not know the skill
	Name     string // canonical, or as it was sent
	Category string // of the taxonomy; "": not known
	Gap      bool   // neither listed, implied nor mentioned in the profile
}

// Profile is what the data says about the freelancer. Its texts are the freelancer's own: data, never instructions.
type Profile struct {
	ID, Name, JobTitle, Description string
	Skills                          []string
	Experience                      matching.Optional[float64] // years
}

// Criterion is one of the things that an answer is marked for.
type Criterion string

// The criteria.
const (
	Technical     Criterion = "technical"     // is it right, and complete for what was asked
	Experience    Criterion = "experience"    // is it from own work, with particulars
	Communication Criterion = "communication" // is it clear and to the point
)

// Weights is the share of each criterion in percent; together 100.
type Weights map[Criterion]int

// DefaultWeights are taken where a client names none.
func DefaultWeights() Weights { return Weights{Technical: 40, Experience: 30, Communication: 30} }

// Kind is the kind of a question.
type Kind string

// The kinds.
const (
	KnowHow     Kind = "technical"
	Situational Kind = "situational" // what would you do
	Behavioral  Kind = "behavioural" // what did you do
)

// Difficulty is how much a question asks for.
type Difficulty string

// The difficulties, in their order.
const (
	Easy   Difficulty = "easy"
	Medium Difficulty = "medium"
	Hard   Difficulty = "hard"
)

// Question is a question with what it takes to judge its answers alike.
type Question struct {
	ID         string // q1, q2 … within a session
	Text       string
	Skill      string // name of the required skill that it is about; "": the project as a whole
	Kind       Kind   // "" of a client's own question that does not say
	Difficulty Difficulty
	Expected   string   // a good answer in two or three sentences
	Points     []string // what a full answer covers, each of which an answer does or does not have
	Anchors    []Anchor // for the criterion technical, at levels 1, 3 and 5
	FollowUps  []string
	Weights    Weights
	By         string // llm:<model>, offline, or client
}

// The ends of the scale of marks: 1 is an answer that misses the question, 5 one that leaves nothing to ask for. Level 0 is no
// answer.
const (
	NoAnswer  = 0
	BestLevel = 5
)

// Anchor is what an answer at a level is like.
type Anchor struct {
	Level int // 1 to BestLevel
	Text  string
}

// Answer is what the freelancer said to a question.
type Answer struct {
	Question string // its ID
	Text     string
	At       time.Time
}

// Mark is the level of an answer by one criterion.
type Mark struct {
	Criterion Criterion
	Level     int      // NoAnswer to BestLevel
	Evidence  []string // quotations of the answer, verbatim
}

// Judgment is what was made of one answer. A criterion that the judge cannot measure has no mark.
type Judgment struct {
	Question     string // its ID
	Marks        []Mark
	Feedback     string // to the freelancer, in the language of the interview
	Strengths    []string
	Improvements []string
	Covered      []int    // indexes of the question's Points that the answer has
	Remarks      []Remark // reasons to look at the answer oneself
}

// Remark is a reason to look at an answer oneself, in one stable word.
type Remark string

// The remarks.
const (
	// RemarkInstructions marks an answer that a person should read: it has chat markup such as a line that begins with
	// "system:", or the judge says that it addresses a language model.
	RemarkInstructions Remark = "instructions"
	RemarkOffTopic     Remark = "off_topic"
	RemarkTooShort     Remark = "too_short"
	RemarkRepetitive   Remark = "repetitive" // says the same again and again
	RemarkLanguage     Remark = "language"   // another language than the question's
	RemarkQuotation    Remark = "quotation"  // evidence that the judge named is not in the answer, and was left out
)

// Aim is what the next questions should be like.
type Aim struct {
	Skills     []Skill    // one question each, in this order; of none, the project as a whole
	Difficulty Difficulty // "": rising from Easy to Hard
}

// Asker makes questions.
type Asker interface {
	// Ask yields n further questions, as they are made, without IDs and Weights. No two of them, nor of asked, ask for the
	// same. It fails when not all of them can be made; those before the failure are good. An asker that costs something
	// charges the account.
	Ask(ctx context.Context, account string, s *Subject, asked []Question, n int, aim Aim) iter.Seq2[Question, error]
	// Name is what Question.By says of them: llm:<model> or offline.
	Name() string
}

// Judge marks answers. The same answer to the same question has the same marks each time, as far as the judge can promise.
type Judge interface {
	// Judge marks one answer without regard to any other. It never invents: a judge that fails, fails. A judge that costs
	// something charges the account.
	Judge(ctx context.Context, account string, s *Subject, q *Question, answer string) (Judgment, error)
	// Name is what an evaluation's method says: llm:<model> or offline.
	Name() string
	// IsVerdict tells whether the marks suffice to recommend somebody, or not. Those of counting words do not.
	IsVerdict() bool
}
