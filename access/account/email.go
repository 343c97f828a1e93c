package account

import (
	"errors"
	"net/mail"
	"strings"
	"unicode"
)

const maxEmailLen = 254 // bytes, the longest address that fits into an SMTP path (RFC 5321, 4.5.3.1.3)

// ParseEmail returns an email address in the form in which it is stored and compared: without surrounding space, in
// lower case. It rejects display names, comments, quoted local parts, and invisible characters.
func ParseEmail(text string) (string, error) {
	email := strings.ToLower(strings.TrimSpace(text))
	parsed, err := mail.ParseAddress(email)
	plain := err == nil && parsed.Name == "" && parsed.Address == email && strings.Count(email, "@") == 1
	unprintable := func(r rune) bool { return !unicode.IsPrint(r) }
	if !plain || len(email) > maxEmailLen || strings.ContainsFunc(email, unprintable) {
		return "", errors.New("email must be an address such as name@example.com")
	}
	return email, nil
}
