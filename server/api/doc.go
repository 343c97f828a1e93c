// Package api implements the REST API: it has the table of all routes and the middleware, and combines them with the
// handlers of its subpackages. server/openapi/openapi.yaml specifies the API. Tests in this package check that both
// agree.
package api
