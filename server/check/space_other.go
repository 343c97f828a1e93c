//go:build !linux && !darwin

package check

import "errors"

// freeSpace is not implemented on this system.
func freeSpace(string) (uint64, error) { return 0, errors.ErrUnsupported }
