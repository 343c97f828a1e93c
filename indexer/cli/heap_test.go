package cli

import (
	"math"
	"runtime/debug"
	"testing"
)

func TestLimitHeap(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	tests := []struct {
		name, environment string
		limit, want       int64
	}{
		{"no limit", "", math.MaxInt64, maxHeap},
		{"a small container", "", 1 << 29, 1 << 29},
		{"a large container", "", 1 << 40, maxHeap},
		{"the operator's limit", "8GiB", 1 << 33, 1 << 33},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			debug.SetMemoryLimit(tt.limit)
			t.Setenv("GOMEMLIMIT", tt.environment)
			limitHeap()
			if got := debug.SetMemoryLimit(-1); got != tt.want {
				t.Errorf("limit %d, want %d", got, tt.want)
			}
		})
	}
}
