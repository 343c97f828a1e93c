package api

import (
	"context"

	"github.com/gin-gonic/gin"

	"freelancer-matching/internal/matching"
	"freelancer-matching/internal/tracing"
	"freelancer-matching/resume"
)

// Parser parses resumes. For a file that it cannot parse, it returns a matching.Error with a code of package resume.
type Parser interface {
	Parse(ctx context.Context, file []byte) (resume.Resume, error)
}

// ParseAnswer is the response of POST /parse.
type ParseAnswer = Answer[Resume]

// A Resume holds the fields found in a resume. Missing ones are null or an empty list.
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

// Contact holds the contact details in a resume.
type Contact struct {
	Email    NullableString `json:"email"`
	Phone    NullableString `json:"phone"`
	Location NullableString `json:"location"`
	Links    []ContactLink  `json:"links"`
}

// A ContactLink is a link to a profile or a website.
type ContactLink struct {
	Kind string `json:"kind"`
	URL  string `json:"url"`
}

// A ResumeSkill is a skill of the taxonomy and the section that mentions it.
type ResumeSkill struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Section string `json:"section"`
}

// A Position is one job. Its dates are YYYY-MM or YYYY.
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

// A Degree is one entry of the education.
type Degree struct {
	Degree      NullableString `json:"degree"`
	Field       NullableString `json:"field"`
	Institution NullableString `json:"institution"`
	Start       NullableString `json:"start"`
	End         NullableString `json:"end"`
}

// A SpokenLanguage is a language that the person speaks.
type SpokenLanguage struct {
	Name  string         `json:"name"`
	Level NullableString `json:"level"`
}

// A Certification is one certificate or license.
type Certification struct {
	Name   string         `json:"name"`
	Issuer NullableString `json:"issuer"`
	Date   NullableString `json:"date"`
}

// ParseQuality rates how reliable the fields are.
type ParseQuality struct {
	Score   float64  `json:"score"` // 0 to 1
	Reasons []string `json:"reasons"`
}

// A FreelancerDraft is a record that the indexer can load. Unlike Freelancer, it distinguishes unknown values, which
// are null, from zero.
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
	Location     NullableString             `json:"location"`
	Country      NullableString             `json:"country"` // ISO 3166-1 alpha-2
	Languages    []DetailsLanguage          `json:"languages"`
}

func (s *Server) parse(c *gin.Context) error {
	file := bodyOf(c)
	if file.err != nil {
		return file.err
	}
	ctx, span := tracing.Start(c.Request.Context(), "parse resume", tracing.Int("bytes", len(file.data)))
	r, err := s.deps.Parser.Parse(ctx, file.data)
	span.End(err)
	if err != nil {
		return err
	}
	return writeAnswer(c, wireResume(&r))
}

func wireResume(r *resume.Resume) Resume {
	wire := Resume{
		Name:     NullableString(r.Name),
		JobTitle: NullableString(r.JobTitle),
		Contact: Contact{
			Email:    NullableString(r.Contact.Email),
			Phone:    NullableString(r.Contact.Phone),
			Location: NullableString(r.Contact.Location),
			Links:    convert(r.Contact.Links, func(l resume.ContactLink) ContactLink { return ContactLink(l) }),
		},
		Summary:              NullableString(r.Summary),
		Skills:               convert(r.Skills, func(s resume.Skill) string { return s.Name }),
		SkillDetails:         convert(r.Skills, func(s resume.Skill) ResumeSkill { return ResumeSkill{s.ID, s.Name, s.Section} }),
		Experience:           convert(r.Experience, wirePosition),
		Education:            convert(r.Education, wireDegree),
		Languages:            convert(r.Languages, wireLanguage),
		Certifications:       convert(r.Certifications, wireCertification),
		TotalExperienceYears: r.ExperienceYears,
		Language:             NullableString(r.Language),
		Warnings:             orEmpty(r.Warnings),
		Quality:              ParseQuality{r.Quality.Score, orEmpty(r.Quality.Reasons)},
		Freelancer:           wireDraft(&r.Freelancer),
	}
	if r.Pages > 0 {
		wire.Pages = matching.Some(r.Pages)
	}
	return wire
}

func wirePosition(p resume.Position) Position {
	return Position{
		Title:       NullableString(p.Title),
		Company:     NullableString(p.Company),
		Location:    NullableString(p.Location),
		Start:       NullableString(p.Start),
		End:         NullableString(p.End),
		Current:     p.Current,
		Months:      p.Months,
		Description: NullableString(p.Description),
	}
}

func wireDegree(d resume.Degree) Degree {
	return Degree{
		Degree:      NullableString(d.Degree),
		Field:       NullableString(d.Field),
		Institution: NullableString(d.Institution),
		Start:       NullableString(d.Start),
		End:         NullableString(d.End),
	}
}

func wireLanguage(l resume.Language) SpokenLanguage {
	return SpokenLanguage{l.Name, NullableString(l.Level)}
}

func wireCertification(c resume.Certification) Certification {
	return Certification{c.Name, NullableString(c.Issuer), NullableString(c.Date)}
}

func wireDraft(f *matching.Freelancer) FreelancerDraft {
	return FreelancerDraft{
		ID:           f.ID,
		Name:         NullableString(f.Name),
		JobTitle:     NullableString(f.JobTitle),
		Skills:       orEmpty(f.Skills),
		Experience:   f.Experience,
		Rating:       f.Rating,
		HourlyRate:   f.HourlyRate,
		ProfileURL:   NullableString(f.ProfileURL),
		Availability: f.Availability,
		TotalSales:   f.TotalSales,
		Description:  NullableString(f.Description),
		Location:     NullableString(f.Location),
		Country:      NullableString(f.Country),
		Languages:    orEmpty(wireDetails(&f.Details).Languages),
	}
}

// convert applies wire to every element. It returns an empty list for nil, which JSON would write as null.
func convert[T, W any](l []T, wire func(T) W) []W {
	out := make([]W, len(l))
	for i, e := range l {
		out[i] = wire(e)
	}
	return out
}
