package usage

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func TestLatencyOf_ContainsTheDuration(t *testing.T) {
	for d := time.Microsecond; d < 6*time.Minute; d += 1 + d/97 {
		l := LatencyOf(d)
		// The ends are rounded to nanoseconds.
		if d <= l.start()-time.Nanosecond || d > l.end()+time.Nanosecond {
			t.Fatalf("%v is counted in the range from %v to %v", d, l.start(), l.end())
		}
	}
	for d, want := range map[time.Duration]Latency{
		-1: 1, 0: 1, shortest: 1, shortest + 1: 2, time.Millisecond: 3, time.Hour: lastLatency, math.MaxInt64: lastLatency,
	} {
		if got := LatencyOf(d); got != want {
			t.Errorf("LatencyOf(%v) = %d, want %d", d, got, want)
		}
	}
}

// The estimate of a quantile lies in the range of the true one, so it is off by less than the width of a range.
func TestQuantile_IsCloseToTheTruth(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 8))
	for round := range 100 {
		durations := make([]time.Duration, 1+random.IntN(400))
		var l Latencies
		for i := range durations {
			durations[i] = time.Duration(math.Exp(random.NormFloat64()*1.5) * float64(20*time.Millisecond))
			l.Add(LatencyOf(durations[i]), 1)
		}
		slices.Sort(durations)
		for _, share := range []float64{.5, .95, 1} {
			truth := durations[int(math.Ceil(share*float64(len(durations))))-1]
			got, known := l.Quantile(share)
			if of := LatencyOf(truth); !known || got < of.start() || got > of.end() {
				t.Fatalf("round %d: p%.0f of %d requests is %v, want about %v", round, 100*share, len(durations), got, truth)
			}
		}
	}
}

func TestQuantile_NeedsDurations(t *testing.T) {
	var l Latencies
	l.Add(0, 7) // recorded before latencies were
	if got, known := l.Quantile(.5); known {
		t.Errorf("the median of unknown durations is %v", got)
	}
}
