package lexicon

import (
	"slices"
	"strings"
)

// Vicinity is the maximum distance in bytes between an act and its object in an instruction to a language model.
const Vicinity = 60

// ActsOnObject reports whether an act is near an object.
func (d *InstructionWords) ActsOnObject(text, act string) bool {
	for {
		i := strings.Index(text, act)
		if i < 0 {
			return false
		}
		around := text[max(0, i-Vicinity):min(len(text), i+len(act)+Vicinity)]
		if slices.ContainsFunc(d.objects, func(object string) bool { return strings.Contains(around, object) }) {
			return true
		}
		text = text[i+len(act):]
	}
}
