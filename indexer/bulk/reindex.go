package bulk

import (
	"context"
	"errors"
	"fmt"

	"freelancer-matching/engine"
)

// ErrNothingLive is the failure of a change where no index is live.
var ErrNothingLive = errors.New("no index is live")

// Reindex makes a new index of the freelancers of another, prepared anew, and points the alias to it, with the safety of
// Load. from is the name of a finished index, or "" for the live one; its currency and source stay. The error is a
// *LostError when the engine does not take every one of them.
func (l *Loader) Reindex(ctx context.Context, from string, o Options) (*Report, error) {
	return l.locked(ctx, &o, func(report *Report) error {
		base, err := l.live(ctx, o.Alias, report)
		if from != "" {
			base, err = l.index(ctx, from)
		}
		switch {
		case err != nil:
			return err
		case base.Name == "":
			return ErrNothingLive
		case !base.Complete:
			return fmt.Errorf("index %q: %w: it was never finished", base.Name, engine.ErrConflict)
		}
		o.Source, o.Currency = base.Source, base.Currency
		report.Base, report.Reason = base.Name, l.difference(base, &o)
		return l.rebuild(ctx, nil, &o, report, func(ctx context.Context, r *reading, take emit) error {
			return l.takeOver(ctx, base, r, func(string) bool { return false }, take)
		})
	})
}
