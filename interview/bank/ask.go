package bank

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"iter"
	"slices"
	"strconv"

	"freelancer-matching/interview"
)

// ErrNoQuestion is the failure of a bank that has no further question that was not asked yet.
var ErrNoQuestion = errors.New("the question bank has no further question")

// What speaks against a question, in points that add up; the one with the fewest is asked. A step on the ladder of difficulties weighs
// more than anything but asking the same again, so that difficulty rises as it should.
const (
	costDifficulty = 100 // each step from the wanted one
	costTopic      = 60  // its topic was asked for already, about another skill or by another kind of question
	costCategory   = 12  // it is about the category of the skill
	costAny        = 24  // it is about any skill
	costLaterGap   = 36  // it is about a gap, and one was asked for already
	costKind       = 9   // each earlier question of the same kind that is one more than those of the rarest kind
	costAgain      = 6   // it is of the kind of the question before
	luck           = 5   // below this: what the session's seed decides
)

// Ask implements interview.Asker. The i-th question is about the i-th skill of aim; those beyond are about the project. Of every topic there
// is at most one question of each kind about the same skill, and topics return only when there is no other left.
func (b *Bank) Ask(
	ctx context.Context, _ string, s *interview.Subject, asked []interview.Question, n int, aim interview.Aim,
) iter.Seq2[interview.Question, error] {
	return func(yield func(interview.Question, error) bool) {
		r := b.begin(s, asked)
		for i := range n {
			if err := ctx.Err(); err != nil {
				yield(interview.Question{}, err)
				return
			}
			var skill *interview.Skill
			if i < len(aim.Skills) {
				skill = &aim.Skills[i]
			}
			want := rung(aim.Difficulty)
			if want < 0 {
				want = rising(i, n)
			}
			best, ok := r.best(skill, want)
			if !ok {
				yield(interview.Question{}, fmt.Errorf("after %d of %d: %w", i, n, ErrNoQuestion))
				return
			}
			if !yield(r.take(best, skill), nil) {
				return
			}
		}
	}
}

// rising is the difficulty of the i-th of n questions: a third each; of one alone, the one in the middle.
func rising(i, n int) int {
	if n == 1 {
		return rung(interview.Medium)
	}
	return i * 3 / n
}

// round is the choice of the questions of one call.
type round struct {
	bank     *Bank
	edition  *edition
	subject  *interview.Subject
	filler   filler
	texts    map[string]bool // questions that were asked
	topics   map[string]int  // how often each was asked for
	kinds    map[interview.Kind]int
	last     interview.Kind
	gaps     int
	position int
}

func (b *Bank) begin(s *interview.Subject, asked []interview.Question) *round {
	e := b.editions[b.Language(s.Language)]
	r := &round{
		bank: b, edition: e, subject: s, filler: b.filler(s, e),
		texts: make(map[string]bool), topics: make(map[string]int), kinds: make(map[interview.Kind]int),
		position: len(asked),
	}
	for _, q := range asked {
		r.note(q.Text, q.Kind)
		for _, id := range b.rubrics[rubricKey(q.Points)] {
			r.topics[id]++
		}
	}
	return r
}

func (r *round) note(text string, kind interview.Kind) {
	r.texts[text] = true
	r.kinds[kind]++
	r.last = kind
}

// choice is a question that could be asked.
type choice struct {
	topic    *topic
	question question
	text     string
	gap      bool // it is said that the profile lacks the skill
}

// best is the question about a skill (nil: about the project) that the least speaks against.
func (r *round) best(skill *interview.Skill, want int) (choice, bool) {
	var best choice
	lowest := -1
	for _, tp := range r.bank.about(skill) {
		t, ok := r.edition.texts[tp.id]
		if !ok {
			continue // not translated
		}
		for _, q := range tp.questions {
			cost := r.cost(tp, q, want)
			if lowest >= 0 && cost >= lowest {
				continue
			}
			template, _ := t.question(q.kind)
			c := choice{topic: tp, question: q}
			if c.text, ok = r.filler.fill(template, skill); !ok {
				continue
			}
			plain := c.text
			if skill != nil && skill.Gap && tp.reach != ofGap {
				c.text, c.gap = r.filler.gap(c.text, skill), true
			}
			if r.texts[plain] || r.texts[c.text] {
				continue
			}
			best, lowest = c, cost
		}
	}
	return best, lowest >= 0
}

func (r *round) cost(tp *topic, q question, want int) int {
	cost := costTopic * r.topics[tp.id]
	step := rung(q.difficulty) - want
	cost += costDifficulty * max(step, -step)
	switch tp.reach {
	case ofCategory:
		cost += costCategory
	case ofAny:
		cost += costAny
	case ofGap:
		if r.gaps > 0 {
			cost += costLaterGap
		}
	case ofSkill, ofProject:
	}
	rarest := min(r.kinds[interview.KnowHow], r.kinds[interview.Situational], r.kinds[interview.Behavioral])
	cost += costKind * (r.kinds[q.kind] - rarest)
	if q.kind == r.last {
		cost += costAgain
	}
	return cost + r.luck(tp.id, q.kind)
}

// luck is what the seed of the session says about a question at this place of the interview.
func (r *round) luck(id string, kind interview.Kind) int {
	h := fnv.New64a()
	var key [64]byte
	k := strconv.AppendUint(key[:0], r.subject.Seed, 36)
	k = append(k, ' ')
	k = strconv.AppendInt(k, int64(r.position), 10)
	_, _ = h.Write(k) // a hash never fails
	_, _ = h.Write([]byte(id))
	_, _ = h.Write([]byte(kind))
	return int(h.Sum64() >> 32 % luck)
}

func (r *round) take(c choice, skill *interview.Skill) interview.Question {
	t := r.edition.texts[c.topic.id]
	r.note(c.text, c.question.kind)
	r.topics[c.topic.id]++
	r.position++
	if c.topic.reach == ofGap {
		r.gaps++
	}
	q := interview.Question{
		Text: c.text, Kind: c.question.kind, Difficulty: c.question.difficulty,
		Expected: t.expected, Points: t.pointTexts(), Anchors: slices.Clone(t.anchors), By: method,
	}
	if skill != nil {
		q.Skill = skill.Name
	}
	for _, f := range t.followUps {
		if text, ok := r.filler.fill(f, skill); ok {
			q.FollowUps = append(q.FollowUps, text)
		}
	}
	return q
}
