package elastic

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
	"freelancer-matching/mappings"
)

// meta is what an index says of itself in its mapping, under _meta.matching. An index without it is somebody else's.
type meta struct {
	Format    int                    `json:"format"` // metaFormat
	State     string                 `json:"state"`
	Mapping   string                 `json:"mapping"`
	Source    string                 `json:"source"`
	Currency  string                 `json:"currency"`
	Taxonomy  string                 `json:"taxonomy"`
	Vectors   []matching.VectorSpace `json:"vectors,omitempty"`
	Created   time.Time              `json:"created"`
	Documents int                    `json:"documents,omitempty"` // of a complete index
	Begun     int                    `json:"begun,omitempty"`     // how many updates were, whatever became of them
	Updates   int                    `json:"updates,omitempty"`   // the number of the last one that was finished
	Updated   time.Time              `json:"updated,omitzero"`    // when it was
}

// metaFormat is the version of all that this package puts into an index.
const metaFormat = 2

// The states of an index.
const (
	stateCreated  = "created"
	stateFilling  = "filling"
	stateComplete = "complete"
)

// writeSuffix ends the alias that an index is written through. A write that demands an alias fails once the index was
// dropped, where one to the index itself would make a new index of that name, without our mapping.
const writeSuffix = ".write"

// description is one index as Elasticsearch describes it.
type description struct {
	name    string // in Elasticsearch
	meta    *meta  // nil: this program did not make it
	bm25    mappings.BM25
	shards  int
	aliases []string // but the one for writing
}

// asker sends a request: ask of those who search, client.do of those who index.
type asker func(ctx context.Context, r request, out any) error

