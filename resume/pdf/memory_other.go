//go:build !unix

package pdf

// mapPages has none on this system: the heap is taken.
func mapPages(uint64) []byte { return nil }

func unmapPages([]byte) {}
