package match_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/internal/matching"
)

// What a client does is not what the brief asks for, but says something about it if nothing else does.
func TestMatch_DerivesNothingFromTheClient(t *testing.T) {
	w := newWorld(t, matching.Freelancer{ID: "writer", JobTitle: "Copywriter", Skills: []string{"Script Writing"}})
	for _, c := range []struct {
		description string
		want        []string
	}{
		{"We create animated videos with motion graphics. Copywriting wanted.", []string{"Copywriting"}},
		{"Copywriting wanted. Our company sells WordPress plugins.", []string{"Copywriting"}},
		{"We are a WordPress agency and need copywriting.", []string{"WordPress", "Copywriting"}},
		{"We are a WordPress agency.", []string{"WordPress"}},
	} {
		answer := w.match(matching.Brief{Description: c.description, Limit: 1})
		if diff := cmp.Diff(c.want, answer.DerivedSkills); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.description, diff)
		}
	}
}
