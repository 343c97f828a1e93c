// Package progress shows how far a load has come.
package progress

import (
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/freelancer-matching/service/indexer/bulk"
)

// logInterval is the time between two progress messages in the log.
const logInterval = 5 * time.Second

// A Display shows progress: as a bar on a terminal, otherwise as a log message every few seconds.
type Display struct {
	terminal io.Writer // nil if stderr is not a terminal, or with -quiet
	log      *slog.Logger
	now      func() time.Time

	stage      bulk.Stage
	stageStart time.Time
	lastLog    time.Time
	bar        *progressbar.ProgressBar
}

// New returns a display that draws on stderr if that is a terminal and quiet isn't set.
func New(stderr io.Writer, quiet bool, log *slog.Logger, now func() time.Time) *Display {
	d := &Display{log: log, now: now, lastLog: now()}
	if f, ok := stderr.(*os.File); ok && !quiet && term.IsTerminal(int(f.Fd())) {
		d.terminal = f
	}
	return d
}

// Show displays the progress of a load.
func (d *Display) Show(p bulk.Progress) {
	now := d.now()
	if p.Stage != d.stage {
		d.End()
		d.stage = p.Stage
		d.stageStart = now
		if d.terminal != nil {
			d.bar = newBar(d.terminal, p)
		}
	}

	if d.bar != nil {
		done := p.Bytes
		if p.Total > 0 {
			done = int64(p.Rows)
		}
		_ = d.bar.Set64(done) // a load continues even if its progress bar can't be drawn
		return
	}

	if now.Sub(d.lastLog) < logInterval {
		return
	}
	d.lastLog = now
	perSecond := int(float64(p.Rows) / max(now.Sub(d.stageStart).Seconds(), 1e-3))

	if p.Total > 0 {
		d.log.Info("progress", "stage", p.Stage, "freelancers", p.Rows, "total", p.Total, "per_second", perSecond)
		return
	}

	d.log.Info("progress", "stage", p.Stage, "rows", p.Rows, "bytes", p.Bytes, "total_bytes", p.Size,
		"rows_per_second", perSecond)
}

// End removes the bar from the terminal.
func (d *Display) End() {
	if d.bar != nil {
		_ = d.bar.Clear()
		d.bar = nil
	}
}

// newBar returns a bar with the rate and the time left, or a spinner if the size is unknown.
func newBar(w io.Writer, p bulk.Progress) *progressbar.ProgressBar {
	size := p.Size
	if p.Total > 0 {
		size = int64(p.Total)
	}
	if size == 0 {
		size = -1
	}
	return progressbar.NewOptions64(size,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription(string(p.Stage)),
		progressbar.OptionShowBytes(p.Total == 0),
		progressbar.OptionSetItsString("freelancers"),
		progressbar.OptionShowCount(),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionSetWidth(30),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)
}
