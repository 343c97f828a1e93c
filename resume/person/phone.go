package person

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nyaruka/phonenumbers"

	"github.com/freelancer-matching/service/resume/odds"
	"github.com/freelancer-matching/service/resume/wording"
)

// The number of digits in a phone number. E.164 defines the maximum.
const (
	minDigits = 7
	maxDigits = 15
)

// findPhone returns where the first phone number in a text starts and ends, or 0 and 0.
func findPhone(text string) (from, to int) {
	for i := 0; i < len(text); i++ {
		if strings.IndexByte("+(0123456789", text[i]) < 0 {
			continue
		}
		end := phoneEnd(text, i)
		if end == i {
			continue
		}
		if wording.CountDigits(text[i:end]) >= minDigits && standsAlone(text, i, end) {
			start := phoneStart(text, i, end)
			if n := wording.CountDigits(text[start:end]); n >= minDigits && n <= maxDigits {
				return start, end
			}
		}
		i = end - 1
	}
	return 0, 0
}

// phoneStart returns where the phone number between two offsets starts: after a postal code ("94588 (555) 123-4567"),
// and after a bracket that is not closed.
func phoneStart(text string, start, end int) int {
	inner := strings.IndexAny(text[start+1:end], "+(")
	startsWithDigit := text[start] != '(' && text[start] != '+'
	if inner > 0 && startsWithDigit {
		inside := start + 1 + inner
		if text[inside] == '+' || wording.CountDigits(text[start:end]) > 11 {
			start = inside
		}
	}

	unclosed := text[start] == '(' && start+1 < len(text) && !strings.Contains(text[start:end], ")")
	if unclosed {
		start++
	}

	return start
}

// phoneEnd returns the end of the digits, brackets and light punctuation that start at an offset. A plus sign starts
// another number.
func phoneEnd(text string, start int) int {
	end := start
	gap := 0
	for i := start; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		digits := wording.CountDigits(text[start:end])
		switch {
		case r >= '0' && r <= '9':
			end = i + size
			gap = 0
		case r == '+' && i == start, strings.ContainsRune(" ().-–·/‑", r) && gap < 4:
			gap++
		case r == '+' && strings.TrimSpace(text[start:i]) == "(":
		case r == '+' && digits > 0 && digits < minDigits: // a postal code
		default:
			return end
		}
		i += size
	}
	return end
}

// standsAlone reports whether a number is neither part of a word or an address, nor masked.
func standsAlone(text string, from, to int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:from])
	afterLetter := unicode.IsLetter(before) && !wording.WideRune(before)
	insideText := from > 0 && (afterLetter || strings.ContainsRune("/=_#@&", before))
	if insideText {
		return false
	}

	next := strings.TrimLeft(text[to:], " -")
	masked := strings.HasPrefix(next, "X") || strings.HasPrefix(next, "*")
	if masked {
		return false
	}

	after, _ := utf8.DecodeRuneInString(text[to:])
	return to == len(text) || !unicode.IsLetter(after) || wording.WideRune(after)
}

// takePhones removes everything that looks like a phone number from a text and keeps it, except fax numbers and dates.
func (c *Contacts) takePhones(text string) (rest string, ok bool) {
	for from, to := findPhone(text); to > 0; from, to = findPhone(text) {
		number := text[from:to]
		before := text[:from]
		text = text[:from] + "\t" + text[to:]
		k := wording.Key(before)
		isFax := slices.ContainsFunc(c.words.Faxes, func(fax string) bool { return strings.HasSuffix(k, fax) })
		isDate := wording.CountDigits(number) <= 8 && len(c.dates.Find(number)) > 0
		if !isFax && !isDate {
			ok = c.addPhone(number, before) || ok
		}
	}
	return text, ok
}

