package changes

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/elastic/document"
	"github.com/freelancer-matching/service/engine/elastic/rest"
	"github.com/freelancer-matching/service/engine/elastic/search"
	"github.com/freelancer-matching/service/internal/retry"
)

// maxFailures is how many requests of a group of changes may fail in a row, within a second or two.
const maxFailures = 4

// A groupWriter makes the changes of one group in one index.
type groupWriter struct {
	changer  *Changer
	snapshot *search.Snapshot
	index    string // full name of the index
	written  int    // documents
}

// writeAll makes all changes. After an error, some may have been made.
func (g *groupWriter) writeAll(ctx context.Context, documents []*changedDocument) error {
	// An answer that was lost belongs to a write in another index, which says nothing about this one.
	for _, d := range documents {
		d.unanswered = nil
		d.contested = false
	}

	for len(documents) > 0 {
		count := 0
		size := 0
		for count < min(len(documents), rest.MaxBatch) && (count == 0 || size < rest.MaxBatchBytes) {
			size += documents[count].bytes()
			count++
		}

		if err := g.writeBatch(ctx, documents[:count]); err != nil {
			return err
		}
		documents = documents[count:]
	}

	return nil
}

// writeBatch makes the changes of one batch, and notes deletions for trackers.
func (g *groupWriter) writeBatch(ctx context.Context, batch []*changedDocument) error {
	attempts := retries{client: g.changer.Client}
	for pending := batch; len(pending) > 0; {
		left, err := g.writeOnce(ctx, pending)
		switch {
		case rest.IsFailure(err, http.StatusRequestEntityTooLarge) && len(left) > 1:
			// A proxy may accept less than Elasticsearch, so the limit is found by halving.
			middle := len(left) / 2
			if err := g.writeBatch(ctx, left[:middle]); err != nil {
				return err
			}
			left = left[middle:]
			err = nil

		case len(left) < len(pending):
			attempts.errors, attempts.conflicts = 0, 0
		}

		if err := attempts.wait(ctx, err); err != nil {
			return err
		}
		pending = left
	}

	return g.noteDeletions(ctx, batch)
}

// noteDeletions lists the documents of a batch that are gone.
func (g *groupWriter) noteDeletions(ctx context.Context, batch []*changedDocument) error {
	var deleted []string
	for _, d := range batch {
		if d.deleted() && !document.InvalidID(d.id) {
			deleted = append(deleted, d.id)
		}
	}
	if len(deleted) == 0 {
		return nil
	}

	// A deletion that no tracker sees would be undone by the next load, so it must not be acknowledged.
	attempts := retries{client: g.changer.Client}
	for {
		err := g.changer.Deletions.Note(ctx, g.index, deleted)
		if err == nil {
			return nil
		}
		if err := attempts.wait(ctx, err); err != nil {
			return err
		}
	}
}

// retries counts attempts in a row that led nowhere: because of errors, and because other processes were faster.
type retries struct {
	client            *rest.Client
	errors, conflicts int
}

// wait waits before the next attempt, after the given error or because another process interfered. It returns an error
// if there must be no other attempt.
func (r *retries) wait(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return rest.ContextError(ctx)
	}

	// Another caller that was faster has made progress, so conflicts are retried until the deadline.
	if err == nil {
		if r.conflicts++; r.conflicts == 1 {
			return nil
		}
		return retry.Sleep(ctx, retry.Backoff(r.conflicts-2, time.Millisecond, 50*time.Millisecond))
	}

	if !rest.IsTransient(err) {
		return err
	}
	if r.errors++; r.errors == maxFailures {
		return fmt.Errorf("gave up after %d attempts: %w: %s, then retry", maxFailures, err, rest.Remedy(err))
	}
	return retry.Sleep(ctx, r.client.Backoff(r.errors))
}

// writeOnce makes one attempt at each document. It returns those that are left, because another process changed them
// meanwhile, or because of the error.
func (g *groupWriter) writeOnce(
	ctx context.Context, documents []*changedDocument,
) (left []*changedDocument, err error) {
	states, err := g.readStates(ctx, documents)
	if err != nil {
		return documents, err
	}

	var body []byte
	var sent []*changedDocument
	var writes []*plannedWrite
	for i, d := range documents {
		write := g.nextWrite(d, states[i])
		switch {
		case write == nil: // finished
		case write.last == nil:
			d.finish(write)
		default:
			body = write.appendTo(body, d.id)
			sent = append(sent, d)
			writes = append(writes, write)
		}
	}
	if len(sent) == 0 {
		return nil, nil
	}

	var answer rest.BulkAnswer
	err = g.changer.Client.Do(ctx, rest.BulkRequest(g.index, body), &answer)
	if err == nil && len(answer.Items) != len(sent) {
		err = fmt.Errorf("the bulk answer has %d items, want %d", len(answer.Items), len(sent))
	}
	if err != nil {
		return sent, requestFailed(sent, writes, err)
	}

	for i, item := range answer.Items {
		for _, result := range item {
			made, failure := g.recordResult(sent[i], writes[i], &result)
			switch {
			case failure != nil && !rest.IsTransient(failure):
				return sent, failure
			case failure != nil:
				err = failure
			}

			if !made {
				left = append(left, sent[i])
			}
		}
	}

	return left, err
}

