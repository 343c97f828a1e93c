package document

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"unicode/utf8"

	"github.com/freelancer-matching/service/engine/elastic/rest"
	"github.com/freelancer-matching/service/internal/matching"
)

// Key returns the _id of a freelancer's document. Elasticsearch allows up to 512 bytes; longer ids are hashed.
func Key(id string) string {
	if len(id) <= 512 {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "sha256-" + hex.EncodeToString(sum[:])
}

// InvalidID reports whether no document can have the id.
func InvalidID(id string) bool { return id == "" || !utf8.ValidString(id) }

// StoredSource is the part of a stored document that holds the record.
type StoredSource struct{ Freelancer json.RawMessage }

// Decode decodes the record of the document with an _id.
func (s *StoredSource) Decode(id string) (f matching.Freelancer, err error) {
	if err := json.Unmarshal(s.Freelancer, &f); err != nil {
		return matching.Freelancer{}, fmt.Errorf("the record can't be decoded: %w", err)
	}
	if Key(f.ID) != id {
		return matching.Freelancer{}, fmt.Errorf("the document holds the record of freelancer %q", f.ID)
	}
	return f, nil
}

// A StoredDocument is the answer to a request for a document by its _id.
type StoredDocument struct {
	rest.Revision
	Found  bool
	Error  *struct{ Type, Reason string }
	Source StoredSource `json:"_source"`
}

// Get returns documents by their _ids, in the same order, whether searchable yet or not.
func Get(ctx context.Context, client *rest.Client, index string, keys []string) ([]StoredDocument, error) {
	return getMany(ctx, client, index, keys, nil)
}

// Present returns which of the ids are in an index, whether searchable yet or not.
func Present(ctx context.Context, client *rest.Client, index string, ids []string) (map[string]bool, error) {
	present := map[string]bool{}
	for chunk := range slices.Chunk(slices.DeleteFunc(slices.Clone(ids), InvalidID), maxKeys) {
		keys := make([]string, len(chunk))
		for i, id := range chunk {
			keys[i] = Key(id)
		}

		// Getting by ID sees documents that no refresh has made searchable yet; a search would miss them.
		var found []StoredDocument
		err := client.Retry(ctx, "look up ids", func(ctx context.Context) (err error) {
			found, err = getMany(ctx, client, index, keys, rest.Params{"_source": "false"})
			return err
		})
		if err != nil {
			return nil, err
		}

		for i, record := range found {
			if record.Found {
				present[chunk[i]] = true
			}
		}
	}

	return present, nil
}

// getMany requests documents with the given query parameters.
func getMany(
	ctx context.Context, client *rest.Client, index string, keys []string, query rest.Params,
) ([]StoredDocument, error) {
	if len(keys) == 0 {
		return nil, nil
	}

	body, err := rest.Body(map[string]any{"ids": keys})
	if err != nil {
		return nil, err
	}

	var answer struct{ Docs []StoredDocument }
	get := rest.Request{Method: http.MethodPost, Path: index + "/_mget", Query: query, Body: body}
	if err := client.Do(ctx, get, &answer); err != nil {
		return nil, err
	}
	if len(answer.Docs) != len(keys) {
		return nil, fmt.Errorf("the answer has %d documents, want %d", len(answer.Docs), len(keys))
	}

	// The request as a whole succeeds even if a shard is missing; each of its documents then has an error.
	for _, d := range answer.Docs {
		if d.Error != nil {
			status := http.StatusServiceUnavailable
			if d.Error.Type == rest.IndexNotFound {
				status = http.StatusNotFound
			}
			return nil, &rest.Failure{Status: status, Type: d.Error.Type, Reason: d.Error.Reason}
		}
	}

	return answer.Docs, nil
}

// maxKeys is the number of documents that one request looks up.
const maxKeys = 1000
