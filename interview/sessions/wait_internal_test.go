package sessions

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// A streamed question lifts the limit, because the person has something to read. Otherwise, nobody sees it yet.
func TestLimitWait(t *testing.T) {
	for name, test := range map[string]struct{ streamed, arrives, ends bool }{
		"streamed, nothing arrives": {true, false, true},
		"streamed, one arrives":     {true, true, false},
		"at once, nothing arrives":  {false, false, true},
		"at once, one arrives":      {false, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				limited, arrived := limitWait(ctx, 8*time.Second, test.streamed)

				time.Sleep(7 * time.Second)
				if limited.Err() != nil {
					t.Error("it ended before its time")
				}
				if test.arrives {
					arrived()
				}
				time.Sleep(time.Minute)
				if ends := errors.Is(context.Cause(limited), errSlow); ends != test.ends {
					t.Errorf("it ended: %t, want %t", ends, test.ends)
				}
			})
		})
	}
}
