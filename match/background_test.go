package match_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
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

// Common nouns that name a skill beside the point of a brief give no skill; names of products, and skills that are
// close to the rest of the brief, do.
func TestMatch_DerivesNothingFromSideWords(t *testing.T) {
	w := newWorld(t, matching.Freelancer{ID: "writer", JobTitle: "Copywriter", Skills: []string{"Script Writing"}})
	for _, c := range []struct {
		title, description string
		want               []string
	}{
		{
			"Catalog of vitamins and minerals", "A tidy PDF for pharmacies. Every page has the taste icons and a price.",
			[]string{"Catalog Design"},
		},
		{
			"Children's book illustrator", "Pictures of a bear. The podcast of the book comes later.",
			[]string{"Illustration"},
		},
		{"Voice actor", "Read two pages aloud. They are for a commercial video.", []string{"Voice Acting"}},
		{"Logo designer", "A logo for a bakery, and later the branding.", []string{"Logo Design", "Branding"}},
		{"Operator in Go", "It watches our shop. Deploy it on Kubernetes.", []string{"Go", "Kubernetes"}},
	} {
		answer := w.match(matching.Brief{JobTitle: c.title, Description: c.description, Limit: 1})
		if diff := cmp.Diff(c.want, answer.DerivedSkills); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.title, diff)
		}
	}
}
