package encoder

import _ "embed" // for the direction

//go:embed common.bin
var commonFile string

// Common returns the direction that texts about all kinds of work have in common: the mean of the vectors of the
// taxonomy's most common skills, each read like a brief. go run ./tools encoder common makes its file.
func Common() []int8 {
	direction := make([]int8, len(commonFile))
	for i := range direction {
		direction[i] = int8(commonFile[i])
	}
	return direction
}
