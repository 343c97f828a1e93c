// Package openapi holds the description of the HTTP interface. It is written by hand; tests in server/api fail when it
// and the routes, the wire types or the real answers differ.
package openapi

import (
	_ "embed"
	"slices"
)

//go:embed openapi.yaml
var document []byte

// YAML is the description, OpenAPI 3.1.
func YAML() []byte { return slices.Clone(document) }
