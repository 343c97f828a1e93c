package bank

import "strings"

// leftOut stands for sentences that were taken out of a text.
const leftOut = "[...]"

// WithoutInstructions is a text with [...] for each run of sentences that speak to a language model, and whether there were any. All
// else stays as it is.
func (b *Bank) WithoutInstructions(text string) (rest string, found bool) {
	all := split(text)
	b.detector.mark(all)
	var kept strings.Builder
	from := 0 // what was read of the text
	out := false
	for i := range all {
		start := from + strings.Index(text[from:], all[i].text)
		between := text[from:start]
		from = start + len(all[i].text)
		switch {
		case !all[i].instruction:
			kept.WriteString(between + all[i].text)
		case !out:
			kept.WriteString(between + leftOut)
		}
		out = all[i].instruction
		found = found || out
	}
	kept.WriteString(text[from:])
	return kept.String(), found
}
