// Package spelling finds what a misspelt name was meant to be, for messages about flags, fields and features.
package spelling

import "strings"

// longest bounds the names that are looked at, in bytes: the work grows with the square of the length, and names come
// from clients.
const longest = 40

// Nearest is the known name that a wrong one was most likely meant to be, "" where none is close: up to a third of its
// letters may differ. Case and separators do not count, so that requiredSkills is required_skills.
func Nearest(name string, known []string) string {
	if len(name) > longest {
		return ""
	}
	plain := strings.NewReplacer("_", "", "-", "", " ", "").Replace
	name = plain(strings.ToLower(name))
	best, least := "", max(1, len(name)/3)+1
	for _, k := range known {
		if d := distance(name, plain(strings.ToLower(k))); d < least {
			best, least = k, d
		}
	}
	return best
}

// distance is the optimal string alignment distance of Damerau and Levenshtein: bytes put in, left out, replaced, or two
// neighbours swapped.
func distance(a, b string) int {
	before, last := []int(nil), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
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
		before, last = last, row
	}
	return last[len(b)]
}
