package account

import (
	"errors"
	"net/mail"
	"strings"
	"unicode"
)

const maxEmail = 254 // bytes, the longest that fits into an SMTP path (RFC 5321, 4.5.3.1.3)

// ParseEmail is an e-mail address in the form in which it is stored and compared: without space around it, in small letters. A
// display name, comments and quoted local parts are refused, and so is what cannot be seen.
func ParseEmail(text string) (string, error) {
	email := strings.ToLower(strings.TrimSpace(text))
	parsed, err := mail.ParseAddress(email)
	unprintable := func(r rune) bool { return !unicode.IsPrint(r) }
	if err != nil || parsed.Name != "" || parsed.Address != email || strings.Count(email, "@") != 1 ||
		len(email) > maxEmail || strings.ContainsFunc(email, unprintable) {
		return "", errors.New("email must be an address such as name@example.com")
	}
	return email, nil
}
