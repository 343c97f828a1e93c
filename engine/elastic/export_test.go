package elastic

import "time"

// ShortenWaits makes an engine wait as little as possible.
func ShortenWaits(o *Options) {
	o.timing = timing{
		firstWait: time.Millisecond, longestWait: 4 * time.Millisecond, attempt: time.Minute,
		renewal: 10 * time.Millisecond, stale: 10 * time.Second, takeoverWait: time.Second,
	}
}
