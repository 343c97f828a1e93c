package llm

import (
	"slices"

	"freelancer-matching/interview"
)

// slot is a question that is to be made. The model writes it; what it is about is decided here.
type slot struct {
	Number     int    // of its skill in the list that the model gets; 0: the project as a whole
	Skill      string // "": the project as a whole
	Gap        bool
	Side       string // of the project, or the skill, that the question is about; "": any
	Kind       interview.Kind
	Difficulty interview.Difficulty
}

// The sides of a project, and of a skill that is asked about again. Calls that are made at once do not know each other's
// questions, so each gets a side of its own.
var (
	projectSides = [...]string{
		"what has to be found out first", "how it is built or done", "what may go wrong", "how its quality is made sure",
		"time and changes on the way", "work with the client", "how it is handed over",
	}
	skillSides = [...]string{
		"how it fails and how one finds out why", "how work with it is checked", "its limits and what one takes instead",
		"how it works inside", "how work with it stays easy to change", "what makes work with it slow or costly",
	}
)

// side is that of the question about a skill, or the project, after so many others about it.
func side(skill string, before int, seed uint64) string {
	turn := int(seed%1000) + before
	switch {
	case skill == "":
		return projectSides[turn%len(projectSides)]
	case before == 0:
		return ""
	default:
		return skillSides[turn%len(skillSides)]
	}
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
	kinds, about := make(map[interview.Kind]int), make(map[string]int)
	for _, q := range asked {
		kinds[q.Kind]++
		about[q.Skill]++
	}
	for i := range n {
		next := slot{Difficulty: aim.Difficulty}
		if next.Difficulty == "" {
			next.Difficulty = rising(i, n)
		}
		if i < len(aim.Skills) {
			next.Skill, next.Gap = aim.Skills[i].Name, aim.Skills[i].Gap
			next.Number = slices.Index(skills, next.Skill) + 1
		}
		next.Side = side(next.Skill, about[next.Skill], s.Seed)
		about[next.Skill]++
		next.Kind = rarest(kinds, next.Gap, s.Seed)
		kinds[next.Kind]++
		slots = append(slots, next)
	}
	return slots, skills[:min(len(skills), max(maxListedSkills, n))]
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
