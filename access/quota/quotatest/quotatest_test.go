package quotatest

import (
	"context"
	"runtime"
	"sync"
	"testing"

	"freelancer-matching/access/quota"
)

// broken is a store made of the model, with a fault.
type broken struct {
	mu    sync.Mutex
	model model
	fault string
}

func (b *broken) Take(_ context.Context, _ string, w quota.Windows) (quota.Windows, bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	before := b.model
	if b.fault == "reads, then writes" {
		b.mu.Unlock()
		runtime.Gosched()
		b.mu.Lock()
	}
	after, answer, taken := before.take(w)
	switch b.fault {
	case "takes one window without the other":
		if minute := before.minute.at(w.Minute); !taken && minute.n < w.Minute.Limit {
			minute.n++
			after.minute = minute
		}
	case "begins an earlier minute anew":
		if w.Minute.Start.Before(before.minute.since) {
			before.minute = used{since: w.Minute.Start}
			after, answer, taken = before.take(w)
		}
	case "lets one too many through":
		if !taken && before.month.at(w.Month).n == w.Month.Limit {
			more := w
			more.Month.Limit++
			after, _, taken = before.take(more)
			answer = before.peek(w)
		}
	case "begins a month with a refusal":
		if !taken {
			after.month = before.month.at(w.Month)
		}
	}
	b.model = after
	return answer, taken, nil
}

func (b *broken) Peek(_ context.Context, _ string, w quota.Windows) (quota.Windows, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.model.peek(w), nil
}

// What check finds decides what the suite is worth.
func TestCheck_FindsFaults(t *testing.T) {
	for _, fault := range []string{
		"none", "reads, then writes", "takes one window without the other", "begins an earlier minute anew", "lets one too many through",
		"begins a month with a refusal",
	} {
		t.Run(fault, func(t *testing.T) {
			found := 0
			for seed := range uint64(30) {
				history, err := interleave(t.Context(), []quota.Store{&broken{fault: fault}}, "", seed)
				if err != nil {
					t.Fatal(err)
				}
				if check(history) != nil {
					found++
				}
			}
			if (found > 0) != (fault != "none") {
				t.Errorf("%d of 30 histories are found faulty", found)
			}
			t.Logf("%d of 30 histories are found faulty", found)
		})
	}
}
