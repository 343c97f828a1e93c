package fields

import (
	"net/url"
	"regexp"
	"strings"

	"freelancer-matching/resume"
)

// maxWebAddress bounds the length of a web address in bytes.
const maxWebAddress = 300

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
// completes an email address, or that follows the hyphen at the end of a web address.
func dividesAddress(text, next string) bool {
	const characters = "abcdefghijklmnopqrstuvwxyz0123456789.-_"
	if next == "" || len(next) > maxHeading || strings.Trim(next, characters) != "" {
		return false
	}
	last := text[strings.LastIndexAny(text, " \t")+1:]
	if strings.Contains(last, "@") {
		return !endsWithEmail(last) && endsWithEmail(last+next)
	}
	return cutOff(last) && webAddress(last) != "" && !strings.Contains(next, ".")
}

// endsWithEmail reports whether a text ends with an email address in a common domain.
func endsWithEmail(text string) bool {
	from, to := findEmail(text)
	return to > from && to == len(text) && topLevelDomains[text[strings.LastIndexByte(text, '.')+1:]]
}

// takeLinks removes the web addresses from a text and keeps them.
func (c *contactReader) takeLinks(text string) string {
	var b strings.Builder
	for i, cell := range strings.Split(text, "\t") {
		if i > 0 {
			b.WriteByte('\t')
		}
		for j, word := range strings.Split(cell, " ") {
			trimmed := strings.TrimRight(strings.Trim(word, "|,;()<>·•"), ".,")
			if k := strings.Index(trimmed, "http"); k > 0 {
				trimmed = trimmed[k:]
			} else if label, rest, ok := strings.Cut(trimmed, ":"); ok && !strings.HasPrefix(rest, "//") && len(label) < 15 {
				trimmed = rest
			}
			if address := webAddress(trimmed); address != "" {
				c.addLink(address)
				b.WriteByte('\t')
				continue
			}
			if j > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(word)
		}
	}
	return b.String()
}

// webAddress returns a word that is a web address, with its scheme, and "" for other words. An address without a scheme
// needs a path, a host that starts with www, or a common top-level domain.
func webAddress(word string) string {
	if len(word) < 4 || len(word) > maxWebAddress || strings.Contains(word, "@") && !strings.Contains(word, "/@") {
		return ""
	}
	lower := strings.ToLower(word)
	if scheme, _, ok := strings.Cut(lower, "://"); ok {
		u, err := url.Parse(word)
		if scheme != "http" && scheme != "https" || err != nil || !strings.Contains(u.Host, ".") {
			return ""
		}
		return word
	}
	host, _, hasPath := strings.Cut(lower, "/")
	labels := strings.Split(host, ".")
	if len(labels) < 2 {
		return ""
	}
	for _, label := range labels {
		if label == "" || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			return ""
		}
	}
	top := labels[len(labels)-1]
	plausible := len(top) >= 2 && strings.Trim(top, "0123456789") == top
	if strings.HasPrefix(host, "www.") || hasPath && plausible || topLevelDomains[top] {
		return "https://" + word
	}
	return ""
}

// topLevelDomains are the domains in which people have addresses. Other words with a dot are rarely addresses.
var topLevelDomains = setOf(strings.Fields(`com org net io dev me co de fr es it nl pt ch at be eu uk us ca app
	tech info xyz design ai cn jp in br se no dk fi pl page site online blog studio edu biz example`))

// addLink adds an address unless it is known. If one of two addresses is the other one cut off at the end of a line,
// the longer one is kept.
func (c *contactReader) addLink(address string) {
	added := comparableURL(address)
	for i, link := range c.links {
		known := comparableURL(link.URL)
		if known == added || strings.HasPrefix(known, added) && cutOff(added) {
			return
		}
		if strings.HasPrefix(added, known) && cutOff(known) {
			c.links[i].URL = address
			return
		}
	}
	if len(c.links) < maxLinks && len(address) <= maxWebAddress {
		c.links = append(c.links, resume.ContactLink{Kind: linkKind(address), URL: address})
	}
}

// cutOff reports whether an address ends as if its rest were on the next line.
func cutOff(address string) bool {
	return strings.HasSuffix(address, "-") || strings.HasSuffix(address, "_")
}

// comparableURL returns an address in lower case without its scheme, www and final slash.
func comparableURL(address string) string {
	address = strings.ToLower(address)
	if _, rest, ok := strings.Cut(address, "://"); ok {
		address = rest
	}
	return strings.TrimSuffix(strings.TrimPrefix(address, "www."), "/")
}

// Sites whose addresses have a kind. The kind of a profile is the name of its site.
var (
	profileSites = setOf(strings.Fields(`linkedin.com github.com gitlab.com stackoverflow.com behance.net
		dribbble.com x.com xing.com medium.com facebook.com instagram.com
		youtube.com kaggle.com orcid.org bitbucket.org malt.com upwork.com`))
	portfolioSites = setOf(strings.Fields(`github.io gitlab.io netlify.app vercel.app`))
)

// linkKind returns the kind of a web address by its host, or by a domain that its host is in.
func linkKind(address string) string {
	host, _, _ := strings.Cut(comparableURL(address), "/")
	for found := true; found; _, host, found = strings.Cut(host, ".") {
		switch site, _, _ := strings.Cut(host, "."); {
		case profileSites[host]:
			return site
		case host == "twitter.com":
			return "x"
		case portfolioSites[host]:
			return "portfolio"
		}
	}
	return "website"
}
