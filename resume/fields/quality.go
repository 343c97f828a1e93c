package fields

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"freelancer-matching/resume"
	"freelancer-matching/resume/lexicon"
	"freelancer-matching/resume/page"
	"freelancer-matching/resume/wording"
)

// warningEffects maps a warning to the factor that it applies to the quality, and the reason. WarnNoSections has none,
// because missing headings already count as a missing field.
var warningEffects = map[resume.Warning]struct {
	factor float64
	reason string
}{
	resume.WarnHiddenText:    {.9, "The file has invisible text, which was ignored."},
	resume.WarnImagePage:     {.7, "Some pages are images, which were not read."},
	resume.WarnOCR:           {.8, "Some text was recognized in pictures, and may have wrong letters."},
	resume.WarnUnmappedGlyph: {.6, "The file does not define what some of its characters mean."},
	resume.WarnTruncated:     {.7, "The file is damaged, and was read only in part."},
	resume.WarnManyPages:     {.8, "The file has more pages than the limit; the rest was not read."},
	resume.WarnInstructions:  {.7, "The text contains instructions to a language model."},
}

// doubtful is the confidence below which a reason names a field.
const doubtful = .7

// A part is one part of the quality: a field, or a list of entries.
type part struct {
	name       string
	missing    string // reason if a list is empty
	list       bool
	weight     float64
	entries    []float64 // confidences; those of entries without an estimate are 0
	incomplete int       // entries that lack something important
	unread     []place   // where entries may have been missed
	lack       string    // what they lack
}

// quality returns how far a client can trust a resume as a whole: the weighted mean of the confidences in its usual
// fields, where a missing field counts as 0, reduced by each warning. The reasons name the fields that are missing or
// doubtful, and where entries may have been missed.
func quality(r *resume.Resume, headings int, missed unread) resume.Quality {
	total, score := 0.0, 0.0
	var reasons []string
	for _, p := range parts(r, missed) {
		mean, reason := p.rate()
		total += p.weight
		score += p.weight * mean * p.share()
		if reason != "" {
			reasons = append(reasons, reason)
		}

		if n := len(p.unread); n > 0 {
			const reason = "Dates without an entry among the %s: %d, the first is %s."
			reasons = append(reasons, fmt.Sprintf(reason, p.name, n, p.unread[0]))
		}
	}

	// Headings count like a field: without them, sections were told apart by their content only.
	total++
	if headings > 0 {
		score++
	} else {
		reasons = append(reasons, "No section headings were recognized.")
	}

	score /= total
	for _, warning := range r.Warnings {
		if effect, ok := warningEffects[warning]; ok {
			score *= effect.factor
			reasons = append(reasons, effect.reason)
		}
	}

	return resume.Quality{Score: math.Round(score*100) / 100, Reasons: reasons}
}

// parts returns what the quality consists of: the fields that a usual resume has, with their weights.
func parts(r *resume.Resume, missed unread) []part {
	return []part{
		{name: "name", weight: 2, entries: known(r.Name, r.Confidence.Name)},
		{name: "email address or phone number", weight: 2, entries: contactConfidence(r)},
		{name: "location", weight: 1, entries: known(r.Contact.Location, r.Confidence.Location)},
		positionsPart(r.Experience, missed.positions), degreesPart(r.Education, missed.degrees), skillsPart(r.Skills),
	}
}

// known returns the confidence in a value, or nothing if the resume doesn't have it.
func known(value string, confidence float64) []float64 {
	if value == "" {
		return nil
	}
	return []float64{confidence}
}

// contactConfidence returns the confidence in the email address or the phone number. One way to reach the person is
// enough, so the surer one counts.
func contactConfidence(r *resume.Resume) []float64 {
	email := known(r.Contact.Email, r.Confidence.Email)
	phone := known(r.Contact.Phone, r.Confidence.Phone)
	phoneIsSurer := len(phone) > 0 && r.Confidence.Phone > r.Confidence.Email
	if len(email) == 0 || phoneIsSurer {
		return phone
	}
	return email
}

func positionsPart(positions []resume.Position, missed []place) part {
	all := part{
		name: "positions", list: true, weight: 4, unread: missed,
		missing: "No positions were found.", lack: "a title, an employer or a start date",
	}
	for _, p := range positions {
		all.entries = append(all.entries, p.Confidence)
		isComplete := p.Title != "" && p.Company != "" && p.Start != ""
		if !isComplete {
			all.incomplete++
		}
	}
	return all
}

func degreesPart(degrees []resume.Degree, missed []place) part {
	all := part{
		name: "degrees", list: true, weight: 2, unread: missed,
		missing: "No education was found.", lack: "a degree or an institution",
	}
	for _, d := range degrees {
		all.entries = append(all.entries, d.Confidence)
		if d.Degree == "" || d.Institution == "" {
			all.incomplete++
		}
	}
	return all
}

func skillsPart(skills []resume.Skill) part {
	all := part{name: "skills", list: true, weight: 2, missing: "No skills were found."}
	for _, s := range skills {
		all.entries = append(all.entries, s.Confidence)
	}
	return all
}

// share returns which share of the entries in the document a part probably has. An incomplete entry counts as a half.
func (p part) share() float64 {
	found := float64(len(p.entries))
	if found == 0 {
		return 1 // it counts as 0 anyway
	}
	return (found - float64(p.incomplete)/2) / (found + float64(len(p.unread)))
}

// rate returns the mean confidence of a part, and what is wrong with it, "" if nothing is. An entry without an estimate
// counts as barely doubtful.
func (p part) rate() (mean float64, reason string) {
	count := len(p.entries)
	if count == 0 && p.list {
		return 0, p.missing
	}
	if count == 0 {
		return 0, "No " + p.name + " was found."
	}

	doubts := 0
	for _, confidence := range p.entries {
		if confidence == 0 {
			confidence = doubtful
		}

		if confidence < doubtful {
			doubts++
		}
		mean += confidence / float64(count)
	}

	switch {
	case p.incomplete > 0:
		return mean, fmt.Sprintf("Without %s: %d of %d %s.", p.lack, p.incomplete, count, p.name)
	case doubts > 0 && !p.list:
		return mean, "The " + p.name + " is doubtful."
	case doubts > 0:
		return mean, fmt.Sprintf("Doubtful: %d of %d %s.", doubts, count, p.name)
	default:
		return mean, ""
	}
}

// instructs reports whether the text of a page addresses a language model: it has a phrase with no other purpose, or an
// act near an object, such as "ignore" and "previous instructions". A line break may divide them.
func instructs(d *lexicon.InstructionWords, p *page.Page) bool {
	before := ""
	for i := range p.Lines {
		k := wording.Key(wording.Truncate(p.Lines[i].Text, wording.MaxText))
		text := before + " " + k + " "
		hasPhrase := func(phrase string) bool { return strings.Contains(text, " "+phrase+" ") }
		hasAct := func(act string) bool { return d.ActsOnObject(text, act) }
		if slices.ContainsFunc(d.Phrases, hasPhrase) || slices.ContainsFunc(d.Acts, hasAct) {
			return true
		}
		before = " " + k[max(0, len(k)-2*lexicon.Vicinity):]
	}
	return false
}
