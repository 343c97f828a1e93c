package quotatest

import (
	"context"
	"runtime"
	"sync"
	"testing"

	"github.com/freelancer-matching/service/access/quota"
)

func TestMemory(t *testing.T) {
	Store(t, func(*testing.T) quota.Store { return NewMemory() })
}

// faultyStore is a store of one subject with a known defect.
type faultyStore struct {
	mu    sync.Mutex
	model model
	fault string
}

func (f *faultyStore) Take(_ context.Context, _ string, w quota.Windows) (quota.Windows, bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()

	before := f.model
	if f.fault == "read and write are separate steps" {
		f.mu.Unlock()
		runtime.Gosched()
		f.mu.Lock()
	}

	after, answer, taken := before.take(w)
	switch f.fault {
	case "counts one window without the other":
		if minute := before.in(w).minute; !taken && minute.used < w.Minute.Limit {
			minute.used++
			after.minute = minute
		}

	case "restarts an earlier minute":
		if w.Minute.Start.Before(before.minute.start) {
			before.minute = count{start: w.Minute.Start}
			after, answer, taken = before.take(w)
		}

	case "takes one request too many":
		if !taken && before.in(w).month.used == w.Month.Limit {
			larger := w
			larger.Month.Limit++
			after, _, taken = before.take(larger)
			answer = before.peek(w)
		}

	case "a refused request begins a month":
		if !taken {
			after.month = before.in(w).month
		}
	}

	f.model = after
	return answer, taken, nil
}

func (f *faultyStore) Peek(_ context.Context, _ string, w quota.Windows) (quota.Windows, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.model.peek(w), nil
}

// The suite is only worth as much as the faults that check detects.
func TestCheck_DetectsFaults(t *testing.T) {
	for _, fault := range []string{
		"", "read and write are separate steps", "counts one window without the other", "restarts an earlier minute",
		"takes one request too many", "a refused request begins a month",
	} {
		t.Run(fault, func(t *testing.T) {
			detected := 0
			for seed := range uint64(30) {
				history, err := interleave(t.Context(), []quota.Store{&faultyStore{fault: fault}}, "", seed)
				if err != nil {
					t.Fatal(err)
				}

				if check(history) != nil {
					detected++
				}
			}

			if (detected > 0) != (fault != "") {
				t.Errorf("check rejects %d of 30 histories", detected)
			}
		})
	}
}
