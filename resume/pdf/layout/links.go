package layout

import (
	"regexp"
	"strings"

	"github.com/freelancer-matching/service/resume"
)

// webAddress matches web addresses: with a scheme, with www, or on a site that people often write without either.
var webAddress = regexp.MustCompile(`(?i)\b(?:https?://|www\.)[^\s<>"]+|` +
	`\b(?:[a-z0-9-]+\.)?(?:linkedin\.com|github\.com|gitlab\.com|stackoverflow\.com|behance\.net|dribbble\.com|` +
	`medium\.com|twitter\.com|x\.com|xing\.com|kaggle\.com|bitbucket\.org)/[^\s<>"]+|` +
	`\b[a-z0-9-]+\.(?:github|gitlab)\.io\b[^\s<>"]*`)

// addresses returns the web addresses in a text.
func addresses(text string) []string {
	mayContain := strings.Contains(text, "/") || strings.Contains(strings.ToLower(text), "www.") ||
		strings.Contains(text, ".io")
	if !mayContain {
		return nil // avoids the slow expression for most lines
	}
	found := webAddress.FindAllString(text, -1)
	for i := range found {
		found[i] = strings.TrimRight(found[i], ".,;:!?)]}'|")
	}
	return found
}

// addLink appends a link unless links[first:] contains its address.
func addLink(links []resume.Link, first int, link resume.Link) []resume.Link {
	// The text may show only a part of the address that it links to.
	for _, l := range links[first:] {
		known := bareAddress(l.URL)
		added := bareAddress(link.URL)
		partOfKnown := link.Text == link.URL && strings.Contains(known, added)
		if known == added || partOfKnown {
			return links
		}
	}
	return append(links, link)
}

// bareAddress removes the parts of an address that people often omit.
func bareAddress(url string) string {
	url = strings.ToLower(url)
	for _, prefix := range [...]string{"https://", "http://", "www."} {
		url = strings.TrimPrefix(url, prefix)
	}
	return strings.TrimRight(url, "/")
}
