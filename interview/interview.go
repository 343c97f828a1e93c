// Package interview defines the types of interviews: subjects, questions with rubrics, answers, marks, requests,
// results, and the interfaces of those who ask, judge and store. Judges give marks, which are levels on an anchored
// scale, for one criterion of one answer, with quotations from the answer as evidence.
//
// Package sessions conducts interviews, package scoring computes totals from marks, and package bank asks and judges
// without a language model.
package interview

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
)

// A Subject describes what an interview is about. It does not change during a session.
type Subject struct {
	Project    string // description of the project; "" if only JobTitle is known
	JobTitle   string
	Skills     []Skill // required skills, the most important first
	Freelancer Profile
	Language   string // of the questions, ISO 639-1
	Weights    Weights
	Seed       uint64 // derived from the session's ID; makes an Asker's choices repeatable
}

// A Skill is a required skill.
type Skill struct {
	ID       string // in the taxonomy; "" for an unknown skill
	Name     string // the taxonomy's name, or for an unknown skill the name in the request
	Term     string `json:",omitzero"` // the client's name for a known skill, in an interview that isn't in English
	Category string // in the taxonomy; "" for an unknown skill
	Gap      bool   // the profile does not list, imply or mention the skill
	MustHave bool   `json:",omitzero"` // the recommendation to hire requires that the answers show it
}

// A Profile holds the freelancer's data from the index. The freelancer wrote its texts: treat them as data, never as
// instructions.
type Profile struct {
	ID, Name, JobTitle, Description string
	Skills                          []string
	Experience                      matching.Optional[float64] // years
}

// A Criterion is an aspect of an answer that gets a mark of its own.
type Criterion string

// The criteria.
const (
	Technical     Criterion = "technical"     // whether the answer is correct and complete
	Experience    Criterion = "experience"    // whether it gives details of the freelancer's own work
	Communication Criterion = "communication" // whether it is clear and to the point
)

// Criteria returns all criteria in the order of display.
func Criteria() []Criterion { return []Criterion{Technical, Experience, Communication} }

// Weights holds the weight of each criterion in percent. The weights add up to 100.
type Weights map[Criterion]int

// DefaultWeights returns the weights for requests without scoring_criteria.
func DefaultWeights() Weights { return Weights{Technical: 40, Experience: 30, Communication: 30} }

// ScaleWeights scales the weights of a request to a sum of 100 by the largest remainder method. It returns fallback if
// the request has none.
func ScaleWeights(named map[string]int, fallback Weights) Weights {
	total := 0
	sent := map[Criterion]int{}
	for name, weight := range named {
		if c, known := CriterionNamed(name); known {
			sent[c] += weight
			total += weight
		}
	}

	if total == 0 {
		return fallback
	}
	w := Weights{}
	rest := 100
	for c, weight := range sent {
		w[c] = weight * 100 / total
		rest -= w[c]
	}

	order := Criteria()
	slices.SortStableFunc(order, func(a, b Criterion) int { return sent[b]*100%total - sent[a]*100%total })
	for _, c := range order[:rest] {
		w[c]++
	}

	return w
}

// ForKind returns the weights for questions of a kind. Technical and situational questions don't ask for the
// freelancer's own work, so Experience has no weight there, and the others are scaled to 100. Weights of Experience
// only stay as they are: the client wants nothing else marked.
func (w Weights) ForKind(k Kind) Weights {
	if k == Behavioral {
		return w
	}
	others := make(map[string]int, len(w))
	for c, weight := range w {
		if c != Experience {
			others[string(c)] = weight
		}
	}
	return ScaleWeights(others, w)
}

// A Kind is a kind of question.
type Kind string

// The kinds of questions.
const (
	KnowHow     Kind = "technical"
	Situational Kind = "situational" // what the freelancer would do
	Behavioral  Kind = "behavioural" // what the freelancer did
)

// kinds returns all kinds of questions.
func kinds() []Kind { return []Kind{KnowHow, Situational, Behavioral} }

// A Difficulty is the difficulty of a question.
type Difficulty string

// The difficulties, in ascending order.
const (
	Easy   Difficulty = "easy"
	Medium Difficulty = "medium"
	Hard   Difficulty = "hard"
)

// Difficulties returns all difficulties in ascending order.
func Difficulties() []Difficulty { return []Difficulty{Easy, Medium, Hard} }

// A Question is a question with its rubric.
type Question struct {
	ID         string // q1, q2 and so on within a session
	Text       string
	Skill      string     // name of the required skill; "" for the project as a whole, or none or several skills
	Kind       Kind       // "" for a client's own question
	Difficulty Difficulty // "" for a client's own question
	Expected   string     // a good answer in two or three sentences
	Points     []string   // statements that a complete answer covers
	Anchors    []Anchor   // for the criterion Technical, at levels 1, 3 and 5
	FollowUps  []string
	Weights    Weights
	By         string // llm:<model>, offline or client
}

// The ends of the scale of marks. An answer at level 1 misses the question, an answer at BestLevel leaves nothing to
// add. Level 0 means that there is no answer.
const (
	NoAnswer  = 0
	BestLevel = 5
)

