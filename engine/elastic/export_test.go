package elastic

import "time"

// Hurry has an engine wait as little as a test can afford.
func Hurry(o *Options) {
	o.pace = pace{
		retry: time.Millisecond, mostRetry: 4 * time.Millisecond, attempt: 10 * time.Second,
		renewal: 10 * time.Millisecond, stale: 2 * time.Second, look: 300 * time.Millisecond,
	}
}
