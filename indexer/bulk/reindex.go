package bulk

import (
	"context"
	"fmt"

	"github.com/freelancer-matching/service/engine"
)

// Reindex builds a new index from the freelancers of another one, prepared again, and points the alias to it, as safely
// as Load does. from names a finished index; "" means the live one. The new index keeps the currency and source of the
// old one. The error is a *LostError if the engine refuses any of the freelancers, and ErrNothingLive if from is "" and
// no index is live.
func (l *Loader) Reindex(ctx context.Context, from string, o Options) (*Report, error) {
	c := newChange(l, nil, o)
	return c.run(ctx, func(ctx context.Context) error { return c.reindex(ctx, from) })
}

func (c *change) reindex(ctx context.Context, from string) error {
	base, err := c.live(ctx)
	if from != "" {
		base, err = c.index(ctx, from)
	}
	if err != nil {
		return err
	}
	if !base.Complete {
		return fmt.Errorf("index %q: %w: it is incomplete", base.Name, engine.ErrConflict)
	}
	c.Source = base.Source
	c.Currency = base.Currency
	c.base, c.report.Base, c.report.Reason = base, base.Name, c.difference(base)
	return c.build(ctx, func(ctx context.Context, r *reading, emit emitFunc) error {
		return c.copyIndex(ctx, base, r, func(string) bool { return false }, emit)
	})
}