// describe is every index behind a name, pattern or alias, also those that are somebody else's, by name; none where
// there is nothing.
func (e *Engine) describe(ctx context.Context, ask asker, name string) ([]*description, error) {
	var answer map[string]struct {
		Aliases  map[string]struct{}
		Mappings struct {
			Meta struct {
				Matching *meta `json:"matching"`
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
	err := ask(ctx, esapi.IndicesGetRequest{
		Index: []string{name}, ExpandWildcards: "open,closed",
		FilterPath: []string{
			"*.aliases", "*.mappings._meta.matching", "*.settings.index.number_of_shards", "*.settings.index.similarity",
		},
	}, &answer)
	if failed(err, 0, indexNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var found []*description
	for _, index := range slices.Sorted(maps.Keys(answer)) {
		a := answer[index]
		delete(a.Aliases, index+writeSuffix)
		d := &description{name: index, meta: a.Mappings.Meta.Matching, aliases: slices.Sorted(maps.Keys(a.Aliases))}
		if d.shards, err = strconv.Atoi(a.Settings.Index.Shards); err != nil {
			return nil, fmt.Errorf("index %s does not say how many shards it has: %w", index, err)
		}
		for _, s := range a.Settings.Index.Similarity {
			d.bm25.K1, _ = s.K1.Float64()
			d.bm25.B, _ = s.B.Float64()
		}
		found = append(found, d)
	}
	return found, nil
}

// own is an error for an index that this program must not touch, or does not understand.
func (d *description) own() error {
	switch {
	case d.meta == nil:
		return fmt.Errorf("the index %s was not made by this program, which leaves it alone: use another name or prefix", d.name)
	case d.meta.Format != metaFormat:
		return fmt.Errorf("the index %s has format %d, want %d: another version of this program made it: load the data again",
			d.name, d.meta.Format, metaFormat)
	}
	return nil
}

// index is the index with a name, which must be this program's. ErrNotFound when there is none.
func (e *Engine) index(ctx context.Context, name string) (*description, error) {
	full, err := e.fullName(name)
	if err != nil {
		return nil, err
	}
	found, err := e.describe(ctx, e.client.do, full)
	if err != nil {
		return nil, err
	}
	switch {
	case len(found) == 0:
		return nil, engine.ErrNotFound
	case found[0].name != full:
		return nil, fmt.Errorf("%w: it is an alias, of the index %s", engine.ErrNotFound, found[0].name)
	}
	return found[0], found[0].own()
}

// complete is the index with a name. ErrConflict when it was never finished.
func (e *Engine) complete(ctx context.Context, name string) (*description, error) {
	d, err := e.index(ctx, name)
	if err == nil && d.meta.State != stateComplete {
		err = fmt.Errorf("%w: it was never finished", engine.ErrConflict)
	}
	return d, err
}

// aliased is the index that an alias points to; nil where it points nowhere.
func (e *Engine) aliased(ctx context.Context, ask asker, alias string) (*description, error) {
	full, err := e.fullName(alias)
	if err != nil {
		return nil, err
	}
	found, err := e.describe(ctx, ask, full)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	switch {
	case len(found) > 1:
		return nil, fmt.Errorf("%s points to %d indexes (%s and others), want one, as PointAlias leaves it", full, len(found), found[0].name)
	case found[0].name == full:
		return nil, fmt.Errorf("%s is an index, want an alias: rename or drop that index, or use another prefix", full)
	}
	return found[0], found[0].own()
}

// Indexes is every index under the prefix that this program made, oldest first.
func (e *Engine) Indexes(ctx context.Context) ([]engine.Info, error) {
	ctx, cancel := context.WithTimeout(ctx, adminTimeout)
	defer cancel()
	found, err := e.describe(ctx, e.client.do, e.options.Prefix+"*")
	if err != nil {
		return nil, fmt.Errorf("list indexes: %w", err)
	}
	// The pattern finds the targets of aliases too.
	found = slices.DeleteFunc(found, func(d *description) bool {
		return d.meta == nil || !strings.HasPrefix(d.name, e.options.Prefix)
	})
	sizes, err := e.sizes(ctx, e.options.Prefix+"*")
	if err != nil {
		return nil, fmt.Errorf("list indexes: %w", err)
	}
	infos := make([]engine.Info, len(found))
	for i, d := range found {
		infos[i] = e.info(d)
		infos[i].Bytes = sizes[d.name]
	}
	slices.SortStableFunc(infos, func(a, b engine.Info) int {
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.Name, b.Name))
	})
	return infos, nil
}

// sizes are the bytes on all nodes together of the open indexes behind a name or pattern.
func (e *Engine) sizes(ctx context.Context, name string) (map[string]int64, error) {
	var answer struct {
		Indices map[string]struct {
			Total struct {
				Store struct {
					Bytes int64 `json:"size_in_bytes"`
				}
			}
		}
	}
	err := e.client.do(ctx, esapi.IndicesStatsRequest{
		Index: []string{name}, Metric: []string{"store"}, FilterPath: []string{"indices.*.total.store.size_in_bytes"},
	}, &answer)
	if err != nil {
		return nil, err
	}
	sizes := make(map[string]int64, len(answer.Indices))
	for index, a := range answer.Indices {
		sizes[index] = a.Total.Store.Bytes
	}
	return sizes, nil
}

// Inspect is a finished index, whatever points to it.
func (e *Engine) OpenIndex(ctx context.Context, index string) (engine.Snapshot, error) {
	ctx, cancel := context.WithTimeout(ctx, adminTimeout)
	defer cancel()
	d, err := e.complete(ctx, index)
	if err != nil {
		return nil, fmt.Errorf("inspect index %q: %w", index, err)
	}
	sizes, err := e.sizes(ctx, d.name)
	if err != nil {
		return nil, fmt.Errorf("inspect index %q: %w", index, err)
	}
	s := e.snapshot(d)
	s.info.Bytes = sizes[d.name]
	return s, nil
}

func (e *Engine) info(d *description) engine.Info {
	m := d.meta
	return engine.Info{
		Name: e.shortName(d.name), Mapping: m.Mapping, Source: m.Source, Currency: m.Currency, Taxonomy: m.Taxonomy,
		Vectors: m.Vectors, Created: m.Created, Complete: m.State == stateComplete, Documents: m.Documents, Updated: m.Updated,
	}
}

// Create makes an empty index that takes documents as fast as can be: it neither refreshes nor has replicas until Bulk's
// Close.
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
	if full == e.lockIndex() {
		return fmt.Errorf("%w: the name is that of the index with the lock", engine.ErrConflict)
	}
	body, err := e.createBody(spec)
	if err != nil {
		return err
	}
	err = e.command(ctx, esapi.IndicesCreateRequest{Index: full, Body: body})
	if f, ok := errors.AsType[*Failure](err); ok &&
		(f.Type == "resource_already_exists_exception" || f.Type == "invalid_index_name_exception") {
		return fmt.Errorf("%w: %s", engine.ErrConflict, f.Reason) // the name is taken by an index, or by an alias
	}
	return err
}

// createBody is the body of a create-index request: the mapping's own, with the fields of the vectors and what the
// index says of itself.
func (e *Engine) createBody(spec *engine.Spec) (*bytes.Reader, error) {
	var body map[string]map[string]any
	if err := json.Unmarshal(spec.Mapping.JSON, &body); err != nil {
		return nil, err
	}
	properties := body["mappings"]["properties"].(map[string]any)
	for i, space := range spec.Vectors {
		properties[vectorField(i)] = object{
			"type": "dense_vector", "element_type": "byte", "dims": space.Dimensions, "index": true, "similarity": "cosine",
			"index_options": object{"type": "hnsw", "m": 16, "ef_construction": 100},
		}
	}
	body["mappings"]["_meta"] = object{"matching": meta{
		Format: metaFormat, State: stateCreated, Mapping: spec.Mapping.Name, Source: spec.Source, Currency: spec.Currency,
		Taxonomy: spec.Taxonomy, Vectors: spec.Vectors, Created: spec.Created,
	}}
	index := body["settings"]["index"].(map[string]any)
	index["number_of_shards"], index["number_of_replicas"] = e.options.Shards, 0
	index["refresh_interval"] = "-1"
	body["aliases"] = object{e.options.Prefix + spec.Name + writeSuffix: object{"is_hidden": true}}
	return jsonBody(body)
}

// describeAs replaces what an index says of itself.
func (e *Engine) describeAs(ctx context.Context, index string, m *meta) error {
	body, err := jsonBody(object{"_meta": object{"matching": m}})
	if err != nil {
		return err
	}
	return e.command(ctx, esapi.IndicesPutMappingRequest{Index: []string{index}, Body: body})
}

// adminTimeout bounds one administrative call, unless its context does so before.
const adminTimeout = 30 * time.Second

// command sends a request that changes the state of the cluster.
func (e *Engine) command(ctx context.Context, r request) error {
	var answer struct{ Acknowledged bool }
	if err := e.client.do(ctx, r, &answer); err != nil {
		return err
	}
	if !answer.Acknowledged {
		return errNotAcknowledged
	}
	return nil
}

var errNotAcknowledged = errors.New("the nodes of Elasticsearch did not all take the change in time")
