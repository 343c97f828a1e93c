package llmtest

import (
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"unicode"
)

// Vector returns the vector of a text in a trivial model: the sum of one pseudorandom direction per word. Texts with
// common words are therefore close to each other, and the same text has the same vector in every process. A text
// without words has the direction of the whole text. Case and the order of words make no difference.
func Vector(text string, dimensions int) []float32 {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	if len(words) == 0 {
		words = []string{text}
	}
	vector := make([]float32, dimensions)
	for _, word := range words {
		h := fnv.New64a()
		h.Write([]byte(word))
		directions := rand.New(rand.NewPCG(h.Sum64(), 0)) //nolint:gosec // must be reproducible
		for i := range vector {
			vector[i] += float32(directions.NormFloat64())
		}
	}
	return vector
}
