package analysis

import (
	"strings"
	"testing"
)

// Words that are not written as Fold writes them, or that say nothing about the language, would never count.
func TestFunctionWords(t *testing.T) {
	lists := map[string]string{
		"English": englishWords, "Spanish": spanishWords, "French": frenchWords, "German": germanWords,
		"Portuguese": portugueseWords, "Italian": italianWords, "other": otherWords, "lookalikes": lookalikes,
	}

	has := make(map[string]string) // the list that a word is in; lookalikes aside
	for name, list := range lists {
		seen := make(map[string]bool)
		for word := range strings.FieldsSeq(list) {
			if Fold(word) != word {
				t.Errorf("%s: %q is not folded", name, word)
			}

			if seen[word] {
				t.Errorf("%s: %q stands there twice", name, word)
			}

			seen[word] = true

			if name != "other" && name != "lookalikes" {
				has[word] = name
			}
		}
	}

	for word := range strings.FieldsSeq(otherWords) {
		if name, ok := has[word]; ok {
			t.Errorf("other: %q is in the list %s, too", word, name)
		}
	}

	for word := range strings.FieldsSeq(lookalikes) {
		if has[word] == "" {
			t.Errorf("lookalikes: %q is a function word of no language here", word)
		}
	}
}

func TestFold(t *testing.T) {
	for text, want := range map[string]string{"Más": "mas", "FÜR": "fur", "ﬁ": "fi", "plain": "plain", "Ⅷ": "viii"} {
		if got := Fold(text); got != want {
			t.Errorf("Fold(%q) = %q, want %q", text, got, want)
		}
	}
}
