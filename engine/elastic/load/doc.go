// Package load fills new indexes and changes complete ones, in batches that can be repeated: every change has a version
// that follows the order of the calls.
package load
