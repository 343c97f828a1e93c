package usage

import (
	"math"
	"slices"
	"time"
)

// A Latency is a range of durations: 0 if the duration is unknown, 1 for up to 0.5 ms, and n for durations above those
// of n-1 and up to 0.5 ms × 2^((n-1)/2). The ranges are narrow enough to estimate quantiles, and so few that counts of
// them stay small. The last range has no end.
type Latency int

const (
	shortest    = 500 * time.Microsecond // end of the first range
	lastLatency = 40                     // of durations above 262 seconds
)

// LatencyOf returns the range that contains a duration.
func LatencyOf(d time.Duration) Latency {
	if d <= shortest {
		return 1
	}
	steps := math.Ceil(2 * math.Log2(float64(d)/float64(shortest)))
	return min(lastLatency, 1+Latency(steps))
}

// end returns the longest duration of a range.
func (l Latency) end() time.Duration {
	return time.Duration(float64(shortest) * math.Exp2(float64(l-1)/2))
}

// start returns the end of the range before.
func (l Latency) start() time.Duration {
	if l <= 1 {
		return 0
	}
	return (l - 1).end()
}

// Latencies counts requests by how long they took.
type Latencies [lastLatency + 1]int

// Add counts requests. It ignores those of an unknown duration.
func (l *Latencies) Add(of Latency, requests int) {
	if of >= 1 && of <= lastLatency {
		l[of] += requests
	}
}

// Quantile estimates the duration that a share of all requests doesn't exceed, such as .95 for p95. The requests of one
// range are taken to be spread evenly over it, so the estimate is off by at most the width of a range: 41 percent from
// 0.5 ms to 6 minutes. It returns false if no durations are known.
func (l *Latencies) Quantile(share float64) (time.Duration, bool) {
	total := 0
	for _, n := range l {
		total += n
	}

	if total == 0 {
		return 0, false
	}

	rank := share * float64(total)
	below := 0.
	last := Latency(0)
	for i, n := range slices.All(l[:]) {
		if n == 0 {
			continue
		}
		last = Latency(i)

		if below+float64(n) >= rank {
			break
		}
		below += float64(n)
	}

	// The rank lies within the last range; its place there is interpolated.
	inside := min(1, (rank-below)/float64(l[last]))
	return last.start() + time.Duration(inside*float64(last.end()-last.start())), true
}
