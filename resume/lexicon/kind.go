package lexicon

// A Kind is the subject of a section. The data files use the same names: "heading summary".
type Kind string

// The kinds of sections.
const (
	Head           Kind = "head"   // the lines before the first heading
	Margin         Kind = "margin" // the headers and footers of pages
	Summary        Kind = "summary"
	Experience     Kind = "experience"
	Education      Kind = "education"
	Skills         Kind = "skills"
	Languages      Kind = "languages"
	Certifications Kind = "certifications"
	Projects       Kind = "projects"
	Publications   Kind = "publications"
	Volunteer      Kind = "volunteer"
	Courses        Kind = "courses"
	Interests      Kind = "interests"
	References     Kind = "references"
	Contact        Kind = "contact"
	Other          Kind = "other"
	Title          Kind = "title" // the name of the whole document, such as "Curriculum vitae"
)

// kinds lists the kinds that have headings. If several kinds share a heading, it belongs to the first.
var kinds = []Kind{
	Summary, Experience, Education, Skills, Languages, Certifications, Projects, "awards", Publications, Volunteer,
	Interests, References, Contact, Courses, Other, Title,
}
