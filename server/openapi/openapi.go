// Package openapi contains the OpenAPI specification of the REST API. It is written by hand. Tests in server/api fail
// if it differs from the routes, the wire types or the responses.
package openapi

import (
	_ "embed"
	"slices"
)

//go:embed openapi.yaml
var document []byte

// YAML returns the specification, in OpenAPI 3.1.
func YAML() []byte { return slices.Clone(document) }
