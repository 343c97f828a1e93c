package sessions

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/interview/scoring"
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

// fingerprint returns a hash of the request without its Idempotency-Key.
func fingerprint(r interview.Request) [sha256.Size]byte {
	r.IdempotencyKey = ""
	text, err := json.Marshal(r)
	if err != nil { // cannot happen with strings, integers, and lists and maps of these
		panic(err)
	}
	return sha256.Sum256(text)
}

// claim claims the request's Idempotency-Key. If a request with this key has succeeded before, claim returns its result
// instead. Without a key it returns nil.
func (t *task) claim(ctx context.Context) (*interview.Result, error) {
	if t.request.IdempotencyKey == "" {
		return nil, nil
	}

	now := t.now()
	mine := interview.Claim{
		Account:     t.request.Account,
		Key:         t.request.IdempotencyKey,
		Fingerprint: fingerprint(*t.request),
		Holder:      newID(),
		Until:       now.Add(lease),
	}

	// The store decides which of several concurrent requests with this key becomes its holder.
	current, err := t.config.Store.Claim(ctx, mine, now)
	switch {
	case err != nil:
		return nil, err
	case current.Holder == mine.Holder:
		t.claimed = &mine
		return nil, nil
	case current.Fingerprint != mine.Fingerprint:
		return nil, &matching.Error{
			Code:    interview.CodeIdempotency,
			Message: "This Idempotency-Key was used for a different request. Use a new key for each request.",
		}

	case current.Result == nil:
		return nil, &matching.Error{
			Code:       interview.CodeIdempotency,
			Message:    "The first request with this Idempotency-Key is still running. Retry in a few seconds.",
			RetryAfter: retryAfter,
		}
	}

	return t.earlierResult(ctx, &current, now)
}

// earlierResult returns the result of the request that settled a claim.
func (t *task) earlierResult(ctx context.Context, c *interview.Claim, now time.Time) (*interview.Result, error) {
	var p position
	if err := json.Unmarshal(c.Result, &p); err != nil || p.Format != positionFormat {
		return completeResult(c.Result)
	}

	record, err := t.config.Store.Find(ctx, c.Session, now)
	if errors.Is(err, interview.ErrNotFound) {
		return nil, t.errNotFound()
	}
	if err != nil {
		return nil, err
	}

	se, err := decode(record)
	if err != nil {
		return nil, err
	}

	// Repeating a request reads its answers again, which the audit log must show.
	if p.Answers > 0 {
		if err := t.auditReading(ctx, &t.request.By, se); err != nil {
			return nil, err
		}
	}

	return se.resultAt(&p)
}

// completeResult returns a result that an earlier release stored. It is no longer needed a day after the update to this
// release, when these results have expired.
func completeResult(stored []byte) (*interview.Result, error) {
	var r interview.Result
	if err := json.Unmarshal(stored, &r); err != nil {
		return nil, fmt.Errorf("read the stored result: %w", err)
	}
	if r.Evaluation != nil {
		scoring.Derive(r.Evaluation, r.Questions)
	}
	return &r, nil
}

// settledClaim returns the request's claim with the session's current result, or nil if the request has no
// Idempotency-Key. The result is kept for resultLifetime, but not longer than the session.
func (t *task) settledClaim() (*interview.Claim, error) {
	if t.claimed == nil {
		return nil, nil
	}
	text, err := json.Marshal(t.session.position(t.request.Mode))
	if err != nil {
		return nil, fmt.Errorf("encode the result: %w", err)
	}
	c := *t.claimed
	c.Session = t.id()
	c.Result = text
	c.Until = t.now().Add(resultLifetime)
	if expires := t.session.record.Expires; expires.Before(c.Until) {
		c.Until = expires
	}
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
