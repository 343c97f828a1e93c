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
func URL(s string) (address, remark string) {
	s = strings.TrimSpace(s)
	if Unknown(s) {
		return "", ""
	}
	if len(s) > MaxURL {
		return "", remarkLongURL
	}

	switch {
	case strings.HasPrefix(s, "//"):
		s = "https:" + s
	case strings.HasPrefix(strings.ToLower(s), "www."):
		s = "https://" + s
	}

	u, err := url.Parse(s)
	if err != nil || strings.ContainsAny(s, " \t\r\n") {
		return "", remarkNotURL
	}
	if u.Hostname() == "" || u.User != nil {
		return "", remarkNotURL
	}

	u.Scheme = strings.ToLower(u.Scheme)
	u.Host = strings.ToLower(u.Host)
	if u.Scheme != "http" && u.Scheme != "https" {
		return "", remarkNotURL
	}

	for strings.Contains(u.Path, "//") {
		u.Path, u.RawPath = strings.ReplaceAll(u.Path, "//", "/"), strings.ReplaceAll(u.RawPath, "//", "/")
	}
	address = u.String()
	if len(address) > MaxURL { // escaping may have made it longer
		return "", remarkLongURL
	}

	return address, ""
}
