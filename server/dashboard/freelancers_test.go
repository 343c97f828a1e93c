package dashboard_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
)

const (
	freelancersPage = "/dashboard/freelancers"
	miraProfile     = freelancersPage + "/f%2F1"
	miraPage        = "/dashboard/admin/freelancers/f%2F1" // the form with her record
)

// mira returns a freelancer whose ID can't be part of a path as it is.
func mira() matching.Freelancer {
	return matching.Freelancer{
		ID: "f/1", Name: "Mira Talden", JobTitle: "Nurse", Skills: []string{"Triage", "First aid"}, Description: "One.\nTwo.",
		Signals: matching.Signals{HourlyRate: matching.Some(45.5), Availability: matching.Some(true)},
		Details: matching.Details{
			Country: "PT", Location: "Porto", Currency: "EUR", AvailableFrom: "2030-06-01", HoursPerWeek: matching.Some(20.0),
			Languages: []matching.SpokenLanguage{{Tag: "de", Level: "C1"}, {Tag: "pt", Level: matching.LevelNative}},
			TimeZone:  "Europe/Lisbon", Verified: matching.Some(false),
		},
	}
}

// formOf returns the fields of the form on a freelancer's page as alternating names and values.
func formOf(t *testing.T, a answer) []string {
	t.Helper()
	var fields []string
	text := regexp.MustCompile(`(?s)<textarea id="(\w+)"[^>]*>(.*?)</textarea>`)
	for _, m := range text.FindAllStringSubmatch(a.body, -1) {
		fields = append(fields, m[1], strings.ReplaceAll(m[2], "&#43;", "+"))
	}
	input := regexp.MustCompile(`(?s)<input (?:id|type)="\w+" name="(\w+)"(?: type="\w+")?\s+value="([^"]*)"`)
	for _, m := range input.FindAllStringSubmatch(a.body, -1) {
		fields = append(fields, m[1], m[2])
	}
	chosen := regexp.MustCompile(`(?s)<select id="(\w+)".*?<option value="(\w*)" selected`)
	for _, m := range chosen.FindAllStringSubmatch(a.body, -1) {
		fields = append(fields, m[1], m[2])
	}
	return fields
}

// A form that is sent back as it is changes nothing.
func TestFreelancer_FormKeepsEverything(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.admin)
	fields := formOf(t, b.get(miraPage).expect(t, http.StatusOK, "Mira Talden", "f/1"))
	b.post(miraPage, fields...).expect(t, http.StatusSeeOther)
	if diff := cmp.Diff(mira(), w.freelancers.Engine.Records()["f/1"]); diff != "" {
		t.Errorf("-before +after:\n%s", diff)
	}
}

func TestFreelancer_Changes(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.admin)
	b.get("/dashboard/admin/freelancers").expect(t, http.StatusSeeOther)
	profile := b.get(miraProfile).expect(t, http.StatusOK, "Manage", "Edit the record", "Erase this freelancer")
	if !strings.Contains(profile.body, `href="`+miraPage+`"`) {
		t.Error("the profile has no link to the form")
	}

	form := formOf(t, b.get(miraPage))
	change := func(name, value string) []string {
		changed := append([]string{}, form...)
		for i := 0; i < len(changed); i += 2 {
			if changed[i] == name {
				changed[i+1] = value
			}
		}

		return changed
	}

	b.post(miraPage, change("hourly_rate", "lots")...).
		expect(t, http.StatusUnprocessableEntity, "Correct this field", "lots")
	b.post(miraPage, change("hourly_rate", "60")...).expect(t, http.StatusSeeOther)
	b.get(miraProfile).expect(t, http.StatusOK, "Saved.", "60 USD per hour, charged in EUR")

	if got := w.freelancers.Engine.Records()["f/1"].HourlyRate; got != matching.Some(60.0) {
		t.Errorf("the rate is %v", got)
	}

	b.post(miraPage, change("hourly_rate", "70")...).
		expect(t, http.StatusUnprocessableEntity, "Somebody else has changed this freelancer")

	b.post(miraPage+"/delete").expect(t, http.StatusUnprocessableEntity, "Select the checkbox")
	b.post(miraPage+"/delete", "confirm", "yes").expect(t, http.StatusSeeOther)
	b.get(freelancersPage).expect(t, http.StatusOK, "Erased.", "Oren Vask")
	b.get(miraPage).expect(t, http.StatusNotFound)
}

// Only administrators may change records.
func TestFreelancer_NeedsAnAdministrator(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.owner)
	b.get(miraPage).expect(t, http.StatusForbidden)
	if a := b.get(miraProfile).expect(t, http.StatusOK); strings.Contains(a.body, "Manage") {
		t.Error("an owner is offered to change a record")
	}
	b.post(miraPage, "name", "X").expect(t, http.StatusForbidden)
	b.post(miraPage+"/delete", "confirm", "yes").expect(t, http.StatusForbidden)
	if w.freelancers.Engine.Applied() > 0 {
		t.Error("an owner changed a freelancer")
	}
}
