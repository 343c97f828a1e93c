package encoded

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/elastic/catalog"
	"github.com/freelancer-matching/service/engine/elastic/lock"
	"github.com/freelancer-matching/service/engine/elastic/rest"
	"github.com/freelancer-matching/service/internal/matching"
)

// Index returns the full name of the index. Without _meta.matching, it is never listed as an index of freelancers.
func Index(c *catalog.Catalog) string { return c.Prefix + "encoded-profiles" }

// A Store keeps vectors of one space, for all processes that use the cluster. It is safe for concurrent use, but for
// Follow and Read.
type Store struct {
	Client  *rest.Client
	Catalog *catalog.Catalog
	Lock    *lock.Locker // held by the process that leads
	Owner   string       // of the lock
	Space   string       // names everything that vectors depend on besides the record

	mu        sync.RWMutex               // guards the fields below
	release   func() error               // of the lock; nil if this process doesn't lead
	revisions map[engine.HashedID]uint64 // 0 for vectors of another space
}

// A source is a document of the index. Its _id is the hash of the freelancer's ID.
type source struct {
	ID       string `json:"id"` // the same
	Space    string `json:"space"`
	Revision int64  `json:"revision"` // Elasticsearch has no unsigned integers that a document can return
	Text     int64  `json:"text"`
	Short    vector `json:"short"`
	Whole    vector `json:"whole,omitempty"` // absent if it equals Short, as without a description
}

// A vector is a list of whole numbers in JSON.
type vector matching.Vector

// UnmarshalJSON decodes a vector in half of the time that the package json takes, for which a match waits.
func (v *vector) UnmarshalJSON(text []byte) error {
	list, found := bytes.CutPrefix(bytes.TrimSuffix(text, []byte("]")), []byte("["))
	if !found {
		return fmt.Errorf("decode a vector: %q is no list", text[:min(len(text), 20)])
	}

	*v = make(vector, 0, engine.EncodedDimensions)
	for len(list) > 0 {
		var number []byte
		number, list, _ = bytes.Cut(list, []byte(","))
		x, err := strconv.ParseInt(string(bytes.TrimSpace(number)), 10, 8)
		if err != nil {
			return fmt.Errorf("decode a vector: %w", err)
		}
		*v = append(*v, int8(x))
	}

	return nil
}

// mapping returns the mapping of the index. Vectors are read by ID, so they aren't indexed: a graph for searching would
// take most of the time of a write.
func mapping() object {
	number := object{"type": "long", "index": false}
	vector := object{
		"type": "dense_vector", "element_type": "byte", "dims": engine.EncodedDimensions, "index": false,
	}
	return object{
		"dynamic": "strict",
		"_meta":   object{"matching_encoded": object{"format": 1}},
		"properties": object{
			"id": object{"type": "keyword"}, "space": object{"type": "keyword"},
			"revision": number, "text": number, "short": vector, "whole": vector,
		},
	}
}

// key returns the _id of a document.
func key(id engine.HashedID) string { return fmt.Sprintf("%016x", uint64(id)) }

// Follow lets this process lead if no other one does. A process that begins to lead lists what is stored.
func (s *Store) Follow(ctx context.Context) error {
	if s.Leads() {
		err := s.Lock.Check(ctx)
		if err == nil {
			return nil
		}
		return errors.Join(err, s.Close())
	}

	release, err := s.Lock.Acquire(ctx, s.Owner)
	if errors.Is(err, engine.ErrConflict) {
		return nil // another process leads
	}
	if err != nil {
		return fmt.Errorf("lead the encoding of profiles: %w", err)
	}
	if _, err := s.Read(ctx); err != nil {
		return errors.Join(err, release())
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	s.release = release
	return nil
}

// Leads reports whether this process leads.
func (s *Store) Leads() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.release != nil
}

// Writes returns true. Vectors, revision and hash of the texts are one document, so concurrent writes never mix them.
func (s *Store) Writes() bool { return true }

// Close ends the lead of this process.
func (s *Store) Close() error {
	s.mu.Lock()
	release := s.release
	s.release = nil
	s.mu.Unlock()
	if release == nil {
		return nil
	}
	return release()
}

// Has reports whether a freelancer has vectors of a revision. It knows what Read has found and what this process has
// stored since.
func (s *Store) Has(id string, revision uint64) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return revision != 0 && s.revisions[engine.HashID(id)] == revision
}

