package person

import (
	"testing"

	"github.com/freelancer-matching/service/resume/lexicon"
)

func TestNameOf(t *testing.T) {
	names := nameTexts{lexicon.New()}
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
		if got := names.nameOf(text, ""); got != want {
			t.Errorf("nameOf(%q) = %q, want %q", text, got, want)
		}
	}
}
