// Package api implements the REST API: routes, middleware, request validation, wire types and error responses. It uses
// the other packages through the small interfaces at the top of its files. server/openapi/openapi.yaml specifies the API;
// tests in this package check that both agree.
package api
