// Package upload serves the pages on which administrators upload a file, check what loading it would change, publish it
// and take it back.
package upload
