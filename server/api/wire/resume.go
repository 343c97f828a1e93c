package wire

import (
	"cmp"
	"math"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/resume"
)

// ParseAnswer is the response of POST /parse.
type ParseAnswer = Answer[Resume]

// A Resume holds the fields found in a resume. Missing ones are null or an empty list.
type Resume struct {
	Name                 NullableString             `json:"name"`
	JobTitle             NullableString             `json:"job_title"`
	Contact              Contact                    `json:"contact"`
	Summary              NullableString             `json:"summary"`
	Skills               []string                   `json:"skills"` // canonical names; unknown skills as written
	SkillDetails         []ResumeSkill              `json:"skill_details"`
	Experience           []Position                 `json:"experience"`
	Education            []Degree                   `json:"education"`
	Languages            []SpokenLanguage           `json:"languages"`
	Certifications       []Certification            `json:"certifications"`
	Projects             []Project                  `json:"projects"`
	Publications         []Publication              `json:"publications"`
	Volunteering         []Position                 `json:"volunteering"`
	TotalExperienceYears matching.Optional[float64] `json:"total_experience_years"`
	Language             NullableString             `json:"language"` // ISO 639-1
	Pages                matching.Optional[int]     `json:"pages"`
	Warnings             []resume.Warning           `json:"warnings"`
	Confidence           ResumeConfidence           `json:"confidence"`
	Quality              ParseQuality               `json:"quality"`
	Freelancer           FreelancerDraft            `json:"freelancer"`
	FreelancerNotes      []DraftNote                `json:"freelancer_notes"`
	Text                 []ResumeLine               `json:"text,omitzero"` // nil unless the client asks for it
}

// A ResumeLine is a line of the text from which the fields were read. Only lines of PDF files have a page and a box.
type ResumeLine struct {
	Text string                 `json:"text"`
	Page matching.Optional[int] `json:"page"` // from 1
	Box  *Box                   `json:"box"`
}

