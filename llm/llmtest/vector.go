package llmtest

import (
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"unicode"
)

// Vector is the vector of a text in a model of no depth: the sum of one random direction for each word, so that texts with
// words in common lie close together, and the same text has the same vector everywhere. A text without words has the
// direction of the text as a whole. Upper and lower case, and the order of words, make no difference.
func Vector(text string, dimensions int) []float32 {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(words) == 0 {
		words = []string{text}
	}
	vector := make([]float32, dimensions)
	for _, word := range words {
		h := fnv.New64a()
		h.Write([]byte(word))
		directions := rand.New(rand.NewPCG(h.Sum64(), 0)) //nolint:gosec // the same numbers every time are wanted
		for i := range vector {
			vector[i] += float32(directions.NormFloat64())
		}
	}
	return vector
}
