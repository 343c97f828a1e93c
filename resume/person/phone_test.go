package person

import (
	"testing"
)

func TestPhone(t *testing.T) {
	for _, c := range []struct{ text, country, want string }{
		{"Phone (415) 555-0142", "US", "+1 415-555-0142"},
		{"Phone (415) 555-0142", "", "(415) 555-0142"},
		{"CA 94588 (555) 123-4567", "US", "+1 555-123-4567"},
		{"+49 30 1234567 | x", "", "+49 30 1234567"},
		{"0049 30 1234567", "", "+49 30 1234567"},
		{"(+86) 133-3333-3333", "", "+86 133 3333 3333"},
		{"030/1234567", "DE", "+49 30 1234567"},
		{"+44 (0)20 7946 0991", "", "+44 20 7946 0991"},
		{"555 · 356 · 7936", "", "555 · 356 · 7936"},
		{"Fullerton 12, 2nd floor", "US", ""},
		{"+49 176 313 XXX XX", "", ""},
		{"id=123456789 and /12345678", "US", ""},
	} {
		from, to := findPhone(c.text)
		got := ""

		if to > 0 {
			got = phone(c.text[from:to], c.country)
		}

		if got != c.want {
			t.Errorf("the phone in %q, country %q, is %q, want %q", c.text, c.country, got, c.want)
		}
	}
}
