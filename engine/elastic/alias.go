package elastic

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"freelancer-matching/engine"
)

// previousSuffix ends the alias that points to the index that an alias pointed to before. It goes with that index.
const previousSuffix = ".previous"

// Alias is where an alias points to, and where it did before.
func (e *Engine) Alias(ctx context.Context, alias string) (index, previous string, err error) {
	ctx, cancel := context.WithTimeout(ctx, adminTimeout)
	defer cancel()
	t, err := e.targets(ctx, alias)
	if err != nil {
		return "", "", fmt.Errorf("alias %q: %w", alias, err)
	}
	return e.shortName(t.index), e.shortName(t.previous), nil
}

// targets are the full names of the indexes that an alias points to, and did before; "" where there is none.
type targets struct{ index, previous string }

func (e *Engine) targets(ctx context.Context, alias string) (t targets, err error) {
	for _, of := range []struct {
		alias string
		name  *string
	}{{alias, &t.index}, {alias + previousSuffix, &t.previous}} {
		d, err := e.aliased(ctx, e.client.do, of.alias)
		if err != nil {
			return targets{}, err
		}
		if d != nil {
			*of.name = d.name
		}
	}
	return t, nil
}

// PointAlias moves both aliases, the one for the way back too, in one request. This engine notices at once.
func (e *Engine) PointAlias(ctx context.Context, alias, index string) (previous string, err error) {
	if err := e.guard(ctx); err != nil {
		return "", fmt.Errorf("point alias %q: %w", alias, err)
	}
	// A try whose answer was lost has moved the alias; the next one sees that and changes nothing.
	err = e.insist(ctx, fmt.Sprintf("point alias %q to index %q", alias, index), func(ctx context.Context) error {
		d, err := e.complete(ctx, index)
		if err != nil {
			return err
		}
		t, err := e.targets(ctx, alias)
		if err != nil {
			return err
		}
		if t.index == d.name {
			previous = e.shortName(t.previous)
			return nil
		}
		previous = e.shortName(t.index)
		return e.move(ctx, e.options.Prefix+alias, t, d.name)
	})
	if err != nil {
		return "", err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.seen, alias)
	return previous, nil
}

// move points an alias from where it is to another index. Elasticsearch does all of it or, when somebody else has moved
// the alias meanwhile, nothing.
func (e *Engine) move(ctx context.Context, alias string, from targets, to string) error {
	var actions []object
	remove := func(index, alias string) {
		if index != "" {
			actions = append(actions, object{"remove": object{"index": index, "alias": alias, "must_exist": true}})
		}
	}
	remove(from.index, alias)
	remove(from.previous, alias+previousSuffix)
	actions = append(actions, object{"add": object{"index": to, "alias": alias}})
	if from.index != "" {
		actions = append(actions, object{"add": object{"index": from.index, "alias": alias + previousSuffix}})
	}
	body, err := jsonBody(object{"actions": actions})
	if err != nil {
		return err
	}
	err = e.command(ctx, esapi.IndicesUpdateAliasesRequest{Body: body})
	if failed(err, 0, "aliases_not_found_exception") {
		return fmt.Errorf("%w: somebody else moves the alias at the same time", engine.ErrConflict)
	}
	return err
}

// Drop removes an index, and with it the alias for the way back where that points to it.
func (e *Engine) Drop(ctx context.Context, index string) error {
	ctx, cancel := context.WithTimeout(ctx, adminTimeout)
	defer cancel()
	if err := e.drop(ctx, index); err != nil {
		return fmt.Errorf("drop index %q: %w", index, err)
	}
	return nil
}

func (e *Engine) drop(ctx context.Context, name string) error {
	if err := e.guard(ctx); err != nil {
		return err
	}
	full, err := e.fullName(name)
	if err != nil {
		return err
	}
	found, err := e.describe(ctx, e.client.do, full)
	if err != nil || len(found) == 0 {
		return err
	}
	d := found[0]
	if d.name != full {
		return fmt.Errorf("%w: it is an alias, of the index %s", engine.ErrConflict, d.name)
	}
	if err := d.own(); d.meta == nil {
		return err
	}
	if i := slices.IndexFunc(d.aliases, func(alias string) bool { return !strings.HasSuffix(alias, previousSuffix) }); i >= 0 {
		return fmt.Errorf("%w: the alias %s points to it", engine.ErrConflict, d.aliases[i])
	}
	err = e.command(ctx, esapi.IndicesDeleteRequest{Index: []string{full}})
	if failed(err, 0, indexNotFound) {
		return nil
	}
	return err
}
