// Package mcp offers the REST API to language models as tools of the Model Context Protocol. A call of a tool is a
// request to /api/v1 with the caller's key, so authentication, permissions, limits, logs and error codes are the same.
//
// A result has two forms: structured content that fits the tool's output schema, and a short text for clients that pass
// on text alone. Whatever comes from profiles or resumes is inside profile_data in both, because a freelancer may have
// written instructions for the model there.
package mcp
