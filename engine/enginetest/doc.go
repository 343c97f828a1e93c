// Package enginetest holds the contract suite that every engine must pass. Package bruteforce computes the expected
// answers, and package random draws documents and queries.
package enginetest
