package interview

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxGenerated bounds the characters of each text that an Asker makes.
const maxGenerated = 4_000

// errEnded is the failure of an Asker that ends early and says nothing.
var errEnded = errors.New("ended early")

// speaker is an Asker that does not know every language.
type speaker interface {
	// Language is what its questions are in where a language is asked for.
	Language(asked string) string
}

// generate adds n questions: of the first asker what he can make, and the rest of the next ones. Where even the last cannot make
// all of them there are fewer, and the session says so; it fails where there is none at all.
func (t *task) generate(ctx context.Context, n int, aim Aim) error {
	before := len(t.session.Questions)
	wanted := before + n
	var err error
	for i, asker := range t.config.Askers {
		made := len(t.session.Questions) - before
		if err = t.ask(t.within(ctx, i, len(t.config.Askers)), asker, wanted, aim.from(made)); err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("make questions: %w", context.Cause(ctx))
		}
		if i < len(t.config.Askers)-1 {
			next := t.config.Askers[i+1].Name()
			t.config.Log.WarnContext(ctx, "an asker failed, the next one is asked", "session", t.id(), "asker", asker.Name(), "error", err)
			t.tell(Notice{NoticeAskerFailed, fmt.Sprintf("%s failed to make all questions; the others are by %s", asker.Name(), next)})
		}
	}
	made := len(t.session.Questions) - before
	if made == 0 {
		return fmt.Errorf("make questions: %w", err)
	}
	t.config.Log.WarnContext(ctx, "fewer questions than wanted", "session", t.id(), "made", made, "wanted", n, "error", err)
	t.fewer()
	return nil
}

// fewer ends the questions with those that there are.
func (t *task) fewer() {
	t.session.Planned = len(t.session.Questions)
	t.tell(Notice{NoticeFewer, fmt.Sprintf("there are no more than %d questions to ask", t.session.Planned)})
}

// from is an aim without its first n skills.
func (a Aim) from(n int) Aim {
	a.Skills = a.Skills[min(n, len(a.Skills)):]
	return a
}

// ask adds questions of one asker until there are wanted ones.
func (t *task) ask(ctx context.Context, asker Asker, wanted int, aim Aim) error {
	se := t.session
	for q, err := range asker.Ask(ctx, t.request.Account, &se.Subject, slices.Clone(se.Questions), wanted-len(se.Questions), aim) {
		if err != nil {
			return err
		}
		if err := se.suits(&q, aim); err != nil {
			return err
		}
		q.By, q.Weights = asker.Name(), se.Subject.Weights
		if !slices.ContainsFunc(se.Questions, func(o Question) bool { return o.By == q.By }) {
			t.speaks(asker)
		}
		q = se.add(q)
		t.watch(Event{Question: &q})
		if len(se.Questions) == wanted {
			return nil
		}
	}
	return errEnded
}

// speaks tells where an asker's questions are in another language.
func (t *task) speaks(asker Asker) {
	s, ok := asker.(speaker)
	if asked := t.session.Subject.Language; ok && s.Language(asked) != asked {
		t.tell(Notice{NoticeLanguage, fmt.Sprintf("questions by %s are in %s, not in %s", asker.Name(), s.Language(asked), asked)})
	}
}

// suits holds a generated question to what was asked for.
func (se *session) suits(q *Question, aim Aim) error {
	texts := slices.Concat([]string{q.Text, q.Expected}, q.Points, q.FollowUps)
	for _, a := range q.Anchors {
		if a.Level < 1 || a.Level > BestLevel {
			return fmt.Errorf("a question has an anchor for level %d", a.Level)
		}
		texts = append(texts, a.Text)
	}
	for _, text := range texts {
		if invalidText(text) || utf8.RuneCountInString(text) > maxGenerated {
			return fmt.Errorf("a question has a text that is not UTF-8, or longer than %d characters", maxGenerated)
		}
	}
	key := func(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }
	switch {
	case strings.TrimSpace(q.Text) == "":
		return errors.New("a question has no text")
	case slices.ContainsFunc(se.Questions, func(o Question) bool { return key(o.Text) == key(q.Text) }):
		return errors.New("a question was asked before")
	case q.Skill != "" && !slices.ContainsFunc(se.Subject.Skills, func(s Skill) bool { return s.Name == q.Skill }):
		return errors.New("a question is about a skill that is not required")
	case se.Kind == Adaptive && len(aim.Skills) > 0 && q.Skill != aim.Skills[0].Name:
		return errors.New("a question is about another skill than its turn is")
	case !slices.Contains(rungs(), q.Difficulty):
		return errors.New("a question has a difficulty that there is not")
	}
	return nil
}

// addOwn adds the client's own questions.
func (t *task) addOwn() {
	se := t.session
	for _, own := range t.request.ownQuestions() {
		q := se.add(Question{
			Text: own.Text, Expected: own.ExpectedAnswer, FollowUps: own.FollowUp,
			Weights: shares(own.ScoringCriteria, se.Subject.Weights), By: byClient,
		})
		t.watch(Event{Question: &q})
	}
}
