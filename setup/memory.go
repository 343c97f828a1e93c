package setup

import (
	"errors"
	"log/slog"
	"math"
	"os"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// memoryShare is the share of the container's memory that the Go runtime may use. The rest is for what it does not
// count: SQLite, compiled code of the PDF reader, and the stacks of the operating system.
const memoryShare = 0.9

// LimitMemory makes the garbage collector keep the program within the memory limit of its cgroup, such as that of a
// container. Without it, the program would be killed before the collector saw a reason to work. A limit in the
// environment variable GOMEMLIMIT stays.
func LimitMemory(log *slog.Logger) { limitMemory(log, memlimit.FromCgroup) }

func limitMemory(log *slog.Logger, cgroup memlimit.Provider) {
	if own := os.Getenv("GOMEMLIMIT"); own != "" {
		log.Info("memory limit of GOMEMLIMIT in use", "limit", own)
		return
	}
	limit, err := memlimit.ApplyRatio(cgroup, memoryShare)()
	switch {
	case errors.Is(err, memlimit.ErrNoLimit), errors.Is(err, memlimit.ErrCgroupsNotSupported),
		errors.Is(err, memlimit.ErrNoCgroup):
		return
	case err != nil:
		log.Warn("memory limit of the cgroup unknown; set GOMEMLIMIT if this program may not use all memory", "error", err)
		return
	}
	debug.SetMemoryLimit(int64(min(limit, math.MaxInt64)))
	log.Info("memory limit set", "limit", limit, "share_of_cgroup", memoryShare)
}
