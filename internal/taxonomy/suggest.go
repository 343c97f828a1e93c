package taxonomy

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
)

// spellingIndex has what is needed to skip most labels when a misspelt name is compared with all of them.
type spellingIndex struct {
	letters []uint64 // of labels: the set of characters in the key
}

func (t *Taxonomy) buildSpelling() *spellingIndex {
	index := &spellingIndex{letters: make([]uint64, len(t.labels))}
	for i := range t.labels {
		index.letters[i] = letterSet(t.keyOf(&t.labels[i]))
	}
	return index
}

// letterSet is the set of a key's characters: letters and digits have a bit each, everything else shares one.
func letterSet(key []byte) (set uint64) {
	for _, c := range key {
		switch {
		case 'a' <= c && c <= 'z':
			set |= 1 << (c - 'a')
		case '0' <= c && c <= '9':
			set |= 1 << (26 + c - '0')
		default:
			set |= 1 << 36
		}
	}
	return set
}

// Suggest is up to n canonical names that a name may have been meant as, best first: by the number of edits between
// them (a character inserted, deleted, replaced, or two neighbours swapped), names that only go on behind it next, and
// among equals the more common skill. A name of fewer than three characters is only completed.
func (t *Taxonomy) Suggest(name string, n int) []string {
	var buf [maxKey + 32]byte
	key, _, ok := appendKey(buf[:0], name)
	if !ok || n <= 0 {
		return nil
	}
	limit := min(len(key)/3, 3)
	letters := letterSet(key)
	index := t.spelling()
	best := make(map[int32]int) // the least cost, by skill
	for i := range t.labels {
		l := &t.labels[i]
		if l.skill == noSkill || l.size == 0 {
			continue
		}
		cost := limit + 1 // of a completion
		other := t.keyOf(l)
		// An edit adds at most one character to one of the two sets and takes at most one from it.
		if bits.OnesCount64(letters^index.letters[i]) <= 2*limit && abs(len(other)-len(key)) <= limit {
			cost = min(cost, distance(key, other, limit))
		}
		if cost > limit && !strings.HasPrefix(string(other), string(key)) {
			continue
		}
		if known, ok := best[l.skill]; !ok || cost < known {
			best[l.skill] = cost
		}
	}
	type suggestion struct {
		cost, use int
		name      string
	}
	found := make([]suggestion, 0, len(best))
	for skill, cost := range best {
		found = append(found, suggestion{cost, int(t.uses[skill]), t.skills[skill].Name})
	}
	slices.SortFunc(found, func(a, b suggestion) int {
		return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(b.use, a.use), strings.Compare(a.name, b.name))
	})
	names := make([]string, min(n, len(found)))
	for i := range names {
		names[i] = found[i].name
	}
	return names
}

// distance is the number of edits between two keys (the optimal string alignment of Damerau 1964), or limit+1 where it
// is more than limit.
func distance(a, b []byte, limit int) int {
	var rows [3][maxKey + 33]int
	before, last, row := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			least = min(least, row[j])
		}
		if least > limit {
			return limit + 1
		}
		before, last, row = last, row, before
	}
	return min(last[len(b)], limit+1)
}

func abs(n int) int { return max(n, -n) }
