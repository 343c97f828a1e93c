// Package mappings holds the index definitions, in Elasticsearch's dialect and by version, and the data of the skill
// taxonomy. Both engines read the same files. A definition is never changed once released: a new one gets a new version.
package mappings

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
)

// Freelancers is the name of the current definition of the freelancer index.
const Freelancers = "freelancers.v1"

//go:embed *.v*.json
var files embed.FS

// Mapping is one index definition.
type Mapping struct {
	Name string // freelancers.v1
	JSON []byte // the body of Elasticsearch's create-index request
	BM25 BM25   // the similarity of the words
}

// BM25 holds the two parameters of the Okapi BM25 formula (Robertson and Zaragoza 2009).
type BM25 struct {
	K1 float64 `json:"k1"` // how soon repeating a word stops to count, at least 0
	B  float64 `json:"b"`  // how much a long text is discounted, 0 to 1
}

// Load reads a definition by name. It refuses one that an engine would understand only in part.
func Load(name string) (Mapping, error) { return load(files, name) }

func load(files fs.ReadFileFS, name string) (Mapping, error) {
	body, err := files.ReadFile(name + ".json")
	if err != nil {
		return Mapping{}, fmt.Errorf("mapping %q does not exist: %w", name, err)
	}
	var def struct {
		Settings struct {
			Index struct {
				Similarity map[string]struct {
					Type string `json:"type"`
					BM25
				} `json:"similarity"`
			} `json:"index"`
		} `json:"settings"`
		Mappings struct {
			Dynamic    string `json:"dynamic"`
			Properties map[string]struct {
				Type       string `json:"type"`
				Analyzer   string `json:"analyzer"`
				Similarity string `json:"similarity"`
			} `json:"properties"`
		} `json:"mappings"`
	}
	if err := json.Unmarshal(body, &def); err != nil {
		return Mapping{}, fmt.Errorf("mapping %q: %w", name, err)
	}
	if def.Mappings.Dynamic != "strict" {
		return Mapping{}, fmt.Errorf("mapping %q: dynamic is %q, want strict", name, def.Mappings.Dynamic)
	}
	types := []string{"keyword", "text", "double", "integer", "long", "boolean", "binary", "object"}
	m := Mapping{Name: name, JSON: body}
	for field, p := range def.Mappings.Properties {
		if !slices.Contains(types, p.Type) {
			return Mapping{}, fmt.Errorf("mapping %q: field %q has the type %q; known are %v", name, field, p.Type, types)
		}
		if p.Type != "text" {
			continue
		}
		if p.Analyzer != "whitespace" {
			return Mapping{}, fmt.Errorf("mapping %q: field %q has the analyzer %q, want whitespace: words are analysed before they reach an engine", name, field, p.Analyzer)
		}
		s, ok := def.Settings.Index.Similarity[p.Similarity]
		if !ok || s.Type != "BM25" || s.K1 < 0 || s.B < 0 || s.B > 1 {
			return Mapping{}, fmt.Errorf("mapping %q: field %q needs a BM25 similarity with k1 >= 0 and 0 <= b <= 1", name, field)
		}
		m.BM25 = s.BM25
	}
	if m.BM25 == (BM25{}) {
		return Mapping{}, fmt.Errorf("mapping %q has no text field", name)
	}
	return m, nil
}
