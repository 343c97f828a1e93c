package wire

import (
	"strings"

	"github.com/freelancer-matching/service/internal/value"
	"github.com/freelancer-matching/service/resume"
)

// A JSONResume is a resume in the format of jsonresume.org, version 1.0.0, which many templates and editors read.
// Fields that were not found are left out.
type JSONResume struct {
	Schema       string                  `json:"$schema"`
	Basics       JSONResumeBasics        `json:"basics"`
	Work         []JSONResumeWork        `json:"work"`
	Volunteer    []JSONResumeVolunteer   `json:"volunteer"`
	Education    []JSONResumeEducation   `json:"education"`
	Certificates []JSONResumeCertificate `json:"certificates"`
	Publications []JSONResumePublication `json:"publications"`
	Skills       []JSONResumeSkill       `json:"skills"`
	Languages    []JSONResumeLanguage    `json:"languages"`
	Projects     []JSONResumeProject     `json:"projects"`
}

// jsonResumeSchema is the address of the schema of JSONResume.
const jsonResumeSchema = "https://raw.githubusercontent.com/jsonresume/resume-schema/v1.0.0/schema.json"

// JSONResumeBasics is about the person.
type JSONResumeBasics struct {
	Name     string              `json:"name,omitempty"`
	Label    string              `json:"label,omitempty"` // the job title
	Email    string              `json:"email,omitempty"`
	Phone    string              `json:"phone,omitempty"`
	URL      string              `json:"url,omitempty"`
	Summary  string              `json:"summary,omitempty"`
	Location *JSONResumeLocation `json:"location,omitempty"`
	Profiles []JSONResumeProfile `json:"profiles"`
}

// A JSONResumeLocation is where the person lives.
type JSONResumeLocation struct {
	Address     string `json:"address"` // as written
	CountryCode string `json:"countryCode,omitempty"`
}

// A JSONResumeProfile is the person's account on a site.
type JSONResumeProfile struct {
	Network string `json:"network"`
	URL     string `json:"url"`
}

// JSONResumeWork is a position. Without an end, it is current or its end is unknown.
type JSONResumeWork struct {
	Name      string `json:"name,omitempty"` // of the company
	Position  string `json:"position,omitempty"`
	Location  string `json:"location,omitempty"`
	StartDate string `json:"startDate,omitempty"`
	EndDate   string `json:"endDate,omitempty"`
	Summary   string `json:"summary,omitempty"`
}

// JSONResumeVolunteer is an unpaid position.
type JSONResumeVolunteer struct {
	Organization string `json:"organization,omitempty"`
	Position     string `json:"position,omitempty"`
	StartDate    string `json:"startDate,omitempty"`
	EndDate      string `json:"endDate,omitempty"`
	Summary      string `json:"summary,omitempty"`
}

// JSONResumeEducation is a degree.
type JSONResumeEducation struct {
	Institution string `json:"institution,omitempty"`
	Area        string `json:"area,omitempty"`
	StudyType   string `json:"studyType,omitempty"`
	StartDate   string `json:"startDate,omitempty"`
	EndDate     string `json:"endDate,omitempty"`
}

// A JSONResumeCertificate is a certification.
type JSONResumeCertificate struct {
	Name   string `json:"name"`
	Date   string `json:"date,omitempty"`
	Issuer string `json:"issuer,omitempty"`
}

// A JSONResumePublication is a publication.
type JSONResumePublication struct {
	Name        string `json:"name"`
	Publisher   string `json:"publisher,omitempty"`
	ReleaseDate string `json:"releaseDate,omitempty"`
	URL         string `json:"url,omitempty"`
}

// A JSONResumeSkill is a skill.
type JSONResumeSkill struct {
	Name string `json:"name"`
}

// A JSONResumeLanguage is a language that the person speaks.
type JSONResumeLanguage struct {
	Language string `json:"language"`
	Fluency  string `json:"fluency,omitempty"`
}

// A JSONResumeProject is a project.
type JSONResumeProject struct {
	Name        string `json:"name,omitempty"`
	Description string `json:"description,omitempty"`
	StartDate   string `json:"startDate,omitempty"`
	EndDate     string `json:"endDate,omitempty"`
	URL         string `json:"url,omitempty"`
}

// NewJSONResume returns a resume in the format of jsonresume.org.
func NewJSONResume(r *resume.Resume) JSONResume {
	wire := JSONResume{
		Schema: jsonResumeSchema,
		Basics: JSONResumeBasics{
			Name:     r.Name,
			Label:    r.JobTitle,
			Email:    r.Contact.Email,
			Phone:    r.Contact.Phone,
			Summary:  r.Summary,
			Profiles: []JSONResumeProfile{},
		},
		Work:      Convert(r.Experience, jsonResumeWork),
		Volunteer: Convert(r.Volunteering, jsonResumeVolunteer),
		Education: Convert(r.Education, func(d resume.Degree) JSONResumeEducation {
			return JSONResumeEducation{d.Institution, d.Field, d.Degree, d.Start, d.End}
		}),
		Certificates: Convert(r.Certifications, func(c resume.Certification) JSONResumeCertificate {
			return JSONResumeCertificate{c.Name, c.Date, c.Issuer}
		}),
		Publications: Convert(r.Publications, func(p resume.Publication) JSONResumePublication {
			return JSONResumePublication{p.Title, p.Publisher, p.Date, absolute(p.URL)}
		}),
		Skills: Convert(r.Skills, func(s resume.Skill) JSONResumeSkill { return JSONResumeSkill{s.Name} }),
		Languages: Convert(r.Languages, func(l resume.Language) JSONResumeLanguage {
			return JSONResumeLanguage{l.Name, l.Level}
		}),
		Projects: Convert(r.Projects, func(p resume.Project) JSONResumeProject {
			return JSONResumeProject{p.Name, p.Description, p.Start, p.End, absolute(p.URL)}
		}),
	}

	if where := r.Contact.Location; where != "" {
		wire.Basics.Location = &JSONResumeLocation{Address: where, CountryCode: value.CountryOf(where)}
	}

	// The format has one address for a website. Its profiles are accounts on networks.
	for _, l := range r.Contact.Links {
		if l.Kind == "website" || l.Kind == "portfolio" {
			if wire.Basics.URL == "" {
				wire.Basics.URL = absolute(l.URL)
			}
			continue
		}

		wire.Basics.Profiles = append(wire.Basics.Profiles, JSONResumeProfile{l.Kind, absolute(l.URL)})
	}

	return wire
}

func jsonResumeWork(p resume.Position) JSONResumeWork {
	return JSONResumeWork{p.Company, p.Title, p.Location, p.Start, p.End, p.Description}
}

func jsonResumeVolunteer(p resume.Position) JSONResumeVolunteer {
	return JSONResumeVolunteer{p.Company, p.Title, p.Start, p.End, p.Description}
}

// absolute returns a web address with its scheme, which the format requires.
func absolute(address string) string {
	if address == "" || strings.Contains(address, "://") {
		return address
	}
	return "https://" + address
}
