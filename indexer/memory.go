package main

import (
	"os"
	"runtime/debug"
)

// memoryLimit is the size of the heap, in bytes, that the garbage collector tries not to exceed. It would otherwise let
// the heap of a large load double before each collection. 10 million freelancers need about 1.2 GB; a larger load
// exceeds the limit, and collects garbage more often.
const memoryLimit = 1600 << 20

// limitMemory sets the limit, unless GOMEMLIMIT sets another one.
func limitMemory() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
}
