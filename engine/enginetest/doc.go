// Package enginetest holds the contract suite that every engine must pass, and BruteForce, a scorer simple enough to be
// trusted that computes the expected hits.
package enginetest
