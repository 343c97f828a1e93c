package llm

import (
	"slices"

	"freelancer-matching/internal/interview"
)

// slot is a question that is to be made. The model writes it; what it is about is decided here.
type slot struct {
	Number     int    // of its skill in the list that the model gets; 0: the project as a whole
	Skill      string // "": the project as a whole
	Gap        bool
	Kind       interview.Kind
	Difficulty interview.Difficulty
}

// maxListedSkills is how many of the required skills the model gets to know, those that are asked about first.
const maxListedSkills = 30

// plan is what n questions are about, and the names of the skills by their numbers, from 1.
func plan(s *interview.Subject, asked []interview.Question, n int, aim interview.Aim) (slots []slot, skills []string) {
	for _, skill := range slices.Concat(aim.Skills[:min(n, len(aim.Skills))], s.Skills) {
		if !slices.Contains(skills, skill.Name) {
			skills = append(skills, skill.Name)
		}
	}
	kinds := kindCounts(asked)
	for i := range n {
		next := slot{Difficulty: aim.Difficulty}
		if next.Difficulty == "" {
			next.Difficulty = rising(i, n)
		}
		if i < len(aim.Skills) {
			next.Skill, next.Gap = aim.Skills[i].Name, aim.Skills[i].Gap
			next.Number = slices.Index(skills, next.Skill) + 1
		}
		next.Kind = rarest(kinds, next.Gap, s.Seed)
		kinds[next.Kind]++
		slots = append(slots, next)
	}
	return slots, skills[:min(len(skills), max(maxListedSkills, n))]
}

func kindCounts(asked []interview.Question) map[interview.Kind]int {
	counts := make(map[interview.Kind]int)
	for _, q := range asked {
		counts[q.Kind]++
	}
	return counts
}

// rising is the difficulty of the i-th of n questions: a third each; of one alone, the one in the middle.
func rising(i, n int) interview.Difficulty {
	if n == 1 {
		return interview.Medium
	}
	return []interview.Difficulty{interview.Easy, interview.Medium, interview.Hard}[i*3/n]
}

// rarest is the kind that was asked for least; the seed decides among equals. Nobody has a case to tell of a skill that they
// do not have.
func rarest(counts map[interview.Kind]int, gap bool, seed uint64) interview.Kind {
	kinds := []interview.Kind{interview.KnowHow, interview.Situational, interview.Behavioural}
	if gap {
		kinds = kinds[:2]
	}
	best := kinds[seed%uint64(len(kinds))]
	for _, kind := range kinds {
		if counts[kind] < counts[best] {
			best = kind
		}
	}
	return best
}
