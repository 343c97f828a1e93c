package engine

import "testing"

func TestPreviousIndex(t *testing.T) {
	for _, c := range []struct {
		name                 string
		live, previous, next string
		want                 string
	}{
		{"first load", "", "", "one", ""},
		{"second load", "one", "", "two", "one"},
		{"third load", "two", "one", "three", "two"},
		{"rollback", "two", "one", "one", "two"},
		{"repeated move", "two", "one", "two", "one"},
		{"load after the live index was lost", "", "one", "three", "one"},
		{"rollback after the live index was lost", "", "one", "one", ""},
	} {
		if got := PreviousIndex(c.live, c.previous, c.next); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
