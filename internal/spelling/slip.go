package spelling

import "strings"

// A Slip is a kind of misspelling that is one slip of the fingers or of the ear.
type Slip int

// The slips.
const (
	NoSlip   Slip = iota
	Swapped       // two letters
	Doubled       // a letter
	Dropped       // a letter
	Replaced      // a letter by one on a neighboring key, or a vowel by another one
)

// SlipOf returns the slip that turns the right word into another one, which differs by one edit. The first letter and,
// unless it is doubled, the last one must be right.
func SlipOf(right, word string) Slip {
	start := 0
	for start < len(right) && start < len(word) && right[start] == word[start] {
		start++
	}

	if start == 0 {
		return NoSlip
	}

	end := 0
	for end < len(right)-start && end < len(word)-start && right[len(right)-1-end] == word[len(word)-1-end] {
		end++
	}

	// What remains between the equal beginnings and the equal ends differs.
	wrong := word[start : len(word)-end]
	missed := right[start : len(right)-end]
	switch {
	case missed == "" && wrong[0] == word[start-1]: // at the end, too
		return Doubled
	case end == 0:
		return NoSlip
	case len(wrong) == 2:
		return Swapped
	case len(wrong) == 0:
		return Dropped
	case len(missed) == 1 && confused(missed[0], wrong[0]):
		return Replaced
	default:
		return NoSlip
	}
}

// confused reports whether two letters are next to each other in a row of the keyboard, or both vowels, which people
// confuse who know a name by ear.
func confused(a, b byte) bool {
	const vowels = "aeiouy"
	if strings.IndexByte(vowels, a) >= 0 && strings.IndexByte(vowels, b) >= 0 {
		return true
	}
	for _, row := range [...]string{"qwertyuiop", "asdfghjkl", "zxcvbnm"} {
		i := strings.IndexByte(row, a)
		j := strings.IndexByte(row, b)
		onRow := i >= 0 && j >= 0
		if onRow && max(i-j, j-i) == 1 {
			return true
		}
	}
	return false
}
