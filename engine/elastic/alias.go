package elastic

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/elastic/catalog"
	"github.com/freelancer-matching/service/engine/elastic/rest"
)

// previousSuffix is the suffix of a second alias, which points to the index that the alias pointed to before.
const previousSuffix = ".previous"

// Alias returns the index that an alias points to, and the previous one.
func (e *Engine) Alias(ctx context.Context, alias string) (index, previous string, err error) {
	ctx, cancel := context.WithTimeout(ctx, rest.AdminTimeout)
	defer cancel()
	p, err := e.pointers(ctx, alias)
	if err != nil {
		return "", "", fmt.Errorf("alias %q: %w", alias, err)
	}
	for _, problem := range []*engine.AliasError{p.live.problem, p.previous.problem} {
		if problem != nil {
			e.options.Log.WarnContext(ctx, "damaged alias ignored", "error", problem, "hint", engine.Remedy(problem))
		}
	}
	return e.catalog.ShortName(p.live.index), e.catalog.ShortName(p.previous.index), nil
}

// pointers are what an alias and the alias of its previous index point to.
type pointers struct{ live, previous pointer }

// A pointer is what one alias of Elasticsearch points to, as full names.
type pointer struct {
	index   string             // "" if there is no index, or the alias is damaged
	all     []string           // all its indexes: a damaged alias may have several
	problem *engine.AliasError // nil if the alias is not damaged
}

// pointers looks up an alias and the alias of its previous index.
func (e *Engine) pointers(ctx context.Context, alias string) (pointers, error) {
	live, err := e.pointer(ctx, alias)
	if err != nil {
		return pointers{}, err
	}
	previous, err := e.pointer(ctx, alias+previousSuffix)
	if err != nil {
		return pointers{}, err
	}
	return pointers{live, previous}, nil
}

// pointer looks up one alias. A damaged alias is no error, since it can be replaced.
func (e *Engine) pointer(ctx context.Context, alias string) (pointer, error) {
	indexes, err := e.catalog.Aliased(ctx, e.client.Do, alias)
	if err != nil {
		return pointer{}, err
	}

	var p pointer
	for _, d := range indexes {
		p.all = append(p.all, d.Name)
	}

	only, err := e.catalog.Only(alias, indexes)
	if problem, ok := errors.AsType[*engine.AliasError](err); ok {
		p.problem = problem
	} else if err != nil {
		return pointer{}, err
	}

	if only != nil {
		p.index = only.Name
	}
	return p, nil
}

// PointAlias moves the alias and the alias of the previous index in one request. This engine notices immediately.
func (e *Engine) PointAlias(ctx context.Context, alias, index string) (previous string, err error) {
	return e.pointAlias(ctx, alias, index, nil)
}

// SwapAlias does the same as PointAlias if the alias points to the index from.
func (e *Engine) SwapAlias(ctx context.Context, alias, from, index string) (previous string, err error) {
	return e.pointAlias(ctx, alias, index, &from)
}

// pointAlias moves an alias. from is nil if it doesn't matter what the alias points to.
func (e *Engine) pointAlias(ctx context.Context, alias, index string, from *string) (previous string, err error) {
	if err := e.locks.Check(ctx); err != nil {
		return "", fmt.Errorf("point alias %q: %w", alias, err)
	}

	// If the answer to an attempt is lost, the next attempt finds the alias moved and changes nothing.
	err = e.client.Retry(ctx, fmt.Sprintf("point alias %q to index %q", alias, index), func(ctx context.Context) error {
		next, err := e.catalog.Complete(ctx, index)
		if err != nil {
			return err
		}
		now, err := e.pointers(ctx, alias)
		if err != nil {
			return err
		}

		isDone := now.live.index == next.Name
		actual := e.catalog.ShortName(now.live.index)
		isExpected := from == nil || actual == *from
		if !isDone && !isExpected {
			return &engine.MovedError{Alias: alias, Expected: *from, Actual: actual}
		}

		previousName := engine.PreviousIndex(now.live.index, now.previous.index, next.Name)
		previous = e.catalog.ShortName(previousName)

		// The old index must be recorded as live before the alias leaves it. If the alias is lost one day, such an index
		// proves that something was loaded.
		if !isDone {
			if err := e.settleName(ctx, now.live.index); err != nil {
				return err
			}
			if err := e.move(ctx, alias, now, next.Name, previousName); err != nil {
				return err
			}
		}

		// If this fails, the next move of the alias records it, about the index that the alias leaves.
		return e.settleMeta(ctx, next)
	})
	if err != nil {
		return "", err
	}

	e.indexes.Forget(alias)

	return previous, nil
}

