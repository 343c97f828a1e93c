// Package integration tests the product the way people use it: complete programs, real servers and large data sets.
// Tests that need more than Go have the build tag integration.
package integration