// requestFailed records that a request as a whole failed. It returns nil if another attempt can succeed at once, and
// otherwise the error.
func requestFailed(sent []*changedDocument, writes []*plannedWrite, err error) error {
	tooLarge := rest.IsFailure(err, http.StatusRequestEntityTooLarge)
	switch {
	case tooLarge && len(sent) == 1:
		writes[0].last.fault = fmt.Errorf("too large for one request: %w", err)
		return nil
	case tooLarge || rest.IsFailure(err, http.StatusTooManyRequests):
		return err // rejected before anything was written
	}

	// The connection may have broken after Elasticsearch has made the writes.
	for i, d := range sent {
		d.unanswered = writes[i]
	}

	return err
}

// nextWrite returns the write to send for a document in the given state. It returns nil if there is none, because an
// earlier write has succeeded, or because it can't be known whether it has.
func (g *groupWriter) nextWrite(d *changedDocument, now state) *plannedWrite {
	switch {
	case d.unanswered != nil && d.unanswered.hasReached(now):
		g.written++
		d.finish(d.unanswered)
		return nil

	case d.made != nil && d.made.to == now.content:
		return nil // made in the alias's previous index, and in this one by the process that moved the alias

	// The document is neither as before the write nor as after it. Another process has overwritten one of the two, and
	// Elasticsearch doesn't know which.
	case d.unanswered != nil && d.unanswered.from.at != now.at:
		d.contested = true
	}

	write := d.plan(now, g.snapshot.Info().Vectors)

	// A condition may be false only because the unanswered write made it so. Changes without a condition are repeated.
	if d.contested && write.hasConflict() {
		d.finish(write)
		for _, change := range d.changes {
			change.call.err = &UnknownOutcomeError{d.id}
		}
		return nil
	}

	return write
}

// An UnknownOutcomeError reports a conditional change of which it can't be known whether it was made.
type UnknownOutcomeError struct{ id string }

// Error says why.
func (e *UnknownOutcomeError) Error() string {
	return fmt.Sprintf("a response of Elasticsearch was lost, and freelancer %q was changed since: "+
		"read the freelancer to see whether the change was made", e.id)
}

// recordResult handles the result of one write. made is false if there must be another attempt.
func (g *groupWriter) recordResult(
	d *changedDocument, write *plannedWrite, result *rest.ItemResult,
) (made bool, failure error) {
	f := result.Failure()
	switch {
	case result.Status == http.StatusConflict: // another process was faster
		return false, nil
	case f == nil:
		g.written++
		d.finish(write)
		return true, nil

	case rest.IsTransient(f):
		// A shard that is overloaded has rejected the write. After any other error it may have made it.
		if f.Status != http.StatusTooManyRequests {
			d.unanswered = write
		}
		return false, f

	case f.Status == http.StatusBadRequest || f.Status == http.StatusRequestEntityTooLarge:
		write.last.fault = f // the next attempt does without this change
		return false, nil
	default:
		return false, f
	}
}

// readStates returns what the index has of the documents, whether searchable yet or not.
func (g *groupWriter) readStates(ctx context.Context, documents []*changedDocument) ([]state, error) {
	states := make([]state, len(documents))
	var keys []string
	var places []int // in documents
	for i, d := range documents {
		if !document.InvalidID(d.id) {
			keys = append(keys, document.Key(d.id))
			places = append(places, i)
		}
	}

	found, err := document.Get(ctx, g.changer.Client, g.index, keys)
	for i, stored := range found {
		if stored.Found {
			states[places[i]] = stateOf(&stored, keys[i])
		}
	}

	return states, err
}

// stateOf returns the state of a document that was found. A record that can't be decoded has a version, too, which
// equals no other.
func stateOf(stored *document.StoredDocument, key string) state {
	freelancer, err := stored.Source.Decode(key)
	if err != nil {
		sum := sha256.Sum256(stored.Source.Freelancer)
		return state{content: "damaged-" + hex.EncodeToString(sum[:12]), at: stored.Revision}
	}

	var change struct {
		Token string `json:"_change"`
	}
	_ = json.Unmarshal(stored.Source.Freelancer, &change) // succeeded above

	return state{content: engine.Version(&freelancer), token: change.Token, at: stored.Revision}
}
