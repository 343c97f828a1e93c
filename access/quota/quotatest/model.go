package quotatest

import (
	"time"

	"freelancer-matching/access/quota"
)

// model is the state of one subject, exactly as quota.Store documents it.
type model struct{ minute, month count }

type count struct {
	start time.Time
	used  int
}

// in returns the count that a request in a window belongs to.
func (c count) in(w quota.Window) count {
	if w.Start.After(c.start) {
		return count{start: w.Start}
	}
	return c
}

func (c count) window(limit int) quota.Window {
	return quota.Window{Start: c.start, Limit: limit, Used: min(c.used, limit)}
}

func (m model) peek(w quota.Windows) quota.Windows {
	return quota.Windows{
		Minute: m.minute.in(w.Minute).window(w.Minute.Limit),
		Month:  m.month.in(w.Month).window(w.Month.Limit),
	}
}

// take returns the model after a request, and the store's answer to it.
func (m model) take(w quota.Windows) (after model, answer quota.Windows, taken bool) {
	minute, month := m.minute.in(w.Minute), m.month.in(w.Month)
	if minute.used >= w.Minute.Limit || month.used >= w.Month.Limit {
		return m, m.peek(w), false
	}
	minute.used++
	month.used++
	after = model{minute, month}
	return after, after.peek(w), true
}
