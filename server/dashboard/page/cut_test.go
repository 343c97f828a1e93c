package page_test

import (
	"testing"

	"github.com/freelancer-matching/service/server/dashboard/page"
)

func TestCut(t *testing.T) {
	for _, c := range []struct {
		text string
		max  int
		want string
	}{
		{"Köln", 9, "Köln"},
		{"Köln", 5, "Köln"},
		{"Köln", 3, "Kö"},
		{"Köln", 2, "K"},
		{"記", 2, ""},
		{"", 0, ""},
	} {
		if got := page.Cut(c.text, c.max); got != c.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", c.text, c.max, got, c.want)
		}
	}
}
