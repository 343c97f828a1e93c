//go:build integration

package integration

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// Both engines count the same, so that words mean the same to those who hire from either.
func TestWords_AreTheSameOnEachEngine(t *testing.T) {
	var answers []demo
	for _, e := range []searchEngine{embeddedEngine(), onElasticsearch()} {
		s, token := newService(t, deploy(t, e))
		if err := s.FillDemo(t.Context()); err != nil {
			t.Fatal(err)
		}
		answers = append(answers, demo{s.Handler(), token})
	}
	counted := false
	for _, keyword := range []string{
		"React", "k8s", "C++", ".NET", "R&D", "HTML/CSS", "React Developer", "Logo designer", "Virtual assistant", "Javascritp", "logo desigr",
		"data entri", "Copy Typing", "excel formulas", "Expert Excel Specialist", "kub", "asdfghjkl", "traducción", "Übersetzung",
	} {
		body := fmt.Sprintf(`{"keyword":%q}`, keyword)
		one, other := answers[0].answer(t, http.MethodPost, "/api/v1/verify-skill", body), answers[1].answer(t, http.MethodPost, "/api/v1/verify-skill", body)
		if one != other {
			t.Errorf("%q:\nembedded      %s\nElasticsearch %s", keyword, one, other)
		}
		counted = counted || !strings.Contains(one, `"freelancer_count":0`)
	}
	if !counted {
		t.Error("nobody has any of them")
	}
}
