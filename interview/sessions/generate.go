package sessions

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/interview/faults"
	"github.com/freelancer-matching/service/interview/messages"
	"github.com/freelancer-matching/service/taxonomy"
)

// maxGenerated is the maximum number of characters in each text from an Asker.
const maxGenerated = 4_000

// errEnded reports that an Asker ended without an error before it had yielded all questions.
var errEnded = errors.New("ended early")

// A limitedAsker is an Asker that doesn't support every language.
type limitedAsker interface {
	// Language returns the language of the asker's questions if the given one is requested.
	Language(requested string) string
}

// generate adds n questions. If an asker fails, the next one generates the remaining questions. If the last one fails,
// too, the session continues with fewer questions and a notice; generate returns an error only if it could add none.
func (t *task) generate(ctx context.Context, n int, aim interview.Aim) error {
	before := len(t.session.Questions)
	wanted := before + n
	var err error
	for i, asker := range t.config.Askers {
		// The questions of a failed asker stay, and the next one continues after them.
		made := len(t.session.Questions) - before
		limited, cancel := t.limit(ctx, i, len(t.config.Askers))
		arrived := func() {}
		if i < len(t.config.Askers)-1 {
			limited, arrived = limitWait(limited, t.config.QuestionTimeout, t.watcher != nil)
		}
		err = t.ask(limited, asker, wanted, skipSkills(aim, made), arrived)
		if err != nil && errors.Is(context.Cause(limited), errSlow) {
			err = interview.WithReason(err, interview.ReasonSlow)
		}
		cancel()

		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("generate questions: %w", context.Cause(ctx))
		}

		if i < len(t.config.Askers)-1 {
			name := asker.Name()
			next := t.config.Askers[i+1].Name()
			t.config.Log.WarnContext(ctx, "asker failed, using the next one", "session", t.id(), "asker", name, "error", err)
			t.addNotice(interview.NoticeAskerFailed, name, messages.Reason(err, t.session.Subject.Language), next)
		}
	}

	made := len(t.session.Questions) - before
	if made == 0 {
		return fmt.Errorf("generate questions: %w", err)
	}

	// Fewer questions than planned are better than a failed request.
	t.config.Log.WarnContext(ctx, "too few questions generated",
		"session", t.id(), "made", made, "wanted", n, "error", err)
	t.truncatePlan()

	return nil
}

// errSlow ends the work of an asker that lets a person wait.
var errSlow = errors.New("no question in the time that a person waits")

// limitWait returns a context that ends with the cause errSlow after the wait. If the questions are streamed, a call of
// arrived lifts that limit: the person has something to read.
func limitWait(ctx context.Context, wait time.Duration, streamed bool) (_ context.Context, arrived func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(wait, func() { cancel(errSlow) })
	context.AfterFunc(ctx, func() { timer.Stop() })
	return ctx, func() {
		if streamed {
			timer.Stop()
		}
	}
}

// truncatePlan reduces the number of planned questions to those that exist.
func (t *task) truncatePlan() {
	t.session.Planned = len(t.session.Questions)
	t.addNotice(interview.NoticeFewer, t.session.Planned)
}

// skipSkills returns the aim without its first n skills.
func skipSkills(a interview.Aim, n int) interview.Aim {
	a.Skills = a.Skills[min(n, len(a.Skills)):]
	return a
}

// ask adds questions from one asker until the session has the wanted number. It calls arrived after each.
func (t *task) ask(
	ctx context.Context, asker interview.Asker, wanted int, aim interview.Aim, arrived func(),
) error {
	se := t.session
	asked := slices.Clone(se.Questions)
	missing := wanted - len(se.Questions)
	for q, err := range asker.Ask(ctx, t.request.Account, &se.Subject, asked, missing, aim) {
		if err != nil {
			return err
		}
		if err := se.checkGenerated(&q, aim); err != nil {
			return err
		}

		q.By, q.Weights = asker.Name(), se.Subject.Weights.ForKind(q.Kind)

		// The notice precedes the first question in the other language.
		if !slices.ContainsFunc(se.Questions, func(o interview.Question) bool { return o.By == q.By }) {
			t.noticeLanguage(asker)
		}
		q = se.add(q)
		t.emit(interview.Event{Question: &q})
		arrived()

		if len(se.Questions) == wanted {
			return nil
		}
	}

	return errEnded
}

