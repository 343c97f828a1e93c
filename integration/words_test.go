//go:build integration

package integration

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// Both engines count the same freelancers for a keyword, so verify-skill responds the same on either.
func TestWords_SameOnEachEngine(t *testing.T) {
	var demos []demo
	for _, e := range []searchEngine{embeddedEngine(), elasticsearchEngine()} {
		s, token := newService(t, deploy(t, e))
		if err := s.FillDemo(t.Context()); err != nil {
			t.Fatal(err)
		}
		demos = append(demos, demo{s.Handler(), token})
	}

	found := false
	for _, keyword := range []string{
		"React", "k8s", "C++", ".NET", "R&D", "HTML/CSS", "React Developer", "Logo designer", "Virtual assistant",
		"Javascritp", "logo desigr", "data entri", "Copy Typing", "excel formulas", "Expert Excel Specialist", "kub",
		"asdfghjkl", "traducción", "Übersetzung",
	} {
		body := fmt.Sprintf(`{"keyword":%q}`, keyword)
		embedded := demos[0].answer(t, http.MethodPost, "/api/v1/verify-skill", body)
		elasticsearch := demos[1].answer(t, http.MethodPost, "/api/v1/verify-skill", body)
		if embedded != elasticsearch {
			t.Errorf("%q:\nembedded      %s\nElasticsearch %s", keyword, embedded, elasticsearch)
		}

		found = found || !strings.Contains(embedded, `"freelancer_count":0`)
	}

	if !found {
		t.Error("no freelancer has any of the keywords")
	}
}
