package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"freelancer-matching/indexer/bulk"
)

func TestDisplay_LogsEveryFewSeconds(t *testing.T) {
	var log bytes.Buffer
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	c := &cli{stderr: &log, now: func() time.Time { return now }}
	d := c.newDisplay()
	for second := range 12 {
		d.show(bulk.Progress{Stage: bulk.Loading, Rows: second * 1000, Bytes: int64(second), Size: 12})
		now = now.Add(time.Second)
	}
	d.end()
	got := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(got) != 2 || !strings.Contains(got[0], "stage=loading rows=5000 bytes=5 total_bytes=12 rows_per_second=1000") ||
		!strings.Contains(got[1], "rows=10000") {
		t.Errorf("log of 11 seconds:\n%s", log.String())
	}
}

func TestDisplay_DrawsBarOnTerminal(t *testing.T) {
	var terminal, log bytes.Buffer
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	c := &cli{stderr: &log, now: func() time.Time { return now }}
	d := c.newDisplay()
	d.terminal = &terminal
	for _, stage := range []bulk.Stage{bulk.Loading, bulk.Merging, bulk.Finishing} {
		d.show(bulk.Progress{Stage: stage, Bytes: 1 << 20, Size: 2 << 20})
	}
	d.end()
	for _, want := range []string{"loading", "merging", "50%", "1.0/2.1 MB", "B/s"} {
		if !strings.Contains(terminal.String(), want) {
			t.Errorf("want %q on the terminal:\n%q", want, terminal.String())
		}
	}
	if log.Len() > 0 {
		t.Errorf("want no log messages with a bar:\n%s", log.String())
	}
}
