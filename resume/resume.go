// Package resume parses resumes. A file becomes text in reading order (Document), and the text becomes fields (Resume).
// Fields that the file doesn't state are left empty, never guessed.
package resume

import (
	"context"

	"github.com/freelancer-matching/service/internal/matching"
)

// MaxFile is the largest accepted file, in bytes.
const MaxFile = 10 << 20

// Error codes for documents that cannot be read.
const (
	CodeUnsupported matching.Code = "unsupported_media_type" // by its content, of no Format
	CodeNoText      matching.Code = "no_text"                // only pictures
	CodeEncrypted   matching.Code = "encrypted_document"
	CodeCorrupt     matching.Code = "corrupt_document"
	CodeTooComplex  matching.Code = "document_too_complex" // more pages, objects, nesting or time than the limits allow
)

// A Reader extracts the text of one kind of file. Errors that the client can fix are matching.Errors with the codes of
// this package. A Reader is safe for concurrent use, returns soon after ctx ends, and keeps its limits on any input.
type Reader interface {
	Read(ctx context.Context, file []byte) (Document, error)
}

// A Document is the text of a file in the order in which a person reads it.
type Document struct {
	Pages    int // 0 if the format has no pages, as all but PDF
	Lines    []Line
	Links    []Link
	Warnings []Warning
}

// A Line is one line of a page, one paragraph, or one row of a table. Its words are separated by single spaces. A tab
// represents a wide gap, a tab stop or the border between two cells. Hyphens at line ends are kept.
type Line struct {
	Text    string
	Page    int     // from 1; 0 if unknown
	Part    Part    // of the page
	Size    float64 // of the font, in points; 0 if unknown
	Bold    bool    // most of the line
	Heading int     // level of a heading, from 1, by its style or its place in the margin; 0 for others
	Bullet  bool    // a list item; its bullet is not in Text
	Gap     float64 // above the line, in heights of its font, beyond usual line spacing; 0 if none, or unknown
	Place   Place   // on the page
}

// A Place is the box around a line, as high as its font, on its page as readers see it: turned as the file says, and
// cropped. The unit is the point, 1/72 inch, and the origin is the upper left corner. The zero value means that the
// place is unknown.
type Place struct{ X, Y, Width, Height float64 }

// A Part is a part of a page. In a Document, all lines of a part of a page are adjacent.
type Part uint8

// The parts of a page.
const (
	Body Part = iota
	Sidebar
	Header // repeated at the top of pages, or the header of an office document
	Footer
)

// A Link is a hyperlink, and the text that carries it.
type Link struct {
	URL  string
	Text string
	Line int // index into Document.Lines; -1 if the link is on no line
}

// A Text is the running text of a document, without the headers and footers of its pages.
type Text struct {
	Title    string // the first line
	Text     string // paragraphs and list items on lines of their own
	Omitted  int    // characters after Text that exceed the limit
	Format   Format
	Pages    int // 0 if the format has no pages, as all but PDF
	Warnings []Warning
}

// A Warning is a reason to trust a document less, as a stable identifier.
type Warning string

// The warnings.
const (
	WarnHiddenText    Warning = "hidden_text"     // invisible text was left out
	WarnImagePage     Warning = "image_only_page" // some pages are pictures
	WarnOCR           Warning = "ocr"             // some text was recognized in pictures; single letters may be wrong
	WarnUnmappedGlyph Warning = "unmapped_glyphs" // the file doesn't identify some of its characters
	WarnTruncated     Warning = "truncated"       // the file is cut off, damaged or very long; the rest was used
	WarnManyPages     Warning = "many_pages"      // pages beyond the limit were not read
	WarnNoSections    Warning = "no_sections"     // no headings were recognized
	WarnInstructions  Warning = "instructions"    // some text addresses a language model
)

// A Resume holds the facts that a document states about a person. Missing texts are "", missing lists are empty. Dates
// are YYYY-MM or YYYY.
type Resume struct {
	Name           string
	JobTitle       string
	Contact        Contact
	Summary        string
	Skills         []Skill
	Experience     []Position
	Education      []Degree
	Languages      []Language
	Certifications []Certification
	Projects       []Project
	Publications   []Publication
	Volunteering   []Position
	Confidence     Confidence
	// ExperienceYears is the time covered by positions. Overlapping time counts once.
	ExperienceYears matching.Optional[float64]
	Language        string // of the text, ISO 639-1; "" if unknown
	Lines           []Line // from which the fields were read, without those that have no text
	Pages           int
	Warnings        []Warning
	Quality         Quality
	Freelancer      matching.Freelancer // a draft of the person's record, as the indexer accepts it
	DraftNotes      []DraftNote         // about the fields of the draft
}

// A DraftNote says why a field of the draft isn't what the resume states.
type DraftNote struct {
	Field  string // by its name in the API: "country"
	Kind   DraftNoteKind
	Reason string // a sentence in English that quotes nothing
}

// A DraftNoteKind is what happened to a field, as a stable identifier.
type DraftNoteKind string

// The kinds of notes.
const (
	Derived DraftNoteKind = "derived"  // from other facts of the resume
	Unknown DraftNoteKind = "unknown"  // although most records have the field
	LeftOut DraftNoteKind = "left_out" // parts of the field, which nobody should publish
)

// A Contact holds the ways to reach the person.
type Contact struct {
	Email    string
	Phone    string // +49 30 1234567 if the country is known, otherwise as written
	Location string
	Links    []ContactLink
}

// A ContactLink is a web address.
type ContactLink struct {
	Kind string // linkedin, github, gitlab, stackoverflow, behance, dribbble, x, portfolio, …, or "website"
	URL  string
}

// A Skill is a skill that the document lists, or a skill of the taxonomy that its text mentions.
type Skill struct {
	ID         string                 // in the taxonomy; "" if that lacks the skill
	Name       string                 // canonical; as written if the taxonomy lacks the skill
	Written    string                 // as the document writes it at its first mention
	Section    string                 // of its first mention: skills, experience, summary, title, education or other
	Months     matching.Optional[int] // of the positions that mention it; overlapping time counts once
	LastUsed   string                 // YYYY-MM or YYYY, the end of the last of these; "" if unknown
	Confidence float64
}

// Confidence holds, for single fields, the estimated probability that the field is right, from 0 to 1; 0 if the field
// is empty. Entries of lists have a confidence of their own, which covers the whole entry. The estimates are
// calibrated: of the fields at .9, about nine in ten are right.
type Confidence struct {
	Name, JobTitle, Email, Phone, Location, Summary float64
}

// A Position is an entry of the work experience.
type Position struct {
	Title, Company, Location string
	Start, End               string // End is "" if Current is true or the end is unknown
	Current                  bool
	Months                   matching.Optional[int]
	Description              string
	Confidence               float64
}

// A Project is an entry of the projects.
type Project struct {
	Name, URL   string
	Start, End  string
	Description string
	Confidence  float64
}

// A Publication is an entry of the publications.
type Publication struct {
	Title      string
	Publisher  string // the journal, conference or publisher
	Date       string
	URL        string
	Confidence float64
}

// A Degree is an entry of the education.
type Degree struct {
	Degree, Field, Institution string
	Start, End                 string
	Confidence                 float64
}

// A Language is a language that the person speaks.
type Language struct {
	Name  string // in English if known, otherwise as written
	Level string // A1 to C2, native, or as written; "" if unknown

	Confidence float64
}

// A Certification is an entry of the certifications.
type Certification struct {
	Name, Issuer, Date string
	Confidence         float64
}

// Quality rates how far a client can trust the fields.
type Quality struct {
	Score   float64 // 0 to 1
	Reasons []string
}
