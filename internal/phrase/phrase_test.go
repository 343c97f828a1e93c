package phrase

import "testing"

func TestJoin(t *testing.T) {
	for want, words := range map[string][]string{
		"": nil, "a": {"a"}, "a or b": {"a", "b"}, "a, b or c": {"a", "b", "c"},
	} {
		if got := Join(words, "or"); got != want {
			t.Errorf("%q makes %q, want %q", words, got, want)
		}
	}
}
