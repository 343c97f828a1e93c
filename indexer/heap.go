package main

import (
	"os"
	"runtime/debug"
)

// maxHeap is the size in bytes that the garbage collector tries not to exceed. It would otherwise let the heap of a
// large load double before each collection. 10 million freelancers need about 1.2 GB; more of them exceed the limit, and
// garbage is then collected more often.
const maxHeap = 1600 << 20

// limitHeap lowers the memory limit to maxHeap, unless GOMEMLIMIT sets one.
func limitHeap() {
	if os.Getenv("GOMEMLIMIT") == "" && debug.SetMemoryLimit(-1) > maxHeap {
		debug.SetMemoryLimit(maxHeap)
	}
}
