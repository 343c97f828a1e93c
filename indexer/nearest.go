package main

import "fmt"

// suggestion is the end of a message about an unknown name: the nearest known one, or "" where none is near.
func suggestion(name, prefix string, known []string) string {
	best, at := "", 1+(len(name)+1)/3
	for _, k := range known {
		if d := distance(name, k); d < at {
			best, at = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %s%s?", prefix, best)
}

// distance is how many bytes must be inserted, removed or replaced to turn a into b (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
