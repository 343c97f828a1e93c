package changes

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"freelancer-matching/engine"
	"freelancer-matching/engine/elastic/document"
	"freelancer-matching/engine/elastic/rest"
	"freelancer-matching/engine/elastic/search"
	"freelancer-matching/internal/matching"
	"freelancer-matching/internal/retry"
)

// maxFailures is how many requests of a group of changes may fail in a row, within a second or two.
const maxFailures = 4

// A singleChange is one change of a call of Apply, encoded.
type singleChange struct {
	id       string
	when     engine.Condition
	document *engine.Document // nil deletes
	body     []byte           // the document as JSON
	version  string           // of the document as it will be read; "" after a deletion
	token    string           // record.Change
	fault    error            // why it can't be made
	call     *applyCall

	outcome engine.Outcome
}

// encode encodes a change. If it can't be made in any index, its fault says why.
func (c *applyCall) encode(change *engine.Change, position int64) *singleChange {
	s := &singleChange{id: change.ID, when: change.If, document: change.Document, call: c}
	if s.document != nil {
		s.fault = s.encode(position)
	}
	return s
}

func (s *singleChange) encode(position int64) (err error) {
	if s.document.Freelancer.ID != s.id {
		return fmt.Errorf("the document has the ID %q, want %q", s.document.Freelancer.ID, s.id)
	}
	s.token = rand.Text()
	if s.body, err = document.Encode(s.document, position, s.token); err != nil {
		return err
	}
	if len(s.body) > rest.MaxChange {
		return fmt.Errorf("%d bytes as JSON, want at most %d", len(s.body), rest.MaxChange)
	}
	// The version is the one of the record as it will be read: JSON replaces bytes that are not UTF-8.
	var stored struct{ Freelancer matching.Freelancer }
	if err := json.Unmarshal(s.body, &stored); err != nil {
		return err
	}
	s.version = engine.Version(&stored.Freelancer)
	return nil
}

// A changedDocument is a document with the changes that a group makes to it.
type changedDocument struct {
	id      string
	changes []*singleChange // in order

	done *attempt // the one that was made, in this index or in the one that the alias pointed to before; nil if none was
	sent *attempt // the last attempt whose answer was lost; nil if every answer arrived
	// contested means that another process may have overwritten the effect of such an attempt.
	contested bool
}

// documentsOf returns the documents that calls change.
func documentsOf(group []*applyCall) []*changedDocument {
	var documents []*changedDocument
	byID := map[string]*changedDocument{}
	for _, c := range group {
		for _, change := range c.changes {
			d := byID[change.id]
			if d == nil {
				d = &changedDocument{id: change.id}
				byID[change.id], documents = d, append(documents, d)
			}
			d.changes = append(d.changes, change)
		}
	}
	return documents
}

// bytes returns the size of the largest document.
func (d *changedDocument) bytes() (largest int) {
	for _, c := range d.changes {
		largest = max(largest, len(c.body))
	}
	return largest
}

// A state is what Elasticsearch has under an ID.
type state struct {
	content string        // version as in engine.Outcome
	token   string        // record.Change
	at      rest.Revision // the zero value if there is no document
}

// An attempt leads from the state of a document to that after all changes.
type attempt struct {
	from     state
	to       string // version
	outcomes []engine.Outcome
	last     *singleChange // the one to send; nil if the document needn't change
}

// plan returns what the changes do to a document in the given state.
func (d *changedDocument) plan(from state, spaces []matching.VectorSpace) *attempt {
	a := &attempt{from: from, to: from.content, outcomes: make([]engine.Outcome, len(d.changes))}
	for i, c := range d.changes {
		err := c.fault
		if err == nil && c.document != nil {
			err = c.document.CheckVectors(spaces)
		}

		if err == nil && !c.when.Holds(a.to) {
			err = &engine.VersionError{ID: d.id, Has: a.to}
		}
		a.outcomes[i] = engine.Outcome{Before: a.to, After: a.to, Err: err}
		if err == nil && c.version != a.to {
			a.outcomes[i].After = c.version
			a.to = c.version
			a.last = c
		}
	}

	if a.to == from.content {
		a.last = nil
	}

	return a
}

// conflicts reports whether any condition doesn't hold.
func (a *attempt) conflicts() bool {
	return slices.ContainsFunc(a.outcomes, func(o engine.Outcome) bool { return errors.Is(o.Err, engine.ErrConflict) })
}