// Count returns the number of freelancers with vectors, of whatever revision.
func (s *Store) Count(ctx context.Context) (int, error) {
	body, err := rest.Body(object{"query": s.ofSpace()})
	if err != nil {
		return 0, err
	}
	var answer struct{ Count int }
	err = s.Client.Do(ctx, rest.Request{Method: http.MethodPost, Path: s.index() + "/_count", Body: body}, &answer)
	if rest.IsFailure(err, 0, rest.IndexNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("count the encoded profiles: %w", err)
	}
	return answer.Count, nil
}

func (s *Store) ofSpace() object { return object{"term": object{"space": s.Space}} }

func (s *Store) index() string { return Index(s.Catalog) }

// Read lists the revisions of all vectors. It returns the size of the index in bytes; 0 if there is none.
func (s *Store) Read(ctx context.Context) (size int64, err error) {
	revisions := map[engine.HashedID]uint64{}
	err = s.Client.RefreshOnce(ctx, s.index())
	switch {
	case rest.IsFailure(err, 0, rest.IndexNotFound):
	case err != nil:
		return 0, fmt.Errorf("list the encoded profiles: %w", err)
	default:
		states, err := s.Catalog.IndexStates(ctx, s.Client.Do, s.index())
		if err == nil {
			err = s.list(ctx, revisions)
		}
		if err != nil {
			return 0, fmt.Errorf("list the encoded profiles: %w", err)
		}
		size = states[s.index()].Bytes
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	s.revisions = revisions
	return size, nil
}

// listPage is the number of documents that one request lists, the most that Elasticsearch allows.
const listPage = 10_000

// list adds the revisions of all documents to a map, page by page in the order of the hashed IDs.
func (s *Store) list(ctx context.Context, revisions map[engine.HashedID]uint64) error {
	after := ""
	for {
		search := object{
			"size": listPage, "track_total_hits": false, "_source": false, "sort": []string{"id"},
			"docvalue_fields": []string{"revision", "space"},
		}
		if after != "" {
			search["search_after"] = []string{after}
		}
		body, err := rest.Body(search)
		if err != nil {
			return err
		}

		var answer struct {
			rest.Completeness
			Hits struct {
				Hits []struct {
					ID     string `json:"_id"`
					Fields struct {
						Revision []int64
						Space    []string
					}
				}
			}
		}
		err = s.Client.Ask(ctx, rest.Request{
			Method: http.MethodPost, Path: s.index() + "/_search",
			Query: rest.Params{"allow_partial_search_results": "false"}, Body: body,
		}, &answer)
		if err != nil {
			return err
		}

		for _, hit := range answer.Hits.Hits {
			after = hit.ID
			id, err := hashedID(hit.ID)
			if err != nil {
				return err
			}
			revisions[id] = 0
			if slices.Equal(hit.Fields.Space, []string{s.Space}) && len(hit.Fields.Revision) == 1 {
				revisions[id] = uint64(hit.Fields.Revision[0])
			}
		}
		if len(answer.Hits.Hits) < listPage {
			return nil
		}
	}
}

// hashedID returns the hashed ID with a key.
func hashedID(key string) (engine.HashedID, error) {
	id, err := strconv.ParseUint(key, 16, 64)
	if err != nil {
		return 0, fmt.Errorf("the document %q was not written by this program", key)
	}
	return engine.HashedID(id), nil
}

// Get returns the vectors of freelancers, in the same order, also those that are not searchable yet. The revision is 0
// if there are none.
func (s *Store) Get(ctx context.Context, ids []string) ([]engine.Encoded, error) {
	encoded := make([]engine.Encoded, len(ids))
	if len(ids) == 0 {
		return encoded, ctx.Err()
	}

	keys := make([]string, len(ids))
	for i, id := range ids {
		keys[i] = key(engine.HashID(id))
	}
	body, err := rest.Body(object{"ids": keys})
	if err != nil {
		return nil, err
	}

	var answer struct {
		Docs []struct {
			Found  bool
			Error  *struct{ Type, Reason string }
			Source source `json:"_source"`
		}
	}
	err = s.Client.Ask(ctx, rest.Request{Method: http.MethodPost, Path: s.index() + "/_mget", Body: body}, &answer)
	if rest.IsFailure(err, 0, rest.IndexNotFound) {
		return encoded, nil // nothing was encoded yet
	}
	if err == nil && len(answer.Docs) != len(ids) {
		err = fmt.Errorf("the answer has %d documents, want %d", len(answer.Docs), len(ids))
	}
	if err != nil {
		return nil, fmt.Errorf("read the vectors of profiles: %w", err)
	}

	for i := range answer.Docs {
		d := &answer.Docs[i]
		if d.Error != nil && d.Error.Type != rest.IndexNotFound {
			f := &rest.Failure{Status: http.StatusServiceUnavailable, Type: d.Error.Type, Reason: d.Error.Reason}
			return nil, fmt.Errorf("read the vectors of profiles: %w", f)
		}
		if d.Found && d.Source.Space == s.Space {
			encoded[i] = d.Source.decode()
		}
	}

	return encoded, nil
}

// decode returns what a document has; the zero value if its vectors are missing.
func (s *source) decode() engine.Encoded {
	e := engine.Encoded{
		Revision: uint64(s.Revision), Text: uint64(s.Text),
		Short: matching.Vector(s.Short), Whole: matching.Vector(s.Whole),
	}
	if e.Whole == nil {
		e.Whole = e.Short
	}
	if len(e.Short) != engine.EncodedDimensions || len(e.Whole) != engine.EncodedDimensions {
		return engine.Encoded{}
	}
	return e
}

// Put stores the vectors of freelancers in the place of earlier ones.
func (s *Store) Put(ctx context.Context, ids []string, encoded []engine.Encoded) error {
	if len(ids) == 0 {
		return nil
	}

	var body []byte
	for i, id := range ids {
		e := &encoded[i]
		d := source{
			ID: key(engine.HashID(id)), Space: s.Space, Revision: int64(e.Revision), Text: int64(e.Text),
			Short: vector(e.Short),
		}
		if !slices.Equal(e.Whole, e.Short) {
			d.Whole = vector(e.Whole)
		}
		line, err := json.Marshal(&d)
		if err != nil {
			return err
		}
		body = fmt.Appendf(body, `{"index":{"_id":%q}}`+"\n", d.ID)
		body = append(append(body, line...), '\n')
	}

	err := s.write(ctx, body)
	if rest.IsFailure(err, 0, rest.IndexNotFound) {
		if err = s.create(ctx); err == nil {
			err = s.write(ctx, body)
		}
	}
	if err != nil {
		return fmt.Errorf("store the vectors of profiles: %w", err)
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	if s.revisions == nil {
		s.revisions = map[engine.HashedID]uint64{}
	}
	for i, id := range ids {
		s.revisions[engine.HashID(id)] = encoded[i].Revision
	}

	return nil
}

// create creates the index unless it exists.
func (s *Store) create(ctx context.Context) error {
	// From version 9.2, Elasticsearch leaves vectors out of what it returns of a document. Earlier ones have no such
	// setting, and reject it.
	err := s.Catalog.CreateHidden(ctx, s.index(), mapping(), object{"mapping.exclude_source_vectors": false})
	if rest.IsFailure(err, http.StatusBadRequest) {
		err = s.Catalog.CreateHidden(ctx, s.index(), mapping(), nil)
	}
	return err
}

// write makes the changes of a bulk request. The error is an index_not_found_exception if there is no index.
func (s *Store) write(ctx context.Context, body []byte) error {
	var answer rest.BulkAnswer
	if err := s.Client.Do(ctx, rest.BulkRequest(s.index(), body), &answer); err != nil {
		return err
	}
	for _, item := range answer.Items {
		for _, o := range item {
			if failure := o.Failure(); failure != nil {
				return failure
			}
		}
	}
	return nil
}

// Retain erases the vectors of everybody else, as far as Read has found them.
func (s *Store) Retain(ctx context.Context, ids map[engine.HashedID]bool) error {
	s.mu.RLock()
	var others []engine.HashedID
	for id := range s.revisions {
		if !ids[id] {
			others = append(others, id)
		}
	}
	s.mu.RUnlock()
	return s.erase(ctx, others)
}

// Erase erases the vectors of freelancers.
func (s *Store) Erase(ctx context.Context, ids []string) error {
	hashed := make([]engine.HashedID, len(ids))
	for i, id := range ids {
		hashed[i] = engine.HashID(id)
	}
	return s.erase(ctx, hashed)
}

func (s *Store) erase(ctx context.Context, ids []engine.HashedID) error {
	for chunk := range slices.Chunk(ids, rest.MaxBatch) {
		var body []byte
		for _, id := range chunk {
			body = fmt.Appendf(body, `{"delete":{"_id":%q}}`+"\n", key(id))
		}
		err := s.write(ctx, body)
		if rest.IsFailure(err, 0, rest.IndexNotFound) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("erase the vectors of profiles: %w", err)
		}

		s.mu.Lock()
		for _, id := range chunk {
			delete(s.revisions, id)
		}
		s.mu.Unlock()
	}
	return nil
}

// An object is a JSON object of a request.
type object = map[string]any
