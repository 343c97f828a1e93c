package fields

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"freelancer-matching/resume"
)

// findEmail is where the first address of e-mail in a text starts and ends, 0 and 0 where there is none.
func findEmail(text string) (from, to int) {
	for offset := 0; ; {
		i := strings.IndexByte(text[offset:], '@')
		if i < 0 {
			return 0, 0
		}
		at := offset + i
		from, to = at, at+1
		for from > 0 {
			r, size := utf8.DecodeLastRuneInString(text[:from])
			if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._%+-'", r) || wideRune(r) || at-from > 64 {
				break
			}
			from -= size
		}
		for to < len(text) {
			r, size := utf8.DecodeRuneInString(text[to:])
			if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' && r != '-' || wideRune(r) || to-at > 255 {
				break
			}
			to += size
		}
		for to > at && strings.IndexByte(".-", text[to-1]) >= 0 {
			to--
		}
		for from < at && strings.IndexByte(".-'+%", text[from]) >= 0 {
			from++
		}
		dot := strings.LastIndexByte(text[at:to], '.')
		if from < at && dot > 1 && to-(at+dot) > 2 && strings.Trim(text[at+dot+1:to], "0123456789") != "" {
			return from, to
		}
		offset = at + 1
	}
}

// dividesAddress reports whether the end of a line, for want of room, divides an address, of which the next line has the rest:
// one word in small letters, with which an address of e-mail has an end, or one on the web goes on behind its hyphen.
func dividesAddress(text, next string) bool {
	const signs = "abcdefghijklmnopqrstuvwxyz0123456789.-_"
	if next == "" || len(next) > maxHeading || strings.Trim(next, signs) != "" {
		return false
	}
	last := text[strings.LastIndexAny(text, " \t")+1:]
	if strings.Contains(last, "@") {
		return !wholeEmail(last) && wholeEmail(last+next)
	}
	return cutOff(last) && webAddress(last) != "" && !strings.Contains(next, ".")
}

// wholeEmail reports whether a text ends with an address of e-mail of a domain that people have.
func wholeEmail(text string) bool {
	from, to := findEmail(text)
	return to > from && to == len(text) && topLevel(text[strings.LastIndexByte(text, '.')+1:])
}

// takeLinks takes the addresses on the web out of a text.
func (c *contactFinder) takeLinks(text string) string {
	var b strings.Builder
	for i, cell := range strings.Split(text, "\t") {
		if i > 0 {
			b.WriteByte('\t')
		}
		for j, word := range strings.Split(cell, " ") {
			trimmed := strings.TrimRight(strings.Trim(word, "|,;()（）<>·•"), ".，")
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

// webAddress is a word as an address on the web with its scheme, "" where it is none.
func webAddress(word string) string {
	if len(word) < 4 || len(word) > 300 || strings.Contains(word, "@") && !strings.Contains(word, "/@") {
		return ""
	}
	lower := strings.ToLower(word)
	switch {
	case strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "https://"):
		if u, err := url.Parse(word); err == nil && strings.Contains(u.Host, ".") {
			return word
		}
		return ""
	case strings.Contains(lower, "://"):
		return ""
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
	if top := labels[len(labels)-1]; strings.HasPrefix(host, "www.") || hasPath && len(top) >= 2 && strings.Trim(top, "0123456789") == top || topLevel(top) {
		return "https://" + word
	}
	return ""
}

// topLevel reports whether a domain is one that bare addresses of people end with.
func topLevel(domain string) bool {
	switch domain {
	case "com", "org", "net", "io", "dev", "me", "co", "de", "fr", "es", "it", "nl", "pt", "ch", "at", "be", "eu", "uk", "us", "ca", "app", "tech", "info",
		"xyz", "design", "ai", "cn", "jp", "in", "br", "se", "no", "dk", "fi", "pl", "page", "site", "online", "blog", "studio", "edu", "biz", "example":
		return true
	default:
		return false
	}
}

// addLink adds an address once.
func (c *contactFinder) addLink(address string) {
	for i, have := range c.links {
		known, found := sameLink(have.URL), sameLink(address)
		if known == found || strings.HasPrefix(known, found) && cutOff(found) {
			return
		}
		if strings.HasPrefix(found, known) && cutOff(known) {
			c.links[i].URL = address
			return
		}
	}
	if len(c.links) < maxLinks && len(address) <= 300 {
		c.links = append(c.links, resume.ContactLink{Kind: linkKind(address), URL: address})
	}
}

// cutOff reports whether an address ends as one does that goes on in the next line.
func cutOff(address string) bool {
	return strings.HasSuffix(address, "-") || strings.HasSuffix(address, "_")
}

// sameLink is what addresses are compared by.
func sameLink(address string) string {
	_, rest, ok := strings.Cut(strings.ToLower(address), "://")
	if !ok {
		rest = address
	}
	return strings.TrimSuffix(strings.TrimPrefix(rest, "www."), "/")
}

// linkKind is the kind of an address by its host.
func linkKind(address string) string {
	host, _, _ := strings.Cut(sameLink(address), "/")
	for _, site := range []struct{ host, kind string }{
		{"linkedin.com", "linkedin"},
		{"github.com", "github"},
		{"gitlab.com", "gitlab"},
		{"stackoverflow.com", "stackoverflow"},
		{"behance.net", "behance"},
		{"dribbble.com", "dribbble"},
		{"twitter.com", "x"},
		{"x.com", "x"},
		{"xing.com", "xing"},
		{"medium.com", "medium"},
		{"facebook.com", "facebook"},
		{"instagram.com", "instagram"},
		{"youtube.com", "youtube"},
		{"kaggle.com", "kaggle"},
		{"orcid.org", "orcid"},
		{"bitbucket.org", "bitbucket"},
		{"malt.com", "malt"},
		{"upwork.com", "upwork"},
		{"github.io", "portfolio"},
		{"gitlab.io", "portfolio"},
		{"netlify.app", "portfolio"},
		{"vercel.app", "portfolio"},
	} {
		if host == site.host || strings.HasSuffix(host, "."+site.host) {
			return site.kind
		}
	}
	return "website"
}
