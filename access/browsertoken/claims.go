// Package browsertoken seals and opens the short-lived tokens with which web pages may match. A customer's backend
// obtains a token with its API key and hands it to a page. The token says from which origins it may be used, which
// filters always apply, which fields of freelancers stay hidden, and how many requests a visitor may send. Pages can
// neither read nor change it.
//
//	token, err := sealer.Seal(claims)
//	claims, err := sealer.Open(token, time.Now())
package browsertoken

import (
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/freelancer-matching/service/internal/matching"
)

// The limits of claims. openapi.yaml documents them.
const (
	MinLifetime      = time.Minute
	MaxLifetime      = time.Hour
	DefaultLifetime  = 10 * time.Minute
	MaxPerMinute     = 1000
	DefaultPerMinute = 20
	maxOrigins       = 20
	maxVisitor       = 200 // characters
)

// The error codes of refused tokens. Clients receive the first two with status 401, CodeOrigin with 403, and
// CodeVisitor with 429.
const (
	CodeInvalid matching.Code = "invalid_browser_token"
	CodeExpired matching.Code = "expired_browser_token"
	CodeOrigin  matching.Code = "origin_not_allowed"
	CodeVisitor matching.Code = "visitor_limit_exceeded"
)

// Claims are what a token says.
type Claims struct {
	Key       string          `json:"k"` // ID of the API key that asked for the token
	Expires   time.Time       `json:"e"`
	Origins   []string        `json:"o"`           // see ParseOrigin
	Filters   json.RawMessage `json:"f,omitempty"` // JSON of the filters of a match, which the package of the API reads
	Currency  string          `json:"c,omitempty"` // ISO 4217, of amounts in Filters; "" for that of the data set
	Hide      []string        `json:"h,omitempty"` // names of Hideable
	Visitor   string          `json:"v,omitempty"` // ID of the page's visitor; "" to count by network address
	PerMinute int             `json:"m"`           // requests of a visitor
}

// Allows returns nil if a page of an origin, as in the header Origin, may use the token, and CodeOrigin otherwise.
func (c *Claims) Allows(origin string) error {
	if slices.Contains(c.Origins, origin) {
		return nil
	}
	message := "The browser token is only valid in web pages, whose browsers send the header Origin."
	if origin != "" {
		message = "The browser token is not valid for pages of this origin. Name the origin when you create the token."
	}
	return &matching.Error{Code: CodeOrigin, Message: message}
}

// Hides reports whether one of some fields is hidden.
func (c *Claims) Hides(fields ...string) bool {
	return slices.ContainsFunc(fields, func(f string) bool { return slices.Contains(c.Hide, f) })
}

// Check returns all faults of the origins, the visitor, the limit and the hidden fields, and brings origins into the
// form that browsers send.
func (c *Claims) Check() (faults []matching.FieldError) {
	add := func(field, code, format string, args ...any) {
		faults = append(faults, matching.FieldError{Field: field, Code: code, Message: fmt.Sprintf(format, args...)})
	}

	if n := len(c.Origins); n < 1 || n > maxOrigins {
		add("origins", "invalid", "origins must have 1 to %d entries; got %d.", maxOrigins, n)
	}
	for i, text := range c.Origins {
		origin, err := ParseOrigin(text)
		if err != nil {
			add(fmt.Sprintf("origins[%d]", i), "invalid_origin", "%v", err)
		}
		c.Origins[i] = origin
	}

	for i, field := range c.Hide {
		if _, known := hideable[field]; !known {
			add(fmt.Sprintf("hide[%d]", i), "unknown_value", "hide must name some of %s; got %q.",
				strings.Join(Hideable(), ", "), shorten(field))
		}
	}

	if n := utf8.RuneCountInString(c.Visitor); n > maxVisitor {
		add("visitor", "too_long", "visitor must have at most %d characters; got %d.", maxVisitor, n)
	}
	if c.PerMinute < 1 || c.PerMinute > MaxPerMinute {
		add("requests_per_minute", "out_of_range", "requests_per_minute must be 1 to %d; got %d.", MaxPerMinute, c.PerMinute)
	}

	return faults
}

// ParseOrigin returns an origin in the form in which browsers send it: scheme, host and port in lower case, without a
// port that is the scheme's default. The host must be in ASCII.
func ParseOrigin(text string) (string, error) {
	fail := func() (string, error) {
		return "", fmt.Errorf("an origin must have the form https://shop.example or http://localhost:3000; got %q",
			shorten(text))
	}

	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http" {
		return fail()
	}

	// What else a URL can have would never be equal to an origin.
	bare := url.URL{Scheme: u.Scheme, Host: u.Host}
	forbidden := func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`*,"'\`, r) }
	if !strings.EqualFold(bare.String(), text) || strings.ContainsFunc(u.Host, forbidden) {
		return fail()
	}

	host := strings.ToLower(u.Hostname())
	port := u.Port()
	isDefault := u.Scheme == "https" && port == "443" || u.Scheme == "http" && port == "80"
	switch {
	case port != "" && !isDefault:
		host = net.JoinHostPort(host, port)
	case strings.Contains(host, ":"):
		host = "[" + host + "]"
	}
	return u.Scheme + "://" + host, nil
}

// shorten returns the beginning of a text that an error quotes.
func shorten(text string) string {
	const most = 60
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
