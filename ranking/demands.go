package ranking

import (
	"cmp"
	"slices"

	"github.com/freelancer-matching/service/internal/matching"
)

// A skillDemand holds the indices, into Request.Skills, of the skills that count as one: a single skill, or
// near-duplicates. They are in the order of their names.
type skillDemand []int

// demandsOf returns the demands of a request, in the order of the names of their first skills.
func demandsOf(wanted []Requirement) []skillDemand {
	byName := make([]int, len(wanted))
	for i := range wanted {
		byName[i] = i
	}
	slices.SortFunc(byName, func(a, b int) int { return cmp.Compare(wanted[a].Name, wanted[b].Name) })

	demands := make([]skillDemand, 0, len(wanted))
	place := make(map[int]int) // in demands, by Requirement.Demand
	for _, i := range byName {
		number := wanted[i].Demand
		if at, known := place[number]; known && number != 0 {
			demands[at] = append(demands[at], i)
			continue
		}
		place[number] = len(demands)
		demands = append(demands, skillDemand{i})
	}

	return demands
}

// best returns the index of the skill with the best evidence, the first of several.
func (d skillDemand) best(evidence []matching.Evidence) int {
	best := d[0]
	for _, i := range d[1:] {
		if evidence[i] > evidence[best] {
			best = i
		}
	}
	return best
}

// count returns how many freelancers meet the demand. Of near-duplicates, the most common one stands for all.
func (d skillDemand) count(wanted []Requirement) int {
	most := 0
	for _, i := range d {
		most = max(most, wanted[i].Count)
	}
	return most
}
