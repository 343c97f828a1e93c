package traffic

import (
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/usage"
)

func TestRanges_ChoosesThePeriod(t *testing.T) {
	now := time.Date(2030, 5, 20, 12, 34, 56, 0, time.UTC)
	for value, want := range map[string]string{
		"24h": "2030-05-19T13:00:00Z", "7d": "2030-05-14T00:00:00Z", "30d": "2030-04-21T00:00:00Z",
		"": "2030-04-21T00:00:00Z", "1y": "2030-04-21T00:00:00Z",
	} {
		all, chosen := ranges(now, value, "key_1")
		if got := chosen.Since.Format(time.RFC3339); got != want {
			t.Errorf("range %q starts at %s, want %s", value, got, want)
		}
		marked := 0
		for _, r := range all {
			if r.Chosen {
				marked++
			}
		}

		if marked != 1 {
			t.Errorf("range %q: %d are marked as chosen", value, marked)
		}
	}
}

func TestByCode_AddsUpErrors(t *testing.T) {
	got := byCode([]usage.Count{
		{Status: 200, Requests: 90, Latency: 4},
		{Status: 422, Code: "wrong_type", Requests: 1, Latency: 3},
		{Status: 404, Code: "not_found", Requests: 2},
		{Status: 422, Code: "wrong_type", Requests: 3, Latency: 4},
	})
	want := []codeUsage{{"wrong_type", 422, 4}, {"not_found", 404, 2}}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestMilliseconds_CountsSuccessfulRequests(t *testing.T) {
	var l latencies
	if got := l.Milliseconds(.5); got != "" {
		t.Errorf("the latency of no request is %q", got)
	}
	l.add(usage.Count{Status: 422, Latency: usage.LatencyOf(time.Microsecond), Requests: 50})
	l.add(usage.Count{Status: 200, Latency: usage.LatencyOf(1400 * time.Millisecond), Requests: 2})
	// Both are in the range from 1,024 to 1,448 milliseconds.
	if p50, p100 := l.Milliseconds(.5), l.Milliseconds(1); p50 != "1,200" || p100 != "1,400" {
		t.Errorf("p50 %s, p100 %s; want 1,200 and 1,400", p50, p100)
	}
}

func TestErrorRate_LeavesOutRejectedRequests(t *testing.T) {
	var o outcome
	for status, requests := range map[int]int{200: 6, 422: 2, 429: 2} {
		o.add(status, requests)
	}
	if got := o.ErrorRate(); got != 20 {
		t.Errorf("%v percent, want 20", got)
	}
	if got := (outcome{}).ErrorRate(); got != 0 {
		t.Errorf("%v percent without requests", got)
	}
}
