package bank

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"iter"
	"slices"
	"strconv"

	"github.com/freelancer-matching/service/interview"
)

// ErrNoQuestion is the error of Bank.Ask after all suitable questions have been asked.
var ErrNoQuestion = errors.New("the question bank has no more questions")

// The costs of a question. Ask chooses the question with the lowest total. If the aim has a difficulty, a wrong one
// costs more than anything but repeated topics. Otherwise, a topic of the skill with a difficulty one step off is
// better than a topic for any skill with the planned difficulty.
const (
	costDifficulty = 100 // per step from the difficulty of the aim
	costPlanned    = 30  // per step from the planned difficulty, if the aim has none
	costTopic      = 60  // per earlier question with the same topic
	costStep       = 4   // per step in the taxonomy from the skill to that of the topic; at most maxSteps of them
	costCategory   = 22  // the topic is about the skill's category
	costAny        = 48  // the topic is about any skill
	costLaterGap   = 60  // the topic is about a gap, and so was an earlier one
	costKind       = 9   // per earlier question of this kind, beyond the number of the rarest kind
	costAgain      = 6   // the previous question is of the same kind
	maxLuck        = 5   // the session's seed adds less than this

	maxSteps = 2
)

// Ask implements interview.Asker. There is one question about each skill of aim, and further questions are about the
// project. They are sorted by difficulty. A topic has at most one question of each kind about a skill. Topics are
// repeated only when no others are left.
func (b *Bank) Ask(
	ctx context.Context, _ string, s *interview.Subject, asked []interview.Question, n int, aim interview.Aim,
) iter.Seq2[interview.Question, error] {
	return func(yield func(interview.Question, error) bool) {
		all, err := b.newRound(s, asked).choose(ctx, n, aim)
		slices.SortStableFunc(all, func(p, q interview.Question) int {
			return difficultyIndex(p.Difficulty) - difficultyIndex(q.Difficulty)
		})
		for _, q := range all {
			if !yield(q, nil) {
				return
			}
		}
		if err != nil {
			yield(interview.Question{}, err)
		}
	}
}

// choose returns n questions, or fewer and an error.
func (r *round) choose(ctx context.Context, n int, aim interview.Aim) ([]interview.Question, error) {
	var all []interview.Question
	want := difficultyIndex(aim.Difficulty)
	cost := costDifficulty

	// Without a difficulty in the aim, the questions get harder one by one. A step off this plan costs less.
	planned := want < 0
	if planned {
		cost = costPlanned
	}

	for i := range n {
		if err := ctx.Err(); err != nil {
			return all, err
		}

		var skill *interview.Skill
		if i < len(aim.Skills) {
			skill = &aim.Skills[i]
		}

		if planned {
			want = rising(i, n)
		}

		best, ok := r.best(skill, want, cost)
		if !ok {
			return all, fmt.Errorf("%d of %d questions found: %w", i, n, ErrNoQuestion)
		}

		all = append(all, r.take(best, skill))
	}

	return all, nil
}

// rising returns the index of the difficulty for the i-th of n questions: a third of them has each difficulty. A single
// question is of medium difficulty.
func rising(i, n int) int {
	if n == 1 {
		return difficultyIndex(interview.Medium)
	}
	return i * 3 / n
}

// A round chooses the questions for one call of Ask.
type round struct {
	bank     *Bank
	edition  *edition
	subject  *interview.Subject
	filler   filler
	texts    map[string]bool        // of earlier questions
	topics   map[string]int         // number of earlier questions by topic
	kinds    map[interview.Kind]int // number of earlier questions by kind
	last     interview.Kind
	gaps     int // number of earlier questions with topics about gaps
	position int // number of earlier questions
}

