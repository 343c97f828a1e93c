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
	"strconv"
	"strings"
	"time"

	"freelancer-matching/engine"
	"freelancer-matching/engine/elastic/document"
	"freelancer-matching/engine/elastic/rest"
	"freelancer-matching/internal/matching"
	"freelancer-matching/mappings"
)

// meta describes an index in its mapping, under _meta.matching. An index without it belongs to somebody else.
type meta struct {
	Format    int                    `json:"format"` // metaFormat
	State     string                 `json:"state"`
	Mapping   string                 `json:"mapping"`
	Source    string                 `json:"source"`
	Currency  string                 `json:"currency"`
	Taxonomy  string                 `json:"taxonomy"`
	Vectors   []matching.VectorSpace `json:"vectors,omitempty"`
	Created   time.Time              `json:"created"`
	Documents int                    `json:"documents,omitempty"` // only of a complete index
	Begun     int                    `json:"begun,omitempty"`     // end of the versions of updates that were started
	Updates   int                    `json:"updates,omitempty"`   // value of Begun in the last update that succeeded
	Updated   time.Time              `json:"updated,omitzero"`    // time of that update
	Pending   bool                   `json:"pending,omitempty"`   // complete, but no alias has pointed to it yet

	Provenance *engine.Provenance `json:"provenance,omitempty"`
}

// metaFormat is the version of everything that this package stores in an index.
const metaFormat = 3

// Format is the version of the index format that this package writes and searches.
const Format = metaFormat

// The states of an index.
const (
	stateCreated  = "created"
	stateFilling  = "filling"
	stateComplete = "complete"
)

// A description is what Elasticsearch tells about an index.
type description struct {
	name    string // full name
	meta    *meta  // nil if this program did not create the index; empty if fault is set
	fault   error  // set if meta can't be decoded
	bm25    mappings.BM25
	shards  int
	aliases []string // without the one for writing
}

// An asker sends a request: Engine.ask for searches, client.do for indexing.
type asker func(ctx context.Context, r rest.Request, out any) error

// describe returns the descriptions of all indexes that a name, pattern or alias stands for, in order of their names.
// It includes indexes that belong to somebody else.
func (e *Engine) describe(ctx context.Context, ask asker, name string) ([]*description, error) {
	var answer map[string]struct {
		Aliases  map[string]struct{}
		Mappings struct {
			Meta struct {
				Matching json.RawMessage `json:"matching"`
			} `json:"_meta"`
		}
		Settings struct {
			Index struct {
				Shards     string `json:"number_of_shards"`
				Similarity map[string]struct {
					K1 json.Number `json:"k1"`
					B  json.Number `json:"b"`
				}
			}
		}
	}

	err := ask(ctx, rest.Request{
		Method: http.MethodGet, Path: name,
		Query: rest.Params{"expand_wildcards": "open,closed", "filter_path": "*.aliases,*.mappings._meta.matching," +
			"*.settings.index.number_of_shards,*.settings.index.similarity"},
	}, &answer)
	if rest.IsFailure(err, 0, rest.IndexNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}

	var indexes []*description
	for _, index := range slices.Sorted(maps.Keys(answer)) {
		a := answer[index]
		_, created := a.Aliases[index+rest.WriteSuffix]
		delete(a.Aliases, index+rest.WriteSuffix)
		d := &description{name: index, aliases: slices.Sorted(maps.Keys(a.Aliases))}
		if d.meta, d.fault = decodeMeta(a.Mappings.Meta.Matching); d.meta == nil && created {
			d.meta, d.fault = &meta{}, fmt.Errorf("%w: _meta.matching is missing", engine.ErrDamaged)
		}

		if d.shards, err = strconv.Atoi(a.Settings.Index.Shards); err != nil {
			return nil, fmt.Errorf("number of shards of index %s: %w", index, err)
		}

		for _, s := range a.Settings.Index.Similarity {
			d.bm25.K1, _ = s.K1.Float64()
			d.bm25.B, _ = s.B.Float64()
		}

		indexes = append(indexes, d)
	}

	return indexes, nil
}

// decodeMeta decodes _meta.matching. It returns nil if _meta has no such member, and an error if it is damaged.
func decodeMeta(data json.RawMessage) (*meta, error) {
	if data == nil || string(data) == "null" {
		return nil, nil //nolint:nilnil // not having any is no error
	}
	m := &meta{}
	err := json.Unmarshal(data, m)
	if err == nil && (m.Format < 0 || !slices.Contains([]string{stateCreated, stateFilling, stateComplete}, m.State)) {
		err = fmt.Errorf("format %d, state %q", m.Format, m.State)
	}
	if err != nil {
		return &meta{}, fmt.Errorf("%w: _meta.matching: %w", engine.ErrDamaged, err)
	}
	return m, nil
}