// settleName does what settleMeta does for the index that an alias points to, if any.
func (e *Engine) settleName(ctx context.Context, full string) error {
	if full == "" {
		return nil
	}
	d, err := e.catalog.Index(ctx, e.catalog.ShortName(full))
	if errors.Is(err, engine.ErrNotFound) || engine.Unusable(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return e.settleMeta(ctx, d)
}

// settleMeta records that an alias points, or has pointed, to an index.
func (e *Engine) settleMeta(ctx context.Context, d *catalog.Description) error {
	if !d.Meta.Pending {
		return nil
	}
	d.Meta.Pending = false
	return e.catalog.PutMeta(ctx, d.Name, d.Meta)
}

// move points an alias to another index, and the alias of the previous index to previous, if any. The request is
// atomic. It fails if another process has moved the alias since from was read.
func (e *Engine) move(ctx context.Context, alias string, from pointers, to, previous string) error {
	full := e.options.Prefix + alias
	var actions []object

	// must_exist makes the whole request fail if an alias has moved since it was read, which is a compare-and-swap.
	remove := func(indexes []string, alias string) {
		for _, index := range indexes {
			actions = append(actions, object{"remove": object{"index": index, "alias": alias, "must_exist": true}})
		}
	}
	remove(from.live.all, full)
	remove(from.previous.all, full+previousSuffix)

	actions = append(actions, object{"add": object{"index": to, "alias": full}})
	if previous != "" {
		actions = append(actions, object{"add": object{"index": previous, "alias": full + previousSuffix}})
	}

	body, err := rest.Body(object{"actions": actions})
	if err != nil {
		return err
	}

	err = e.client.Command(ctx, rest.Request{Method: http.MethodPost, Path: "_aliases", Body: body})
	if !rest.IsFailure(err, 0, "aliases_not_found_exception") {
		return err
	}

	// Another process was faster. Where the alias points now is for the message only.
	now, err := e.pointers(ctx, alias)
	if err != nil {
		return err
	}

	return &engine.MovedError{
		Alias: alias, Expected: e.catalog.ShortName(from.live.index), Actual: e.catalog.ShortName(now.live.index),
	}
}

// Drop deletes an index, and with it its ".previous" alias, if any.
func (e *Engine) Drop(ctx context.Context, index string) error {
	ctx, cancel := context.WithTimeout(ctx, rest.AdminTimeout)
	defer cancel()
	if err := e.drop(ctx, index); err != nil {
		return fmt.Errorf("drop index %q: %w", index, err)
	}
	return nil
}

func (e *Engine) drop(ctx context.Context, name string) error {
	if err := e.locks.Check(ctx); err != nil {
		return err
	}
	full, err := e.catalog.FullName(name)
	if err != nil {
		return err
	}

	indexes, err := e.catalog.Describe(ctx, e.client.Do, full)
	if err != nil || len(indexes) == 0 {
		return err
	}

	// Deleting by an alias would delete its index, and an index without our description belongs to somebody else.
	d := indexes[0]
	if d.Name != full {
		return fmt.Errorf("%w: the name is an alias of the index %s", engine.ErrConflict, d.Name)
	}
	if d.Meta == nil {
		return e.catalog.CheckOwned(d)
	}

	for _, alias := range d.Aliases {
		if !strings.HasSuffix(alias, previousSuffix) {
			return fmt.Errorf("%w: the alias %s points to it", engine.ErrConflict, alias)
		}
	}

	err = e.client.Command(ctx, rest.Request{Method: http.MethodDelete, Path: full})
	if err != nil && !rest.IsFailure(err, 0, rest.IndexNotFound) {
		return err
	}

	// Trackers of the index end with it. The entries would otherwise apply to a later index of the same name.
	return e.deletions.Remove(ctx, object{"term": object{"index": full}})
}
