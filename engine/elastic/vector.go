package elastic

import (
	"strconv"

	"freelancer-matching/internal/matching"
)

// isZero reports whether a vector has no direction.
func isZero(v matching.Vector) bool {
	for _, x := range v {
		if x != 0 {
			return false
		}
	}
	return true
}

func appendVector(b []byte, v matching.Vector) []byte {
	b = append(b, '[')
	for i, x := range v {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(x), 10)
	}
	return append(b, ']')
}
