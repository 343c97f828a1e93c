package quotatest

import (
	"time"

	"github.com/freelancer-matching/service/access/quota"
)

// model is the state of one subject, exactly as quota.Store documents it.
type model struct{ minute, month count }

type count struct {
	start time.Time
	used  int
}

// in returns the count that a request in a window belongs to. A count that starts after latest is left over from a
// clock that has been set back.
func (c count) in(w quota.Window, latest time.Time) count {
	if c.start.Before(w.Start) || c.start.After(w.Start) && c.start.After(latest) {
		return count{start: w.Start}
	}
	return c
}

// in returns the model with the windows that a request belongs to.
func (m model) in(w quota.Windows) model {
	latest := w.Minute.Start.Add(quota.Minute + quota.MaxLag)
	return model{m.minute.in(w.Minute, latest), m.month.in(w.Month, latest)}
}

func (c count) window(limit int) quota.Window {
	return quota.Window{Start: c.start, Limit: limit, Used: min(c.used, limit)}
}

func (m model) peek(w quota.Windows) quota.Windows {
	m = m.in(w)
	return quota.Windows{Minute: m.minute.window(w.Minute.Limit), Month: m.month.window(w.Month.Limit)}
}

// take returns the model after a request, and the store's answer to it.
func (m model) take(w quota.Windows) (after model, answer quota.Windows, taken bool) {
	after = m.in(w)
	if after.minute.used >= w.Minute.Limit || after.month.used >= w.Month.Limit {
		return m, m.peek(w), false
	}
	after.minute.used++
	after.month.used++
	return after, after.peek(w), true
}
