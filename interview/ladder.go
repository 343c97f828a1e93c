package interview

import (
	"math"
	"slices"

	"freelancer-matching/internal/matching"
)

// The scores, of 100, that change the difficulty of an adaptive interview: a score of strongAnswer or more raises it,
// and one below weakAnswer lowers it.
const (
	strongAnswer = 70
	weakAnswer   = 40
)

// difficulties returns all difficulties in ascending order.
func difficulties() []Difficulty { return []Difficulty{Easy, Medium, Hard} }

// nextDifficulty returns the difficulty of the question after an answer with the given score: one step up after a
// strong answer, one step down after a weak or missing one, otherwise the same. This is the one-up, one-down staircase
// of adaptive tests; it settles where a person's answers are neither strong nor weak.
func nextDifficulty(d Difficulty, score matching.Optional[int]) Difficulty {
	all := difficulties()
	i := slices.Index(all, d)
	switch {
	case !score.Known:
	case score.Value >= strongAnswer:
		i++
	case score.Value < weakAnswer:
		i--
	}
	return all[min(max(i, 0), len(all)-1)]
}

// nextAim returns the aim for the next question of an adaptive interview. The first question is of medium difficulty.
// The skill is the one with the fewest questions so far, so that each skill gets a question before a second round
// begins. In later rounds, skills with the least conclusive answers come first: those with a mean score nearest to the
// middle between weak and strong. Among equal skills, the more important one comes first.
func (se *session) nextAim() Aim {
	aim := Aim{Difficulty: Medium}
	if n := len(se.Scores); n > 0 {
		aim.Difficulty = nextDifficulty(se.Questions[n-1].Difficulty, se.Scores[n-1].Value)
	}

	var (
		best        Skill
		minAsked    = len(se.Questions) + 1
		minDistance float64
	)
	for _, skill := range se.Subject.Skills {
		asked, distance := se.progress(skill.Name)
		// Among equal skills the first stays, which is the most important one.
		isBetter := asked < minAsked || asked == minAsked && distance < minDistance
		if isBetter {
			best = skill
			minAsked = asked
			minDistance = distance
		}
	}

	if best.Name != "" {
		aim.Skills = []Skill{best}
	}

	return aim
}

// progress returns the number of questions about a skill, and the distance of their mean score from the middle between
// weak and strong.
func (se *session) progress(skill string) (asked int, distance float64) {
	const middle = (strongAnswer + weakAnswer) / 2.0
	sum, measured := 0, 0
	for i, q := range se.Questions {
		if q.Skill != skill {
			continue
		}
		asked++
		if i < len(se.Scores) && se.Scores[i].Value.Known {
			sum += se.Scores[i].Value.Value
			measured++
		}
	}
	if measured == 0 {
		return asked, 0
	}
	return asked, math.Abs(middle - float64(sum)/float64(measured))
}

// spread returns the skills for n generated questions: all skills in turn, repeated as needed. If there are more
// questions than skills, up to one in five questions is left for the project as a whole.
func spread(skills []Skill, n int) []Skill {
	if len(skills) == 0 {
		return nil
	}
	const every = 5
	turns := make([]Skill, n-max(0, min(n-len(skills), n/every)))
	for i := range turns {
		turns[i] = skills[i%len(skills)]
	}
	return turns
}