// addPhone adds a phone number with the text before it. It reports whether the number is likely to be one.
func (c *Contacts) addPhone(number, before string) bool {
	if len(c.phones) >= maxCandidates {
		return false
	}
	k := wording.Key(before[strings.LastIndexAny(before, "\t|")+1:])
	words := strings.Fields(k)
	label := c.words.Labels[k]
	for n := 1; n <= min(2, len(words)) && label == ""; n++ {
		label = c.words.Labels[strings.Join(words[len(words)-n:], " ")]
	}

	if label == "" && k == "" {
		label = c.at.label
	}

	// Numbers of customers, postal codes and dates have as many digits, so form and label must agree.
	digits := wording.CountDigits(number)
	separated := strings.ContainsAny(strings.TrimSpace(number), " -./()–")
	international := strings.Contains(number, "+") || strings.HasPrefix(strings.TrimLeft(number, "( "), "00")
	phone := odds.NewCandidate(number, string(c.at.kind),
		odds.If("any", true, -.5),
		odds.If("after a label", label == "phone", 4),
		odds.If("after another label", label != "" && label != "phone", -6),
		odds.If("with a country code", international, 3),
		odds.If("in the contact details", mayHaveContact(c.at.kind), 1),
		odds.If("in a section of contact details", c.at.inContacts, 1),
		odds.If("nine digits or more", digits >= 9, 1),
		odds.If("seven digits", digits == 7, -.5),
		odds.If("digits in groups", separated, .7),
		odds.If("digits in one group after another word", !separated && !international && label == "" && k != "", -2),
		odds.If("postal code with four more digits", zipCode(number), -5),
		odds.If("in a sentence", c.at.sentence, -1),
	)

	c.phones = append(c.phones, phone)
	return phone.Score > 0
}

// zipCode reports whether a number is an American postal code with nine digits.
func zipCode(number string) bool {
	number = strings.TrimSpace(number)
	return len(number) == 10 && number[5] == '-' && wording.CountDigits(number) == 9
}

// phone returns a number in international form if its country is known: from its country code, or from country, an ISO
// 3166 code. Otherwise, or if the country has no such number, it returns the number as written.
func phone(number, country string) string {
	written := strings.Trim(number, " .-–·/")
	if strings.Count(written, "(") != strings.Count(written, ")") {
		written = strings.Trim(written, "()")
	}
	number = strings.NewReplacer("·", " ", "–", "-", "(0)", " ").Replace(written)
	if strings.HasPrefix(strings.TrimLeft(number, "( "), "00") {
		number = "+" + strings.TrimLeft(number, "( 0")
	}

	isForeign := foreignTrunk(number, country) || americanForm.MatchString(number) && !american(country)
	unknownCountry := !strings.Contains(number, "+") && (country == "" || isForeign)
	if unknownCountry {
		return written
	}

	parsed, err := phonenumbers.Parse(number, country)
	if err != nil || !phonenumbers.IsPossibleNumber(parsed) {
		return written
	}
	return phonenumbers.Format(parsed, phonenumbers.INTERNATIONAL)
}

// PhoneCountry returns the ISO 3166 code of the country of a number with a country code, "" for other numbers, and for
// numbers that belong to no country.
func PhoneCountry(number string) string {
	if !strings.HasPrefix(number, "+") {
		return ""
	}
	parsed, err := phonenumbers.Parse(number, "")
	if err != nil || !phonenumbers.IsPossibleNumber(parsed) {
		return ""
	}

	const nonGeographic = "001" // such as satellite phones
	if code := phonenumbers.GetRegionCodeForNumber(parsed); code != nonGeographic {
		return code
	}
	return ""
}

// americanForm matches numbers as they are written in North America: "(555) 012-3456", "555-012-3456".
var americanForm = regexp.MustCompile(`^(?:\(\d{3}\) ?|\d{3}[-.])\d{3}[-.]\d{4}$`)

// american reports whether a country has the numbers of North America.
func american(country string) bool { return phonenumbers.GetCountryCodeForRegion(country) == 1 }

// foreignTrunk reports whether a number starts with a zero that numbers of the country don't start with, so that it is
// from another country: "0123 456789" is not from the United States.
func foreignTrunk(number, country string) bool {
	first := strings.TrimLeft(number, "( ")
	trunk := phonenumbers.GetNddPrefixForRegion(country, true)
	return strings.HasPrefix(first, "0") && !strings.HasPrefix(trunk, "0") && country != "IT"
}
