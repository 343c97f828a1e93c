package messages

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// messageArgs returns arguments for each message: those with plural forms get 1 and 2.
func messageArgs() map[string][][]any {
	return map[string][][]any{
		"asker_failed":     {{"llm:x", "reason", "offline"}},
		"judge_failed":     {{"llm:x", "reason", "offline"}},
		"fewer_questions":  {{1}, {2}},
		"language":         {{"offline", "it", "en"}},
		"derived_skills":   {{}},
		"unknown_skills":   {{}},
		"unmeasured":       {{"q1, q2"}},
		"quotation":        {{"q1, q2"}},
		"instructions":     {{"q1, q2"}},
		"disagreement":     {{"q1, q2"}},
		"cut_description":  {{1}, {2}},
		"cut_skills":       {{1}, {2}},
		"time_over":        {{1, 5}, {2, 5}},
		"webhook_failed":   {{1}, {2}},
		"none":             {{"because"}},
		"offline":          {{"offline"}},
		"nothing_measured": {{}},
		"few_measured":     {{1, 2}, {2, 2}},
		"disputed":         {{1, "q1"}, {2, "q1, q3"}},
		"flagged":          {{"q1"}},
		"about_marks":      {{"q1, q2"}},
		"judges_apart":     {{"q1, q2"}},
		"marks_quoted":     {{1, "q1"}, {2, "q1, q3"}},
		"apart":            {{1, "q1", 50}, {2, "q1, q3", 50}},
		"undecided":        {{60, 50, 69}},
		"uncertain":        {{72, 13.2}},
		"missing_skills":   {{1, "React"}, {2, "React, Go"}},
		"reject":           {{40, 50}},
		"hire":             {{80, 70}},
		"hire_skills":      {{1, 80, 70}, {2, 80, 70}},
	}
}

// Every language has every message, with all its arguments, and different texts for 1 and for 2.
func TestMessages(t *testing.T) {
	for _, code := range languages() {
		file, err := files.ReadFile(code + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		texts, err := parseMessages(string(file))
		if err != nil {
			t.Fatalf("%s: %v", code, err)
		}

		want := slices.Sorted(maps.Keys(messageArgs()))
		if diff := cmp.Diff(want, slices.Sorted(maps.Keys(texts))); diff != "" {
			t.Errorf("%s: -want +got\n%s", code, diff)
		}
		printer := In(code)
		for key, calls := range messageArgs() {
			forms := slices.Sorted(maps.Keys(texts[key]))
			wantForms := []string{""}

			if len(calls) == 2 {
				wantForms = []string{"one", "other"}
			}

			if !slices.Equal(forms, wantForms) {
				t.Errorf("%s: %s has forms %q, want %q", code, key, forms, wantForms)
			}

			for i, args := range calls {
				got := printer.Say(key, args...)
				if got == key || strings.Contains(got, "%") {
					t.Errorf("%s: %s is %q", code, key, got)
				}

				for _, arg := range args {
					if text, ok := arg.(string); ok && !strings.Contains(got, text) {
						t.Errorf("%s: %s lacks %q: %q", code, key, text, got)
					}
				}

				other := printer.Say(key, calls[len(calls)-1-i]...)
				if len(calls) == 2 && strings.ReplaceAll(got, "1", "2") == other &&
					key != "cut_description" { // German "Zeichen" is both
					t.Errorf("%s: %s has the same text for 1 and 2: %q", code, key, got)
				}
			}
		}
	}
}

func TestPrinter_Say(t *testing.T) {
	tests := []struct {
		language, key string
		args          []any
		want          string
	}{
		{"en", "fewer_questions", []any{1}, "only 1 distinct question was available"},
		{"en", "fewer_questions", []any{3}, "only 3 distinct questions were available"},
		{"fr", "time_over", []any{0, 5}, "le temps s'est écoulé après 0 question ; 5 étaient prévues"}, // singular
		{"de", "cut_description", []any{20_000}, "die Beschreibung im Profil wurde auf 20.000 Zeichen gekürzt"},
		{"it", "reject", []any{40, 50}, "the total of 40 is below 50"},
		{"", "reject", []any{40, 50}, "the total of 40 is below 50"},
	}
	for _, tt := range tests {
		if got := In(tt.language).Say(tt.key, tt.args...); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.language, got, tt.want)
		}
	}

	if got := In("es").Say("uncertain", 72, 13.25); !strings.Contains(got, "13,") {
		t.Errorf("got %q, want a decimal comma", got)
	}
}

func TestParseMessages_RejectsMistakes(t *testing.T) {
	for _, file := range []string{"no colon", "a: b\na: c", "a two: b", "  indented: first"} {
		if got, err := parseMessages(file); err == nil {
			t.Errorf("%q: got %v", file, got)
		}
	}
}
