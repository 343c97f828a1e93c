package makers

// A document is an invented resume before it has a layout.
type document struct {
	Language                     string
	TitleLine                    string // what the document calls itself, "" for most
	Name, JobTitle, Email, Phone string
	Place                        string
	Personal                     []string // facts with labels, below the name
	Sections                     []section
	Look                         look
	Labels                       map[string]string // of parts of entries, in the language of the document
	At                           string            // between a title and an employer: " at "
}

// A section is a heading with what is below it: a text, items or entries.
type section struct {
	Kind, Heading string
	Text          string
	Items         []string
	Lines         bool // the items are lines, and no list
	Entries       []entry
}

// An entry is a position, a degree or a project. Parts that it lacks are empty.
type entry struct {
	Lead, Field string // the title or the degree, and the field of study
	Host, Place string // the employer or the school
	Start, End  string // YYYY-MM or YYYY
	Current     bool
	Dates       string // as written
	SameHost    bool   // the employer is the one of the entry before
	Total       string // the whole time at the employer, as profiles show it
	About       string // a sentence about the employer
	Note        string // a line below the header
	Blocks      []block
}

// A block is a part of the description of an entry.
type block struct {
	Heading string // "" without one
	Tasks   []string
	Prose   bool   // the tasks are a paragraph, and no list
	Tools   string // a line at the end
}

// A look is what differs among the documents of a maker.
type look struct {
	Size               float64 // of the letters, in points
	HeadingSize        float64 // of headings, in sizes of the letters
	Gap                float64 // between entries, in sizes of the letters
	Serif              bool
	Upper, BoldHeading bool // how headings are written
	Rule, Color        bool // headings have a line below them, or another color
	BoldLead, BoldHost bool
	EmptyLines         bool // between the sections of plain text
}
