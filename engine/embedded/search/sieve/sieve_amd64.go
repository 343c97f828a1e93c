package sieve

import "golang.org/x/sys/cpu"

// vectorized does what Filter does, unless the processor lacks AVX2.
func vectorized(found *Set, words *Words, needs *Needs) bool {
	if !cpu.X86.HasAVX2 {
		return false
	}
	filterAVX2(found, words, needs)
	return true
}

//go:noescape
func filterAVX2(found *Set, words *Words, needs *Needs)
