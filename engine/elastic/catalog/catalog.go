package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/elastic/rest"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/mappings"
)

// Meta describes an index in its mapping, under _meta.matching. An index without it belongs to somebody else.
type Meta struct {
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

// Format is the version of everything that this package stores in an index.
const Format = 3

// The states of an index.
const (
	StateCreated  = "created"
	StateFilling  = "filling"
	StateComplete = "complete"
)

// A Catalog reads and writes the descriptions of indexes under a prefix.
type Catalog struct {
	client *rest.Client
	Prefix string // of the names of all indexes and aliases
}

// New returns the catalog of the indexes under a prefix.
func New(client *rest.Client, prefix string) *Catalog {
	return &Catalog{client: client, Prefix: prefix}
}

// A Description is what Elasticsearch tells about an index.
type Description struct {
	Name    string // full name
	Meta    *Meta  // nil if this program did not create the index; empty if it is damaged
	fault   error  // set if meta can't be decoded
	BM25    mappings.BM25
	Shards  int
	Aliases []string // without the one for writing
}

// An Asker sends a request: rest.Client.Ask for searches, rest.Client.Do for indexing.
type Asker func(ctx context.Context, r rest.Request, out any) error

// Describe returns the descriptions of all indexes that a name, pattern or alias stands for, in order of their names.
// It includes indexes that belong to somebody else.
func (c *Catalog) Describe(ctx context.Context, ask Asker, name string) ([]*Description, error) {
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

	// The whole mapping has hundreds of lines, and this is asked twice a second, so only what is needed is sent.
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

	var indexes []*Description
	for _, index := range slices.Sorted(maps.Keys(answer)) {
		a := answer[index]

		// Only this program creates the alias for writing. An index that has one but no description has lost it.
		_, created := a.Aliases[index+rest.WriteSuffix]
		delete(a.Aliases, index+rest.WriteSuffix)
		d := &Description{Name: index, Aliases: slices.Sorted(maps.Keys(a.Aliases))}
		if d.Meta, d.fault = decodeMeta(a.Mappings.Meta.Matching); d.Meta == nil && created {
			d.Meta, d.fault = &Meta{}, fmt.Errorf("%w: _meta.matching is missing", engine.ErrDamaged)
		}

		if d.Shards, err = strconv.Atoi(a.Settings.Index.Shards); err != nil {
			return nil, fmt.Errorf("number of shards of index %s: %w", index, err)
		}

		for _, s := range a.Settings.Index.Similarity {
			d.BM25.K1, _ = s.K1.Float64()
			d.BM25.B, _ = s.B.Float64()
		}

		indexes = append(indexes, d)
	}

	return indexes, nil
}

// decodeMeta decodes _meta.matching. It returns nil if _meta has no such member, and an error if it is damaged.
func decodeMeta(data json.RawMessage) (*Meta, error) {
	if data == nil || string(data) == "null" {
		return nil, nil //nolint:nilnil // not having any is no error
	}
	m := &Meta{}
	err := json.Unmarshal(data, m)
	isKnown := slices.Contains([]string{StateCreated, StateFilling, StateComplete}, m.State) && m.Format >= 0
	if err == nil && !isKnown {
		err = fmt.Errorf("format %d, state %q", m.Format, m.State)
	}
	if err != nil {
		return &Meta{}, fmt.Errorf("%w: _meta.matching: %w", engine.ErrDamaged, err)
	}
	return m, nil
}

// CheckOwned returns an error for an index that this program must not touch or does not understand.
func (c *Catalog) CheckOwned(d *Description) error {
	switch {
	case d.fault != nil:
		return fmt.Errorf("the index %s: %w", d.Name, d.fault)
	case d.Meta == nil:
		return fmt.Errorf("the index %s was not created by this program: use another name or prefix", d.Name)
	case d.Meta.Format != Format:
		return &engine.FormatError{Index: c.ShortName(d.Name), Has: d.Meta.Format, Want: Format}
	}
	return nil
}

// Index returns the index with the given name, which must belong to this program. It returns ErrNotFound if there is
// none.
func (c *Catalog) Index(ctx context.Context, name string) (*Description, error) {
	full, err := c.FullName(name)
	if err != nil {
		return nil, err
	}
	indexes, err := c.Describe(ctx, c.client.Do, full)
	if err != nil {
		return nil, err
	}
	switch {
	case len(indexes) == 0:
		return nil, engine.ErrNotFound
	case indexes[0].Name != full:
		return nil, fmt.Errorf("%w: the name is an alias of the index %s", engine.ErrNotFound, indexes[0].Name)
	}
	return indexes[0], c.CheckOwned(indexes[0])
}

// Complete returns the index with the given name, or ErrConflict if it is incomplete.
func (c *Catalog) Complete(ctx context.Context, name string) (*Description, error) {
	d, err := c.Index(ctx, name)
	if err == nil && d.Meta.State != StateComplete {
		err = fmt.Errorf("%w: the index is incomplete", engine.ErrConflict)
	}
	return d, err
}

// Aliased returns the indexes that an alias points to. It returns an error if an index has that name.
func (c *Catalog) Aliased(ctx context.Context, ask Asker, alias string) ([]*Description, error) {
	full, err := c.FullName(alias)
	if err != nil {
		return nil, err
	}
	indexes, err := c.Describe(ctx, ask, full)

	isIndex := len(indexes) > 0 && indexes[0].Name == full
	if err == nil && isIndex {
		err = fmt.Errorf("%s is an index, want an alias: drop the index or use another prefix", full)
	}
	return indexes, err
}

// Only returns the only index that an alias points to, or nil if it points nowhere. If it points to several indexes,
// the error is an *engine.AliasError. An alias to an index of another program is not damaged, but must not be touched.
func (c *Catalog) Only(alias string, indexes []*Description) (*Description, error) {
	for _, d := range indexes {
		if d.Meta == nil {
			return nil, c.CheckOwned(d)
		}
	}
	switch len(indexes) {
	case 0:
		return nil, nil //nolint:nilnil // pointing nowhere is no error
	case 1:
		return indexes[0], nil
	default:
		return nil, &engine.AliasError{Alias: c.Prefix + alias, Reason: fmt.Sprintf(
			"it points to %d indexes (%s and others), want one", len(indexes), indexes[0].Name)}
	}
}

// Live returns the index that an alias points to, or nil if nothing has been loaded yet. If the index or the alias
// can't be used, the error says why, and engine.Unusable is true.
func (c *Catalog) Live(ctx context.Context, ask Asker, alias string) (*Description, error) {
	indexes, err := c.Aliased(ctx, ask, alias)
	if err != nil {
		return nil, err
	}
	d, err := c.Only(alias, indexes)
	if err != nil {
		return nil, err
	}
	if d == nil {
		return nil, c.checkNothingLost(ctx, ask, alias)
	}
	if err := c.CheckOwned(d); err != nil {
		return nil, err
	}
	if d.Meta.State != StateComplete {
		return nil, fmt.Errorf("the index %s: %w: it was never completed", d.Name, engine.ErrDamaged)
	}
	return d, nil
}

// checkNothingLost returns an *engine.AliasError for an alias that points nowhere if there are indexes that an alias
// has pointed to.
func (c *Catalog) checkNothingLost(ctx context.Context, ask Asker, alias string) error {
	indexes, err := c.Describe(ctx, ask, c.Prefix+"*")
	if err != nil {
		return err
	}

	// An index that was live keeps that mark when the alias is lost, so the loss differs from an empty cluster.
	if slices.ContainsFunc(indexes, func(d *Description) bool {
		return c.Owns(d) && d.Meta.State == StateComplete && !d.Meta.Pending
	}) {
		return &engine.AliasError{
			Alias: c.Prefix + alias, Reason: "it does not exist, although there are finished indexes",
		}
	}
	return nil
}

// Owns reports whether this program created an index under the prefix. A pattern also matches aliases of other indexes.
func (c *Catalog) Owns(d *Description) bool {
	return d.Meta != nil && strings.HasPrefix(d.Name, c.Prefix)
}

// Info describes an index to users of the engine.
func (c *Catalog) Info(d *Description) engine.Info {
	m := d.Meta
	return engine.Info{
		Name: c.ShortName(d.Name), Mapping: m.Mapping, Source: m.Source, Currency: m.Currency, Taxonomy: m.Taxonomy,
		Vectors: m.Vectors, Created: m.Created, Complete: m.State == StateComplete, Documents: m.Documents,
		Updated: m.Updated, Provenance: m.Provenance,
	}
}

// PutMeta replaces the _meta of an index.
func (c *Catalog) PutMeta(ctx context.Context, index string, m *Meta) error {
	body, err := rest.Body(object{"_meta": object{"matching": m}})
	if err != nil {
		return err
	}
	return c.client.Command(ctx, rest.Request{Method: http.MethodPut, Path: index + "/_mapping", Body: body})
}

// CreateHidden creates an index that is never listed, unless it exists. Its settings, which may be nil, add to those of
// all hidden indexes.
func (c *Catalog) CreateHidden(ctx context.Context, name string, mapping, settings object) error {
	if _, err := c.FullName(c.ShortName(name)); err != nil {
		return err
	}
	index := object{"hidden": true, "number_of_shards": 1, "auto_expand_replicas": "0-1"}
	maps.Copy(index, settings)
	body, err := rest.Body(object{
		"settings": object{"index": index},
		"mappings": mapping,
		"aliases":  object{name + rest.WriteSuffix: object{"is_hidden": true}},
	})
	if err != nil {
		return err
	}
	err = c.client.Command(ctx, rest.Request{Method: http.MethodPut, Path: name, Body: body})
	if rest.IsFailure(err, 0, "resource_already_exists_exception") {
		return nil
	}
	return err
}

// An object is a JSON object of a request.
type object = map[string]any