// checkOwned returns an error for an index that this program must not touch or does not understand.
func (e *Engine) checkOwned(d *description) error {
	switch {
	case d.fault != nil:
		return fmt.Errorf("the index %s: %w", d.name, d.fault)
	case d.meta == nil:
		return fmt.Errorf("the index %s was not created by this program: use another name or prefix", d.name)
	case d.meta.Format != metaFormat:
		return &engine.FormatError{Index: e.shortName(d.name), Has: d.meta.Format, Want: metaFormat}
	}
	return nil
}

// index returns the index with the given name, which must belong to this program. It returns ErrNotFound if there is
// none.
func (e *Engine) index(ctx context.Context, name string) (*description, error) {
	full, err := e.fullName(name)
	if err != nil {
		return nil, err
	}
	indexes, err := e.describe(ctx, e.client.Do, full)
	if err != nil {
		return nil, err
	}
	switch {
	case len(indexes) == 0:
		return nil, engine.ErrNotFound
	case indexes[0].name != full:
		return nil, fmt.Errorf("%w: the name is an alias of the index %s", engine.ErrNotFound, indexes[0].name)
	}
	return indexes[0], e.checkOwned(indexes[0])
}

// complete returns the index with the given name, or ErrConflict if it is incomplete.
func (e *Engine) complete(ctx context.Context, name string) (*description, error) {
	d, err := e.index(ctx, name)
	if err == nil && d.meta.State != stateComplete {
		err = fmt.Errorf("%w: the index is incomplete", engine.ErrConflict)
	}
	return d, err
}

// aliased returns the indexes that an alias points to. It returns an error if an index has that name.
func (e *Engine) aliased(ctx context.Context, ask asker, alias string) ([]*description, error) {
	full, err := e.fullName(alias)
	if err != nil {
		return nil, err
	}
	indexes, err := e.describe(ctx, ask, full)
	if err == nil && len(indexes) > 0 && indexes[0].name == full {
		err = fmt.Errorf("%s is an index, want an alias: drop the index or use another prefix", full)
	}
	return indexes, err
}

// only returns the only index that an alias points to, or nil if it points nowhere. If it points to several indexes,
// the error is an *engine.AliasError. An alias to an index of another program is not damaged, but must not be touched.
func (e *Engine) only(alias string, indexes []*description) (*description, error) {
	for _, d := range indexes {
		if d.meta == nil {
			return nil, e.checkOwned(d)
		}
	}
	switch len(indexes) {
	case 0:
		return nil, nil //nolint:nilnil // pointing nowhere is no error
	case 1:
		return indexes[0], nil
	default:
		return nil, &engine.AliasError{Alias: e.options.Prefix + alias, Reason: fmt.Sprintf(
			"it points to %d indexes (%s and others), want one", len(indexes), indexes[0].name)}
	}
}

// live returns the index that an alias points to, or nil if nothing has been loaded yet. If the index or the alias
// can't be used, the error says why, and engine.Unusable is true.
func (e *Engine) live(ctx context.Context, ask asker, alias string) (*description, error) {
	indexes, err := e.aliased(ctx, ask, alias)
	if err != nil {
		return nil, err
	}
	d, err := e.only(alias, indexes)
	if err != nil {
		return nil, err
	}
	if d == nil {
		return nil, e.checkNothingLost(ctx, ask, alias)
	}
	if err := e.checkOwned(d); err != nil {
		return nil, err
	}
	if d.meta.State != stateComplete {
		return nil, fmt.Errorf("the index %s: %w: it was never completed", d.name, engine.ErrDamaged)
	}
	return d, nil
}

// checkNothingLost returns an *engine.AliasError for an alias that points nowhere if there are indexes that an alias
// has pointed to.
func (e *Engine) checkNothingLost(ctx context.Context, ask asker, alias string) error {
	indexes, err := e.describe(ctx, ask, e.options.Prefix+"*")
	if err != nil {
		return err
	}
	if slices.ContainsFunc(indexes, func(d *description) bool {
		return e.owns(d) && d.meta.State == stateComplete && !d.meta.Pending
	}) {
		return &engine.AliasError{
			Alias: e.options.Prefix + alias, Reason: "it does not exist, although there are finished indexes",
		}
	}
	return nil
}

// owns reports whether this program created an index under the prefix. A pattern also matches aliases of other indexes.
func (e *Engine) owns(d *description) bool {
	return d.meta != nil && strings.HasPrefix(d.name, e.options.Prefix)
}

