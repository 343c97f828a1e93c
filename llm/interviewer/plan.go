package interviewer

import (
	"slices"

	"github.com/freelancer-matching/service/interview"
)

// slot is the plan of one question. The program decides what the question is about; the model writes it.
type slot struct {
	Number     int    // of the skill in the list that the model sees; 0: the project as a whole
	Skill      string // "": the project as a whole
	Gap        bool
	Aspect     string // of the project or the skill; "": any
	Kind       interview.Kind
	Difficulty interview.Difficulty
}

// Questions about the project, and further questions about the same skill, have an aspect. Concurrent calls don't know
// each other's questions, so each slot gets another one.
var (
	projectAspects = [...]string{
		"what to find out first", "how to build or do it", "what may go wrong", "how to ensure its quality",
		"time, and changes along the way", "working with the client", "how to hand it over",
	}
	skillAspects = [...]string{
		"how it fails, and how to find out why", "how to check work with it", "its limits, and the alternatives",
		"how it works inside", "how to keep work with it easy to change", "what makes work with it slow or costly",
	}
)

// aspect returns the aspect for a question about a skill, or about the project if skill is "". Before is the number of
// earlier questions about the same.
func aspect(skill string, before int, seed uint64) string {
	turn := int(seed%1000) + before
	switch {
	case skill == "":
		return projectAspects[turn%len(projectAspects)]
	case before == 0:
		return ""
	default:
		return skillAspects[turn%len(skillAspects)]
	}
}

// maxListedSkills is how many of the required skills the model sees. Those with questions come first.
const maxListedSkills = 30

// plan returns the slots of n questions and the names of the skills. Slots number the skills from 1.
func plan(
	s *interview.Subject, asked []interview.Question, n int, aim interview.Aim,
) (slots []slot, skills []string) {
	for _, skill := range slices.Concat(aim.Skills[:min(n, len(aim.Skills))], s.Skills) {
		if !slices.Contains(skills, skill.Name) {
			skills = append(skills, skill.Name)
		}
	}

	// Kinds and aspects are balanced over the whole interview, so earlier questions count.
	kinds := make(map[interview.Kind]int)
	about := make(map[string]int)
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
			next.Skill = aim.Skills[i].Name
			next.Gap = aim.Skills[i].Gap
			next.Number = slices.Index(skills, next.Skill) + 1
		}

		// Counts change as slots are planned, so that later slots of the same skill differ from this one.
		next.Aspect = aspect(next.Skill, about[next.Skill], s.Seed)
		about[next.Skill]++
		next.Kind = rarest(kinds, next.Gap, s.Seed)
		kinds[next.Kind]++
		slots = append(slots, next)
	}

	return slots, skills[:min(len(skills), max(maxListedSkills, n))]
}

// rising returns the difficulty of the i-th of n questions: easy, medium and hard for a third each, or medium for a
// single question.
func rising(i, n int) interview.Difficulty {
	if n == 1 {
		return interview.Medium
	}
	return []interview.Difficulty{interview.Easy, interview.Medium, interview.Hard}[i*3/n]
}

// rarest returns the kind with the fewest questions; the seed decides among equals. A gap gets no behavioral question,
// because nobody has a story about a skill they don't have.
func rarest(counts map[interview.Kind]int, gap bool, seed uint64) interview.Kind {
	kinds := []interview.Kind{interview.KnowHow, interview.Situational, interview.Behavioral}
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
