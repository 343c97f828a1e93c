package account

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"freelancer-matching/internal/matching"
)

// The lengths of a password, in characters.
const (
	minPasswordLen = 10
	maxPasswordLen = 200
)

// commonPasswords lists the passwords that attackers try first, one per line, in lower case, none shorter than allowed.
//
//go:embed common.txt
var commonPasswords string

// checkPassword returns what is wrong with a new password. Following NIST SP 800-63B, there is a minimum length and a
// list of common passwords, but no rule about kinds of characters.
func checkPassword(password, email string) []matching.FieldError {
	fault := func(code, format string, args ...any) []matching.FieldError {
		return []matching.FieldError{fieldError("password", code, fmt.Sprintf(format, args...))}
	}
	if !utf8.ValidString(password) {
		return fault("invalid", "password must be valid UTF-8")
	}
	password = normalize(password)
	switch n := utf8.RuneCountInString(password); {
	case n < minPasswordLen:
		return fault("too_short", "password must have at least %d characters, got %d", minPasswordLen, n)
	case n > maxPasswordLen:
		return fault("too_long", "password must have at most %d characters, got %d", maxPasswordLen, n)
	}
	lower := strings.ToLower(password)
	localPart, _, _ := strings.Cut(email, "@")
	if lower == email || lower == localPart {
		return fault("too_common", "password must not be your email address")
	}
	if slices.Contains(strings.Fields(commonPasswords), lower) {
		return fault("too_common", "password is among the first that attackers try; use a few words in a row instead")
	}
	return nil
}
