package interview

import (
	"slices"

	"freelancer-matching/internal/matching"
)

// The ladder of adaptive interviews: where answers begin to be strong, and cease to be weak, of 100.
const (
	strongAnswer = 70
	weakAnswer   = 40
)

// rungs are the difficulties from the bottom up.
func rungs() []Difficulty { return []Difficulty{Easy, Medium, Hard} }

// climb is the difficulty behind an answer: one up after a strong one, one down after a weak one, or none at all, and the same
// after any other, or one that could not be measured. This is the staircase of adaptive tests with one step each way: it comes to
// rest where somebody's answers are neither strong nor weak.
func climb(from Difficulty, answer matching.Optional[int]) Difficulty {
	all := rungs()
	at := slices.Index(all, from)
	switch {
	case !answer.Known:
	case answer.Value >= strongAnswer:
		at++
	case answer.Value < weakAnswer:
		at--
	}
	return all[min(max(at, 0), len(all)-1)]
}

// nextAim is what the next question of an adaptive interview is like. It begins at Medium, and then climbs. The skill is the one
// with the fewest questions so far, so each has its turn before a second round. In later rounds those come first whose answers
// so far are least clear, their mean nearest to the middle between strong and weak; among equals the more important one.
func (se *session) nextAim() Aim {
	aim := Aim{Difficulty: Medium}
	if n := len(se.Scores); n > 0 {
		aim.Difficulty = climb(se.Questions[n-1].Difficulty, se.Scores[n-1].Value)
	}
	var (
		best        Skill
		fewest      = len(se.Questions) + 1
		leastUnsure float64
	)
	for _, skill := range se.Subject.Skills {
		asked, distance := se.standing(skill.Name)
		if asked < fewest || asked == fewest && distance < leastUnsure {
			best, fewest, leastUnsure = skill, asked, distance
		}
	}
	if best.Name != "" {
		aim.Skills = []Skill{best}
	}
	return aim
}

// standing is how many questions there were about a skill, and how far the mean of their answers is from the middle.
func (se *session) standing(skill string) (asked int, distance float64) {
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
	return asked, max(middle-float64(sum)/float64(measured), float64(sum)/float64(measured)-middle)
}

// spread is the skills of n generated questions, in order: all of them in turn, as often as it takes. Where there are more questions
// than skills, the last of every five is left to the project as a whole.
func spread(skills []Skill, n int) []Skill {
	if len(skills) == 0 {
		return nil
	}
	const every = 5
	about := n - max(0, min(n-len(skills), n/every))
	turns := make([]Skill, about)
	for i := range turns {
		turns[i] = skills[i%len(skills)]
	}
	return turns
}
