package changes

import (
	"sync/atomic"
	"time"
)

// A Clock returns increasing numbers, close to the time in microseconds since 1970. They order documents that were
// changed in place, and are above the positions of documents that Bulk has added.
type Clock struct{ last atomic.Int64 }

// Next returns a number above all earlier ones.
func (c *Clock) Next() int64 {
	for {
		last := c.last.Load()
		now := max(last+1, time.Now().UnixMicro())
		if c.last.CompareAndSwap(last, now) {
			return now
		}
	}
}
