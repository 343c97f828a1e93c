// Package resume reads resumes: a file becomes text in reading order (Document), and that becomes fields (Resume). What a file
// does not say is left empty, never guessed.
package resume

import (
	"context"

	"freelancer-matching/internal/matching"
)

// MaxFile is the most bytes that a file may have.
const MaxFile = 10 << 20

// The codes of documents that cannot be read.
const (
	CodeUnsupported matching.Code = "unsupported_media_type" // neither PDF nor DOCX by its content
	CodeNoText      matching.Code = "no_text"                // pages of pictures only
	CodeEncrypted   matching.Code = "encrypted_document"
	CodeCorrupt     matching.Code = "corrupt_document"
	CodeTooComplex  matching.Code = "document_too_complex" // more pages, objects, nesting or time than the limits allow
)

// Reader turns the bytes of one kind of file into its text. Errors that the client can mend are matching.Errors with the codes
// of this package. It is safe for concurrent use, ends with ctx, and holds to its limits whatever the file says.
type Reader interface {
	Read(ctx context.Context, file []byte) (Document, error)
}

// Document is the text of a file in the order in which a person reads it.
type Document struct {
	Pages    int // 0: the format has none (DOCX)
	Lines    []Line
	Links    []Link
	Warnings []Warning
}

// Line is one line of a page, one paragraph, or one row of a table. Its text has single spaces; a wide gap, a tab stop or the
// border between two cells is a tab. Hyphens at line ends are left as they are: whoever joins lines joins words.
type Line struct {
	Text    string
	Page    int     // from 1; 0: unknown
	Part    Part    // where it stands
	Size    float64 // of the font, in points; 0: unknown
	Bold    bool    // most of it
	Heading int     // level of a heading by its style, from 1; 0: none, or unknown
	Bullet  bool    // an entry of a list; its mark is not in Text
	Gap     float64 // above it, in heights of its own font beyond usual line spacing; 0: none, or unknown
}

// Part is a part of a page. Within a page the lines of one part follow each other.
type Part uint8

// The parts.
const (
	Body Part = iota
	Sidebar
	Header // repeated on top of pages, or the header of a DOCX
	Footer
)

// Link is the target of a hyperlink, on the text of a line.
type Link struct {
	URL  string
	Text string
	Line int // index into Lines; -1: of no line
}

// Warning is a reason to trust a document less, in one stable word.
type Warning string

// The warnings.
const (
	WarnHiddenText    Warning = "hidden_text"     // text that nobody sees was left out
	WarnImagePage     Warning = "image_only_page" // some pages are pictures
	WarnUnmappedGlyph Warning = "unmapped_glyphs" // characters that the file does not say the meaning of
	WarnTruncated     Warning = "truncated"       // the file is cut off or damaged, and was read as far as it goes
	WarnManyPages     Warning = "many_pages"      // pages beyond the limit were not read
	WarnNoSections    Warning = "no_sections"     // no headings were recognised
	WarnInstructions  Warning = "instructions"    // text that speaks to a language model
)

// Resume is what a document says about a person. Texts that were not found are "", lists are empty. Dates are YYYY-MM or YYYY.
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
	// ExperienceYears is the time covered by positions, overlaps counted once.
	ExperienceYears matching.Optional[float64]
	Language        string // of the text, ISO 639-1; "": not told
	Pages           int
	Warnings        []Warning
	Quality         Quality
	Freelancer      matching.Freelancer // a draft of the person's record, which the indexer loads as it is
}

// Contact is how to reach the person.
type Contact struct {
	Email    string
	Phone    string // +49 30 1234567: international where its country is told, as written otherwise
	Location string
	Links    []ContactLink
}

// ContactLink is an address on the web.
type ContactLink struct {
	Kind string // linkedin, github, gitlab, stackoverflow, behance, dribbble, x, portfolio …; "website" for any other
	URL  string
}

// Skill is a skill of the taxonomy.
type Skill struct {
	ID      string
	Name    string // canonical
	Section string // where it was found first: skills, experience, summary, title, education, other
}

// Position is one entry of the experience.
type Position struct {
	Title, Company, Location string
	Start, End               string // End "" with Current, or where it is not told
	Current                  bool
	Months                   matching.Optional[int]
	Description              string
}

// Degree is one entry of the education.
type Degree struct {
	Degree, Field, Institution string
	Start, End                 string
}

// Language is a language that the person speaks.
type Language struct {
	Name  string // in English where known, else as written
	Level string // A1 to C2, native, or as written; "": not told
}

// Certification is one entry of the certifications.
type Certification struct {
	Name, Issuer, Date string
}

// Quality tells a client whether to trust the fields.
type Quality struct {
	Score   float64 // 0 to 1
	Reasons []string
}
