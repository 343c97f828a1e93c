package elastic

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/elastic/catalog"
	"github.com/freelancer-matching/service/engine/elastic/document"
	"github.com/freelancer-matching/service/engine/elastic/encoded"
	"github.com/freelancer-matching/service/engine/elastic/rest"
)

// CheckAlias implements engine.Checker.
func (e *Engine) CheckAlias(ctx context.Context, alias string) error {
	d, err := e.catalog.Live(ctx, e.client.Do, alias)
	if err == nil && d == nil {
		err = engine.ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("alias %q: %w", alias, err)
	}
	return nil
}

// Indexes returns all indexes under the prefix that this program created, oldest first.
func (e *Engine) Indexes(ctx context.Context) ([]engine.Info, error) {
	ctx, cancel := context.WithTimeout(ctx, rest.AdminTimeout)
	defer cancel()

	indexes, err := e.catalog.Describe(ctx, e.client.Do, e.options.Prefix+"*")
	if err != nil {
		return nil, fmt.Errorf("list indexes: %w", err)
	}

	// A pattern also finds the indexes of other programs.
	indexes = slices.DeleteFunc(indexes, func(d *catalog.Description) bool { return !e.catalog.Owns(d) })

	states, err := e.catalog.IndexStates(ctx, e.client.Do, e.options.Prefix+"*")
	if err != nil {
		return nil, fmt.Errorf("list indexes: %w", err)
	}

	infos := make([]engine.Info, len(indexes))
	for i, d := range indexes {
		infos[i] = e.catalog.Info(d)
		infos[i].Pending = d.Meta.Pending

		// Closed indexes have a description, but no state.
		if state, ok := states[d.Name]; ok {
			infos[i].Bytes = state.Bytes
			if infos[i].Complete {
				infos[i].Documents = state.Documents
			}
		}
		if err := e.catalog.CheckOwned(d); err != nil {
			infos[i].Fault = err.Error()
		}
	}

	slices.SortStableFunc(infos, func(a, b engine.Info) int {
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.Name, b.Name))
	})

	return infos, nil
}

// OpenIndex returns a snapshot of a complete index, whether or not an alias points to it.
func (e *Engine) OpenIndex(ctx context.Context, index string) (engine.Snapshot, error) {
	ctx, cancel := context.WithTimeout(ctx, rest.AdminTimeout)
	defer cancel()
	d, err := e.catalog.Complete(ctx, index)
	if err != nil {
		return nil, fmt.Errorf("open index %q: %w", index, err)
	}
	states, err := e.catalog.IndexStates(ctx, e.client.Do, d.Name)
	if err != nil {
		return nil, fmt.Errorf("open index %q: %w", index, err)
	}

	s := e.indexes.Snapshot(d)
	s.SetState(states[d.Name])
	return s, nil
}

// Create creates an empty index. For faster loading it is neither refreshed nor replicated until Bulk.Close.
func (e *Engine) Create(ctx context.Context, spec engine.Spec) error {
	ctx, cancel := context.WithTimeout(ctx, rest.AdminTimeout)
	defer cancel()
	if err := e.create(ctx, &spec); err != nil {
		return fmt.Errorf("create index %q: %w", spec.Name, err)
	}
	return nil
}

func (e *Engine) create(ctx context.Context, spec *engine.Spec) error {
	for _, space := range spec.Vectors {
		if err := space.Check(); err != nil {
			return err
		}
	}

	full, err := e.catalog.FullName(spec.Name)
	if err != nil {
		return err
	}
	reserved := []string{e.locks.Index(), e.deletions.Index(), encoded.Index(e.catalog)}
	if slices.Contains(reserved, full) {
		return fmt.Errorf("%w: the name is reserved", engine.ErrConflict)
	}

	body, err := e.createBody(spec)
	if err != nil {
		return err
	}

	// Creating is not repeated: if the answer is lost, the index may exist, and a second attempt would report a
	// conflict.
	err = e.client.Command(ctx, rest.Request{Method: http.MethodPut, Path: full, Body: body})
	f, ok := errors.AsType[*rest.Failure](err)
	if ok && slices.Contains([]string{"resource_already_exists_exception", "invalid_index_name_exception"}, f.Type) {
		return fmt.Errorf("%w: %s", engine.ErrConflict, f.Reason) // an index or an alias has the name
	}

	return err
}

// createBody returns the body of a create-index request: that of the mapping, plus vector fields and _meta.
func (e *Engine) createBody(spec *engine.Spec) (*bytes.Reader, error) {
	var body map[string]map[string]any
	if err := json.Unmarshal(spec.Mapping.JSON, &body); err != nil {
		return nil, err
	}
	properties := body["mappings"]["properties"].(map[string]any)
	for i, space := range spec.Vectors {
		field := object{"type": "dense_vector", "dims": space.Dimensions, "index": true, "similarity": "cosine"}
		maps.Copy(field, e.options.vectorField)
		properties[document.VectorField(i)] = field
	}

	body["mappings"]["_meta"] = object{"matching": catalog.Meta{
		Format: catalog.Format, State: catalog.StateCreated, Mapping: spec.Mapping.Name, Source: spec.Source,
		Currency: spec.Currency, Taxonomy: spec.Taxonomy, Vectors: spec.Vectors, Created: spec.Created,
	}}

	index := body["settings"]["index"].(map[string]any)
	index["number_of_shards"] = e.options.Shards
	index["number_of_replicas"] = 0
	index["refresh_interval"] = "-1"
	body["aliases"] = object{e.options.Prefix + spec.Name + rest.WriteSuffix: object{"is_hidden": true}}

	return rest.Body(body)
}

// SetProvenance stores the provenance in the _meta of an index.
func (e *Engine) SetProvenance(ctx context.Context, index string, p *engine.Provenance) error {
	if err := e.locks.Check(ctx); err != nil {
		return fmt.Errorf("set provenance of index %q: %w", index, err)
	}
	return e.client.Retry(ctx, fmt.Sprintf("set provenance of index %q", index), func(ctx context.Context) error {
		d, err := e.catalog.Complete(ctx, index)
		if err != nil {
			return err
		}
		d.Meta.Provenance = p
		return e.catalog.PutMeta(ctx, d.Name, d.Meta)
	})
}
