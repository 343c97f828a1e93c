package elastic

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"freelancer-matching/engine/elastic/document"
	"freelancer-matching/engine/elastic/rest"
)

// Elasticsearch keeps no trace of a deletion that could be searched for. A hidden index therefore lists the IDs of
// deleted documents, so that trackers can report them. A deletion is noted after it was made and before it is
// acknowledged.

// deletionsKept is how long deletions stay in the list, and how long a tracker can be used.
const deletionsKept = 24 * time.Hour

// deletionsCleared is how often a process that deletes documents or tracks an index removes older entries.
const deletionsCleared = time.Hour

// deletionsIndex returns the full name of the list's index. Without _meta.matching, that index is never listed.
func (e *Engine) deletionsIndex() string { return e.options.Prefix + "deletions" }

// A deletion is an entry of the list.
type deletion struct {
	Index string    `json:"index"` // full name
	ID    string    `json:"id"`    // of the document
	At    time.Time `json:"at"`
}

// noteDeletions adds documents of an index to the list. It can be repeated.
func (e *Engine) noteDeletions(ctx context.Context, index string, ids []string) error {
	now := time.Now().UTC()
	var body bytes.Buffer
	lines := json.NewEncoder(&body)
	for _, id := range ids {
		key := document.Key(index + "/" + id) // each document has one entry at most
		_ = lines.Encode(object{"index": object{"_id": key}})
		_ = lines.Encode(deletion{Index: index, ID: id, At: now})
	}

	err := e.sendDeletions(ctx, body.Bytes())
	if rest.IsFailure(err, 0, rest.IndexNotFound) {
		if err = e.createDeletionsIndex(ctx); err == nil {
			err = e.sendDeletions(ctx, body.Bytes())
		}
	}

	if err != nil {
		return fmt.Errorf("note deletions: %w", err)
	}
	e.clearDeletions(ctx, now)

	return nil
}

// clearDeletions removes old entries from the list, unless this process has just done so.
func (e *Engine) clearDeletions(ctx context.Context, now time.Time) {
	e.mu.Lock()
	due := now.Sub(e.cleared) > deletionsCleared
	if due {
		e.cleared = now
	}
	e.mu.Unlock()
	if !due {
		return
	}
	old := object{"range": object{"at": object{"lt": now.Add(-deletionsKept)}}}
	if err := e.removeDeletions(ctx, old); err != nil {
		e.options.Log.WarnContext(ctx, "old entries of the list of deletions not removed", "error", err)
	}
}

// sendDeletions adds entries to the list. The error is an index_not_found_exception if there is no list.
func (e *Engine) sendDeletions(ctx context.Context, body []byte) error {
	var answer rest.BulkAnswer
	err := e.client.Do(ctx, rest.BulkRequest(e.deletionsIndex(), body), &answer)
	for _, item := range answer.Items {
		for _, o := range item {
			if failure := o.Failure(); failure != nil && err == nil {
				err = failure
			}
		}
	}
	return err
}

// createDeletionsIndex creates the index of the list unless it exists.
func (e *Engine) createDeletionsIndex(ctx context.Context) error {
	return e.createHidden(ctx, e.deletionsIndex(), object{
		"dynamic": false,
		"_meta":   object{"matching_deletions": object{"format": 1}},
		"properties": object{
			"index": object{"type": "keyword"}, "at": object{"type": "date"},
		},
	})
}

// removeDeletions removes the entries that match a query, if there is a list.
func (e *Engine) removeDeletions(ctx context.Context, query object) error {
	err := e.client.RefreshOnce(ctx, e.deletionsIndex())
	if rest.IsFailure(err, 0, rest.IndexNotFound) {
		return nil
	}
	if err != nil {
		return err
	}

	body, err := rest.Body(object{"query": query})
	if err != nil {
		return err
	}

	err = e.client.Do(ctx, rest.Request{
		Method: http.MethodPost, Path: e.deletionsIndex() + "/_delete_by_query",
		Query: rest.Params{"conflicts": "proceed", "refresh": "true"}, Body: body,
	}, nil)
	if rest.IsFailure(err, http.StatusNotFound) {
		return nil
	}

	return err
}
