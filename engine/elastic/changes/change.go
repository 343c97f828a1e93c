package changes

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/elastic/document"
	"github.com/freelancer-matching/service/engine/elastic/rest"
	"github.com/freelancer-matching/service/internal/matching"
)

// A singleChange is one change of a call of Apply, encoded.
type singleChange struct {
	id       string
	when     engine.Condition
	document *engine.Document // nil deletes
	body     []byte           // the document as JSON
	version  string           // of the document as it will be read; "" after a deletion
	token    string           // recognizes the stored document as the one that this change wrote
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

// encode sets the body of a change that puts a document, with a token and its version.
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

	// made is the write that succeeded, in this index or in the one that the alias pointed to before; nil if none did.
	made *plannedWrite
	// unanswered is the last write whose answer was lost; nil if every answer arrived.
	unanswered *plannedWrite
	// contested means that another process may have overwritten the effect of an unanswered write.
	contested bool
}

// documentsOf returns the documents that calls change.
func documentsOf(group []*applyCall) []*changedDocument {
	var documents []*changedDocument
	byID := map[string]*changedDocument{}
	for _, call := range group {
		for _, change := range call.changes {
			d := byID[change.id]
			if d == nil {
				d = &changedDocument{id: change.id}
				byID[change.id] = d
				documents = append(documents, d)
			}
			d.changes = append(d.changes, change)
		}
	}
	return documents
}

// bytes returns the size of the largest document.
func (d *changedDocument) bytes() (largest int) {
	for _, change := range d.changes {
		largest = max(largest, len(change.body))
	}
	return largest
}

// A state is what Elasticsearch has under an ID.
type state struct {
	content string        // version as in engine.Outcome
	token   string        // of the change that wrote the document; "" if it was loaded
	at      rest.Revision // the zero value if there is no document
}

// A plannedWrite leads from the state of a document to that after all changes.
type plannedWrite struct {
	from     state
	to       string // version
	outcomes []engine.Outcome
	last     *singleChange // the one to send; nil if the document needn't change
}

// plan returns what the changes do to a document in the given state.
func (d *changedDocument) plan(from state, spaces []matching.VectorSpace) *plannedWrite {
	write := &plannedWrite{from: from, to: from.content, outcomes: make([]engine.Outcome, len(d.changes))}
	for i, change := range d.changes {
		err := change.fault
		if err == nil && change.document != nil {
			err = change.document.CheckVectors(spaces)
		}

		// Each condition is about the document as the changes before have left it, even though only the last is written.
		if err == nil && !change.when.Holds(write.to) {
			err = &engine.VersionError{ID: d.id, Has: write.to}
		}
		write.outcomes[i] = engine.Outcome{Before: write.to, After: write.to, Err: err}

		if err == nil && change.version != write.to {
			write.outcomes[i].After = change.version
			write.to = change.version
			write.last = change
		}
	}

	// The changes may cancel each other out.
	if write.to == from.content {
		write.last = nil
	}

	return write
}

// hasConflict reports whether any condition doesn't hold.
func (w *plannedWrite) hasConflict() bool {
	return slices.ContainsFunc(w.outcomes, func(o engine.Outcome) bool { return errors.Is(o.Err, engine.ErrConflict) })
}

// hasReached reports whether the write has led to the given state.
func (w *plannedWrite) hasReached(to state) bool {
	if w.last.document == nil {
		return to.content == "" // another process may have deleted it instead, with the same result
	}
	return to.token == w.last.token
}

// appendTo appends the lines of a bulk request that make the write only if the document is still in the same state.
func (w *plannedWrite) appendTo(body []byte, id string) []byte {
	action := "index"
	switch {
	case w.last.document == nil:
		action = "delete"
	case w.from.content == "":
		action = "create" // fails if the document exists by now
	}

	quoted, _ := json.Marshal(document.Key(id)) // never fails for a string
	body = fmt.Appendf(body, `{%q:{"_id":%s`, action, quoted)
	if w.from.content != "" {
		body = fmt.Appendf(body, `,"if_seq_no":%d,"if_primary_term":%d`, w.from.at.SeqNo, w.from.at.PrimaryTerm)
	}
	body = append(body, "}}\n"...)

	if w.last.document != nil {
		body = append(append(body, w.last.body...), '\n')
	}
	return body
}

// finish records that a write was made, or that none is needed.
func (d *changedDocument) finish(write *plannedWrite) {
	d.made = write
	for i, change := range d.changes {
		change.outcome = write.outcomes[i]
	}
}

// deleted reports whether a change deleted the document, or found it deleted.
func (d *changedDocument) deleted() bool {
	return d.made.to == "" && slices.ContainsFunc(d.changes, func(c *singleChange) bool {
		return c.document == nil && c.outcome.Err == nil
	})
}
