// Package openapi contains the OpenAPI description of the REST API. It is written by hand. Tests in server/api fail if
// it differs from the routes, the wire types or the responses.
package openapi

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/goccy/go-yaml"
)

//go:embed openapi.yaml
var document []byte

// YAML returns the description, in OpenAPI 3.1.
func YAML() []byte { return slices.Clone(document) }

// A Rendition is the description in one version of OpenAPI and one format.
type Rendition struct {
	MediaType string
	Body      []byte
	ETag      string // weak, because responses may be compressed
}

// Renditions computes each rendition when it is requested first, because few servers are asked for one.
type Renditions struct {
	YAML   func() (Rendition, error) // the file as it is written
	JSON   func() (Rendition, error)
	JSON30 func() (Rendition, error) // in OpenAPI 3.0, for generators that don't read 3.1
}

// NewRenditions returns all renditions.
func NewRenditions() *Renditions {
	return &Renditions{
		YAML:   func() (Rendition, error) { return newRendition("application/yaml", document), nil },
		JSON:   sync.OnceValues(func() (Rendition, error) { return renderJSON(func(map[string]any) {}) }),
		JSON30: sync.OnceValues(func() (Rendition, error) { return renderJSON(downgrade) }),
	}
}

// renderJSON returns the description as JSON, after a conversion.
func renderJSON(convert func(map[string]any)) (Rendition, error) {
	var parsed map[string]any
	if err := yaml.Unmarshal(document, &parsed); err != nil {
		return Rendition{}, fmt.Errorf("parse openapi.yaml: %w", err)
	}

	convert(parsed)
	body, err := json.Marshal(parsed)
	if err != nil {
		return Rendition{}, fmt.Errorf("encode openapi.yaml: %w", err)
	}
	return newRendition("application/json", body), nil
}

func newRendition(mediaType string, body []byte) Rendition {
	sum := sha256.Sum256(body)
	return Rendition{MediaType: mediaType, Body: body, ETag: `W/"` + hex.EncodeToString(sum[:16]) + `"`}
}