// CheckAlias implements engine.Checker.
func (e *Engine) CheckAlias(ctx context.Context, alias string) error {
	d, err := e.live(ctx, e.client.Do, alias)
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
	ctx, cancel := context.WithTimeout(ctx, adminTimeout)
	defer cancel()

	indexes, err := e.describe(ctx, e.client.Do, e.options.Prefix+"*")
	if err != nil {
		return nil, fmt.Errorf("list indexes: %w", err)
	}
	indexes = slices.DeleteFunc(indexes, func(d *description) bool { return !e.owns(d) })
	states, err := e.indexStates(ctx, e.client.Do, e.options.Prefix+"*")
	if err != nil {
		return nil, fmt.Errorf("list indexes: %w", err)
	}

	infos := make([]engine.Info, len(indexes))
	for i, d := range indexes {
		infos[i] = e.info(d)
		infos[i].Pending = d.meta.Pending

		if state, ok := states[d.name]; ok {
			infos[i].Bytes = state.bytes
			if infos[i].Complete {
				infos[i].Documents = state.documents
			}
		}

		if err := e.checkOwned(d); err != nil {
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
	ctx, cancel := context.WithTimeout(ctx, adminTimeout)
	defer cancel()
	d, err := e.complete(ctx, index)
	if err != nil {
		return nil, fmt.Errorf("open index %q: %w", index, err)
	}
	states, err := e.indexStates(ctx, e.client.Do, d.name)
	if err != nil {
		return nil, fmt.Errorf("open index %q: %w", index, err)
	}
	s := e.snapshot(d)
	s.info.Bytes = states[d.name].bytes
	s.activity.observe(states[d.name], time.Now())
	return s, nil
}

func (e *Engine) info(d *description) engine.Info {
	m := d.meta
	return engine.Info{
		Name: e.shortName(d.name), Mapping: m.Mapping, Source: m.Source, Currency: m.Currency, Taxonomy: m.Taxonomy,
		Vectors: m.Vectors, Created: m.Created, Complete: m.State == stateComplete, Documents: m.Documents,
		Updated: m.Updated, Provenance: m.Provenance,
	}
}

// Create creates an empty index. For faster loading it is neither refreshed nor replicated until Bulk.Close.
func (e *Engine) Create(ctx context.Context, spec engine.Spec) error {
	ctx, cancel := context.WithTimeout(ctx, adminTimeout)
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

	full, err := e.fullName(spec.Name)
	if err != nil {
		return err
	}
	if full == e.lockIndex() || full == e.deletionsIndex() {
		return fmt.Errorf("%w: the name is reserved", engine.ErrConflict)
	}

	body, err := e.createBody(spec)
	if err != nil {
		return err
	}
	err = e.client.Command(ctx, rest.Request{Method: http.MethodPut, Path: full, Body: body})
	if f, ok := errors.AsType[*rest.Failure](err); ok &&
		(f.Type == "resource_already_exists_exception" || f.Type == "invalid_index_name_exception") {
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

	body["mappings"]["_meta"] = object{"matching": meta{
		Format: metaFormat, State: stateCreated, Mapping: spec.Mapping.Name, Source: spec.Source, Currency: spec.Currency,
		Taxonomy: spec.Taxonomy, Vectors: spec.Vectors, Created: spec.Created,
	}}

	index := body["settings"]["index"].(map[string]any)
	index["number_of_shards"] = e.options.Shards
	index["number_of_replicas"] = 0
	index["refresh_interval"] = "-1"
	body["aliases"] = object{e.options.Prefix + spec.Name + rest.WriteSuffix: object{"is_hidden": true}}

	return rest.Body(body)
}

// putMeta replaces the _meta of an index.
func (e *Engine) putMeta(ctx context.Context, index string, m *meta) error {
	body, err := rest.Body(object{"_meta": object{"matching": m}})
	if err != nil {
		return err
	}
	return e.client.Command(ctx, rest.Request{Method: http.MethodPut, Path: index + "/_mapping", Body: body})
}

// SetProvenance stores the provenance in the _meta of an index.
func (e *Engine) SetProvenance(ctx context.Context, index string, p *engine.Provenance) error {
	if err := e.checkLock(ctx); err != nil {
		return fmt.Errorf("set provenance of index %q: %w", index, err)
	}
	return e.client.Retry(ctx, fmt.Sprintf("set provenance of index %q", index), func(ctx context.Context) error {
		d, err := e.complete(ctx, index)
		if err != nil {
			return err
		}
		d.meta.Provenance = p
		return e.putMeta(ctx, d.name, d.meta)
	})
}

// adminTimeout bounds an administrative call.
const adminTimeout = 30 * time.Second
