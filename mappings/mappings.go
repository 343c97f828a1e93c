// Package mappings holds the versioned index definitions, which are written in Elasticsearch's format, and the embedded
// data of the skill taxonomy and of the word vectors. Both engines read the same definitions. A released definition
// never changes; a change gets a new version.
package mappings

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"
)

// Freelancers is the name of the current definition of the freelancer index.
const Freelancers = "freelancers.v1"

var (
	//go:embed *.v*.json
	files embed.FS
	//go:embed taxonomy.v1.gz
	taxonomy []byte
	//go:embed dictionary.v1.gz
	dictionary []byte
	//go:embed vectors.v1.bin
	vectors []byte
)

// Taxonomy returns the data of the skill taxonomy, which package taxonomy parses. Callers must not modify it.
func Taxonomy() []byte { return taxonomy }

// Dictionary returns the data of the dictionary, which package dictionary opens. Callers must not modify it.
func Dictionary() []byte { return dictionary }

// Vectors returns the table of word vectors, which package embedding parses. Callers must not modify it.
func Vectors() []byte { return vectors }

// Mapping is one index definition.
type Mapping struct {
	Name string // such as freelancers.v1
	JSON []byte // the body of Elasticsearch's create-index request
	BM25 BM25   // the similarity that all text fields use
}

// BM25 holds the two parameters of the Okapi BM25 formula (Robertson and Zaragoza 2009).
type BM25 struct {
	K1 float64 `json:"k1"` // term frequency saturation, at least 0: repetitions of a word count for longer if it is higher
	B  float64 `json:"b"`  // length normalization, 0 to 1: how strongly a long text is penalized
}

// Load returns the definition with the given name. It returns an error if the definition does not exist or uses a
// feature that one of the engines does not support.
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

	// A field that the mapping doesn't know must be an error, not a new field with a guessed type.
	if def.Mappings.Dynamic != "strict" {
		return Mapping{}, fmt.Errorf("mapping %q: dynamic is %q, want strict", name, def.Mappings.Dynamic)
	}

	types := []string{"keyword", "text", "double", "integer", "long", "boolean", "binary", "object"}
	m := Mapping{Name: name, JSON: body}
	for _, field := range slices.Sorted(maps.Keys(def.Mappings.Properties)) {
		p := def.Mappings.Properties[field]
		if !slices.Contains(types, p.Type) {
			return Mapping{}, fmt.Errorf("mapping %q: field %q has type %q, want one of %v", name, field, p.Type, types)
		}
		if p.Type != "text" {
			continue
		}

		if p.Analyzer != "whitespace" {
			// The service analyzes words itself, before they reach an engine.
			return Mapping{}, fmt.Errorf("mapping %q: field %q has analyzer %q, want whitespace", name, field, p.Analyzer)
		}

		s, ok := def.Settings.Index.Similarity[p.Similarity]
		inRange := s.K1 >= 0 && s.B >= 0 && s.B <= 1
		isBM25 := ok && s.Type == "BM25"
		if !isBM25 || !inRange {
			return Mapping{}, fmt.Errorf("mapping %q: field %q needs a BM25 similarity with k1 >= 0 and 0 <= b <= 1",
				name, field)
		}

		// A Mapping has one similarity, so an engine that scores by itself couldn't tell two text fields apart.
		if m.BM25 != (BM25{}) && m.BM25 != s.BM25 {
			return Mapping{}, fmt.Errorf("mapping %q: field %q has another similarity; all text fields need one BM25 similarity",
				name, field)
		}
		m.BM25 = s.BM25
	}

	if m.BM25 == (BM25{}) {
		return Mapping{}, fmt.Errorf("mapping %q has no text field", name)
	}

	return m, nil
}
