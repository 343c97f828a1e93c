package quotatest

import (
	"time"

	"freelancer-matching/access/quota"
)

// model is what a store knows of one subject, by the words of quota.Store alone.
type model struct{ minute, month used }

type used struct {
	since time.Time
	n     int
}

// at is the count that a request in a window belongs to.
func (u used) at(w quota.Window) used {
	if w.Start.After(u.since) {
		return used{since: w.Start}
	}
	return u
}

// show is what an answer tells of a count, under a limit.
func (u used) show(limit int) quota.Window {
	return quota.Window{Start: u.since, Limit: limit, Used: min(u.n, limit)}
}

func (m model) peek(w quota.Windows) quota.Windows {
	return quota.Windows{Minute: m.minute.at(w.Minute).show(w.Minute.Limit), Month: m.month.at(w.Month).show(w.Month.Limit)}
}

// take is the model after a request, and the answer to it.
func (m model) take(w quota.Windows) (after model, answer quota.Windows, taken bool) {
	minute, month := m.minute.at(w.Minute), m.month.at(w.Month)
	if minute.n >= w.Minute.Limit || month.n >= w.Month.Limit {
		return m, m.peek(w), false
	}
	minute.n++
	month.n++
	after = model{minute, month}
	return after, after.peek(w), true
}
