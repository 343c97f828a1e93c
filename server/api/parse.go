package api

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"

	"freelancer-matching/internal/matching"
	"freelancer-matching/resume"
)

// Parser reads resumes. A file that it cannot read is a matching.Error with a code of package resume.
type Parser interface {
	Parse(ctx context.Context, file []byte) (resume.Resume, error)
}

// ParseAnswer is the answer of POST /parse.
type ParseAnswer struct {
	Status    string  `json:"status"` // success
	Data      Resume  `json:"data"`
	RequestID string  `json:"request_id"`
	TookMS    float64 `json:"took_ms"`
}

// Resume is what a resume says. What was not found is null, or an empty list.
type Resume struct {
	Name                 NullableString             `json:"name"`
	JobTitle             NullableString             `json:"job_title"`
	Contact              Contact                    `json:"contact"`
	Summary              NullableString             `json:"summary"`
	Skills               []string                   `json:"skills"` // canonical names
	SkillDetails         []ResumeSkill              `json:"skill_details"`
	Experience           []Position                 `json:"experience"`
	Education            []Degree                   `json:"education"`
	Languages            []SpokenLanguage           `json:"languages"`
	Certifications       []Certification            `json:"certifications"`
	TotalExperienceYears matching.Optional[float64] `json:"total_experience_years"`
	Language             NullableString             `json:"language"` // ISO 639-1
	Pages                matching.Optional[int]     `json:"pages"`
	Warnings             []resume.Warning           `json:"warnings"`
	Quality              ParseQuality               `json:"quality"`
	Freelancer           FreelancerDraft            `json:"freelancer"`
}

type Contact struct {
	Email    NullableString `json:"email"`
	Phone    NullableString `json:"phone"`
	Location NullableString `json:"location"`
	Links    []ContactLink  `json:"links"`
}

type ContactLink struct {
	Kind string `json:"kind"`
	URL  string `json:"url"`
}

type ResumeSkill struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Section string `json:"section"`
}

// Position has dates as YYYY-MM or YYYY.
type Position struct {
	Title       NullableString         `json:"title"`
	Company     NullableString         `json:"company"`
	Location    NullableString         `json:"location"`
	Start       NullableString         `json:"start"`
	End         NullableString         `json:"end"`
	Current     bool                   `json:"current"`
	Months      matching.Optional[int] `json:"months"`
	Description NullableString         `json:"description"`
}

type Degree struct {
	Degree      NullableString `json:"degree"`
	Field       NullableString `json:"field"`
	Institution NullableString `json:"institution"`
	Start       NullableString `json:"start"`
	End         NullableString `json:"end"`
}

type SpokenLanguage struct {
	Name  string         `json:"name"`
	Level NullableString `json:"level"`
}

type Certification struct {
	Name   string         `json:"name"`
	Issuer NullableString `json:"issuer"`
	Date   NullableString `json:"date"`
}

type ParseQuality struct {
	Score   float64  `json:"score"` // 0 to 1
	Reasons []string `json:"reasons"`
}

// FreelancerDraft is a record as the indexer loads it. Unlike the freelancers of answers it keeps what is unknown apart from
// what is zero.
type FreelancerDraft struct {
	ID           string                     `json:"id"`
	Name         NullableString             `json:"name"`
	JobTitle     NullableString             `json:"job_title"`
	Skills       []string                   `json:"skills"`
	Experience   matching.Optional[float64] `json:"experience"`
	Rating       matching.Optional[float64] `json:"rating"`
	HourlyRate   matching.Optional[float64] `json:"hourly_rate"`
	ProfileURL   NullableString             `json:"profile_url"`
	Availability matching.Optional[bool]    `json:"availability"`
	TotalSales   matching.Optional[int]     `json:"total_sales"`
	Description  NullableString             `json:"description"`
}

func (s *Server) parse(c *gin.Context) error {
	file, err := uploaded(c)
	if err != nil {
		return err
	}
	r, err := s.deps.Parser.Parse(c.Request.Context(), file)
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, jsonType, ParseAnswer{
		Status: "success", Data: wireResume(&r), RequestID: requestID(c), TookMS: tookMS(c),
	})
}

func wireResume(r *resume.Resume) Resume {
	p := Resume{
		Name: NullableString(r.Name), JobTitle: NullableString(r.JobTitle), Summary: NullableString(r.Summary), Language: NullableString(r.Language),
		Contact: Contact{
			Email: NullableString(r.Contact.Email), Phone: NullableString(r.Contact.Phone), Location: NullableString(r.Contact.Location),
			Links: each(r.Contact.Links, func(l resume.ContactLink) ContactLink { return ContactLink(l) }),
		},
		Skills:       each(r.Skills, func(s resume.Skill) string { return s.Name }),
		SkillDetails: each(r.Skills, func(s resume.Skill) ResumeSkill { return ResumeSkill(s) }),
		Experience: each(r.Experience, func(p resume.Position) Position {
			return Position{
				Title: NullableString(p.Title), Company: NullableString(p.Company), Location: NullableString(p.Location), Start: NullableString(p.Start), End: NullableString(p.End),
				Current: p.Current, Months: p.Months, Description: NullableString(p.Description),
			}
		}),
		Education: each(r.Education, func(d resume.Degree) Degree {
			return Degree{NullableString(d.Degree), NullableString(d.Field), NullableString(d.Institution), NullableString(d.Start), NullableString(d.End)}
		}),
		Languages: each(r.Languages, func(l resume.Language) SpokenLanguage { return SpokenLanguage{l.Name, NullableString(l.Level)} }),
		Certifications: each(r.Certifications, func(c resume.Certification) Certification {
			return Certification{c.Name, NullableString(c.Issuer), NullableString(c.Date)}
		}),
		TotalExperienceYears: r.ExperienceYears,
		Warnings:             list(r.Warnings),
		Quality:              ParseQuality{r.Quality.Score, list(r.Quality.Reasons)},
		Freelancer:           wireDraft(&r.Freelancer),
	}
	if r.Pages > 0 {
		p.Pages = matching.Some(r.Pages)
	}
	return p
}

func wireDraft(f *matching.Freelancer) FreelancerDraft {
	return FreelancerDraft{
		ID: f.ID, Name: NullableString(f.Name), JobTitle: NullableString(f.JobTitle), Skills: list(f.Skills), Experience: f.Experience, Rating: f.Rating,
		HourlyRate: f.HourlyRate, ProfileURL: NullableString(f.ProfileURL), Availability: f.Availability, TotalSales: f.TotalSales,
		Description: NullableString(f.Description),
	}
}

// each is a list that JSON writes as [] where it is empty.
func each[T, W any](l []T, wire func(T) W) []W {
	out := make([]W, len(l))
	for i, e := range l {
		out[i] = wire(e)
	}
	return out
}
