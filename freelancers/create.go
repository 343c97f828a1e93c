package freelancers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/retry"
)

const (
	// createTries is how often the creation of the first index is tried while another process builds one. With the waits
	// between them, that is 2 to 4 seconds: longer than others need to create an index, and this one to notice it.
	createTries = 12
	firstWait   = 20 * time.Millisecond
	longestWait = 500 * time.Millisecond
)

// canCreate reports whether some of the changes may be the first ones: a whole record is, and a patch is not.
func (b *batch) canCreate(pending []int) bool {
	return b.Creator != nil && slices.ContainsFunc(pending, func(n int) bool { return b.changes[n].Kind == Put })
}

// create returns when an index is live. It creates an empty one unless another request, server or load does. The
// engine's lock lets one of them through at a time, so the others find the index that it has created.
func (b *batch) create(ctx context.Context, currency string) error {
	preparer, err := b.newest(ctx)
	if err != nil {
		return err
	}

	var logErr error
	announce := func(index string) error {
		logErr = b.Log.Record(ctx, b.event(index, audit.IndexCreated, currency))
		return logErr
	}

	for try := range createTries {
		err = b.Creator.Create(ctx, b.by, currency, preparer, announce)
		if logErr != nil {
			return logErr
		}
		if err != nil && !errors.Is(err, engine.ErrConflict) {
			return engine.ClientError(fmt.Errorf("create the first index: %w", err))
		}

		// An engine notices after a moment what another process has made live.
		_, openErr := b.Engine.Open(ctx, b.Alias)
		if !errors.Is(openErr, engine.ErrNotFound) {
			return nil // if the index can't be read, reading it says why
		}
		if err := retry.Sleep(ctx, retry.Backoff(try, firstWait, longestWait)); err != nil {
			return engine.ClientError(err)
		}
	}

	return errFirstLoad(err)
}