func (b *Bank) newRound(s *interview.Subject, asked []interview.Question) *round {
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

// note records a question as asked.
func (r *round) note(text string, kind interview.Kind) {
	r.texts[text] = true
	r.kinds[kind]++
	r.last = kind
}

// A choice is a question that Ask can choose.
type choice struct {
	topic      *topic
	question   *question // in the language of the interview
	difficulty interview.Difficulty
	text       string // of the question, without placeholders
}

// best returns the question with the lowest cost about a skill, or about the project if skill is nil. Each step from
// the wanted difficulty costs step. ok is false if there is none.
func (r *round) best(skill *interview.Skill, want, step int) (best choice, ok bool) {
	lowest := -1
	isGap := skill != nil && skill.Gap
	for _, c := range r.bank.about(skill) {
		t, ok := r.edition.texts[c.id]
		if !ok {
			continue // not translated
		}

		for _, q := range c.questions {
			if isGap && q.kind == interview.Behavioral {
				continue // the profile shows no work with the skill
			}

			// The cost is cheap to compute, so it decides first whether texts need to be filled in.
			cost := r.cost(c, q) + step*distance(q.difficulty, want)
			if lowest >= 0 && cost >= lowest {
				continue
			}

			translated := t.question(q.kind)
			plain, ok := r.filler.fill(translated.text, skill)
			if !ok {
				continue
			}

			text := plain
			if isGap && c.reach != ofGap {
				text = r.filler.gap(plain, skill)
			}

			// The question may have been asked with or without the remark about the gap.
			if r.texts[plain] || r.texts[text] {
				continue
			}
			best = choice{c.topic, translated, q.difficulty, text}
			lowest = cost
		}
	}

	return best, lowest >= 0
}

// distance returns the number of steps between a difficulty and the index of another.
func distance(d interview.Difficulty, index int) int {
	steps := difficultyIndex(d) - index
	return max(steps, -steps)
}

// cost returns the cost of a question apart from its difficulty.
func (r *round) cost(c suited, q question) int {
	cost := costTopic * r.topics[c.id]
	switch c.reach {
	case ofSkill:
		cost += costStep * min(c.steps, maxSteps)
	case ofCategory:
		cost += costCategory
	case ofAny:
		cost += costAny
	case ofGap:
		if r.gaps > 0 {
			cost += costLaterGap
		}

	case ofProject:
	}

	// Each question more than the rarest kind has makes another one of this kind less likely.
	rarest := min(r.kinds[interview.KnowHow], r.kinds[interview.Situational], r.kinds[interview.Behavioral])
	cost += costKind * (r.kinds[q.kind] - rarest)

	if q.kind == r.last {
		cost += costAgain
	}

	return cost + r.luck(c.id, q.kind)
}

// luck returns a pseudorandom cost below maxLuck that depends on the session's seed, the position and the question.
func (r *round) luck(id string, kind interview.Kind) int {
	h := fnv.New64a()
	var key [64]byte
	k := strconv.AppendUint(key[:0], r.subject.Seed, 36)
	k = append(k, ' ')
	k = strconv.AppendInt(k, int64(r.position), 10)
	_, _ = h.Write(k) // never fails
	_, _ = h.Write([]byte(id))
	_, _ = h.Write([]byte(kind))
	return int(h.Sum64() >> 32 % maxLuck)
}

// take records a choice as asked and returns its question.
func (r *round) take(c choice, skill *interview.Skill) interview.Question {
	r.note(c.text, c.question.kind)
	r.topics[c.topic.id]++
	r.position++

	if c.topic.reach == ofGap {
		r.gaps++
	}

	q := interview.Question{
		Text:       c.text,
		Kind:       c.question.kind,
		Difficulty: c.difficulty,
		Expected:   c.question.expected,
		Points:     c.question.pointTexts(),
		Anchors:    slices.Clone(c.question.anchors),
		By:         Method,
	}

	if skill != nil {
		q.Skill = skill.Name
	}

	// A follow-up question that needs a missing name is left out.
	for _, f := range c.question.followUps {
		if text, ok := r.filler.fill(f, skill); ok {
			q.FollowUps = append(q.FollowUps, text)
		}
	}

	return q
}
