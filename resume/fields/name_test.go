package fields

import (
	"testing"

	"github.com/freelancer-matching/service/resume/resumetest"
)

// A text in the form of a name that is something else is no name, unless the email address has its words.
func TestName_OtherThanNames(t *testing.T) {
	x := newExtractor(t)
	for text, want := range map[string]string{
		"Software Engineer": "", "Project Management": "", "Acme Solutions GmbH": "", "React Native": "",
		"Anna Koch\nanna.koch@example.de": "Anna Koch",
	} {
		doc := resumetest.ParseDocument("{20 bold} " + text + "\nA line of text that is as long as others.")
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
		{"a greeting", "{20} Ada Quill\n{14} Welcome to my page", "Ada Quill", ""},
		{"a greeting with a title", "{20} Ada Quill\n{14} Hello, I'm a data engineer", "Ada Quill", ""},
		{"a greeting above the title", "{20} Ada Quill\n{14} Willkommen!\nData Engineer", "Ada Quill", "Data Engineer"},
		{"a title like a greeting", "{20} Ada Quill\n{14} Welcome Desk Agent", "Ada Quill", "Welcome Desk Agent"},
		{"no name", "Data Engineer\nLeeds, UK", "", "Data Engineer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := extract(t, x, resumetest.ParseDocument(c.text))
			if r.Name != c.wantName || r.JobTitle != c.wantTitle {
				t.Errorf("name %q, job title %q, want %q, %q", r.Name, r.JobTitle, c.wantName, c.wantTitle)
			}
		})
	}
}
