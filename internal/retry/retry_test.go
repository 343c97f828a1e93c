package retry_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/freelancer-matching/service/internal/retry"
)

func TestBackoff_DoublesUpToTheLongestWait(t *testing.T) {
	for attempt, most := range []time.Duration{100, 200, 400, 500, 500} {
		for range 100 {
			if got := retry.Backoff(attempt, 100, 500); got < most/2 || got > most {
				t.Fatalf("attempt %d: got %d, want %d to %d", attempt, got, most/2, most)
			}
		}
	}
	if got := retry.Backoff(1000, time.Second, time.Minute); got < 30*time.Second || got > time.Minute {
		t.Errorf("attempt 1000: got %v, want 30s to 1m", got)
	}
}

func TestSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		if err := retry.Sleep(t.Context(), time.Minute); err != nil || time.Since(start) != time.Minute {
			t.Errorf("got %v after %v, want nil after 1m", err, time.Since(start))
		}
		cause := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(cause) })
		start = time.Now()
		if err := retry.Sleep(ctx, time.Minute); !errors.Is(err, cause) || time.Since(start) != time.Second {
			t.Errorf("got %v after %v, want the cause after 1s", err, time.Since(start))
		}
	})
}
