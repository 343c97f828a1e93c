package main

import (
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"freelancer-matching/indexer/bulk"
)

// logEvery is the time between two lines of progress in a log.
const logEvery = 5 * time.Second

// display shows progress: a bar on a terminal, else a line in the log now and then.
type display struct {
	terminal io.Writer // nil: there is none
	log      *slog.Logger
	now      func() time.Time

	stage  bulk.Stage
	begun  time.Time // when the stage did
	logged time.Time
	bar    *progressbar.ProgressBar
}

func (c *cli) newDisplay() *display {
	d := &display{log: c.log(), now: c.now, logged: c.now()}
	if f, ok := c.stderr.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		d.terminal = f
	}
	return d
}

// show takes the progress of a load.
func (d *display) show(p bulk.Progress) {
	now := d.now()
	if p.Stage != d.stage {
		d.end()
		d.stage, d.begun = p.Stage, now
		if d.terminal != nil {
			d.bar = newBar(d.terminal, p)
		}
	}
	if d.bar != nil {
		_ = d.bar.Set64(done(p)) // a bar that cannot be drawn is no reason to stop a load
		return
	}
	if now.Sub(d.logged) < logEvery {
		return
	}
	d.logged = now
	rate := int(float64(p.Rows) / max(now.Sub(d.begun).Seconds(), 1e-3))
	if p.Total > 0 {
		d.log.Info("under way", "stage", p.Stage, "freelancers", p.Rows, "of", p.Total, "a_second", rate)
		return
	}
	d.log.Info("under way", "stage", p.Stage, "rows", p.Rows, "bytes", p.Bytes, "of", p.Size, "rows_per_second", rate)
}

// done is how far a stage is: in rows where their number is known, otherwise in bytes.
func done(p bulk.Progress) int64 {
	if p.Total > 0 {
		return int64(p.Rows)
	}
	return p.Bytes
}

// end takes the bar off the terminal.
func (d *display) end() {
	if d.bar != nil {
		_ = d.bar.Clear()
		d.bar = nil
	}
}

// newBar is a bar with rate and time left, or a spinner where the size is not known.
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
