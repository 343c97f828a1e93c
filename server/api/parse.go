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

// parseAnswer is the answer of POST /parse.
type parseAnswer struct {
	Status    string       `json:"status"` // success
	Data      parsedResume `json:"data"`
	RequestID string       `json:"request_id"`
	TookMS    float64      `json:"took_ms"`
}

// parsedResume is what a resume says. What was not found is null, or an empty list.
type parsedResume struct {
	Name                 *string                    `json:"name"`
	JobTitle             *string                    `json:"job_title"`
	Contact              parsedContact              `json:"contact"`
	Summary              *string                    `json:"summary"`
	Skills               []string                   `json:"skills"` // canonical names
	SkillDetails         []parsedSkill              `json:"skill_details"`
	Experience           []parsedPosition           `json:"experience"`
	Education            []parsedDegree             `json:"education"`
	Languages            []parsedLanguage           `json:"languages"`
	Certifications       []parsedCertification      `json:"certifications"`
	TotalExperienceYears matching.Optional[float64] `json:"total_experience_years"`
	Language             *string                    `json:"language"` // ISO 639-1
	Pages                matching.Optional[int]     `json:"pages"`
	Warnings             []resume.Warning           `json:"warnings"`
	Quality              parseQuality               `json:"quality"`
	Freelancer           draftFreelancer            `json:"freelancer"`
}

type parsedContact struct {
	Email    *string      `json:"email"`
	Phone    *string      `json:"phone"`
	Location *string      `json:"location"`
	Links    []parsedLink `json:"links"`
}

type parsedLink struct {
	Kind string `json:"kind"`
	URL  string `json:"url"`
}

type parsedSkill struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Section string `json:"section"`
}

// parsedPosition has dates as YYYY-MM or YYYY.
type parsedPosition struct {
	Title       *string                `json:"title"`
	Company     *string                `json:"company"`
	Location    *string                `json:"location"`
	Start       *string                `json:"start"`
	End         *string                `json:"end"`
	Current     bool                   `json:"current"`
	Months      matching.Optional[int] `json:"months"`
	Description *string                `json:"description"`
}

type parsedDegree struct {
	Degree      *string `json:"degree"`
	Field       *string `json:"field"`
	Institution *string `json:"institution"`
	Start       *string `json:"start"`
	End         *string `json:"end"`
}

type parsedLanguage struct {
	Name  string  `json:"name"`
	Level *string `json:"level"`
}

type parsedCertification struct {
	Name   string  `json:"name"`
	Issuer *string `json:"issuer"`
	Date   *string `json:"date"`
}

type parseQuality struct {
	Score   float64  `json:"score"` // 0 to 1
	Reasons []string `json:"reasons"`
}

// draftFreelancer is a record as the indexer loads it. Unlike the freelancers of answers it keeps what is unknown apart from
// what is zero.
type draftFreelancer struct {
	ID           string                     `json:"id"`
	Name         *string                    `json:"name"`
	JobTitle     *string                    `json:"job_title"`
	Skills       []string                   `json:"skills"`
	Experience   matching.Optional[float64] `json:"experience"`
	Rating       matching.Optional[float64] `json:"rating"`
	HourlyRate   matching.Optional[float64] `json:"hourly_rate"`
	ProfileURL   *string                    `json:"profile_url"`
	Availability matching.Optional[bool]    `json:"availability"`
	TotalSales   matching.Optional[int]     `json:"total_sales"`
	Description  *string                    `json:"description"`
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
	return writeJSON(c, http.StatusOK, jsonType, parseAnswer{
		Status: "success", Data: wireResume(&r), RequestID: requestID(c), TookMS: tookMS(c),
	})
}

func wireResume(r *resume.Resume) parsedResume {
	p := parsedResume{
		Name: orNull(r.Name), JobTitle: orNull(r.JobTitle), Summary: orNull(r.Summary), Language: orNull(r.Language),
		Contact: parsedContact{
			Email: orNull(r.Contact.Email), Phone: orNull(r.Contact.Phone), Location: orNull(r.Contact.Location),
			Links: each(r.Contact.Links, func(l resume.ContactLink) parsedLink { return parsedLink(l) }),
		},
		Skills:       each(r.Skills, func(s resume.Skill) string { return s.Name }),
		SkillDetails: each(r.Skills, func(s resume.Skill) parsedSkill { return parsedSkill(s) }),
		Experience: each(r.Experience, func(p resume.Position) parsedPosition {
			return parsedPosition{
				Title: orNull(p.Title), Company: orNull(p.Company), Location: orNull(p.Location), Start: orNull(p.Start), End: orNull(p.End),
				Current: p.Current, Months: p.Months, Description: orNull(p.Description),
			}
		}),
		Education: each(r.Education, func(d resume.Degree) parsedDegree {
			return parsedDegree{orNull(d.Degree), orNull(d.Field), orNull(d.Institution), orNull(d.Start), orNull(d.End)}
		}),
		Languages: each(r.Languages, func(l resume.Language) parsedLanguage { return parsedLanguage{l.Name, orNull(l.Level)} }),
		Certifications: each(r.Certifications, func(c resume.Certification) parsedCertification {
			return parsedCertification{c.Name, orNull(c.Issuer), orNull(c.Date)}
		}),
		TotalExperienceYears: r.ExperienceYears,
		Warnings:             list(r.Warnings),
		Quality:              parseQuality{r.Quality.Score, list(r.Quality.Reasons)},
		Freelancer:           wireDraft(&r.Freelancer),
	}
	if r.Pages > 0 {
		p.Pages = matching.Some(r.Pages)
	}
	return p
}

func wireDraft(f *matching.Freelancer) draftFreelancer {
	return draftFreelancer{
		ID: f.ID, Name: orNull(f.Name), JobTitle: orNull(f.JobTitle), Skills: list(f.Skills), Experience: f.Experience, Rating: f.Rating,
		HourlyRate: f.HourlyRate, ProfileURL: orNull(f.ProfileURL), Availability: f.Availability, TotalSales: f.TotalSales,
		Description: orNull(f.Description),
	}
}

// orNull is null in JSON for what was not found.
func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// each is a list that JSON writes as [] where it is empty.
func each[T, W any](l []T, wire func(T) W) []W {
	out := make([]W, len(l))
	for i, e := range l {
		out[i] = wire(e)
	}
	return out
}
