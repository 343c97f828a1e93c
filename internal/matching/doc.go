// Package matching defines the domain types that all packages share: freelancer, brief, match, explanation, vector, and
// the error type. It imports the standard library only and does no I/O.
package matching
