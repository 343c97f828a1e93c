package setup

import (
	"bytes"
	"errors"
	"log/slog"
	"math"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

func TestLimitMemory(t *testing.T) {
	fails := func(err error) memlimit.Provider { return func() (uint64, error) { return 0, err } }
	before := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	const unchanged = math.MaxInt64
	tests := []struct {
		name, environment string
		cgroup            memlimit.Provider
		want              int64
		log               string // part of the log; "" if nothing is logged
	}{
		{"a container with 1 GiB", "", memlimit.Limit(1 << 30), 966367641, "limit=966367641"},
		{"the operator's limit", "512MiB", memlimit.Limit(1 << 30), unchanged, "limit=512MiB"},
		{"no limit", "", fails(memlimit.ErrNoLimit), unchanged, ""},
		{"no cgroups", "", fails(memlimit.ErrCgroupsNotSupported), unchanged, ""},
		{"unreadable", "", fails(errors.New("permission denied")), unchanged, "set GOMEMLIMIT"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			debug.SetMemoryLimit(unchanged)
			t.Setenv("GOMEMLIMIT", tt.environment)
			var log bytes.Buffer
			limitMemory(slog.New(slog.NewTextHandler(&log, nil)), tt.cgroup)

			if got := debug.SetMemoryLimit(-1); got != tt.want {
				t.Errorf("limit %d, want %d", got, tt.want)
			}

			if !strings.Contains(log.String(), tt.log) || tt.log == "" && log.Len() > 0 {
				t.Errorf("logged %q, want %q", &log, tt.log)
			}
		})
	}
}
