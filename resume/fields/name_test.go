package fields

import "testing"

func TestNameOf(t *testing.T) {
	x := newExtractor(t)
	for text, want := range map[string]string{
		"Marlow Quillfeather":       "Marlow Quillfeather",
		"MARLOW VAN DER QUILL":      "Marlow van der Quill",
		"Ada de la Cruz-O'Neil":     "Ada de la Cruz-O'Neil",
		"Dr. Ada Quill, PhD":        "Ada Quill",
		"Frau Dipl.-Ing. Ada Quill": "Ada Quill",
		"高 策":                       "高策",
		"鳥海 蒼太":                     "鳥海 蒼太",
		"Ignatius P. Vandersloot":   "Ignatius P. Vandersloot",
		"Ада Лавлейс":               "Ада Лавлейс",
		"ADA QUILL CV":              "Ada Quill",
		"SALES ASSOCIATE":           "",
		"Work Experience":           "",
		"New York":                  "",
		"lower case":                "",
		"Ada":                       "",
		"Phone 12":                  "",
		"专业技能":                      "",
	} {
		if got := x.person.names.nameOf(text, ""); got != want {
			t.Errorf("nameOf(%q) = %q, want %q", text, got, want)
		}
	}
}

// A text in the form of a name that is something else is no name, unless the email address has its words.
func TestName_OtherThanNames(t *testing.T) {
	x := newExtractor(t)
	for text, want := range map[string]string{
		"Software Engineer": "", "Project Management": "", "Acme Solutions GmbH": "", "React Native": "",
		"Anna Koch\nanna.koch@example.de": "Anna Koch",
	} {
		doc := parseDocument("{20 bold} " + text + "\nA line of text that is as long as others.")
		if got := extract(t, x, doc).Name; got != want {
			t.Errorf("the name in %q is %q, want %q", text, got, want)
		}
	}
}

// The documents are in the notation of testdata/resumes/README.md.
func TestNameAndJobTitle(t *testing.T) {
	x := newExtractor(t)
	for _, c := range []struct{ name, text, wantName, wantTitle string }{
		{"title below the name", "{20} Ada Quill\nData Engineer", "Ada Quill", "Data Engineer"},
		{"title beside the name", "{20} Ada Quill | Data Engineer\nLeeds, UK", "Ada Quill", "Data Engineer"},
		{"several titles", "{20} Ada Quill\nData Engineer / Data Analyst", "Ada Quill", "Data Engineer / Data Analyst"},
		{"labels", "Name: Ada Quill\nPosition: Data Wizard", "Ada Quill", "Data Wizard"},
		{"name on two lines", "{20} Ada\n{20} Quill\nData Engineer", "Ada Quill", "Data Engineer"},
		{"largest letters win", "Initech Payroll\n{20} Ada Quill", "Ada Quill", ""},
		{"e-mail address wins", "Basil Thyme\nAda Quill\nquill@example.org", "Ada Quill", ""},
		{"one word of the address", "Quill\nquill@example.org", "Quill", ""},
		{"no name", "Data Engineer\nLeeds, UK", "", "Data Engineer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := extract(t, x, parseDocument(c.text))
			if r.Name != c.wantName || r.JobTitle != c.wantTitle {
				t.Errorf("name %q, job title %q, want %q, %q", r.Name, r.JobTitle, c.wantName, c.wantTitle)
			}
		})
	}
}
