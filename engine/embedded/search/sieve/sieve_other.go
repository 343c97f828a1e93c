//go:build !amd64

package sieve

// Filter sets found to the documents whose words suffice. It compares products instead of quotients, because a division
// takes longer than all the rest, and rounds each of them.
func Filter(found *Set, words *Words, needs *Needs) { plain(found, words, needs) }
