package fields

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/resume/resumetest"
)

func TestDraft_Details(t *testing.T) {
	r := extract(t, newExtractor(t), resumetest.ParseDocument("{18 bold} Marlow Quillfeather\nPorto, Portugal\n"+
		"marlow@example.com\n\n"+
		"{12 bold} Languages\nEnglish (fluent), Portuguese: native, German (conversational)\n\n{12 bold} Skills\nGo, Python"))
	want := matching.Details{
		Country: "PT", Location: "Porto, Portugal",
		Languages: []matching.SpokenLanguage{
			{Tag: "en", Level: "C1"}, {Tag: "pt", Level: "native"}, {Tag: "de", Level: "B1"},
		},
	}
	if diff := cmp.Diff(want, r.Freelancer.Details); diff != "" {
		t.Errorf("(-want +got):\n%s\nlanguages %v", diff, r.Languages)
	}
}

func TestDraft_LeavesOutAddresses(t *testing.T) {
	r := extract(t, newExtractor(t), resumetest.ParseDocument("{18 bold} Marlow Quillfeather\n"+
		"Location: 12 Elm Street, Leeds, United Kingdom\nmarlow@example.com\n\n{12 bold} Skills\nGo, Python"))
	if got := r.Freelancer.Details; got.Location != "" || got.Country != "GB" {
		t.Errorf("%+v of the location %q", got, r.Contact.Location)
	}
}

// An ID must not tell whose it is: anyone can hash an address that they guess.
func TestDraft_IDIsNotMadeFromTheAddress(t *testing.T) {
	x := newExtractor(t)
	id := func(text string) string {
		return extract(t, x, resumetest.ParseDocument(
			"{18 bold} Marlow Quillfeather\nmarlow@example.com\n\n"+text)).Freelancer.ID
	}
	skills := "{12 bold} Skills\nGo, Python"
	if first, second := id(skills), id(skills); first != second {
		t.Errorf("the same resume has the IDs %s and %s", first, second)
	}
	if id(skills) == id(skills+", SQL") {
		t.Error("two resumes with the same address have the same ID")
	}
}
