package fields

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/internal/matching"
	"freelancer-matching/resume"
	"freelancer-matching/resume/resumetest"
)

func TestLatest(t *testing.T) {
	for _, c := range []struct {
		want      string
		positions []resume.Position
	}{
		{"", nil},
		{"now", []resume.Position{
			{Title: "past", Start: "2010", End: "2019"},
			{Title: "now", Start: "2015", Current: true},
			{Title: "also now", Start: "2020", Current: true},
		}},
		{"last", []resume.Position{
			{Title: "first", Start: "2010-01", End: "2012-05"},
			{Title: "last", Start: "2012-06", End: "2019"},
			{Title: "before", Start: "2012", End: "2018-12"},
		}},
		{"the year's end", []resume.Position{
			{Title: "spring", Start: "2018-01", End: "2019-03"},
			{Title: "the year's end", Start: "2018", End: "2019"},
		}},
		{"named", []resume.Position{
			{Start: "2020", Current: true},
			{Title: "named"},
		}},
	} {
		if got := latest(c.positions).Title; got != c.want {
			t.Errorf("the latest position is %q, want %q", got, c.want)
		}
	}
}

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
