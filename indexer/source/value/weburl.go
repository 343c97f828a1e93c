package value

import (
	"net/url"
	"strings"
)

// Remarks on web addresses.
const (
	remarkNotURL  = "not a web address: http or https expected"
	remarkLongURL = "a web address of more than 2,000 characters"
)

// MaxURL is the length of the longest web address that is kept, in bytes.
const MaxURL = 2000

// URL is a web address with its scheme and host in lower case and without doubled slashes in its path; "" when the
// cell says nothing or holds anything else, such as a script.
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
	if err != nil || u.Hostname() == "" || u.User != nil || strings.ContainsAny(s, " \t\r\n") {
		return "", remarkNotURL
	}
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	if u.Scheme != "http" && u.Scheme != "https" {
		return "", remarkNotURL
	}
	for strings.Contains(u.Path, "//") {
		u.Path, u.RawPath = strings.ReplaceAll(u.Path, "//", "/"), strings.ReplaceAll(u.RawPath, "//", "/")
	}
	address = u.String()
	if len(address) > MaxURL { // escapes may have made it longer
		return "", remarkLongURL
	}
	return address, ""
}
