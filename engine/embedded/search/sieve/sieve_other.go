//go:build !amd64

package sieve

// vectorized reports that there is no assembly for this processor.
func vectorized(*Set, *Words, *Needs) bool { return false }
