package wording

import (
	"strings"
	"testing"
)

func TestKey(t *testing.T) {
	for text, want := range map[string]string{
		"  Straße / Hausnummer:": "strasse hausnummer",
		"EXPÉRIENCE":             "experience",
		"S.A.S.":                 "s a s",
		"工作经历":                   "工作经历",
		"—":                      "",
	} {
		if got := Key(text); got != want {
			t.Errorf("key(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestSplitHeader(t *testing.T) {
	for text, want := range map[string]string{
		"Engineer | Acme · Berlin":       "Engineer|Acme|Berlin",
		"Engineer – Acme-Works / Berlin": "Engineer|Acme-Works|Berlin",
		"C++/Go Developer\tAcme":         "C++/Go Developer|Acme",
		"Acme (Berlin | Germany)":        "Acme (Berlin|Germany",
		" – ":                            "",
	} {
		if got := strings.Join(SplitHeader(text), "|"); got != want {
			t.Errorf("splitHeader(%q) = %q, want %q", text, got, want)
		}
	}
}
