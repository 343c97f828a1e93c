package fields

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/lexicon"
	"github.com/freelancer-matching/service/resume/page"
	"github.com/freelancer-matching/service/resume/wording"
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

const (
	doubtful = .7 // the confidence below which a reason names a field
	pageLoss = .5 // of the score if no page has a section
)

// A part is one part of the quality: a field, or a list of entries.
type part struct {
	name       string
	missing    string // reason if a list is empty
	list       bool
	weight     float64
	entries    []rated
	incomplete []place // entries that lack something important
	lack       string  // what they lack
	unread     []place // dates of entries that may have been missed
	text       unreadText
}

// A rated is a value or an entry with its confidence, 0 without an estimate, and where it is.
type rated struct {
	confidence float64
	at         place
}

// quality returns how far a client can trust a resume as a whole: the weighted mean of the confidences in its usual
// fields, where a missing field counts as 0, reduced by each warning, by text in no entry, and by pages without a
// section. The reasons name the fields that are missing or doubtful, and where these and what was missed are.
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

		if n := len(p.text.lines); n > 0 {
			const reason = "Lines in no entry among the %s: %d, the first is %s."
			reasons = append(reasons, fmt.Sprintf(reason, p.name, n, p.text.lines[0]))
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
	if len(missed.pages) > 0 {
		score *= 1 - pageLoss*float64(len(missed.pages))/float64(max(r.Pages, 1))
		for _, number := range missed.pages {
			reasons = append(reasons, fmt.Sprintf("No section was recognized on page %d.", number))
		}
	}

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
		{name: "name", weight: 2, entries: known(r, r.Name, r.Confidence.Name)},
		{name: "email address or phone number", weight: 2, entries: contactConfidence(r)},
		{name: "location", weight: 1, entries: known(r, r.Contact.Location, r.Confidence.Location)},
		positionsPart(r, missed), degreesPart(r, missed), skillsPart(r),
	}
}

// known returns the confidence in a value, or nothing if the resume doesn't have it.
func known(r *resume.Resume, value string, confidence float64) []rated {
	if value == "" {
		return nil
	}
	return []rated{{confidence, placeOf(r, value)}}
}

// contactConfidence returns the confidence in the email address or the phone number. One way to reach the person is
// enough, so the surer one counts.
func contactConfidence(r *resume.Resume) []rated {
	email := known(r, r.Contact.Email, r.Confidence.Email)
	phone := known(r, r.Contact.Phone, r.Confidence.Phone)
	phoneIsSurer := len(phone) > 0 && r.Confidence.Phone > r.Confidence.Email
	if len(email) == 0 || phoneIsSurer {
		return phone
	}
	return email
}

func positionsPart(r *resume.Resume, missed unread) part {
	all := part{
		name: "positions", list: true, weight: 4, unread: missed.positions, text: missed.jobText,
		missing: "No positions were found.", lack: "a title, an employer or a start date",
	}
	for _, p := range r.Experience {
		at := placeOf(r, cmp.Or(p.Title, p.Company))
		all.entries = append(all.entries, rated{p.Confidence, at})
		if p.Title == "" || p.Company == "" || p.Start == "" {
			all.incomplete = append(all.incomplete, at)
		}
	}
	return all
}

func degreesPart(r *resume.Resume, missed unread) part {
	all := part{
		name: "degrees", list: true, weight: 2, unread: missed.degrees, text: missed.degreeText,
		missing: "No education was found.", lack: "a degree or an institution",
	}
	for _, d := range r.Education {
		at := placeOf(r, cmp.Or(d.Degree, d.Institution))
		all.entries = append(all.entries, rated{d.Confidence, at})
		if d.Degree == "" || d.Institution == "" {
			all.incomplete = append(all.incomplete, at)
		}
	}
	return all
}

func skillsPart(r *resume.Resume) part {
	all := part{name: "skills", list: true, weight: 2, missing: "No skills were found."}
	for _, s := range r.Skills {
		all.entries = append(all.entries, rated{confidence: s.Confidence, at: place{text: s.Name}})
	}
	return all
}

// share returns which share of the entries in the document a part probably has. An incomplete entry counts as a half,
// and text that is in no entry as the share of entries that it may have.
func (p part) share() float64 {
	found := float64(len(p.entries))
	if found == 0 {
		return 1 // it counts as 0 anyway
	}
	complete := found - float64(len(p.incomplete))/2
	return complete / (found + float64(len(p.unread))) * (1 - p.text.share)
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

	var doubts []place
	for _, entry := range p.entries {
		confidence := entry.confidence
		if confidence == 0 {
			confidence = doubtful
		}

		if confidence < doubtful {
			doubts = append(doubts, entry.at)
		}
		mean += confidence / float64(count)
	}

	switch {
	case len(p.incomplete) > 0:
		return mean, fmt.Sprintf("Without %s: %d of %d %s, the first is %s.", p.lack, len(p.incomplete), count, p.name,
			p.incomplete[0])
	case len(doubts) > 0 && !p.list:
		return mean, fmt.Sprintf("The %s is doubtful: %s.", p.name, doubts[0])
	case len(doubts) > 0:
		return mean, fmt.Sprintf("Doubtful: %d of %d %s, the first is %s.", len(doubts), count, p.name, doubts[0])
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
