package person

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/freelancer-matching/service/resume/lexicon"
	"github.com/freelancer-matching/service/resume/odds"
	"github.com/freelancer-matching/service/resume/wording"
)

// withoutIcon removes an icon before a place, or after it: a single letter or sign, or the name of the icon.
func (c *Contacts) withoutIcon(part string) string {
	i := strings.LastIndexByte(part, ' ')
	if last := part[i+1:]; i > 0 && utf8.RuneCountInString(last) == 1 && !wording.Wide(last) {
		if place := c.withoutIcon(part[:i]); c.words.Place(place) >= lexicon.PlaceByName {
			return place // the icon is of what follows in the line
		}
	}

	icon, rest, ok := strings.Cut(part, " ")
	before, after, fraction := strings.Cut(icon, "⁄")
	if fraction && wording.CountDigits(before+after) == len(before+after) {
		return strings.TrimSpace(rest) // "½"
	}
	if !ok {
		return part
	}

	if wording.HasDigit(icon) || c.words.KnownPlace(wording.Key(part)) {
		return part
	}

	singleSign := utf8.RuneCountInString(icon) == 1 && !wording.Wide(icon)
	if singleSign || c.words.Labels[wording.Key(icon)] == "location" {
		return strings.TrimSpace(rest)
	}
	return part
}

// addLocation adds a text if it may be a place.
func (c *Contacts) addLocation(text string) {
	d := c.words
	k := wording.Key(text)
	rank := d.Place(text)
	amongContacts := c.at.near && !c.at.announces
	unknownPlace := rank == lexicon.NotPlace && amongContacts && c.maybePlace(text)
	switch {
	case unknownPlace:
		rank = lexicon.PlaceByNeighbors
	case rank == lexicon.NotPlace && c.endsAddress(text, k):
		rank = lexicon.PlaceByForm
	}

	if rank == lexicon.NotPlace || d.Remote[k] || c.personal(k) {
		return
	}

	if len(c.locations) >= maxCandidates {
		return
	}

	c.locations = append(c.locations, c.locationCandidate(text, string(c.at.kind), rank))
}

// endsAddress reports whether a text that isn't known to be a place ends like an address: with a postal code and a
// town, or, beside contact details, with a city.
func (c *Contacts) endsAddress(text, key string) bool {
	besideContacts := c.at.near || c.at.above
	isElse := c.at.top || c.at.sentence || c.at.titled || c.words.IsOrganization(key)
	return !isElse && (c.words.PostalTown(text) || besideContacts && c.words.EndsWithCity(text))
}

// announces reports whether a part of a line may be a label of what follows it: nothing separates the two.
func announces(line, part string) bool {
	_, after, found := strings.Cut(line, part)
	after = strings.TrimLeft(after, " ")
	first, _ := utf8.DecodeRuneInString(after)
	return !found || after != "" && !strings.ContainsRune("\t|•·,–—-/∣", first)
}

// maybePlace reports whether a text is up to four words that may name a place, and isn't known to be anything else.
func (c *Contacts) maybePlace(text string) bool {
	words := strings.Fields(text)
	if len(words) == 0 || len(words) > 4 {
		return false
	}

	// Up to five digits may be a postal code.
	if strings.ContainsAny(text, ":@/|\"&+") || wording.CountDigits(text) > 5 {
		return false
	}

	for _, word := range words {
		between := wording.FirstIsLower(word) && len(word) < 6 // "upon"
		if between {
			continue
		}

		mayBeName := nameWord(word) || wording.HasDigit(word)
		if !mayBeName || c.words.NotInNames[wording.Key(word)] {
			return false
		}
	}

	key := wording.Key(text)
	if letters(key) <= 2 || wording.FirstIsLower(text) {
		return false
	}

	isPerson := c.at.top || c.words.HasGivenName(key) || c.inEmails(text)
	return !isPerson && !c.namesNoPlace(text, key)
}

// namesNoPlace reports whether a text is a heading, a label, a company, a degree, a language, a date, a job title or a
// skill. key is its key.
func (c *Contacts) namesNoPlace(text, key string) bool {
	d := c.words
	isHeading := d.Headings[key] != "" || d.Label(text) != "" || d.IsDocumentTitle(text)
	if isHeading || c.personal(key) {
		return true
	}

	if d.IsOrganization(key) || d.Remote[key] {
		return true
	}

	isEntry := d.StartsWithDegree(text) || len(d.SpokenIn(text)) > 0 || len(c.dates.Find(text)) > 0
	if isEntry {
		return true
	}

	return c.titles.TitleScore(wording.NewFragment(text)) > 0 || c.taxonomy.Resolve(text).Known
}

// personal reports whether a key starts with a label of personal data: "sex female", "date of birth 26 07 1991".
func (c *Contacts) personal(key string) bool {
	const longest = 4 // words of a label
	end := 0
	for range longest {
		n := strings.IndexByte(key[end:], ' ')
		if n < 0 {
			return false
		}
		if end += n; c.words.Labels[key[:end]] == "birth" {
			return true
		}
		end++
	}
	return false
}

// inEmails reports whether one of the email addresses has a word of a text.
func (c *Contacts) inEmails(text string) bool {
	return slices.ContainsFunc(c.emails, func(email odds.Candidate[string]) bool {
		local, _, _ := strings.Cut(email.Value, "@")
		return inEmail(text, wording.Key(local))
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
func (c *Contacts) locationCandidate(text, source string, rank lexicon.PlaceRank) odds.Candidate[string] {
	commas := strings.Count(text, ",")
	byForm := rank == lexicon.PlaceByForm
	postal := byForm && c.words.PostalTown(text)
	return odds.NewCandidate(text, source,
		odds.If("any", true, -2),
		odds.If("after a label", rank == lexicon.PlaceByLabel, 6),
		odds.If("the name of a place", rank == lexicon.PlaceByName, 4),
		odds.If("the form of a place", byForm, 1),
		odds.If("a few words among contact details", rank == lexicon.PlaceByNeighbors, 1.5),
		odds.If("beside an email address or a phone number", c.at.beside, 1.5),
		odds.If("among contact details", c.at.inContacts, 1.5),
		odds.If("two parts", commas == 1, .2),
		odds.If("a postal code and a town", postal, 3),
		odds.If("a city at the end", byForm && c.words.EndsWithCity(text), 2.5),
		odds.If("only the form, and not two parts", byForm && commas != 1 && !postal, -2),
		odds.If("only a country", c.words.Countries[wording.Key(text)] != "", -1),
		odds.If("more digits than an address", wording.CountDigits(text) > 9, -4),
		odds.If("in a sentence", c.at.sentence, -2),
		odds.If("beside a job title", c.at.titled, -1),
	)
}
