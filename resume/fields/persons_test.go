package fields

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/resumetest"
)

// personTail follows the head of each resume in persons.txt that has no headings of its own.
const personTail = "\n{14 bold} Experience\nTidewheel GmbH, Storekeeper, 2015 – 2019\n- Kept the stores in order.\n" +
	"\n{14 bold} Education\nUniversity of Eastmere, BSc in Biology, 2011 – 2014\n"

// Each block of persons.txt is a document in the notation of testdata/resumes/README.md, and what it says about the
// person: name, job title, email address, phone, location, and links separated by spaces. An asterisk stands for any
// value, and a list of values with bars between them for any of them.
func TestPersons(t *testing.T) {
	x := newExtractor(t)
	file, err := os.ReadFile("testdata/persons.txt")
	if err != nil {
		t.Fatal(err)
	}

	for _, block := range strings.Split(string(file), "=== ")[1:] {
		title, block, _ := strings.Cut(block, "\n")
		text, truth, found := strings.Cut(block, "\n---")
		if !found {
			t.Fatalf("%s has no expectations", title)
		}

		if !strings.Contains(text, "\n{14 bold} ") && !strings.Contains(text, "\n{12 bold} ") {
			text += "\n" + personTail
		}

		t.Run(title, func(t *testing.T) {
			r := extract(t, x, resumetest.ParseDocument(text))
			got := []string{r.Name, r.JobTitle, r.Contact.Email, r.Contact.Phone, r.Contact.Location, links(r)}
			for i, want := range strings.Split(strings.TrimSuffix(truth, "\n"), " |") {
				accepted := strings.Split(strings.TrimSpace(want), "|")
				if !slices.Contains(accepted, got[i]) && !slices.Contains(accepted, "*") {
					field := []string{"name", "job title", "email", "phone", "location", "links"}[i]
					t.Errorf("%s is %q, want %q", field, got[i], want)
				}
			}
		})
	}
}

// links returns the links of a resume without their schemes, "none" if there are none.
func links(r resume.Resume) string {
	var all []string
	for _, link := range r.Contact.Links {
		_, address, _ := strings.Cut(strings.ToLower(link.URL), "://")
		all = append(all, strings.TrimSuffix(strings.TrimPrefix(address, "www."), "/"))
	}
	if len(all) == 0 {
		return "none"
	}
	return strings.Join(all, " ")
}
