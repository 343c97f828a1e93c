//go:build !linux

package match

import "time"

// processTime returns 0, because processor time is measured on Linux only.
func processTime() time.Duration { return 0 }
