package sieve

import "golang.org/x/sys/cpu"

// Filter sets found to the documents whose words suffice. It compares products instead of quotients, because a division
// takes longer than all the rest, and rounds each of them.
func Filter(found *Set, words *Words, needs *Needs) {
	if cpu.X86.HasAVX2 {
		filterAVX2(found, words, needs)
		return
	}
	plain(found, words, needs)
}

//go:noescape
func filterAVX2(found *Set, words *Words, needs *Needs)
