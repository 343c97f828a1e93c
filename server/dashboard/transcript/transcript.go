package transcript

import (
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

// Functions returns the functions that templates call on parts of an interview.
func Functions() template.FuncMap {
	return template.FuncMap{"criterion": viewOf, "level": levelOf}
}

// Adaptive reports whether questions come one at a time.
func (s *Interview) Adaptive() bool { return s.Mode == interview.Adaptive }

// Answerable reports whether the interview awaits answers on this page. A report is read-only.
func (s *Interview) Answerable() bool { return s.Evaluation == nil && s.Mode != interview.Report }

// Last reports whether the newest question of an adaptive interview is its last.
func (s *Interview) Last() bool {
	return s.Planned > 0 && len(s.InterviewData.Questions) >= s.Planned
}

// Progress returns how many questions were asked and answered, in words.
func (s *Interview) Progress() string {
	asked := len(s.InterviewData.Questions)
	switch {
	case !s.Answerable():
		answered := 0
		for _, text := range s.InterviewData.Answers {
			if strings.TrimSpace(text) != "" {
				answered++
			}
		}
		return page.Plural(asked, "question", "questions") + ", " + page.Plural(answered, "answer", "answers")
	case s.Adaptive() && s.Planned > 0:
		return fmt.Sprintf("Question %d of %d", asked, max(asked, s.Planned))
	case s.Adaptive():
		return fmt.Sprintf("Question %d", asked)
	default:
		return page.Plural(asked, "question", "questions")
	}
}

// LanguageName returns the name of the questions' language, or "" if it is unknown.
func (s *Interview) LanguageName() string { return page.LanguageName(s.Language) }

// AskedBy returns where the questions come from.
func (s *Interview) AskedBy() string { return methodLabel(s.GeneratedBy, "Question bank") }

// methodLabel returns what asked or evaluated; offline is the label of what works without a language model.
func methodLabel(method, offline string) string {
	model, isModel := strings.CutPrefix(method, "llm:")
	switch {
	case isModel:
		return "Language model " + model
	case method == "offline":
		return offline + " (no language model)"
	case method == "client":
		return "Client"
	default:
		return method
	}
}

// Warnings returns a sentence for each remark that a reader should know before relying on the evaluation.
func (s *Interview) Warnings() []string {
	notes := s.noteTexts()
	known := map[interview.NoticeCode]string{
		interview.NoticeAskerFailed:  "The language model returned no usable questions. The question bank was used instead.",
		interview.NoticeJudgeFailed:  "The language model returned no usable evaluation. Rules were used instead.",
		interview.NoticeQuotation:    "Some of the evidence is not in the answers. It was left out.",
		interview.NoticeInstructions: "An answer may address a language model. Read it before you rely on its score.",
		interview.NoticeAboutMarks: "The model quotes or writes about marks, instructions or hiring. " +
			"Read the answer before you rely on its score.",
		interview.NoticeJudgesApart: "The model's marks are far above what can be counted in an answer. " +
			"Read it before you rely on its score.",
		interview.NoticeCut: "The profile is too long. Only its beginning was used.",
	}
	return s.remarkTexts(func(r wire.InterviewRemark) string {
		if _, isNote := notes[r.Code]; isNote {
			return ""
		}
		if text := known[r.Code]; text != "" {
			return text
		}
		return page.Sentence(r.Message)
	})
}

// Notes returns a sentence for each of the other remarks.
func (s *Interview) Notes() []string {
	notes := s.noteTexts()
	return s.remarkTexts(func(r wire.InterviewRemark) string { return notes[r.Code] })
}

func (s *Interview) noteTexts() map[interview.NoticeCode]string {
	return map[interview.NoticeCode]string{
		interview.NoticeFewer:         "Fewer distinct questions were available than requested.",
		interview.NoticeLanguage:      "No questions were available in the requested language.",
		interview.NoticeDerivedSkills: "Skills found in the description: " + strings.Join(s.DerivedSkills, ", ") + ".",
		interview.NoticeUnknownSkills: "Unknown skills, used as written: " + strings.Join(s.UnknownSkills, ", ") + ".",
		interview.NoticeUnmeasured:    "Some answers were not scored on every criterion. Their other criteria weigh more.",
	}
}

// remarkTexts returns the text of each remark once, and leaves out empty ones.
func (s *Interview) remarkTexts(text func(wire.InterviewRemark) string) []string {
	var all []string
	for _, r := range s.Remarks {
		if t := text(r); t != "" && !slices.Contains(all, t) {
			all = append(all, t)
		}
	}
	return all
}

// Turn is a question with its answer and the answer's evaluation.
type Turn struct {
	wire.InterviewQuestion
	N        int // from 1
	Field    string
	Open     bool // the question awaits an answer
	Answer   string
	Judgment *wire.Judgment    // nil without one
	Facts    *wire.AnswerFacts // how the answer was given; nil if unknown
	verdict  bool              // whether the judge gives verdicts
	Review   string            // where a form for changing a mark leads; "" for none
}

// Turns returns the questions in the order in which they were asked.
func (s *Interview) Turns() []Turn {
	var turns []Turn

	// Answers and judgments have the order of the questions, and may be fewer.
	for i, q := range s.InterviewData.Questions {
		t := Turn{InterviewQuestion: q, N: i + 1, Field: page.AnswerField(i)}
		if i < len(s.InterviewData.Answers) {
			t.Answer = s.InterviewData.Answers[i]
		} else {
			t.Open = s.Answerable()
		}

		if s.Evaluation != nil && i < len(s.Evaluation.Details) {
			t.Judgment = &s.Evaluation.Details[i]
			t.verdict = s.Evaluation.Verdict
			t.Review = s.Review
		}

		if i < len(s.InterviewData.AnswerFacts) {
			t.Facts = &s.InterviewData.AnswerFacts[i]
		}
		turns = append(turns, t)
	}

	return turns
}

// Labels returns labels for the kind of the question.
func (t *Turn) Labels() []string {
	kind := t.Kind
	if interview.Kind(kind) == interview.Behavioral {
		kind = "behavioral" // the code on the wire is spelled the British way
	}
	var labels []string
	for _, label := range []wire.NullableString{kind, t.Difficulty} {
		if label != "" {
			labels = append(labels, page.Title(label))
		}
	}
	if t.GeneratedBy == "client" {
		labels = append(labels, "Client's question")
	}
	return labels
}

// HowGiven returns how the answer was given, or "" if that is unknown.
func (t *Turn) HowGiven() string {
	if t.Facts == nil {
		return ""
	}
	var parts []string
	if f := t.Facts.TypedCharacters; f.Known {
		parts = append(parts, "typed "+page.Plural(f.Value, "character", "characters"))
	}
	if f := t.Facts.PastedCharacters; f.Known {
		parts = append(parts, "pasted "+page.Plural(f.Value, "character", "characters"))
	}
	if f := t.Facts.Seconds; f.Known {
		parts = append(parts, (time.Duration(f.Value)*time.Second).String()+" on the question")
	}
	if len(parts) == 0 {
		return ""
	}
	return "As the browser reported: " + strings.Join(parts, ", ") + "."
}

// Levels returns the levels of a mark, to choose from.
func (t *Turn) Levels() []page.Option {
	var levels []page.Option
	for n := interview.NoAnswer; n <= interview.BestLevel; n++ {
		levels = append(levels, page.Option{Value: strconv.Itoa(n), Label: fmt.Sprintf("%d of %d", n, interview.BestLevel)})
	}
	return levels
}