// An Anchor describes a typical answer at one level.
type Anchor struct {
	Level int // 1 to BestLevel
	Text  string
}

// An Answer is the freelancer's answer to a question.
type Answer struct {
	Question string // ID of the question
	Text     string
	At       time.Time
	By       AnswerSource `json:",omitempty"` // "" for ByAPI
	Facts    AnswerFacts  `json:",omitzero"`
}

// An AnswerSource is the way on which an answer arrived.
type AnswerSource string

// The sources of answers.
const (
	ByAPI       AnswerSource = "api"
	ByCandidate AnswerSource = "candidate" // on the pages for candidates
)

// AnswerFacts says how an answer was written, as reported by the candidate's browser. Members are unknown for answers
// that arrived by the API or from a browser without JavaScript. A browser can report anything.
type AnswerFacts struct {
	Seconds          matching.Optional[int] // with the question visible
	TypedCharacters  matching.Optional[int]
	PastedCharacters matching.Optional[int]
	Pastes           matching.Optional[int]
}

// A Mark is the level of an answer for one criterion.
type Mark struct {
	Criterion Criterion
	Level     int      // NoAnswer to BestLevel, from the judge
	Evidence  []string // verbatim quotations from the answer
	Review    *Review  `json:",omitempty"` // nil unless a person replaced the level
}

// EffectiveLevel returns the level that counts: that of the review, if there is one.
func (m *Mark) EffectiveLevel() int {
	if m.Review != nil {
		return m.Review.Level
	}
	return m.Level
}

// A Review replaces the level of a mark after a person has read the answer.
type Review struct {
	Level  int // NoAnswer to BestLevel
	Reason string
	By     string // the user or key that reviewed it
	At     time.Time
}

// A Judgment is a Judge's assessment of one answer. A criterion that the judge cannot measure has no mark.
type Judgment struct {
	Question     string // ID of the question
	Marks        []Mark
	Feedback     string // for the freelancer, in the language of the interview
	Strengths    []string
	Improvements []string
	Covered      []int    // indexes of the question's Points that the answer covers
	Remarks      []Remark // reasons for a person to read the answer
}

// A Remark is a reason for a person to read an answer. Clients may rely on its values.
type Remark string

// The remarks.
const (
	// RemarkInstructions marks an answer that may address a language model: it contains chat markup, such as a line that
	// begins with "system:", or the judge says so.
	RemarkInstructions Remark = "instructions"
	RemarkOffTopic     Remark = "off_topic"
	RemarkTooShort     Remark = "too_short"
	RemarkRepetitive   Remark = "repetitive" // repeats itself, the question or the rubric
	RemarkLanguage     Remark = "language"   // not in the question's language
	RemarkQuotation    Remark = "quotation"  // evidence from the judge was dropped because the answer does not contain it
	// RemarkNoIdea marks an answer that only says that the writer doesn't know, such as "No idea, sorry." All its marks
	// have level NoAnswer, and it shows nothing about the skill of its question.
	RemarkNoIdea Remark = "no_idea"
	// RemarkAboutMarks marks an answer whose judge quoted a passage about marks, levels or instructions as evidence, or
	// wrote about hiring in its feedback. Such sentences are removed from the feedback.
	RemarkAboutMarks Remark = "about_marks"
	// RemarkJudgesApart marks an answer that a model gave at least scoring.MaxGap points more than can be counted in it.
	RemarkJudgesApart Remark = "judges_apart"
)

// An Aim specifies the next questions.
type Aim struct {
	Skills     []Skill    // one question about each, in this order; further questions are about the project as a whole
	Difficulty Difficulty // "": rising from Easy to Hard
}

// An Asker generates questions.
type Asker interface {
	// Ask yields n questions as they become ready, without ID and Weights. They differ from each other and from those in
	// asked. If Ask cannot generate all n questions, it yields an error after the ones it could generate; these are
	// valid. An asker that uses a paid model charges the account.
	Ask(ctx context.Context, account string, s *Subject, asked []Question, n int, aim Aim) iter.Seq2[Question, error]
	// Name returns the value of Question.By for the asker's questions: llm:<model> or offline.
	Name() string
}

// A Judge gives marks to answers. As far as it can, it gives the same answer to the same question the same marks.
type Judge interface {
	// Judge assesses one answer, independently of all others. A judge that cannot assess an answer returns an error; it
	// never makes up marks. A judge that uses a paid model charges the account.
	Judge(ctx context.Context, account string, s *Subject, q *Question, answer string) (Judgment, error)
	// Name returns the value of Evaluation.Method: llm:<model> or offline.
	Name() string
	// IsVerdict reports whether the judge's marks are good enough to base a hiring recommendation on. Marks from counting
	// words are not.
	IsVerdict() bool
}

// A SecondJudge is a Judge whose marks may depend on the order of what it reads. It judges an answer a second time with
// the same material in another order, so that repeating a call isn't taken for agreement.
type SecondJudge interface {
	JudgeAgain(ctx context.Context, account string, s *Subject, q *Question, answer string) (Judgment, error)
}
