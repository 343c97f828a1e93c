package fields

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// withoutIcon removes an icon before a place: a single letter or sign, or the name of the icon.
func (c *contactReader) withoutIcon(part string) string {
	icon, rest, ok := strings.Cut(part, " ")
	if before, after, fraction := strings.Cut(icon, "⁄"); fraction && countDigits(before+after) == len(before+after) {
		return strings.TrimSpace(rest) // "½"
	}
	if !ok || hasDigit(icon) || c.words.knownPlace(key(part)) {
		return part
	}
	if utf8.RuneCountInString(icon) == 1 && !wide(icon) || c.words.labels[key(icon)] == "location" {
		return strings.TrimSpace(rest)
	}
	return part
}

// addLocation adds a text if it may be a place.
func (c *contactReader) addLocation(text string) {
	d := c.words
	k := key(text)
	rank := d.place(text)
	if rank == notPlace && c.at.near && !c.at.announces && c.maybePlace(text) {
		rank = placeByNeighbors
	}
	if rank == notPlace || d.remote[k] || len(c.locations) >= maxCandidates {
		return
	}
	c.locations = append(c.locations, c.locationCandidate(text, string(c.at.kind), rank))
}

// announces reports whether a part of a line may be a label of what follows it: nothing separates the two.
func announces(line, part string) bool {
	_, after, found := strings.Cut(line, part)
	after = strings.TrimLeft(after, " ")
	first, _ := utf8.DecodeRuneInString(after)
	return !found || after != "" && !strings.ContainsRune("\t|•·,–—-/∣", first)
}

// maybePlace reports whether a text is up to four words that may name a place, and isn't known to be anything else.
func (c *contactReader) maybePlace(text string) bool {
	d := c.words
	k := key(text)
	words := strings.Fields(text)
	if len(words) == 0 || len(words) > 4 || strings.ContainsAny(text, ":@/|\"&+") || countDigits(text) > 5 {
		return false
	}
	for _, word := range words {
		between := firstIsLower(word) && len(word) < 6 // "upon"
		if d.notInNames[key(word)] && !between || !between && !nameWord(word) && !hasDigit(word) {
			return false
		}
	}
	isPerson := c.at.top || d.hasGivenName(k) || c.inEmails(text)
	isHeading := d.headings[k] != "" || d.label(text) != "" || d.isTitle(text)
	isElse := d.isOrganization(k) || d.remote[k] || d.startsWithDegree(text) || len(d.spokenIn(text)) > 0 ||
		len(c.dates.find(text)) > 0 || c.titles.titleScore(newFragment(text)) > 0 || c.taxonomy.Resolve(text).Known
	return letters(k) > 2 && !firstIsLower(text) && !isPerson && !isHeading && !isElse
}

// inEmails reports whether one of the email addresses has a word of a text.
func (c *contactReader) inEmails(text string) bool {
	return slices.ContainsFunc(c.emails, func(email candidate[string]) bool {
		local, _, _ := strings.Cut(email.value, "@")
		return inEmail(text, key(local))
	})
}

// letters counts the letters of a text.
func letters(text string) int {
	n := 0
	for _, r := range text {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}

// locationCandidate scores a place.
func (c *contactReader) locationCandidate(text, source string, rank placeRank) candidate[string] {
	commas := strings.Count(text, ",")
	return newCandidate(text, source,
		feature{"any", true, -2},
		feature{"after a label", rank == placeByLabel, 6},
		feature{"the name of a place", rank == placeByName, 4},
		feature{"the form of a place", rank == placeByForm, 1},
		feature{"a few words among contact details", rank == placeByNeighbors, 1.5},
		feature{"beside an email address or a phone number", c.at.beside, 1.5},
		feature{"among contact details", c.at.inContacts, 1.5},
		feature{"two parts", commas == 1, .2},
		feature{"only the form, and not two parts", rank == placeByForm && commas != 1, -2},
		feature{"only a country", c.words.countries[key(text)] != "", -1},
		feature{"in a sentence", c.at.sentence, -2},
		feature{"beside a job title", c.at.titled, -1},
	)
}
