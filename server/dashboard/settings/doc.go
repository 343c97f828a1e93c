// Package settings serves the pages on which users change their own password and second factor, export their data, and
// leave.
package settings
