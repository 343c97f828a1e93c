// Package integration runs the product as its users do: whole programs, real servers, whole data sets. What needs
// something beyond Go stands behind the build tag integration.
package integration
