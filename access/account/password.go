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
	minPassword = 10
	maxPassword = 200
)

// common is passwords that are tried first everywhere, one a line, in small letters; only such as are long enough.
//
//go:embed common.txt
var common string

// checkPassword is what is wrong with a new password, nil for nothing. As NIST SP 800-63B asks, there is a least length and a
// list of those that everyone tries, and no rule about the kinds of characters.
func checkPassword(password, email string) []matching.FieldError {
	fault := func(code, format string, args ...any) []matching.FieldError {
		return []matching.FieldError{{Field: "password", Code: code, Message: fmt.Sprintf(format, args...)}}
	}
	if !utf8.ValidString(password) {
		return fault("invalid", "password must be UTF-8")
	}
	password = string(canonical(password))
	switch n := utf8.RuneCountInString(password); {
	case n < minPassword:
		return fault("too_short", "password must have at least %d characters, got %d", minPassword, n)
	case n > maxPassword:
		return fault("too_long", "password must have at most %d characters, got %d", maxPassword, n)
	}
	lower := strings.ToLower(password)
	local, _, _ := strings.Cut(email, "@")
	if lower == email || lower == local {
		return fault("too_common", "password must not be the e-mail address")
	}
	if slices.Contains(strings.Fields(common), lower) {
		return fault("too_common", "password must not be one that everyone tries first; a few words in a row are a good one")
	}
	return nil
}
