package loading

import (
	"context"
	"errors"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/indexer/bulk"
)

// FailureCode returns the stable code of an error, for scripts.
func FailureCode(err error) string {
	// An error may wrap several of these, and the first one that matches is reported, so the order is part of the
	// contract.
	switch {
	case errors.Is(err, context.Canceled):
		return "interrupted"

	case isA[*bulk.PartialError](err):
		return "incomplete_change"
	case isA[*bulk.LimitError](err):
		return "too_many_rejected"
	case isA[*bulk.MergeLimitError](err):
		return "too_many_merged"
	case isA[*KindError](err):
		return "not_freelancers"
	case isA[*bulk.ShrinkError](err):
		return "would_shrink"
	case isA[*bulk.LostError](err):
		return "freelancers_refused"
	case isA[*bulk.UnknownError](err):
		return "unknown_ids"

	case errors.Is(err, bulk.ErrNothing):
		return "no_usable_rows"
	case errors.Is(err, bulk.ErrNothingLive), errors.Is(err, bulk.ErrAliasLost):
		return "no_live_index"

	case errors.Is(err, engine.ErrDamaged), engine.Unusable(err):
		return "damaged"
	case errors.Is(err, engine.ErrNotFound):
		return "not_found"
	case errors.Is(err, engine.ErrConflict):
		return "conflict"

	default:
		return "failed"
	}
}

func isA[T error](err error) bool {
	_, ok := errors.AsType[T](err)
	return ok
}
