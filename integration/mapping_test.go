//go:build integration

package integration

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/integration/programs"
)

// Records in a team's own shape become the same freelancers in a stream with a mapping as in a load with it, on either
// engine. indexer validate writes the mapping into the folder in which the server looks for it.
func TestMapping(t *testing.T) { onEachEngine(t, streamMapped) }

func streamMapped(t *testing.T, d *deployment) {
	const people = 300
	var lines strings.Builder
	for i := range people {
		fmt.Fprintf(&lines, `{"person":{"nr":%d,"full name":"Person %d"},"Titel":"Go developer","Skills":["Go","SQL"],`+
			`"TJM":"%d","Standort":"Porto, Portugal","Verfügbar":"%s"}`+"\n", 100+i, i, 200+8*i, []string{"ja", "nein"}[i%2])
	}
	sample := filepath.Join(t.TempDir(), "team.ndjson")
	if err := os.WriteFile(sample, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}

	folder := filepath.Join(d.data, "mappings")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	mapping := filepath.Join(folder, "team.yaml")
	programs.Run(t, "indexer", "validate", sample, "-map", "id=person.nr", "-o", mapping)

	s := d.serve(t)
	d.grantWriting(t)
	if got := s.stream(t, "tea", lines.String()); !strings.Contains(got, "The mappings are team.") {
		t.Errorf("an unknown mapping: %s", got)
	}
	got := s.stream(t, "team", lines.String())
	summary := fmt.Sprintf(`"lines":%d,"changed":%[1]d,"unchanged":0,"failed":0,"skipped":0`, people)
	if !strings.Contains(got, summary) {
		t.Fatalf("streamed %.3000s", got)
	}

	stored := d.index(t, "export")
	if n := strings.Count(stored, "\n"); n != people || !strings.Contains(stored, `"hourly_rate":25`) {
		t.Fatalf("%d freelancers: %.500s", n, stored)
	}
	d.index(t, "load", sample, "-mapping", mapping)
	if loaded := d.index(t, "export"); loaded != stored {
		t.Errorf("the load has other freelancers:\n%.500s\nstream:\n%.500s", loaded, stored)
	}
}

// stream sends lines in the shape of a mapping and returns the response.
func (s *server) stream(t *testing.T, mapping, lines string) string {
	t.Helper()
	url := s.URL + "/api/v1/freelancers/bulk?mapping=" + mapping
	req, err := http.NewRequest(http.MethodPost, url, strings.NewReader(lines))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-API-Key", s.Key)
	req.Header.Set("Content-Type", "application/x-ndjson")
	response, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
