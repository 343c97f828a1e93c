package fields

import (
	"net/url"
	"strings"

	"freelancer-matching/resume"
)

// maxWebAddress bounds the length of a web address in bytes.
const maxWebAddress = 300

// takeLinks removes the web addresses from a text and keeps those that are likely to be the person's.
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
			} else if label, value, ok := cutLabel(trimmed); ok && len(label) < 15 {
				trimmed = value
			}

			if address := webAddress(trimmed); address != "" && !c.namesProduct(trimmed) {
				c.addLink(address, trimmed)
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

// namesProduct reports whether a word in the form of an address is the name of a skill or a degree: "ASP.NET",
// "Socket.io", "B.Com".
func (c *contactReader) namesProduct(word string) bool {
	host, _, hasPath := strings.Cut(word, "/")
	first, _, _ := strings.Cut(host, ".")
	return !hasPath && (c.words.degrees[key(word)] || len(first) == 1 && first != "x" || c.taxonomy.Resolve(word).Known)
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

// addLink adds an address unless it is known, or unlikely to be the person's. written is the address as the line has
// it, "" for the target of a hyperlink. If one of two addresses is the other one cut off at the end of a line, the
// longer one is kept.
func (c *contactReader) addLink(address, written string) {
	if c.linkScore(address, written) <= 0 {
		return
	}
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

// linkScore returns how likely an address is the person's own.
func (c *contactReader) linkScore(address, written string) float64 {
	host, path, _ := strings.Cut(comparableURL(address), "/")
	kind := linkKind(address)
	section, _, _ := strings.Cut(path, "/")
	noPage := notPersonal[kindOfHost(host)] || !strings.Contains(host, ".") || letters(host) == 0
	bare := path == "" && !strings.Contains(written, "/") && !strings.HasPrefix(written, "www.")
	return sum(
		feature{"any", true, 1.5},
		feature{"a profile", kind != "website" && path != "" || kind == "portfolio", 4},
		feature{"a site of profiles without a profile", kind != "website" && kind != "portfolio" && path == "", -4},
		feature{"a company or a job at a site of profiles", organizationPages[section] && kind != "website", -8},
		feature{"a map, a search or a file", noPage, -10},
		feature{"has a word of a name in the first lines", c.named(host + " " + path), 3},
		feature{"after a label", c.at.label == "web", 2},
		feature{"only a host", bare, -1},
		feature{"in a sentence", c.at.sentence && written != "", -4},
		feature{"beside a job title", c.at.titled && written != "" && kind == "website", -2.5},
	)
}

// notPersonal are sites whose pages belong to no person: maps, searches, and the calendar and mail of companies.
var notPersonal = setOf(strings.Fields(`google.com maps.google.com maps.app.goo.gl goo.gl maps.apple.com bing.com
	openstreetmap.org w3.org schema.org wikipedia.org calendly.com fonts.googleapis.com overleaf.com canva.com
	resume.io novoresume.com enhancv.com zety.com livecareer.com adobe.com microsoft.com apple.com`))

// organizationPages are the first parts of paths at sites of profiles that lead to no person.
var organizationPages = setOf(strings.Fields(
	"company school jobs showcase groups search questions topics explore watch"))

// kindOfHost returns the longest domain of a host that notPersonal has, or the host.
func kindOfHost(host string) string {
	for domain, found := host, true; found; _, domain, found = strings.Cut(domain, ".") {
		if notPersonal[domain] {
			return domain
		}
	}
	return host
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
