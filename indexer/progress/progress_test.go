package progress

import (
	"bytes"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/indexer/bulk"
)

func newDisplay(log io.Writer, now func() time.Time) *Display {
	return New(log, false, slog.New(slog.NewTextHandler(log, nil)), now)
}

func TestDisplay_LogsEveryFewSeconds(t *testing.T) {
	var log bytes.Buffer
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	d := newDisplay(&log, func() time.Time { return now })
	for second := range 12 {
		d.Show(bulk.Progress{Stage: bulk.Loading, Rows: second * 1000, Bytes: int64(second), Size: 12})
		now = now.Add(time.Second)
	}
	d.End()
	got := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(got) != 2 || !strings.Contains(got[0], "stage=loading rows=5000 bytes=5 total_bytes=12 rows_per_second=1000") ||
		!strings.Contains(got[1], "rows=10000") {
		t.Errorf("log of 11 seconds:\n%s", log.String())
	}
}

func TestDisplay_DrawsBarOnTerminal(t *testing.T) {
	var terminal, log bytes.Buffer
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	d := newDisplay(&log, func() time.Time { return now })
	d.terminal = &terminal
	for _, stage := range []bulk.Stage{bulk.Loading, bulk.Merging, bulk.Finishing} {
		d.Show(bulk.Progress{Stage: stage, Bytes: 1 << 20, Size: 2 << 20})
	}
	d.End()
	for _, want := range []string{"loading", "merging", "50%", "1.0/2.1 MB", "B/s"} {
		if !strings.Contains(terminal.String(), want) {
			t.Errorf("want %q on the terminal:\n%q", want, terminal.String())
		}
	}
	if log.Len() > 0 {
		t.Errorf("want no log messages with a bar:\n%s", log.String())
	}
}
