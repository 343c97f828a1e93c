package api

import (
	"slices"
	"strings"
)

// unknownField records that the object at the path inside has no member of this name, and which one may be meant.
func unknownField(f *faults, inside, name string, known []string) {
	at := join(inside, shownName(name))
	if f.count >= maxDetails { // counted, not told: looking for what half a million names may mean takes too long
		f.add(at, faultUnknownField, "")
		return
	}
	if near := nearest(name, known); near != "" {
		f.add(at, faultUnknownField, "%s is not known, did you mean %s?", at, join(inside, near))
		return
	}
	f.add(at, faultUnknownField, "%s is not known, the fields here are %s", at, strings.Join(known, ", "))
}

// shownName is a name of the client's, cut where it is longer than any of ours.
func shownName(name string) string {
	const most = 60
	if runes := []rune(name); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return name
}

// nearest is the known name that a wrong one was most likely meant to be, "" where none is close: up to a third of its
// letters may differ. Case and separators do not count, so that requiredSkills is required_skills.
func nearest(name string, known []string) string {
	const longest = 40
	if len(name) > longest {
		return ""
	}
	plain := strings.NewReplacer("_", "", "-", "", " ", "").Replace
	name = plain(strings.ToLower(name))
	best, least := "", max(1, len(name)/3)+1
	for _, k := range known {
		if d := distance(name, plain(k)); d < least {
			best, least = k, d
		}
	}
	return best
}

// distance is the optimal string alignment distance of Levenshtein and Damerau: letters put in, left out, replaced, or
// two neighbours swapped.
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
			row[j] = slices.Min([]int{last[j] + 1, row[j-1] + 1, last[j-1] + cost})
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