// led reports whether the attempt has led to the given state.
func (a *attempt) led(to state) bool {
	if a.last.document == nil {
		return to.content == "" // another process may have deleted it instead, with the same result
	}
	return to.token == a.last.token
}

// finish records that an attempt was made.
func (d *changedDocument) finish(a *attempt) {
	d.done = a
	for i, c := range d.changes {
		c.outcome = a.outcomes[i]
	}
}

// deleted reports whether a change deleted the document, or found it deleted.
func (d *changedDocument) deleted() bool {
	return d.done.to == "" && slices.ContainsFunc(d.changes, func(c *singleChange) bool {
		return c.document == nil && c.outcome.Err == nil
	})
}

// An application makes the changes of one group in one index.
type application struct {
	changer  *Changer
	snapshot *search.Snapshot
	index    string // full name of the index
	written  int    // documents
}

// apply makes all changes. After an error, some may have been made.
func (a *application) apply(ctx context.Context, documents []*changedDocument) error {
	for _, d := range documents {
		// of another index
		d.sent = nil
		d.contested = false
	}
	for len(documents) > 0 {
		n, size := 0, 0
		for n < min(len(documents), rest.MaxBatch) && (n == 0 || size < rest.MaxBatchBytes) {
			size += documents[n].bytes()
			n++
		}
		if err := a.settle(ctx, documents[:n]); err != nil {
			return err
		}
		documents = documents[n:]
	}
	return nil
}

// settle makes the changes of one batch, and notes deletions for trackers.
func (a *application) settle(ctx context.Context, batch []*changedDocument) error {
	f := failures{client: a.changer.Client}
	for pending := batch; len(pending) > 0; {
		left, err := a.try(ctx, pending)
		switch {
		case rest.IsFailure(err, http.StatusRequestEntityTooLarge) && len(left) > 1:
			middle := len(left) / 2
			if err := a.settle(ctx, left[:middle]); err != nil {
				return err
			}
			left = left[middle:]
			err = nil

		case len(left) < len(pending):
			f.errors, f.conflicts = 0, 0
		}

		if err := f.wait(ctx, err); err != nil {
			return err
		}
		pending = left
	}

	var deleted []string
	for _, d := range batch {
		if d.deleted() && !document.InvalidID(d.id) {
			deleted = append(deleted, d.id)
		}
	}

	for f = (failures{client: a.changer.Client}); len(deleted) > 0; {
		err := a.changer.Deletions.Note(ctx, a.index, deleted)
		if err == nil {
			break
		}
		if err := f.wait(ctx, err); err != nil {
			return err
		}
	}

	return nil
}

// failures counts attempts in a row that led nowhere: because of errors, and because other processes were faster.
type failures struct {
	client            *rest.Client
	errors, conflicts int
}

// wait waits before the next attempt, after the given error or because another process interfered. It returns an error
// if there must be no other attempt.
func (f *failures) wait(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return rest.ContextError(ctx)
	}
	if err == nil {
		if f.conflicts++; f.conflicts == 1 {
			return nil
		}
		return retry.Sleep(ctx, retry.Backoff(f.conflicts-2, time.Millisecond, 50*time.Millisecond))
	}
	if !rest.IsTransient(err) {
		return err
	}
	if f.errors++; f.errors == maxFailures {
		return fmt.Errorf("gave up after %d attempts: %w: %s, then retry", maxFailures, err, rest.Remedy(err))
	}
	return retry.Sleep(ctx, f.client.Backoff(f.errors))
}

