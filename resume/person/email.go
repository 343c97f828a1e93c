package person

import (
	"regexp"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/resume/lexicon"
	"github.com/freelancer-matching/service/resume/odds"
	"github.com/freelancer-matching/service/resume/wording"
)

// emailPattern matches email addresses with a local part of at most 64 characters, as in RFC 5321. It excludes Chinese
// and Japanese characters, which may precede an address without a space.
var emailPattern = func() *regexp.Regexp {
	const letter = `\p{Latin}\p{Greek}\p{Cyrillic}\p{Arabic}\p{Hebrew}\p{Hangul}\pN`
	return regexp.MustCompile(`[_` + letter + `][._%+'` + letter + `-]{0,63}@` +
		`[` + letter + `](?:[.` + letter + `-]*[` + letter + `])?\.[` + letter + `-]*[` + letter + `]{2}`)
}()

// findEmail returns where the first email address in a text starts and ends, or 0 and 0.
func findEmail(text string) (from, to int) {
	if !strings.Contains(text, "@") {
		return 0, 0
	}
	if at := emailPattern.FindStringIndex(text); at != nil {
		return at[0], at[1]
	}
	return 0, 0
}

// dividesAddress reports whether a line break divides an address. The next line must be one lower-case word that
// completes an email address, or that follows the hyphen at the end of a web address. Below the "@" at the end of a
// line, other contact details may follow the word.
func dividesAddress(text, next string) bool {
	const characters = "abcdefghijklmnopqrstuvwxyz0123456789.-_"
	if domain, _, _ := strings.Cut(next, " "); strings.HasSuffix(text, "@") {
		return endsWithEmail(text[strings.LastIndexAny(text, " \t")+1:] + strings.TrimRight(domain, ",;|"))
	}
	if endsLocalPart(text) && endsLocalPart(next[:strings.IndexByte(next, '@')+1]) {
		return true
	}

	mayComplete := next != "" && len(next) <= wording.MaxHeading &&
		strings.Trim(strings.TrimPrefix(next, "@"), characters) == ""
	if !mayComplete {
		return false
	}

	last := text[strings.LastIndexAny(text, " \t")+1:]
	switch {
	case next[0] == '@':
		return !strings.Contains(last, "@") && endsWithEmail(last+next)
	case strings.Contains(last, "@"):
		return !endsWithEmail(last) && endsWithEmail(last+next)
	default:
		return cutOff(last) && lexicon.WebAddress(last) != "" && !strings.Contains(next, ".")
	}
}

// endsLocalPart reports whether a line consists of a word of an email address that ends with a sign which no address
// ends with: "ada.lovelace." or, with the sign itself, "quill@". A single word with a dot may also end a sentence.
func endsLocalPart(text string) bool {
	const signs = "._-+"
	const characters = "abcdefghijklmnopqrstuvwxyz0123456789" + signs
	if len(text) < 2 {
		return false
	}
	word, last := text[:len(text)-1], text[len(text)-1:]
	endsSentence := last == "." && !strings.ContainsAny(word, signs)
	return strings.Trim(word, characters) == "" && (last == "@" || strings.Contains(signs, last)) && !endsSentence
}

// endsWithEmail reports whether a text ends with an email address in a common domain.
func endsWithEmail(text string) bool {
	from, to := findEmail(text)
	return to > from && to == len(text) && lexicon.TopLevelDomains[text[strings.LastIndexByte(text, '.')+1:]]
}

// spelledAddress restores the signs of an email address that is spelled out: "ada [at] example [dot] org".
var spelledAddress = strings.NewReplacer(
	" [at] ", "@", "[at]", "@", " (at) ", "@", "(at)", "@", "{at}", "@", " AT ", " at ", "[AT]", "@", "(AT)", "@",
	" [dot] ", ".", "[dot]", ".", " (dot) ", ".", "(dot)", ".", " DOT ", " dot ", "[DOT]", ".", "(DOT)", ".",
)

// spacedAddress matches an email address with spaces around its signs: "ada . quill @ example . org".
var spacedAddress = regexp.MustCompile(`[\w%+-]{1,64}(?: ?[._] ?[\w%+-]{1,64}){0,5}` +
	` ?@ ?[a-z0-9-]{1,63}(?: ?\. ?[a-z0-9-]{2,63}){1,4}`)

// restoreAddress writes the email addresses of a line in their usual form. An "@" between spaces may also stand between
// a job title and an employer.
func restoreAddress(text string, d *lexicon.Lexicon) string {
	text = spelledAddress.Replace(text)
	before, after, _ := strings.Cut(text, " at ")
	if strings.Contains(after, " dot ") && !strings.Contains(text, "@") {
		text = before + "@" + strings.ReplaceAll(after, " dot ", ".")
	}

	spaced := strings.Contains(text, " @") || strings.Contains(text, "@ ") ||
		strings.Contains(text, " .") || strings.Contains(text, ". ")
	if !spaced || !strings.Contains(text, "@") {
		return text
	}

	return spacedAddress.ReplaceAllStringFunc(text, func(address string) string {
		compact := strings.ReplaceAll(address, " ", "")
		local, _, _ := strings.Cut(address, "@")
		domain := compact[strings.LastIndexByte(compact, '.')+1:]
		if d.Titles.Any(wording.Key(local)) || !lexicon.TopLevelDomains[domain] {
			return address
		}
		return compact
	})
}

// takeEmails removes the email addresses from a text and keeps them.
func (c *Contacts) takeEmails(text string) (rest string, ok bool) {
	for from, to := findEmail(text); to > 0; from, to = findEmail(text) {
		c.addEmail(text[from:to], text[:from])
		text = text[:from] + "\t" + text[to:]
		ok = true
	}
	return text, ok
}

// addEmail adds an email address. The earliest of equally good ones wins.
func (c *Contacts) addEmail(address, before string) {
	if len(c.emails) >= maxCandidates {
		return
	}
	local, domain, _ := strings.Cut(strings.ToLower(address), "@")
	lastWord := wording.Key(before[strings.LastIndexAny(strings.TrimRight(before, " :"), " \t|")+1:])
	prose := slices.Contains([]lexicon.Kind{lexicon.Experience, "projects", "publications", "volunteer"}, c.at.kind)
	c.emails = append(c.emails, odds.NewCandidate(address, string(c.at.kind),
		odds.If("any", true, 1),
		odds.If("in the contact details", mayHaveContact(c.at.kind), 2),
		odds.If("after a label", c.at.label == "email" || c.words.Labels[lastWord] == "email", 2),
		odds.If("has a word of a name in the first lines", c.named(local+" "+domain), 3),
		odds.If("the mailbox of an organization", c.words.Mailboxes[local], -2),
		odds.If("in a sentence", c.at.sentence && strings.Count(before, " ") > 2, -1.5),
		odds.If("beside a job title", c.at.titled, -1.5),
		odds.If("among jobs and projects", prose, -3),
	))
}

// named reports whether an address has a word of a text in the first lines that looks like a name.
func (c *Contacts) named(address string) bool {
	k := wording.Key(address)
	for word := range c.likelyNames {
		partOfAddress := len(word) > 3 && strings.Contains(k, word)
		if partOfAddress || c.likelyNames[k] {
			return true
		}
	}
	return slices.ContainsFunc(strings.Fields(k), func(word string) bool { return c.likelyNames[word] })
}
