package wordbook

import (
	"regexp"
	"testing"

	"golang.org/x/text/language"
)

// Every list has a name that the readers know, so that a misspelled one isn't just ignored.
func TestListsHaveKnownNames(t *testing.T) {
	known := regexp.MustCompile(`^(months|month of|date filler|[ABC][12]|native|level filler|between languages|` +
		`language [a-zA-Z0-9-]+|script (Hans|Hant)|country [A-Z]{2})$`)
	for _, list := range Lists() {
		if !known.MatchString(list.Name) {
			t.Errorf("%v.txt: unknown list %q", list.Language, list.Name)
		}
		if len(list.Items) == 0 {
			t.Errorf("%v.txt: %q is empty", list.Language, list.Name)
		}
	}
}

// Every language has a word for its mother tongue, and those that have names of months have twelve, of which none
// means another month elsewhere.
func TestLanguagesAreComplete(t *testing.T) {
	hasNative := make(map[language.Tag]bool)
	numbers := make(map[string]int)
	for _, list := range Lists() {
		switch list.Name {
		case Native:
			hasNative[list.Language] = true
		case Months:
			if len(list.Items) != 12 {
				t.Errorf("%v.txt has %d months", list.Language, len(list.Items))
			}
			for name, number := range list.MonthNames {
				if other := numbers[name]; other != 0 && other != number {
					t.Errorf("%v.txt: %q is month %d, and %d in another language", list.Language, name, number, other)
				}
				numbers[name] = number
			}
		}
	}

	for _, tag := range Languages() {
		if !hasNative[tag] {
			t.Errorf("%v.txt has no list %q", tag, Native)
		}
	}
}
