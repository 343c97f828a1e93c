package pdf

import "testing"

func TestJoinLigature(t *testing.T) {
	tests := []struct{ name, previous, next, want string }{
		{"Latin", "f", "i", "fi"},
		{"lam with alef, reversed", "ا", "ل", "لا"},
		{"lam with alef, in order", "ل", "ا", "لا"},
		{"combining mark", "ب", "\u064e", "ب\u064e"},
	}
	for _, test := range tests {
		if got := joinLigature(test.previous, test.next); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

func TestLigature(t *testing.T) {
	for c, want := range map[rune]string{0x0b: "ff", 0x0c: "fi", 0x0e: "ffi", 0x0f: "ffl", 'f': "", 0x02: ""} {
		if got := ligature(c); got != want {
			t.Errorf("%#x: got %q, want %q", c, got, want)
		}
	}
}