// noticeLanguage adds a notice if the asker's questions are not in the requested language.
func (t *task) noticeLanguage(asker interview.Asker) {
	requested := t.session.Subject.Language
	if a, ok := asker.(limitedAsker); ok && a.Language(requested) != requested {
		t.addNotice(interview.NoticeLanguage, asker.Name(), requested, a.Language(requested))
	}
}

// checkGenerated returns an error if a generated question breaks the contract of Asker.
func (se *session) checkGenerated(q *interview.Question, aim interview.Aim) error {
	texts := slices.Concat([]string{q.Text, q.Expected}, q.Points, q.FollowUps)
	for _, a := range q.Anchors {
		if a.Level < 1 || a.Level > interview.BestLevel {
			return fmt.Errorf("question has an anchor for level %d", a.Level)
		}
		texts = append(texts, a.Text)
	}

	for _, text := range texts {
		if faults.InvalidText(text) || utf8.RuneCountInString(text) > maxGenerated {
			return fmt.Errorf("question has a text that is not UTF-8 or exceeds %d characters", maxGenerated)
		}
	}

	// A question that differs only in case and spacing is the same question.
	key := func(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }
	isAbout := func(s interview.Skill) bool { return s.Name == q.Skill }
	switch {
	case strings.TrimSpace(q.Text) == "":
		return errors.New("question has no text")
	case slices.ContainsFunc(se.Questions, func(o interview.Question) bool { return key(o.Text) == key(q.Text) }):
		return errors.New("question repeats an earlier one")
	case q.Skill != "" && !slices.ContainsFunc(se.Subject.Skills, isAbout):
		return errors.New("question is about a skill that is not required")
	case se.Kind == interview.Adaptive && len(aim.Skills) > 0 && q.Skill != aim.Skills[0].Name:
		return errors.New("question is about another skill than requested")
	case !slices.Contains(interview.Difficulties(), q.Difficulty):
		return errors.New("question has an unknown difficulty")
	}

	return nil
}

// addClientQuestions adds the client's own questions. The weights of such a question are its own, or else those of the
// request for its kind. If the client states no kind either, Experience counts only if the text asks for own work, so
// that no answer loses points for lacking an anecdote that nobody asked for.
func (t *task) addClientQuestions() {
	se := t.session
	openers := ownWorkPhrases()
	for _, own := range clientQuestions(t.request) {
		kind := own.Kind
		if kind == "" && openers.in(own.Text) {
			kind = interview.Behavioral
		}
		q := se.add(interview.Question{
			Text:      own.Text,
			Skill:     t.skillIn(own.Text),
			Kind:      own.Kind,
			Expected:  own.ExpectedAnswer,
			FollowUps: own.FollowUp,
			Weights:   interview.ScaleWeights(own.ScoringCriteria, se.Subject.Weights.ForKind(kind)),
			By:        byClient,
		})
		t.emit(interview.Event{Question: &q})
	}
}

// clientQuestions returns all of the client's questions in order.
func clientQuestions(r *interview.Request) []interview.CustomQuestion {
	own := slices.Clone(r.CustomQuestions)
	for _, text := range r.AdditionalQuestions {
		own = append(own, interview.CustomQuestion{Text: text})
	}
	return own
}

// skillIn returns the name of the required skill that a text mentions, or "" if it mentions none or several.
func (t *task) skillIn(text string) string {
	var found []string
	mentions := t.config.Skills.Extract(text)
	words := " " + taxonomy.Normalize(text) + " "
	for _, skill := range t.session.Subject.Skills {
		isMentioned := slices.ContainsFunc(mentions, func(m taxonomy.Mention) bool { return m.ID == skill.ID })
		if skill.ID == "" { // unknown to the taxonomy
			isMentioned = strings.Contains(words, " "+taxonomy.Normalize(skill.Name)+" ")
		}
		if isMentioned {
			found = append(found, skill.Name)
		}
	}
	if len(found) != 1 {
		return ""
	}
	return found[0]
}

//go:embed ownwork.txt
var ownWork string

// ownWorkPhrases returns the phrases that ask for the reader's own work, in several languages.
func ownWorkPhrases() phraseList {
	var all phraseList
	for line := range strings.Lines(ownWork) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			all = append(all, " "+taxonomy.Normalize(line)+" ")
		}
	}
	return all
}

// A phraseList holds normalized phrases between spaces.
type phraseList []string

// in reports whether a text contains one of the phrases, regardless of case and punctuation.
func (l phraseList) in(text string) bool {
	text = " " + taxonomy.Normalize(text) + " "
	return slices.ContainsFunc(l, func(phrase string) bool { return strings.Contains(text, phrase) })
}
