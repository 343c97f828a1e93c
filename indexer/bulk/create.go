package bulk

import (
	"context"
	"errors"
)

// Create makes an empty index live, for freelancers who are stored one by one. It calls announce with the name of the
// index before it is live; if that fails, no index is left. If an index is live already, Create changes nothing, and
// the report names no index. It returns ErrAliasLost if finished indexes show that the alias is damaged or missing.
func (l *Loader) Create(ctx context.Context, o Options, announce func(index string) error) (*Report, error) {
	c := newChange(l, nil, o)
	return c.run(ctx, func(ctx context.Context) error {
		_, err := c.live(ctx)
		if !errors.Is(err, ErrNothingLive) {
			return err
		}
		return c.build(ctx, func(_ context.Context, r *reading, _ emitFunc) error { return announce(r.index) })
	})
}
