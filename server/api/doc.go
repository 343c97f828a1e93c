// Package api is the HTTP interface: routes, wire types, middleware and the one place that writes errors. It knows the
// rest of the service by the small interfaces at the top of its files. What clients see is described by
// server/openapi/openapi.yaml; tests hold the two together.
package api
