// Package spelling finds the intended name for a misspelled one.
package spelling

import "strings"

// longest is the length limit of names in bytes: the work grows with the square of the length, and names come from
// clients.
const longest = 40

// Nearest returns the known name that is most similar to a wrong one, or "" if more than a third of the letters differ.
// Case and separators don't count: requiredSkills equals required_skills.
func Nearest(name string, known []string) string {
	if len(name) > longest {
		return ""
	}
	plain := strings.NewReplacer("_", "", "-", "", " ", "").Replace
	name = plain(strings.ToLower(name))
	best := ""
	least := max(1, len(name)/3) + 1
	for _, k := range known {
		if d := distance(name, plain(strings.ToLower(k))); d < least {
			best = k
			least = d
		}
	}
	return best
}

// distance returns the optimal string alignment distance (Damerau and Levenshtein): bytes inserted, deleted, replaced,
// or two adjacent ones swapped.
func distance(a, b string) int {
	before := []int(nil)
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}

	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		// Only the last two rows are needed: the one before is for swapped bytes.
		row[0] = i

		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}

		before = last
		last = row
	}

	return last[len(b)]
}
