package anonymous

import (
	"strings"
	"testing"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/resume"
)

// person returns a resume with a summary.
func person(language, summary string) resume.Resume {
	return resume.Resume{
		Name: "Odalys Brightwater-Qvist", JobTitle: "Developer", Language: language, Summary: summary,
		Contact: resume.Contact{
			Email: "odalys.b@example.com", Phone: "+49 30 901820", Location: "Berlin, Germany",
			Links: []resume.ContactLink{{Kind: "github", URL: "https://github.com/odalysqvist"}},
		},
	}
}

func TestRedact(t *testing.T) {
	r := New()
	for _, c := range []struct{ language, text, want string }{
		{"en", "Ms. Odalys Brightwater-Qvist leads; Odalys writes.", "[name] leads; [name] writes."},
		{"en", "ODALYS BRIGHTWATER QVIST's tools", "[name]'s tools"},
		{
			"en", "She sold her own tools. Thanks to him, he said.",
			"The candidate sold the candidate's own tools. Thanks to the candidate, the candidate said.",
		},
		{"en", "Mother of two, 34 years old, saleswoman", "[family] of two, [age], salesperson"},
		{"en", "Wrote MS Office add-ins as Sr. Developer in 10 ms", "Wrote MS Office add-ins as Sr. Developer in 10 ms"},
		{
			"en", "Reach me at odalys.b@example.com, +49 30 901820, (030) 901820 or https://example.com/o",
			"Reach me at [contact], [contact], [contact] or [contact]",
		},
		{"en", "See github.com/odalysqvist and odalysqvist on npm", "See [contact] and [name] on npm"},
		{"en", "2015 - 2019: 1,200,300 users, ISO 27001", "2015 - 2019: 1,200,300 users, ISO 27001"},
		{"en", "Date of birth: May 3, 1990 | Go developer", "[personal data] | Go developer"},
		{"en", "Gender: female, Go developer, 3, Elm", "[personal data], Go developer, 3, Elm"},
		{"en", "Born 1990\nBorn leader of teams\nGender: female", "[personal data]\nBorn leader of teams\n[personal data]"},
		{"de", "Frau Odalys Brightwater-Qvist, Softwareentwicklerin, verheiratet", "[name], Softwareentwickler, [Familie]"},
		{"de", "Geburtsdatum: 3.5.1990; Berlin", "[personal data]; Berlin"},
		{"es", "Ingeniera y desarrolladora; los datos son míos", "Ingeniero y desarrollador; los datos son míos"},
		{"fr", "Développeuse, 34 ans, née le 3 mai 1990", "Développeur, [age], [personal data]"},
		{"zh", "出生日期：1990年5月", "[personal data]"},
		{"en", "", ""},
	} {
		in := person(c.language, c.text)
		if got := r.Resume(in).Summary; got != c.want {
			t.Errorf("%s %q\nbecomes %q\nwant    %q", c.language, c.text, got, c.want)
		}
	}
}

// Nothing in the anonymous resume names the person, wherever the resume does.
func TestResume_LeavesNoTrace(t *testing.T) {
	const text = "Odalys Brightwater-Qvist (odalys.b@example.com)"
	in := person("en", text)
	in.JobTitle = text
	in.Experience = []resume.Position{{Title: text, Company: "Brightwater Media", Description: text, Start: "2019"}}
	in.Volunteering = in.Experience
	in.Education = []resume.Degree{
		{Degree: text, Field: text, Institution: "Example University", Start: "2008", End: "2012"},
	}
	in.Certifications = []resume.Certification{{Name: text}}
	in.Projects = []resume.Project{{Name: text, URL: "https://example.com/odalys", Description: text}}
	in.Publications = []resume.Publication{{Title: text, Publisher: text, URL: "https://example.com/odalys"}}
	in.Freelancer = matching.Freelancer{
		ID: "resume-1", Name: in.Name, JobTitle: text, Description: text, ProfileURL: "https://example.com/odalys",
	}
	in.Freelancer.Location = "Berlin, Germany"
	in.Freelancer.Country = "DE"
	out := New().Resume(in)
	all := strings.ToLower(strings.Join([]string{
		out.Name, out.JobTitle, out.Summary, out.Contact.Email, out.Contact.Phone, out.Contact.Location,
		out.Experience[0].Title, out.Experience[0].Company, out.Experience[0].Description, out.Volunteering[0].Description,
		out.Education[0].Degree, out.Education[0].Field, out.Certifications[0].Name,
		out.Projects[0].Name, out.Projects[0].URL, out.Projects[0].Description,
		out.Publications[0].Title, out.Publications[0].Publisher, out.Publications[0].URL,
		out.Freelancer.Name, out.Freelancer.JobTitle, out.Freelancer.Description, out.Freelancer.ProfileURL,
		out.Freelancer.Location,
	}, "\n"))
	for _, trace := range []string{"odalys", "brightwater", "qvist", "example.com", "901820", "berlin"} {
		if strings.Contains(all, trace) {
			t.Errorf("%q is left in\n%s", trace, all)
		}
	}

	if len(out.Contact.Links) > 0 || out.Education[0].Start+out.Education[0].End != "" {
		t.Errorf("links %v, education %v", out.Contact.Links, out.Education)
	}

	if out.Experience[0].Start != "2019" || out.Education[0].Institution != "Example University" ||
		out.Freelancer.Country != "DE" || out.Freelancer.ID != "resume-1" {
		t.Errorf("lost what the person can do: %+v", out)
	}

	if in.Name == "" || in.Experience[0].Title != text || in.Education[0].Start != "2008" {
		t.Error("the resume itself has changed")
	}
}

func FuzzResume(f *testing.F) {
	f.Add("Odalys [name] [name] Ms. Odalys' 12 years old: born 1990", "de")
	r := New()
	f.Fuzz(func(t *testing.T, text, language string) {
		in := person(language, text)
		once := r.Resume(in)
		if strings.Contains(once.Summary, "odalys.b@example.com") {
			t.Errorf("%q keeps the address", text)
		}
	})
}
