package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
)

// ReadLive calls read with a snapshot of the index that the alias points to, or with nil if nothing has been loaded
// yet. If the error of read wraps ErrNotFound, the index or a freelancer may have been replaced in the meantime, so
// ReadLive calls read once more, with a new snapshot.
//
// Every error is a *matching.Error that clients may see, with the original error as its cause. An error of read that
// already is one stays as it is. Any other error becomes CodeRecordDamaged or CodeIndexUnreadable if the stored data is
// damaged, CodeEngineTimeout if the deadline of ctx has passed, and CodeEngineUnavailable otherwise.
func ReadLive(ctx context.Context, s Searcher, alias string, read func(Snapshot) error) error {
	attempt := func() error {
		snapshot, err := s.Open(ctx, alias)
		if errors.Is(err, ErrNotFound) {
			return read(nil)
		}
		if err != nil {
			return fmt.Errorf("open the live index: %w", err)
		}
		return read(snapshot)
	}
	err := attempt()
	if errors.Is(err, ErrNotFound) {
		err = attempt()
	}
	return ClientError(err)
}

// ClientError returns nil for nil, and otherwise the error of ReadLive for an error of reading or changing the live
// index.
func ClientError(err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*matching.Error](err); ok {
		return e
	}

	// Damage needs a person, so these answers ask the client to wait for as long as a repair takes.
	if damage, ok := errors.AsType[*DamagedError](err); ok {
		message := "The stored record of this freelancer is damaged. Retry when the operator has restored it."
		if len(damage.IDs) > 1 {
			message = "The stored records of these freelancers are damaged. Retry when the operator has restored them."
		}

		return &matching.Error{
			Code:       matching.CodeRecordDamaged,
			Message:    message,
			RetryAfter: repairTime,
			Cause:      withRemedy(err),
		}
	}

	if Unusable(err) {
		return &matching.Error{
			Code:       matching.CodeIndexUnreadable,
			Message:    "The stored freelancers cannot be read. Retry when the operator has repaired the index.",
			RetryAfter: repairTime,
			Cause:      withRemedy(err),
		}
	}

	if errors.Is(err, context.DeadlineExceeded) {
		return &matching.Error{
			Code:    matching.CodeEngineTimeout,
			Message: "The search exceeded the server's time limit. Retry, or lower `limit`.",
			Cause:   err,
		}
	}

	// Anything else passes: the cluster is restarting, or the network is down.
	return &matching.Error{
		Code:    matching.CodeEngineUnavailable,
		Message: "The search engine does not respond. Retry in a moment.",
		Cause:   err,
	}
}

// repairTime is when a client may try again after it met damaged data, which a person has to repair.
const repairTime = time.Minute

// withRemedy adds the operator's next step to an error, for the log.
func withRemedy(err error) error { return fmt.Errorf("%w: %s", err, Remedy(err)) }
