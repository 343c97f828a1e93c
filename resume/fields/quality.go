package fields

import (
	"math"
	"strings"

	"freelancer-matching/resume"
)

// quality tells how far a resume may be trusted: what share of the usual fields was found, less for every warning.
func quality(r *resume.Resume, sections int) resume.Quality {
	dated := false
	for _, p := range r.Experience {
		dated = dated || p.Start != ""
	}
	// WarnNoSections is counted with the headings.
	doubts := map[resume.Warning]struct {
		left   float64 // of the score
		reason string
	}{
		resume.WarnHiddenText:    {.9, "the file has text that nobody sees, which was left out"},
		resume.WarnImagePage:     {.7, "some pages are pictures, which were not read"},
		resume.WarnUnmappedGlyph: {.6, "the file does not say what some of its characters mean"},
		resume.WarnTruncated:     {.7, "the file is damaged and was read in part"},
		resume.WarnManyPages:     {.8, "the file has more pages than are read"},
		resume.WarnInstructions:  {.7, "the text speaks to a language model"},
	}
	total, score := 0.0, 0.0
	var reasons []string
	for _, check := range []struct {
		found  bool
		weight float64
		reason string
	}{
		{r.Name != "", 2, "no name was found"},
		{r.Contact.Email != "" || r.Contact.Phone != "", 2, "neither an e-mail address nor a phone number was found"},
		{len(r.Experience) > 0 && dated, 3, "no positions with dates were found"},
		{len(r.Education) > 0, 1, "no education was found"},
		{len(r.Skills) > 0, 2, "no known skills were found"},
		{sections > 0, 2, "no headings of sections were recognised"},
	} {
		total += check.weight
		if check.found {
			score += check.weight
		} else {
			reasons = append(reasons, check.reason)
		}
	}
	score /= total
	for _, w := range r.Warnings {
		if d, ok := doubts[w]; ok {
			score *= d.left
			reasons = append(reasons, d.reason)
		}
	}
	return resume.Quality{Score: math.Round(score*100) / 100, Reasons: reasons}
}

// vicinity is how many bytes may stand between what is to be done and to what, in text that speaks to a language model.
const vicinity = 60

// instructs reports whether any part of a page speaks to a language model.
func (e *Extractor) instructs(p *page) bool {
	before := ""
	for i := range p.lines {
		k := key(cut(p.lines[i].text, maxText))
		text := before + " " + k + " " // a phrase may be divided by the end of a line
		for _, phrase := range e.words.phrases {
			if j := strings.Index(text, " "+phrase+" "); j >= 0 {
				return true
			}
		}
		for _, act := range e.words.acts {
			if e.acts(text, act) {
				return true
			}
		}
		before = " " + k[max(0, len(k)-2*vicinity):]
	}
	return false
}

// acts reports whether an act in a text is told of instructions.
func (e *Extractor) acts(text, act string) bool {
	for rest := text; ; {
		i := strings.Index(rest, act)
		if i < 0 {
			return false
		}
		around := rest[max(0, i-vicinity):min(len(rest), i+len(act)+vicinity)]
		for _, object := range e.words.objects {
			if strings.Contains(around, object) {
				return true
			}
		}
		rest = rest[i+len(act):]
	}
}
