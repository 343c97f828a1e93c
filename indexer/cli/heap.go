package cli

import (
	"os"
	"runtime/debug"
)

// maxHeap is the size in bytes that the garbage collector tries not to exceed. It would otherwise let the heap of a
// large load double before each collection. A load that needs more exceeds the limit, and collects garbage more often.
const maxHeap = 1600 << 20

// limitHeap lowers the memory limit to maxHeap, unless GOMEMLIMIT sets one.
func limitHeap() {
	if os.Getenv("GOMEMLIMIT") == "" && debug.SetMemoryLimit(-1) > maxHeap {
		debug.SetMemoryLimit(maxHeap)
	}
}
