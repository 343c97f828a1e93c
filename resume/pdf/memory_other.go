//go:build !unix

package pdf

// mapPages returns nil: on this system, the memory comes from the Go heap.
func mapPages(uint64) []byte { return nil }

func unmapPages([]byte) {}
