package load

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

// showProgress updates a progress line if w is a terminal; otherwise it does nothing. The returned function removes the
// line.
func showProgress(w io.Writer, work *work, duration time.Duration) (stop func()) {
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		// Waiting for the goroutine keeps it from drawing over the report that follows.
		return func() {}
	}

	done := make(chan struct{})
	var drawing sync.WaitGroup
	drawing.Go(func() {
		ticker := time.NewTicker(time.Second / 4)
		defer ticker.Stop()

		for {
			select {
			case <-done:
				fmt.Fprint(file, "\r\x1b[K")
				return
			case <-ticker.C:
				fmt.Fprint(file, "\r\x1b[K"+progress(work, duration, time.Now()))
			}
		}
	})

	return func() {
		close(done)
		drawing.Wait()
	}
}

// progress formats the progress line, such as "12s of 20s, 9412 requests, 784/s, 0 failed".
func progress(w *work, duration time.Duration, now time.Time) string {
	elapsed := duration - w.expires.Sub(now)
	taken := w.taken.Load()
	if w.limit > 0 {
		taken = min(taken, w.limit) // each client calls take once more than there is work
	}
	line := fmt.Sprintf("%.0fs of %.0fs, %d requests", elapsed.Seconds(), duration.Seconds(), taken)
	if w.limit > 0 {
		line += fmt.Sprintf(" of %d", w.limit)
	}
	return line + fmt.Sprintf(", %.0f/s, %d failed", float64(taken)/elapsed.Seconds(), w.failed.Load())
}
