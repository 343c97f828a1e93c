package person

import (
	"strings"

	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/lexicon"
	"github.com/freelancer-matching/service/resume/odds"
	"github.com/freelancer-matching/service/resume/wording"
)

// takeLinks removes the web addresses from a text and keeps those that are likely to be the person's.
func (c *Contacts) takeLinks(text string) string {
	var b strings.Builder
	for i, cell := range strings.Split(text, "\t") {
		if i > 0 {
			b.WriteByte('\t')
		}

		for j, word := range strings.Split(cell, " ") {
			trimmed := strings.TrimRight(strings.Trim(word, "|,;()<>·•"), ".,")
			if k := strings.Index(trimmed, "http"); k > 0 {
				trimmed = trimmed[k:]
			} else if label, value, ok := wording.CutLabel(trimmed); ok && len(label) < 15 {
				trimmed = value
			}

			// A tab takes the place of the address, so that the texts around it stay apart.
			if address := lexicon.WebAddress(trimmed); address != "" && !c.namesProduct(trimmed) {
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
func (c *Contacts) namesProduct(word string) bool {
	host, _, hasPath := strings.Cut(word, "/")
	first, _, _ := strings.Cut(host, ".")
	abbreviation := len(first) == 1 && first != "x"
	return !hasPath && (abbreviation || c.words.Degrees[wording.Key(word)] || c.taxonomy.Resolve(word).Known)
}

// addLink adds an address unless it is known, or unlikely to be the person's. written is the address as the line has
// it, "" for the target of a hyperlink. If one of two addresses is the other one cut off at the end of a line, the
// longer one is kept.
func (c *Contacts) addLink(address, written string) {
	if c.linkScore(address, written) <= 0 {
		return
	}
	added := comparableURL(address)
	for i, link := range c.links {
		known := comparableURL(link.URL)
		addedIsCut := cutOff(added) && strings.HasPrefix(known, added)
		if known == added || addedIsCut {
			return
		}

		if strings.HasPrefix(added, known) && cutOff(known) {
			c.links[i].URL = address
			return
		}
	}
	if len(c.links) < maxLinks && len(address) <= lexicon.MaxWebAddress {
		c.links = append(c.links, resume.ContactLink{Kind: linkKind(address), URL: address})
	}
}

// linkScore returns how likely an address is the person's own.
func (c *Contacts) linkScore(address, written string) float64 {
	host, path, _ := strings.Cut(comparableURL(address), "/")
	kind := linkKind(address)
	section, _, _ := strings.Cut(path, "/")
	noPage := notPersonal[kindOfHost(host)] || !strings.Contains(host, ".") || letters(host) == 0
	bare := path == "" && !strings.Contains(written, "/") && !strings.HasPrefix(written, "www.")
	return odds.Sum(
		odds.If("any", true, 1.5),
		odds.If("a profile", kind != "website" && path != "" || kind == "portfolio", 4),
		odds.If("a site of profiles without a profile", kind != "website" && kind != "portfolio" && path == "", -4),
		odds.If("a company or a job at a site of profiles", organizationPages[section] && kind != "website", -8),
		odds.If("a map, a search or a file", noPage, -10),
		odds.If("has a word of a name in the first lines", c.named(host+" "+path), 3),
		odds.If("after a label", c.at.label == "web", 2),
		odds.If("only a host", bare, -1),
		odds.If("in a sentence", c.at.sentence && written != "", -4),
		odds.If("beside a job title", c.at.titled && written != "" && kind == "website", -2.5),
	)
}

// notPersonal are sites whose pages belong to no person: maps, searches, and the calendar and mail of companies.
var notPersonal = lexicon.SetOf(strings.Fields(`google.com maps.google.com maps.app.goo.gl goo.gl maps.apple.com
	bing.com openstreetmap.org w3.org schema.org wikipedia.org calendly.com fonts.googleapis.com overleaf.com canva.com
	resume.io novoresume.com enhancv.com zety.com livecareer.com adobe.com microsoft.com apple.com`))

// organizationPages are the first parts of paths at sites of profiles that lead to no person.
var organizationPages = lexicon.SetOf(strings.Fields(
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
	profileSites = lexicon.SetOf(strings.Fields(`linkedin.com github.com gitlab.com stackoverflow.com behance.net
		dribbble.com x.com xing.com medium.com facebook.com instagram.com
		youtube.com kaggle.com orcid.org bitbucket.org malt.com upwork.com`))
	portfolioSites = lexicon.SetOf(strings.Fields(`github.io gitlab.io netlify.app vercel.app`))
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
