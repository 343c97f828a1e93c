// Package api implements the REST API: routes, middleware, request validation, wire types and error responses. It uses
// other packages through the small interfaces at the top of its files. server/openapi/openapi.yaml specifies the API.
// Tests in this package check that both agree.
package api
