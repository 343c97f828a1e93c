package embedded

import (
	"syscall"
	"time"
)

// threadTime returns the processor time of the current thread.
func threadTime() time.Duration {
	const rusageThread = 1 // RUSAGE_THREAD, which package syscall lacks
	var used syscall.Rusage
	if err := syscall.Getrusage(rusageThread, &used); err != nil {
		panic(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
