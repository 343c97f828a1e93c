package mappings

import _ "embed"

//go:embed vectors.v1.bin
var vectors []byte

// Vectors is the table of word vectors, as package embedding reads it. It must not be changed.
func Vectors() []byte { return vectors }
