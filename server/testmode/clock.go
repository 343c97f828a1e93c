package testmode

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
)

// startTime returns the time at the start of test mode. The earliest dates of generated freelancers come shortly
// before.
func startTime() time.Time { return time.Date(2027, time.January, 4, 9, 0, 0, 0, time.UTC) }

// maxYear keeps times within what RFC 3339 can write.
const maxYear = 9000

// A clock shows the same time until it is moved.
type clock struct {
	mu sync.RWMutex
	at time.Time
}

func newClock() *clock { return &clock{at: startTime()} }

func (c *clock) now() time.Time {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.at
}

func (c *clock) reset() { c.set(startTime()) }

func (c *clock) set(to time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = to.UTC()
}

// parseSpan parses a duration of Go, such as 90s or 1h30m, or a number of days, such as 30d.
func parseSpan(text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 16)
		return time.Duration(n) * 24 * time.Hour, err
	}
	d, err := time.ParseDuration(text)
	if err == nil && d < 0 {
		err = fmt.Errorf("%s is negative", d)
	}
	return d, err
}
