package makers

// A Truth is what is known about a document: its fields in the form of labeled files, and where its texts belong.
type Truth struct {
	Language   string     `json:"language"`
	Name       string     `json:"name"`
	JobTitle   string     `json:"job_title"`
	Email      string     `json:"email"`
	Location   string     `json:"location"`
	Experience []Position `json:"experience"`
	Education  []Degree   `json:"education"`
	Texts      []Text     `json:"texts"`
}

// A Position is a true position. Dates are YYYY-MM or YYYY.
type Position struct {
	Title   string `json:"title"`
	Company string `json:"company"`
	Start   string `json:"start"`
	End     string `json:"end"`
	Current bool   `json:"current"`
}

// A Degree is a true degree. Dates are YYYY-MM or YYYY.
type Degree struct {
	Degree      string `json:"degree"`
	Field       string `json:"field"`
	Institution string `json:"institution"`
	Start       string `json:"start"`
	End         string `json:"end"`
}

// A Text is a text of a document, and the section that has it.
type Text struct {
	Section string `json:"section"` // its kind; "head" for the lines above the first heading
	Heading bool   `json:"heading,omitempty"`
	Text    string `json:"text"`
}

// truth returns what is known about a document.
func (d *document) truth() Truth {
	t := Truth{Language: d.Language, Name: d.Name, JobTitle: d.JobTitle, Email: d.Email, Location: d.Place}
	t.add("head", d.TitleLine, d.Name, d.JobTitle, d.Email, d.Phone, d.Place)
	t.add("head", d.Personal...)

	for _, s := range d.Sections {
		t.Texts = append(t.Texts, Text{s.Kind, true, s.Heading})
		t.add(s.Kind, s.Text)
		t.add(s.Kind, s.Items...)
		for _, e := range s.Entries {
			t.add(s.Kind, e.Lead, e.Field, e.Host, e.Place, e.Dates, e.Total, e.About, e.Note)
			for _, b := range e.Blocks {
				t.add(s.Kind, b.Heading, b.Tools)
				t.add(s.Kind, b.Tasks...)
			}

			switch s.Kind {
			case "experience":
				t.Experience = append(t.Experience, Position{e.Lead, e.Host, e.Start, e.End, e.Current})
			case "education":
				t.Education = append(t.Education, Degree{e.Lead, e.Field, e.Host, e.Start, e.End})
			}
		}
	}

	return t
}

// add adds the texts of a section that aren't empty.
func (t *Truth) add(section string, texts ...string) {
	for _, text := range texts {
		if text != "" {
			t.Texts = append(t.Texts, Text{Section: section, Text: text})
		}
	}
}
