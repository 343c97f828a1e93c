package app

import (
	"context"
	"testing"
)

// The database closes after the background tasks, so stopping them must wait for the last one to return.
func TestInBackground_StopWaitsForEveryTask(t *testing.T) {
	canceled, cancel := context.WithCancel(t.Context())
	cancel() // the caller's context ends when Open returns; the tasks go on
	returned := make([]bool, 2)
	started := make(chan struct{}, len(returned))
	task := func(i int) func(context.Context) {
		return func(ctx context.Context) {
			if ctx.Err() != nil {
				t.Error("the task's context is canceled before stop is called")
			}
			started <- struct{}{}
			<-ctx.Done()
			returned[i] = true
		}
	}

	stop := inBackground(canceled, task(0), task(1))
	for range returned {
		<-started
	}

	if err := stop(); err != nil {
		t.Error(err)
	}

	for i, ok := range returned {
		if !ok {
			t.Errorf("task %d is still running after stop", i)
		}
	}
}
