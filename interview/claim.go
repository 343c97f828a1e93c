package interview

import (
	"context"
	"encoding/json"
	"errors"
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

	return t.earlierResult(ctx, &current, now)
}

// A position identifies a result of a session, so that the result of a request with an Idempotency-Key isn't stored a
// second time. A session only ever grows: an earlier result has its first questions, answers and notices.
type position struct {
	Format                      int // positionFormat
	Mode                        Mode
	Questions, Answers, Notices int
	Evaluated                   bool
	Expires                     time.Time
}

// positionFormat distinguishes a position from a complete Result, which earlier releases stored.
const positionFormat = 1

// earlierResult returns the result of the request that settled a claim.
func (t *task) earlierResult(ctx context.Context, c *Claim, now time.Time) (*Result, error) {
	var p position
	if err := json.Unmarshal(c.Result, &p); err != nil || p.Format != positionFormat {
		return completeResult(c.Result)
	}

	record, err := t.config.Store.Find(ctx, c.Session, now)
	if errors.Is(err, ErrNotFound) {
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
func completeResult(stored []byte) (*Result, error) {
	var r Result
	if err := json.Unmarshal(stored, &r); err != nil {
		return nil, fmt.Errorf("read the stored result: %w", err)
	}
	if r.Evaluation != nil {
		r.Evaluation.derive(r.Questions)
	}
	return &r, nil
}

// position returns the position of the session's current result for a request with mode m.
func (se *session) position(m Mode) position {
	return position{
		positionFormat, m, len(se.Questions), len(se.Answers), len(se.Notices), se.Evaluation != nil, se.record.Expires,
	}
}

// resultAt returns an earlier result of the session.
func (se *session) resultAt(p *position) (*Result, error) {
	lacksEntries := p.Questions > len(se.Questions) || p.Answers > len(se.Answers) || p.Notices > len(se.Notices)
	lacksEvaluation := p.Evaluated && se.Evaluation == nil
	if lacksEntries || lacksEvaluation {
		return nil, fmt.Errorf("session %s lacks a part of an earlier result", se.record.ID)
	}

	earlier := *se
	earlier.Questions = firstOf(se.Questions, p.Questions)
	earlier.Answers = firstOf(se.Answers, p.Answers)
	earlier.Notices = firstOf(se.Notices, p.Notices)
	earlier.record.Expires = p.Expires
	if !p.Evaluated {
		earlier.Evaluation = nil
	}
	r := earlier.result(p.Mode)
	return &r, nil
}

// firstOf returns the first n elements of a list, or nil if n is 0.
func firstOf[T any](list []T, n int) []T {
	if n == 0 {
		return nil
	}
	return list[:n]
}

// settledClaim returns the request's claim with the session's current result, or nil if the request has no
// Idempotency-Key. The result is kept for resultLifetime, but not longer than the session.
func (t *task) settledClaim() (*Claim, error) {
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
