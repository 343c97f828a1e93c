package search

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/elastic/document"
	"github.com/freelancer-matching/service/engine/elastic/rest"
)

var _ engine.Revisions = (*Snapshot)(nil)

// revision returns a hash of a stored record, so that the revision outlasts a load of the same record. The token of the
// change that wrote it is part of it.
func revision(stored *document.StoredSource) uint64 {
	sum := sha256.Sum256(stored.Freelancer)
	return max(1, binary.LittleEndian.Uint64(sum[:]))
}

// Revisions implements engine.Revisions with one request.
func (s *Snapshot) Revisions(ctx context.Context, ids []string) ([]uint64, error) {
	documents, err := s.get(ctx, ids)
	if err != nil {
		return nil, err
	}
	revisions := make([]uint64, len(ids))
	for i := range documents {
		if documents[i].Found {
			revisions[i] = revision(&documents[i].Source)
		}
	}
	return revisions, nil
}

// Records implements engine.Revisions with one request.
func (s *Snapshot) Records(ctx context.Context, ids []string) ([]engine.Record, error) {
	documents, err := s.get(ctx, ids)
	if err != nil {
		return nil, err
	}

	records := make([]engine.Record, len(ids))
	for i := range documents {
		d := &documents[i]
		if !d.Found {
			continue
		}
		f, err := d.Source.Decode(document.Key(ids[i]))
		if err != nil {
			s.noteDamage("record " + ids[i])
			continue
		}
		records[i] = engine.Record{Freelancer: f, Revision: revision(&d.Source)}
	}

	return records, nil
}

// revisionsPage is the number of records that EachRevision reads with one request.
const revisionsPage = 1000

// EachRevision reads all records, page by page. A document that is changed meanwhile becomes the first, so a page may
// miss it.
func (s *Snapshot) EachRevision(ctx context.Context, visit func(id string, revision uint64)) error {
	var after []json.RawMessage
	for {
		// The ID comes second, because servers whose clocks agree may give the same position to two documents.
		search := object{
			"size": revisionsPage, "track_total_hits": false, "_source": []string{"freelancer"},
			"sort": []object{{"position": "desc"}, {"id": "asc"}},
		}
		if after != nil {
			search["search_after"] = after
		}
		body, err := json.Marshal(search)
		if err != nil {
			return s.wrap("list the revisions of", err)
		}

		var answer struct {
			rest.Completeness
			Hits struct {
				Hits []struct {
					Source document.StoredSource `json:"_source"`
					Sort   []json.RawMessage
				}
			}
		}
		if err := s.search(ctx, body, &answer); err != nil {
			return s.wrap("list the revisions of", err)
		}

		for i := range answer.Hits.Hits {
			hit := &answer.Hits.Hits[i]
			var id string
			if err := json.Unmarshal(hit.Sort[1], &id); err != nil {
				return s.wrap("list the revisions of", err)
			}
			visit(id, revision(&hit.Source))
			after = hit.Sort
		}
		if len(answer.Hits.Hits) < revisionsPage {
			return nil
		}
	}
}
