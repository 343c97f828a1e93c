package app

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/freelancer-matching/service/internal/admission"
	"github.com/freelancer-matching/service/internal/matching"
)

// A request that waits for its turn is rejected while there is time to say so. A client that leaves gets no answer.
func TestEnterInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := admission.NewGate("test", admission.Limits{Slots: 1}, nil)
		leave, err := enterInTime(t.Context(), g, "acc_1")
		if err != nil {
			t.Fatal(err)
		}

		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()

		start := time.Now()
		if _, err := enterInTime(ctx, g, "acc_2"); matching.CodeOf(err) != matching.CodeOverloaded {
			t.Errorf("got %v, want %s", err, matching.CodeOverloaded)
		}

		if took := time.Since(start); took != 10*time.Second-answerTime {
			t.Errorf("waited for %v, want %v", took, 10*time.Second-answerTime)
		}
		cancel()

		if _, err := enterInTime(ctx, g, "acc_2"); !errors.Is(err, context.Canceled) {
			t.Errorf("after the client left: %v, want context.Canceled", err)
		}
		leave()
		leave, err = enterInTime(t.Context(), g, "acc_2")
		if err != nil {
			t.Fatal(err)
		}

		leave()
	})
}
