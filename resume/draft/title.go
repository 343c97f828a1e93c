package draft

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/lexicon"
	"github.com/freelancer-matching/service/resume/wording"
)

// title returns the job title for a record: the one of the resume, or else the one of the newest position. derived says
// so if it is the latter.
func (w *Writer) title(r *resume.Resume) (title, derived string) {
	if w.isTitle(r.JobTitle) {
		return r.JobTitle, ""
	}
	for _, p := range slices.SortedStableFunc(slices.Values(r.Experience), newestFirst) {
		if w.isTitle(p.Title) {
			return p.Title, "The job title comes from the newest position."
		}
	}
	return "", ""
}

// isTitle reports whether a text can be published as a job title. Addresses, places, numbers, headings, greetings,
// and wishes for a job can't.
func (w *Writer) isTitle(text string) bool {
	const (
		maxLength = 100 // characters
		maxDigits = 3   // "Web 2.0 developer", "Level 3 support"
	)
	if text == "" || utf8.RuneCountInString(text) > maxLength || !strings.ContainsFunc(text, unicode.IsLetter) {
		return false
	}

	key := wording.Key(text)
	isAddress := strings.Contains(text, "@") || lexicon.WebAddress(text) != "" || w.words.IsStreet(text)
	if isAddress || w.words.PostalTown(text) || w.words.Place(text) == lexicon.PlaceByName {
		return false
	}

	isHeading := w.words.Headings[key] != "" || w.words.IsDocumentTitle(text)
	return !isHeading && wording.CountDigits(text) <= maxDigits && !w.words.SeeksJob(key) && !w.words.Greets(text)
}
