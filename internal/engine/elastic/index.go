package elastic

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"freelancer-matching/internal/engine"
	"freelancer-matching/mappings"
)

// meta is what an index says of itself in its mapping, under _meta.matching. An index without it is somebody else's.
type meta struct {
	Format    int                  `json:"format"` // metaFormat
	State     string               `json:"state"`
	Mapping   string               `json:"mapping"`
	Source    string               `json:"source"`
	Currency  string               `json:"currency"`
	Taxonomy  string               `json:"taxonomy"`
	Vectors   []engine.VectorSpace `json:"vectors,omitempty"`
	Created   time.Time            `json:"created"`
	Documents int                  `json:"documents,omitempty"` // of a complete index
	Updates   int                  `json:"updates,omitempty"`   // since it was complete
}

// metaFormat is the version of all that this package puts into an index beside the mapping's own fields.
const metaFormat = 1

// The states of an index.
const (
	stateCreated  = "created"
	stateFilling  = "filling"
	stateComplete = "complete"
)

// description is one index as Elasticsearch describes it.
type description struct {
	name   string // in Elasticsearch
	meta   meta
	bm25   mappings.BM25
	shards int
}

// described are the indexes behind a name, pattern or alias that are this program's; none where there is nothing.
func (e *Engine) described(
	ctx context.Context, ask func(context.Context, request, any) error, name string,
) ([]*description, error) {
	var answer map[string]struct {
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
	err := ask(ctx, esapi.IndicesGetRequest{Index: []string{name}, IgnoreUnavailable: new(bool)}, &answer)
	if failed(err, 0, indexNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var found []*description
	for index, a := range answer {
		m := a.Mappings.Meta.Matching
		if m == nil {
			return nil, fmt.Errorf("%s leads to the index %s, which this program did not make, and leaves alone", name, index)
		}
		d := &description{name: index, meta: *m}
		fmt.Sscan(a.Settings.Index.Shards, &d.shards)
		for _, s := range a.Settings.Index.Similarity {
			d.bm25.K1, _ = s.K1.Float64()
			d.bm25.B, _ = s.B.Float64()
		}
		found = append(found, d)
	}
	return found, nil
}

func (s *snapshot) same(d *description) bool {
	return s.name == d.name && s.meta.Updates == d.meta.Updates && s.meta.State == d.meta.State
}

func (e *Engine) snapshot(_ context.Context, d *description) (*snapshot, error) {
	return &snapshot{
		engine: e, name: d.name, meta: &d.meta, bm25: d.bm25, shards: d.shards,
		terms: map[string]int{}, skills: map[string]int{}, info: e.info(d),
	}, nil
}

func (e *Engine) info(d *description) engine.Info {
	m := &d.meta
	return engine.Info{
		Name: strings.TrimPrefix(d.name, e.options.Prefix), Mapping: m.Mapping, Source: m.Source, Currency: m.Currency,
		Taxonomy: m.Taxonomy, Vectors: m.Vectors, Created: m.Created, Complete: m.State == stateComplete, Documents: m.Documents,
	}
}

// create is the body of a create-index request: the mapping's own, with the fields of the vectors and what the index says of
// itself.
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
	return jsonBody(body)
}
