//go:build !linux && !darwin

package check

import "errors"

// freeSpace returns errors.ErrUnsupported, because this system has no common way to ask.
func freeSpace(string) (uint64, error) { return 0, errors.ErrUnsupported }
