package interview

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"freelancer-matching/internal/matching"
)

const (
	// lease is the time after which another request can take over an Idempotency-Key. It is also the time limit of a
	// request, so a key is never taken over while its request is still running.
	lease = 2 * time.Minute
	// resultLifetime is how long a result is kept for requests that repeat an Idempotency-Key.
	resultLifetime = 24 * time.Hour
	// retryAfter is the delay suggested to a client whose first request is still running.
	retryAfter = 5 * time.Second
	// releaseTimeout limits the release of a key, which may happen after the request's own context has ended.
	releaseTimeout = 5 * time.Second
)

// claim claims the request's Idempotency-Key. If a request with this key has succeeded before, claim returns its result
// instead. Without a key it returns nil.
func (t *task) claim(ctx context.Context) (*Result, error) {
	if t.request.IdempotencyKey == "" {
		return nil, nil
	}
	now := t.now()
	mine := Claim{
		Account:     t.request.Account,
		Key:         t.request.IdempotencyKey,
		Fingerprint: t.request.fingerprint(),
		Holder:      newID(),
		Until:       now.Add(lease),
	}
	current, err := t.config.Store.Claim(ctx, mine, now)
	switch {
	case err != nil:
		return nil, err
	case current.Holder == mine.Holder:
		t.claimed = &mine
		return nil, nil
	case current.Fingerprint != mine.Fingerprint:
		return nil, &matching.Error{
			Code:    CodeIdempotency,
			Message: "This Idempotency-Key was used for a different request. Use a new key for each request.",
		}
	case !current.settled():
		return nil, &matching.Error{
			Code:       CodeIdempotency,
			Message:    "The first request with this Idempotency-Key is still running. Retry in a few seconds.",
			RetryAfter: retryAfter,
		}
	}
	var earlier Result
	if err := json.Unmarshal(current.Result, &earlier); err != nil {
		return nil, fmt.Errorf("read the stored result: %w", err)
	}
	return &earlier, nil
}

// settledClaim returns the request's claim with the result r, or nil if the request has no Idempotency-Key.
func (t *task) settledClaim(r *Result) (*Claim, error) {
	if t.claimed == nil {
		return nil, nil
	}
	text, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encode the result: %w", err)
	}
	c := *t.claimed
	c.Session, c.Result, c.Until = r.SessionID, text, t.now().Add(resultLifetime)
	return &c, nil
}

// release releases the key after a failure, even if ctx has ended.
func (t *task) release(ctx context.Context) {
	if t.claimed == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	if err := t.config.Store.Release(ctx, *t.claimed); err != nil {
		t.config.Log.WarnContext(ctx, "cannot release an Idempotency-Key before it expires", "error", err)
	}
}