// try makes one attempt at each document. It returns those that are left, because another process changed them
// meanwhile, or because of the error.
func (a *application) try(ctx context.Context, documents []*changedDocument) (left []*changedDocument, err error) {
	states, err := a.states(ctx, documents)
	if err != nil {
		return documents, err
	}
	var body []byte
	var sent []*changedDocument
	var attempts []*attempt
	for i, d := range documents {
		switch p := a.next(d, states[i]); {
		case p == nil:
		case p.last == nil:
			d.finish(p)
		default:
			body = p.append(body, d.id)
			sent = append(sent, d)
			attempts = append(attempts, p)
		}
	}

	if len(sent) == 0 {
		return nil, nil
	}
	var answer rest.BulkAnswer
	err = a.changer.Client.Do(ctx, rest.BulkRequest(a.index, body), &answer)
	if err == nil && len(answer.Items) != len(sent) {
		err = fmt.Errorf("the bulk answer has %d items, want %d", len(answer.Items), len(sent))
	}

	if err != nil {
		for i, d := range sent {
			switch {
			case rest.IsFailure(err, http.StatusRequestEntityTooLarge) && len(sent) == 1:
				attempts[i].last.fault = fmt.Errorf("too large for one request: %w", err)
				err = nil
			case !rest.IsFailure(err, http.StatusTooManyRequests) && !rest.IsFailure(err, http.StatusRequestEntityTooLarge):
				d.sent = attempts[i]
			}
		}

		return sent, err
	}

	for i, item := range answer.Items {
		for _, o := range item {
			made, failure := a.judge(sent[i], attempts[i], &o)
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

// next returns the attempt to make at a document in the given state. It returns nil if there is none, because an
// earlier attempt has succeeded, or because it can't be known whether it has.
func (a *application) next(d *changedDocument, now state) *attempt {
	switch {
	case d.sent != nil && d.sent.led(now):
		a.written++
		d.finish(d.sent)
		return nil

	case d.done != nil && d.done.to == now.content:
		return nil // made in the alias's previous index, and in this one by the process that moved the alias
	case d.sent != nil && d.sent.from.at != now.at:
		d.contested = true
	}

	p := d.plan(now, a.snapshot.Info().Vectors)
	if d.contested && p.conflicts() {
		d.finish(p)
		for _, c := range d.changes {
			c.call.err = &UnknownOutcomeError{d.id}
		}
		return nil
	}

	return p
}

// An UnknownOutcomeError reports a conditional change of which it can't be known whether it was made.
type UnknownOutcomeError struct{ id string }

// Error says why.
func (e *UnknownOutcomeError) Error() string {
	return fmt.Sprintf("a response of Elasticsearch was lost, and freelancer %q was changed since: "+
		"read the freelancer to see whether the change was made", e.id)
}

// judge handles the result of one attempt. made is false if there must be another one.
func (a *application) judge(d *changedDocument, p *attempt, o *rest.ItemResult) (made bool, failure error) {
	f := o.Failure()
	switch {
	case o.Status == http.StatusConflict: // another process was faster
		return false, nil
	case f == nil:
		a.written++
		d.finish(p)
		return true, nil

	case rest.IsTransient(f):
		if f.Status != http.StatusTooManyRequests {
			d.sent = p
		}
		return false, f

	case f.Status == http.StatusBadRequest || f.Status == http.StatusRequestEntityTooLarge:
		p.last.fault = f // the next attempt does without this change
		return false, nil
	default:
		return false, f
	}
}

// append appends the lines of a bulk request.
func (a *attempt) append(b []byte, id string) []byte {
	kind := "index"
	switch {
	case a.last.document == nil:
		kind = "delete"
	case a.from.content == "":
		kind = "create"
	}
	quoted, _ := json.Marshal(document.Key(id)) // never fails for a string
	b = fmt.Appendf(b, `{%q:{"_id":%s`, kind, quoted)
	if a.from.content != "" {
		b = fmt.Appendf(b, `,"if_seq_no":%d,"if_primary_term":%d`, a.from.at.SeqNo, a.from.at.PrimaryTerm)
	}
	b = append(b, "}}\n"...)
	if a.last.document != nil {
		b = append(append(b, a.last.body...), '\n')
	}
	return b
}

// states returns what the index has of the documents, whether searchable yet or not.
func (a *application) states(ctx context.Context, documents []*changedDocument) ([]state, error) {
	states := make([]state, len(documents))
	var keys []string
	var at []int
	for i, d := range documents {
		if !document.InvalidID(d.id) {
			keys = append(keys, document.Key(d.id))
			at = append(at, i)
		}
	}
	found, err := document.Get(ctx, a.changer.Client, a.index, keys)
	for i, r := range found {
		if r.Found {
			states[at[i]] = stateOf(&r, keys[i])
		}
	}
	return states, err
}

// stateOf returns the state of a document that was found. A record that can't be decoded has a version, too, which
// equals no other.
func stateOf(r *document.StoredDocument, key string) state {
	f, err := r.Source.Decode(key)
	if err != nil {
		sum := sha256.Sum256(r.Source.Freelancer)
		return state{content: "damaged-" + hex.EncodeToString(sum[:12]), at: r.Revision}
	}
	var of struct {
		Change string `json:"_change"`
	}
	_ = json.Unmarshal(r.Source.Freelancer, &of) // succeeded above
	return state{content: engine.Version(&f), token: of.Change, at: r.Revision}
}
