//go:build !linux

package match

import "time"

// threadTime returns 0, because the processor time of a thread is measured on Linux only.
func threadTime() time.Duration { return 0 }
