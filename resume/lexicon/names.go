package lexicon

import (
	"strings"
)

// HasGivenName reports whether a key has a given name of the dictionary at its start or its end.
func (d *nameWords) HasGivenName(k string) bool {
	first, _, _ := strings.Cut(k, " ")
	last := k[strings.LastIndexByte(k, ' ')+1:]
	return d.GivenNames[first] || d.GivenNames[last]
}
