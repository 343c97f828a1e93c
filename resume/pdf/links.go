package pdf

import (
	"regexp"
	"strings"

	"freelancer-matching/resume"
)

// webAddress matches addresses of the web: with a scheme, with www, or of a few sites that people link to without.
var webAddress = regexp.MustCompile(`(?i)\b(?:https?://|www\.)[^\s<>"]+|` +
	`\b(?:[a-z0-9-]+\.)?(?:linkedin\.com|github\.com|gitlab\.com|stackoverflow\.com|behance\.net|dribbble\.com|` +
	`medium\.com|twitter\.com|x\.com|xing\.com|kaggle\.com|bitbucket\.org)/[^\s<>"]+|` +
	`\b[a-z0-9-]+\.(?:github|gitlab)\.io\b[^\s<>"]*`)

// addresses are the addresses of the web that a text names.
func addresses(text string) []string {
	if !strings.Contains(text, "/") && !strings.Contains(strings.ToLower(text), "www.") && !strings.Contains(text, ".io") {
		return nil // most lines: the expression takes a while
	}
	found := webAddress.FindAllString(text, -1)
	for i := range found {
		found[i] = strings.TrimRight(found[i], ".,;:!?)]}'|")
	}
	return found
}

// addLink appends a link, unless one of those from first on has the same address.
func addLink(links []resume.Link, first int, link resume.Link) []resume.Link {
	for _, l := range links[first:] {
		if a, b := bare(l.URL), bare(link.URL); a == b || link.Text == link.URL && strings.Contains(a, b) {
			return links
		}
	}
	return append(links, link)
}

// bare is an address without what is often left out.
func bare(url string) string {
	url = strings.ToLower(url)
	for _, prefix := range [...]string{"https://", "http://", "www."} {
		url = strings.TrimPrefix(url, prefix)
	}
	return strings.TrimRight(url, "/")
}
