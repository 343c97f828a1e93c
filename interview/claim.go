package interview

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"freelancer-matching/internal/matching"
)

const (
	// lease is how long a request has its Idempotency-Key, and how long it may take: nobody takes over what is still under way.
	lease = 2 * time.Minute
	// keptAnswer is how long an answer is given again.
	keptAnswer = 24 * time.Hour
	// tryAgain is when a request that is under way is probably answered.
	tryAgain = 5 * time.Second
	// giveUp is how long giving a key back may take, after the request may have ended.
	giveUp = 5 * time.Second
)

// claim takes the key of the request, or is the answer that it had before. A request without a key has nothing to claim.
func (t *task) claim(ctx context.Context) (*Result, error) {
	if t.request.IdempotencyKey == "" {
		return nil, nil
	}
	now := t.now()
	mine := Claim{
		Account: t.request.Account, Key: t.request.IdempotencyKey, Fingerprint: t.request.fingerprint(),
		Holder: newID(), Until: now.Add(lease),
	}
	holds, err := t.config.Store.Claim(ctx, mine, now)
	switch {
	case err != nil:
		return nil, err
	case holds.Holder == mine.Holder:
		t.claimed = &mine
		return nil, nil
	case holds.Fingerprint != mine.Fingerprint:
		return nil, &matching.Error{
			Code: CodeIdempotency, Message: "this Idempotency-Key was sent with another request: use a new key for each request",
		}
	case !holds.settled():
		return nil, &matching.Error{
			Code:       CodeIdempotency,
			Message:    "the first request with this Idempotency-Key is still under way: send it again a little later",
			RetryAfter: tryAgain,
		}
	}
	var earlier Result
	if err := json.Unmarshal(holds.Result, &earlier); err != nil {
		return nil, fmt.Errorf("read what was answered before: %w", err)
	}
	return &earlier, nil
}

// settled is the claim with the answer to the request; nil without a claim.
func (t *task) settled(r *Result) (*Claim, error) {
	if t.claimed == nil {
		return nil, nil
	}
	text, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("write the answer: %w", err)
	}
	c := *t.claimed
	c.Session, c.Result, c.Until = r.SessionID, text, t.now().Add(keptAnswer)
	return &c, nil
}

// release gives the key back after a failure, also where the request has ended.
func (t *task) release(ctx context.Context) {
	if t.claimed == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveUp)
	defer cancel()
	if err := t.config.Store.Release(ctx, *t.claimed); err != nil {
		t.config.Log.WarnContext(ctx, "an Idempotency-Key stays taken until its time has come", "error", err)
	}
}
