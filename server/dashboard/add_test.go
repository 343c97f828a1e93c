package dashboard_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/internal/matching"
)

const newFreelancerPage = "/dashboard/admin/new-freelancer"

// An administrator adds the person of a resume, after a look at the record. The form never replaces a record.
func TestFreelancer_AddedFromAResume(t *testing.T) {
	w := newWorld(t)
	_, key := w.key(w.admin, "Website")
	b := w.as(w.admin)
	w.api.status, w.api.body = http.StatusOK, fullResume(t)
	parsed := b.upload(key.ID, "mira.pdf", "%PDF").expect(t, http.StatusOK, "Add to freelancers")
	link := regexp.MustCompile(`href="(` + newFreelancerPage + `[^"]*)"`).FindStringSubmatch(parsed.body)
	if link == nil {
		t.Fatal("the button leads nowhere")
	}

	page := b.get(link[1]).expect(t, http.StatusOK, "Add a freelancer", "Resume")
	form := formOf(t, page)
	b.post(newFreelancerPage, form...).expect(t, http.StatusSeeOther)
	want := matching.Freelancer{
		ID: "r_1", Name: "Mira Talden", JobTitle: "Backend developer", Skills: []string{"Go", "C++"},
		Description: "Builds shops & tills.",
	}
	want.TimeZone = "Europe/Berlin" // derived from the country
	want.Experience = matching.Some(6.0)
	got := w.freelancers.Engine.Records()["r_1"]
	if strings.Join(matching.Differences(&got, &want), " ") != "country location languages" ||
		got.Country != "DE" || len(got.Languages) != 2 || got.Languages[0].Level != matching.LevelNative {
		t.Errorf("stored %+v", got)
	}
	b.get("/dashboard/freelancers/r_1").expect(t, http.StatusOK, "Added.", "Mira Talden")

	again := b.post(newFreelancerPage, form...).
		expect(t, http.StatusUnprocessableEntity, "A freelancer with this ID exists", "Resume")
	if !strings.Contains(again.body, "Builds shops") {
		t.Error("the form has lost what was entered")
	}
	b.post(newFreelancerPage, "name", "Mira").expect(t, http.StatusUnprocessableEntity, "Enter an ID.")
	b.post(newFreelancerPage, "id", "x", "hourly_rate", "lots").
		expect(t, http.StatusUnprocessableEntity, "Correct this field", "lots")
}

// Only administrators add people, and only from resumes of their account.
func TestFreelancer_AddedByAdministratorsOnly(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	w.api.status, w.api.body = http.StatusOK, fullResume(t)
	parsed := b.upload(key.ID, "mira.pdf", "%PDF").expect(t, http.StatusOK, "indexer load -upsert freelancer.json")
	if strings.Contains(parsed.text(), "Add to freelancers") {
		t.Error("a member is offered to add a freelancer")
	}
	id := regexp.MustCompile(`/dashboard/playground/r/(\w+)`).FindStringSubmatch(parsed.body)[1]

	b.get(newFreelancerPage+"?result="+id).expect(t, http.StatusForbidden)
	b.post(newFreelancerPage, "id", "x").expect(t, http.StatusForbidden)
	w.as(w.admin).get(newFreelancerPage+"?result="+id).expect(t, http.StatusNotFound)
	w.as(w.admin).get(newFreelancerPage).expect(t, http.StatusNotFound)
}
