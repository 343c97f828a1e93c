package lexicon

import (
	"net/url"
	"strings"
)

// MaxWebAddress bounds the length of a web address in bytes.
const MaxWebAddress = 300

// WebAddress returns a word that is a web address, with its scheme, and "" for other words. An address without a scheme
// needs a path, a host that starts with www, or a common top-level domain.
func WebAddress(word string) string {
	if len(word) < 4 || len(word) > MaxWebAddress {
		return ""
	}

	// Some sites begin the names of users with an @, but elsewhere it makes an email address.
	isEmail := strings.Contains(word, "@") && !strings.Contains(word, "/@")
	if isEmail {
		return ""
	}

	lower := strings.ToLower(word)

	// With a scheme, the writer says that it is an address.
	if scheme, _, ok := strings.Cut(lower, "://"); ok {
		isWeb := scheme == "http" || scheme == "https"
		u, err := url.Parse(word)
		isValid := err == nil && strings.Contains(u.Host, ".")
		if !isWeb || !isValid {
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

	// Without one, names such as "Node.js" have the same form, so the end must be a domain.
	top := labels[len(labels)-1]
	plausible := len(top) >= 2 && strings.Trim(top, "0123456789") == top
	isAddress := strings.HasPrefix(host, "www.") || hasPath && plausible || TopLevelDomains[top]
	if isAddress {
		return "https://" + word
	}

	return ""
}

// TopLevelDomains are the domains in which people have addresses. Other words with a dot are rarely addresses.
var TopLevelDomains = SetOf(strings.Fields(`com org net io dev me co de fr es it nl pt ch at be eu uk us ca app
	tech info xyz design ai cn jp in br se no dk fi pl page site online blog studio edu biz example`))
