package value

import (
	"net/url"
	"strings"
)

// Remarks on web addresses.
const (
	remarkNotURL  = "not a web address that begins with http or https"
	remarkLongURL = "a web address longer than 2,000 characters"
)

// MaxURL is the maximum length of a web address in bytes.
const MaxURL = 2000

// URL parses a web address. It returns it with its scheme and host in lower case and without double slashes in its
// path, or "" if the cell is unknown or has anything else, such as a script.
func URL(text string) (address, remark string) {
	text = strings.TrimSpace(text)
	if Unknown(text) {
		return "", ""
	}
	if len(text) > MaxURL {
		return "", remarkLongURL
	}

	switch {
	case strings.HasPrefix(text, "//"):
		text = "https:" + text
	case strings.HasPrefix(strings.ToLower(text), "www."):
		text = "https://" + text
	}

	parsed, err := url.Parse(text)
	if err != nil || strings.ContainsAny(text, " \t\r\n") {
		return "", remarkNotURL
	}
	if parsed.Hostname() == "" || parsed.User != nil {
		return "", remarkNotURL
	}

	parsed.Scheme = strings.ToLower(parsed.Scheme)
	parsed.Host = strings.ToLower(parsed.Host)
	if parsed.Scheme != "http" && parsed.Scheme != "https" {
		return "", remarkNotURL
	}

	for strings.Contains(parsed.Path, "//") {
		parsed.Path = strings.ReplaceAll(parsed.Path, "//", "/")
		parsed.RawPath = strings.ReplaceAll(parsed.RawPath, "//", "/")
	}
	address = parsed.String()
	if len(address) > MaxURL { // escaping may have made it longer
		return "", remarkLongURL
	}

	return address, ""
}
