package people

import (
	"reflect"
	"testing"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/resume"
)

func tracesOf(texts ...string) *traces {
	t := newTraces((&Service{}).withResumes(ParseSubject(texts)))
	return &t
}

func TestTraces_HasEmail(t *testing.T) {
	subject := tracesOf("Ada.L@example.com")
	for text, want := range map[string]bool{
		"":                                     false,
		"ada.l@example.com":                    true,
		"Write to ADA.L@Example.com.":          true,
		"<mailto:ada.l@example.com>":           true,
		"-ada.l@example.com":                   true, // a list
		"mail:ada.l@example.com,or call":       true,
		"Ã©ada.l@example.comÃ©":                true, // bytes of other letters are no part of an address
		"bada.l@example.com":                   false,
		"x.ada.l@example.com":                  false,
		"x+ada.l@example.com":                  false,
		"ada.l@example.com.au":                 false,
		"ada.l@example.community":              false,
		"ada.l@example":                        false,
		"xada.l@example.com ada.l@example.com": true,
	} {
		if got := subject.hasEmail(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestTraces_OccurIn(t *testing.T) {
	subject := tracesOf("fl-0011223344556677", "17", "ada@example.com")
	subject.learn(&matching.Freelancer{
		ID: "fl-0011223344556677", Name: "Ada  O'Lov-Elace", ProfileURL: "https://Example.com/in/ada/",
	})
	subject.learn(&matching.Freelancer{Name: "Ada"}) // too short to search for

	for text, want := range map[string]bool{
		"":                                 false,
		"fl-0011223344556677":              true,
		"x,FL-0011223344556677,y":          true,
		"fl-00112233445566778":             false,
		"17":                               true,
		"17 Ada Lovelace":                  true, // a dead letter about an ID with two names
		"there are 17 cells":               false,
		"ada o'lov elace.pdf":              true,
		"resumes/ADA_O'LOV_ELACE-2026.pdf": true,
		"ada o'lov":                        false,
		"Ada":                              false,
		"http://example.com/in/ada":        true,
		"http://example.com/in/ada2":       false,
	} {
		if got := subject.occurIn(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestTraces_Redact(t *testing.T) {
	subject := tracesOf("ada@example.com", "a@example.org")
	for text, want := range map[string]string{
		"nothing": "nothing",
		`{"a":"ADA@example.com, ada@example.com","b":"xa@example.org"}`: `{"a":"[erased], [erased]","b":"xa@example.org"}`,
		"İ ada@example.com a@example.org İ":                             "İ [erased] [erased] İ",
	} {
		if got := subject.redact(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// An address stands for the resumes that have it.
func TestSubject_WithResumes(t *testing.T) {
	s := &Service{Config{DraftKey: "secret"}}
	got := s.withResumes(ParseSubject([]string{" Ada@Example.com ", "fl-1", ""}))
	want := Subject{
		IDs:    []string{"fl-1", resume.EmailID("ada@example.com"), resume.DraftKey("secret").ID("ada@example.com")},
		Emails: []string{"ada@example.com"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}
