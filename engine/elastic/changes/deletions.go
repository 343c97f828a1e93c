package changes

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/freelancer-matching/service/engine/elastic/catalog"
	"github.com/freelancer-matching/service/engine/elastic/document"
	"github.com/freelancer-matching/service/engine/elastic/rest"
)

// Elasticsearch keeps no trace of a deletion that could be searched for. A hidden index therefore lists the IDs of
// deleted documents, so that trackers can report them. A deletion is noted after it was made and before it is
// acknowledged.

// deletionsKept is how long deletions stay in the list, and how long a tracker can be used.
const deletionsKept = 24 * time.Hour

// deletionsCleared is how often a process that deletes documents or tracks an index removes older entries.
const deletionsCleared = time.Hour

// Index returns the full name of the list's index. Without _meta.matching, that index is never listed.
func (l *DeletionList) Index() string { return l.Catalog.Prefix + "deletions" }

// A DeletionList lists deleted documents. It is safe for concurrent use.
type DeletionList struct {
	Client  *rest.Client
	Catalog *catalog.Catalog
	Log     *slog.Logger

	mu      sync.Mutex // guards the field below
	cleared time.Time  // when old entries were last removed
}

// A Deletion is an entry of the list.
type Deletion struct {
	Index string    `json:"index"` // full name
	ID    string    `json:"id"`    // of the document
	At    time.Time `json:"at"`
}

// Note adds documents of an index to the list. It can be repeated.
func (l *DeletionList) Note(ctx context.Context, index string, ids []string) error {
	now := time.Now().UTC()
	var body bytes.Buffer
	lines := json.NewEncoder(&body)
	for _, id := range ids {
		key := document.Key(index + "/" + id) // each document has one entry at most
		_ = lines.Encode(object{"index": object{"_id": key}})
		_ = lines.Encode(Deletion{Index: index, ID: id, At: now})
	}

	err := l.send(ctx, body.Bytes())
	if rest.IsFailure(err, 0, rest.IndexNotFound) {
		if err = l.create(ctx); err == nil {
			err = l.send(ctx, body.Bytes())
		}
	}

	if err != nil {
		return fmt.Errorf("note deletions: %w", err)
	}
	l.clear(ctx, now)

	return nil
}

// clear removes old entries from the list, unless this process has just done so.
func (l *DeletionList) clear(ctx context.Context, now time.Time) {
	l.mu.Lock()
	due := now.Sub(l.cleared) > deletionsCleared
	if due {
		l.cleared = now
	}
	l.mu.Unlock()
	if !due {
		return
	}
	old := object{"range": object{"at": object{"lt": now.Add(-deletionsKept)}}}
	if err := l.Remove(ctx, old); err != nil {
		l.Log.WarnContext(ctx, "old entries of the list of deletions not removed", "error", err)
	}
}

// send adds entries to the list. The error is an index_not_found_exception if there is no list.
func (l *DeletionList) send(ctx context.Context, body []byte) error {
	var answer rest.BulkAnswer
	err := l.Client.Do(ctx, rest.BulkRequest(l.Index(), body), &answer)
	for _, item := range answer.Items {
		for _, o := range item {
			if failure := o.Failure(); failure != nil && err == nil {
				err = failure
			}
		}
	}
	return err
}

// create creates the index of the list unless it exists.
func (l *DeletionList) create(ctx context.Context) error {
	return l.Catalog.CreateHidden(ctx, l.Index(), object{
		"dynamic": false,
		"_meta":   object{"matching_deletions": object{"format": 1}},
		"properties": object{
			"index": object{"type": "keyword"}, "at": object{"type": "date"},
		},
	}, nil)
}

// Remove removes the entries that match a query, if there is a list.
func (l *DeletionList) Remove(ctx context.Context, query object) error {
	err := l.Client.RefreshOnce(ctx, l.Index())
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

	err = l.Client.Do(ctx, rest.Request{
		Method: http.MethodPost, Path: l.Index() + "/_delete_by_query",
		Query: rest.Params{"conflicts": "proceed", "refresh": "true"}, Body: body,
	}, nil)
	if rest.IsFailure(err, http.StatusNotFound) {
		return nil
	}

	return err
}

// An object is a JSON object of a request.
type object = map[string]any
