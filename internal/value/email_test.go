package value

import "testing"

func TestEmail(t *testing.T) {
	for cell, want := range map[string]string{
		"Ada@Example.com": "ada@example.com", " mailto:ada@example.com ": "ada@example.com",
		"Ada Byron <ada@example.com>": "ada@example.com", "müller@exämple.de": "müller@exämple.de",
		"": "", "n/a": "", "@ada": "", "ada@": "", "ada@localhost": "", "ada@.com.": "", "a***@example.com": "",
		"a@example.com, b@example.com": "", "a@b@example.com": "", "[email protected]": "", "a...@example.com": "",
	} {
		if got := Email(cell); got != want {
			t.Errorf("Email(%q) = %q, want %q", cell, got, want)
		}
	}
}
