package fields

import (
	"math"
	"slices"
	"strings"

	"freelancer-matching/resume"
)

// warningEffects maps a warning to the factor that it applies to the quality, and the reason. WarnNoSections has none,
// because missing headings already count as a missing field.
var warningEffects = map[resume.Warning]struct {
	factor float64
	reason string
}{
	resume.WarnHiddenText:    {.9, "The file has invisible text, which was ignored."},
	resume.WarnImagePage:     {.7, "Some pages are images, which were not read."},
	resume.WarnUnmappedGlyph: {.6, "The file does not define what some of its characters mean."},
	resume.WarnTruncated:     {.7, "The file is damaged, and was read only in part."},
	resume.WarnManyPages:     {.8, "The file has more pages than the limit; the rest was not read."},
	resume.WarnInstructions:  {.7, "The text contains instructions to a language model."},
}

// quality returns how far a resume can be trusted: the weighted share of the usual fields that were found, reduced by
// each warning.
func quality(r *resume.Resume, sections int) resume.Quality {
	total, score := 0.0, 0.0
	var reasons []string
	for _, check := range []struct {
		found  bool
		weight float64
		reason string
	}{
		{r.Name != "", 2, "No name was found."},
		{r.Contact.Email != "" || r.Contact.Phone != "", 2, "Neither an email address nor a phone number was found."},
		{
			slices.ContainsFunc(r.Experience, func(p resume.Position) bool { return p.Start != "" }), 3,
			"No positions with dates were found.",
		},
		{len(r.Education) > 0, 1, "No education was found."},
		{len(r.Skills) > 0, 2, "No known skills were found."},
		{sections > 0, 2, "No section headings were recognized."},
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
		if effect, ok := warningEffects[w]; ok {
			score *= effect.factor
			reasons = append(reasons, effect.reason)
		}
	}
	return resume.Quality{Score: math.Round(score*100) / 100, Reasons: reasons}
}

// vicinity is the maximum distance in bytes between an act and its object in an instruction to a language model.
const vicinity = 60

// instructs reports whether the text of a page addresses a language model: it has a phrase with no other purpose, or an
// act near an object, such as "ignore" and "previous instructions". A line break may divide them.
func (d *dictionary) instructs(p *page) bool {
	before := ""
	for i := range p.lines {
		k := key(truncate(p.lines[i].text, maxText))
		text := before + " " + k + " "
		hasPhrase := func(phrase string) bool { return strings.Contains(text, " "+phrase+" ") }
		hasAct := func(act string) bool { return d.actsOnObject(text, act) }
		if slices.ContainsFunc(d.phrases, hasPhrase) || slices.ContainsFunc(d.acts, hasAct) {
			return true
		}
		before = " " + k[max(0, len(k)-2*vicinity):]
	}
	return false
}

// actsOnObject reports whether an act is near an object.
func (d *dictionary) actsOnObject(text, act string) bool {
	for {
		i := strings.Index(text, act)
		if i < 0 {
			return false
		}
		around := text[max(0, i-vicinity):min(len(text), i+len(act)+vicinity)]
		if slices.ContainsFunc(d.objects, func(object string) bool { return strings.Contains(around, object) }) {
			return true
		}
		text = text[i+len(act):]
	}
}
