package sessions

import (
	"math"

	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/interview/scoring"
)

// nextAim returns the aim for the next question of an adaptive interview. The first question is of medium difficulty.
// The skill is the one with the fewest questions so far, so that each skill gets a question before a second round
// begins. In later rounds, skills with the least conclusive answers come first: those with a mean score nearest to the
// middle between weak and strong. Among equal skills, the more important one comes first.
func (se *session) nextAim() interview.Aim {
	aim := interview.Aim{Difficulty: interview.Medium}
	if n := len(se.Scores); n > 0 {
		aim.Difficulty = scoring.NextDifficulty(se.Questions[n-1].Difficulty, se.Scores[n-1].Value)
	}

	var (
		best        interview.Skill
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
		aim.Skills = []interview.Skill{best}
	}

	return aim
}

// progress returns the number of questions about a skill, and the distance of their mean score from the middle between
// weak and strong.
func (se *session) progress(skill string) (asked int, distance float64) {
	const middle = (scoring.StrongAnswer + scoring.WeakAnswer) / 2.0
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
func spread(skills []interview.Skill, n int) []interview.Skill {
	if len(skills) == 0 {
		return nil
	}
	const every = 5
	turns := make([]interview.Skill, n-max(0, min(n-len(skills), n/every)))
	for i := range turns {
		turns[i] = skills[i%len(skills)]
	}
	return turns
}
