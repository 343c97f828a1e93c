package api

import (
	"strings"

	"freelancer-matching/internal/spelling"
)

// unknownField records that the object at the path inside has no member of this name, and which one may be meant.
func unknownField(f *faults, inside, name string, known []string) {
	at := join(inside, shownName(name))
	if f.count >= maxDetails { // counted, not told: looking for what half a million names may mean takes too long
		f.add(at, faultUnknownField, "")
		return
	}
	if near := spelling.Nearest(name, known); near != "" {
		f.add(at, faultUnknownField, "%s is not known, did you mean %s?", at, join(inside, near))
		return
	}
	f.add(at, faultUnknownField, "%s is not known, the fields here are %s", at, strings.Join(known, ", "))
}

// shownName is a name of the client's, cut where it is longer than any of ours.
func shownName(name string) string {
	const most = 60
	if runes := []rune(name); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return name
}