// A Box is a part of a page as readers see it, in points from its upper left corner.
type Box struct {
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
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

// A ResumeSkill is a skill, the section that mentions it first, and its use in the positions.
type ResumeSkill struct {
	ID         NullableString         `json:"id"` // null if the taxonomy lacks the skill
	Name       string                 `json:"name"`
	Written    string                 `json:"written"`
	Section    string                 `json:"section"`
	Months     matching.Optional[int] `json:"months"`
	LastUsed   NullableString         `json:"last_used"`
	Confidence float64                `json:"confidence"`
}

// A ResumeConfidence holds the estimated probability that a single field is right. It is null if the field is.
type ResumeConfidence struct {
	Name     matching.Optional[float64] `json:"name"`
	JobTitle matching.Optional[float64] `json:"job_title"`
	Email    matching.Optional[float64] `json:"email"`
	Phone    matching.Optional[float64] `json:"phone"`
	Location matching.Optional[float64] `json:"location"`
	Summary  matching.Optional[float64] `json:"summary"`
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
	Confidence  float64                `json:"confidence"`
}

// A Degree is one entry of the education.
type Degree struct {
	Degree      NullableString `json:"degree"`
	Field       NullableString `json:"field"`
	Institution NullableString `json:"institution"`
	Start       NullableString `json:"start"`
	End         NullableString `json:"end"`
	Confidence  float64        `json:"confidence"`
}

// A SpokenLanguage is a language that the person speaks.
type SpokenLanguage struct {
	Name       string         `json:"name"`
	Level      NullableString `json:"level"`
	Confidence float64        `json:"confidence"`
}

// A Certification is one certificate or license.
type Certification struct {
	Name       string         `json:"name"`
	Issuer     NullableString `json:"issuer"`
	Date       NullableString `json:"date"`
	Confidence float64        `json:"confidence"`
}

// A Project is one project.
type Project struct {
	Name        NullableString `json:"name"`
	URL         NullableString `json:"url"`
	Start       NullableString `json:"start"`
	End         NullableString `json:"end"`
	Description NullableString `json:"description"`
	Confidence  float64        `json:"confidence"`
}

// A Publication is one publication.
type Publication struct {
	Title      string         `json:"title"`
	Publisher  NullableString `json:"publisher"`
	Date       NullableString `json:"date"`
	URL        NullableString `json:"url"`
	Confidence float64        `json:"confidence"`
}

// ParseQuality rates how reliable the fields are.
type ParseQuality struct {
	Score   float64  `json:"score"` // 0 to 1
	Reasons []string `json:"reasons"`
}

// A DraftNote says why a field of the draft isn't what the resume states.
type DraftNote struct {
	Field  string               `json:"field"`
	Kind   resume.DraftNoteKind `json:"kind"`
	Reason string               `json:"reason"`
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

// NewResume returns a resume as clients see it.
func NewResume(r *resume.Resume) Resume {
	wire := Resume{
		Name:     NullableString(r.Name),
		JobTitle: NullableString(r.JobTitle),
		Contact: Contact{
			Email:    NullableString(r.Contact.Email),
			Phone:    NullableString(r.Contact.Phone),
			Location: NullableString(r.Contact.Location),
			Links:    Convert(r.Contact.Links, func(l resume.ContactLink) ContactLink { return ContactLink(l) }),
		},
		Summary:              NullableString(r.Summary),
		Skills:               Convert(r.Skills, func(s resume.Skill) string { return s.Name }),
		SkillDetails:         Convert(r.Skills, newResumeSkill),
		Experience:           Convert(r.Experience, newPosition),
		Education:            Convert(r.Education, newDegree),
		Languages:            Convert(r.Languages, newSpokenLanguage),
		Certifications:       Convert(r.Certifications, newCertification),
		Projects:             Convert(r.Projects, newProject),
		Publications:         Convert(r.Publications, newPublication),
		Volunteering:         Convert(r.Volunteering, newPosition),
		TotalExperienceYears: r.ExperienceYears,
		Language:             NullableString(r.Language),
		Warnings:             OrEmpty(r.Warnings),
		Confidence:           newConfidence(r),
		Quality:              ParseQuality{r.Quality.Score, OrEmpty(r.Quality.Reasons)},
		Freelancer:           newDraft(&r.Freelancer),
		FreelancerNotes:      Convert(r.DraftNotes, func(n resume.DraftNote) DraftNote { return DraftNote(n) }),
	}

	// Only PDF files have pages.
	if r.Pages > 0 {
		wire.Pages = matching.Some(r.Pages)
	}

	return wire
}

// NewResumeText returns the text of a resume as clients see it.
func NewResumeText(r *resume.Resume) []ResumeLine { return Convert(r.Lines, newResumeLine) }

func newResumeLine(l resume.Line) ResumeLine {
	line := ResumeLine{Text: l.Text}
	if l.Page > 0 {
		line.Page = matching.Some(l.Page)
	}
	if l.Place != (resume.Place{}) {
		box := Box(l.Place)
		line.Box = &box
	}
	return line
}

func newResumeSkill(s resume.Skill) ResumeSkill {
	return ResumeSkill{
		ID:         NullableString(s.ID),
		Name:       s.Name,
		Written:    cmp.Or(s.Written, s.Name),
		Section:    s.Section,
		Months:     s.Months,
		LastUsed:   NullableString(s.LastUsed),
		Confidence: hundredths(s.Confidence),
	}
}

func newConfidence(r *resume.Resume) ResumeConfidence {
	of := func(field string, confidence float64) (c matching.Optional[float64]) {
		if field != "" {
			c = matching.Some(hundredths(confidence))
		}
		return c
	}
	c := r.Confidence
	return ResumeConfidence{
		Name:     of(r.Name, c.Name),
		JobTitle: of(r.JobTitle, c.JobTitle),
		Email:    of(r.Contact.Email, c.Email),
		Phone:    of(r.Contact.Phone, c.Phone),
		Location: of(r.Contact.Location, c.Location),
		Summary:  of(r.Summary, c.Summary),
	}
}

// hundredths rounds an estimate, which is no more precise than that.
func hundredths(x float64) float64 { return math.Round(100*x) / 100 }

func newPosition(p resume.Position) Position {
	return Position{
		Title:       NullableString(p.Title),
		Company:     NullableString(p.Company),
		Location:    NullableString(p.Location),
		Start:       NullableString(p.Start),
		End:         NullableString(p.End),
		Current:     p.Current,
		Months:      p.Months,
		Description: NullableString(p.Description),
		Confidence:  hundredths(p.Confidence),
	}
}

func newProject(p resume.Project) Project {
	return Project{
		Name:        NullableString(p.Name),
		URL:         NullableString(p.URL),
		Start:       NullableString(p.Start),
		End:         NullableString(p.End),
		Description: NullableString(p.Description),
		Confidence:  hundredths(p.Confidence),
	}
}

func newPublication(p resume.Publication) Publication {
	return Publication{
		Title:      p.Title,
		Publisher:  NullableString(p.Publisher),
		Date:       NullableString(p.Date),
		URL:        NullableString(p.URL),
		Confidence: hundredths(p.Confidence),
	}
}

func newDegree(d resume.Degree) Degree {
	return Degree{
		Degree:      NullableString(d.Degree),
		Field:       NullableString(d.Field),
		Institution: NullableString(d.Institution),
		Start:       NullableString(d.Start),
		End:         NullableString(d.End),
		Confidence:  hundredths(d.Confidence),
	}
}

func newSpokenLanguage(l resume.Language) SpokenLanguage {
	return SpokenLanguage{l.Name, NullableString(l.Level), hundredths(l.Confidence)}
}

func newCertification(c resume.Certification) Certification {
	return Certification{c.Name, NullableString(c.Issuer), NullableString(c.Date), hundredths(c.Confidence)}
}

func newDraft(f *matching.Freelancer) FreelancerDraft {
	return FreelancerDraft{
		ID:           f.ID,
		Name:         NullableString(f.Name),
		JobTitle:     NullableString(f.JobTitle),
		Skills:       OrEmpty(f.Skills),
		Experience:   f.Experience,
		Rating:       f.Rating,
		HourlyRate:   f.HourlyRate,
		ProfileURL:   NullableString(f.ProfileURL),
		Availability: f.Availability,
		TotalSales:   f.TotalSales,
		Description:  NullableString(f.Description),
		Location:     NullableString(f.Location),
		Country:      NullableString(f.Country),
		Languages:    OrEmpty(newDetails(&f.Details).Languages),
	}
}
