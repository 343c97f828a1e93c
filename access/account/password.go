package account

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/freelancer-matching/service/internal/matching"
)

// The lengths of a new password, in characters. Existing passwords may be shorter.
const (
	MinPasswordLen = 12
	maxPasswordLen = 200
)

// commonPasswords lists passwords that attackers try first, one per line, in lower case: the 10,000 most common ones
// and, because only they can be used as they are, more of those with at least 12 characters. See NOTICE for the source.
//
//go:embed common.txt
var commonPasswords string

// minCommonLen is the length of the shortest common password that makes a longer one too common.
const minCommonLen = 4

// passwordRules decides which new passwords are accepted. Following NIST SP 800-63B, there is a minimum length and a
// list of common passwords, but no rule about kinds of characters.
type passwordRules struct{ common map[string]bool }

func newPasswordRules() passwordRules {
	r := passwordRules{common: map[string]bool{}}
	for line := range strings.Lines(commonPasswords) {
		r.common[strings.TrimSuffix(line, "\n")] = true
	}
	return r
}

// check returns what is wrong with a new password.
func (r passwordRules) check(password, email string) []matching.FieldError {
	fault := func(code, format string, args ...any) []matching.FieldError {
		return []matching.FieldError{fieldError("password", code, fmt.Sprintf(format, args...))}
	}

	if !utf8.ValidString(password) {
		return fault("invalid", "password must be valid UTF-8")
	}

	password = normalize(password)
	switch n := utf8.RuneCountInString(password); {
	case n < MinPasswordLen:
		return fault("too_short", "password must have at least %d characters, got %d", MinPasswordLen, n)
	case n > maxPasswordLen:
		return fault("too_long", "password must have at most %d characters, got %d", maxPasswordLen, n)
	}

	// Attackers try the address and common passwords with a digit or a sign at the end.
	localPart, _, _ := strings.Cut(email, "@")
	for _, form := range plainForms(strings.ToLower(password)) {
		switch {
		case form == email || form == localPart:
			return fault("too_common", "password must not be your email address")
		case r.isCommon(form) || isSequence(form):
			return fault("too_common", "password is among the first that attackers try; use a few words in a row instead")
		}
	}

	return nil
}

// isCommon reports whether a password is in the list, or repeats one word of the list.
func (r passwordRules) isCommon(password string) bool {
	unit := period(password)
	return r.common[password] || len(unit) >= minCommonLen && r.common[unit] || len(unit) < minCommonLen && unit != ""
}

// plainForms returns a password in lower case as it is, and without what people add to a common one: digits and
// punctuation, and characters that look like a letter in place of that letter.
func plainForms(password string) []string {
	forms := []string{password}
	for _, one := range []string{"l", "i"} {
		substitute := strings.NewReplacer("0", "o", "1", one, "!", "i", "3", "e", "4", "a", "@", "a", "5", "s", "$", "s",
			"7", "t", "8", "b", "9", "g")
		trimmed := strings.TrimFunc(password, isNoLetter)
		forms = append(forms,
			substitute.Replace(password), lettersOf(substitute.Replace(password)),
			substitute.Replace(trimmed), lettersOf(substitute.Replace(trimmed)),
			// What people add to the end may look like letters, and what the word ends with like an addition.
			strings.TrimFunc(substitute.Replace(strings.TrimLeftFunc(password, isNoLetter)), isNoLetter))
	}
	forms = append(forms, lettersOf(password))
	slices.Sort(forms)
	return slices.DeleteFunc(slices.Compact(forms), func(form string) bool { return len(form) < minCommonLen })
}

func isNoLetter(r rune) bool { return !unicode.IsLetter(r) }

func lettersOf(text string) string {
	return strings.Map(func(r rune) rune {
		if isNoLetter(r) {
			return -1
		}
		return r
	}, text)
}

// period returns the shortest text that text repeats: text itself, if it repeats none.
func period(text string) string {
	for n := 1; n <= len(text)/2; n++ {
		if len(text)%n == 0 && strings.Repeat(text[:n], len(text)/n) == text {
			return text[:n]
		}
	}
	return text
}

// maxBreaks is the number of interruptions in a text that is still a sequence, such as between two rows of keys.
const maxBreaks = 2

// isSequence reports whether a password consists of neighbors in the alphabet, among the digits, or on a keyboard.
func isSequence(password string) bool {
	const rows = "abcdefghijklmnopqrstuvwxyz 01234567890 qwertyuiop asdfghjkl zxcvbnm " +
		"qwertzuiop yxcvbnm azertyuiop qsdfghjklm"
	if utf8.RuneCountInString(password) < MinPasswordLen {
		return false
	}
	letters := []rune(password)
	breaks := 0
	for i := range letters[1:] {
		pair := string(letters[i : i+2])
		reversed := string([]rune{letters[i+1], letters[i]})
		if letters[i] != letters[i+1] && !strings.Contains(rows, pair) && !strings.Contains(rows, reversed) {
			breaks++
		}
	}
	return breaks <= maxBreaks
}
