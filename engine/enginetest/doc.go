// Package enginetest holds what every engine must do: a suite for the sentences of the contract, and a scorer without
// any cleverness that says what the answers should be.
package enginetest
