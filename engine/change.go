package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	"github.com/freelancer-matching/service/internal/matching"
)

// A Changer changes single documents of the live index in place while it is being searched.
type Changer interface {
	// Apply makes changes to the index that the alias points to, in order, and returns an outcome for each. When Apply
	// returns, the changes are durable, and every search that starts later sees them, within a second also in other
	// processes. A change that fails on its own, such as by its condition, has an error in its outcome and affects no
	// other change. An error of Apply means that the outcomes are unknown; changes may be repeated, because a change that
	// changes nothing succeeds.
	//
	// The documents must have been prepared like those in the index. No change goes to an index that the alias doesn't
	// point to any more when Apply returns. The error wraps ErrNotFound if the alias points to no index.
	Apply(ctx context.Context, alias string, changes []Change) ([]Outcome, error)
	// Track starts to observe which documents of a complete index are changed, by any process. The error wraps ErrNotFound
	// if the index does not exist and ErrConflict if it was never completed.
	Track(ctx context.Context, index string) (Tracker, error)
}

// A Change puts or deletes one document.
type Change struct {
	ID       string
	Document *Document // replaces the document with this ID, or is added; nil deletes it
	If       Condition
}

// A Condition must hold for a change to be made. The zero value always holds. Versions and Exists are the ones of the
// document just before the change.
type Condition struct {
	Versions []string // if not empty, the document has one of these versions
	Exists   matching.Optional[bool]
}

// Holds reports whether a document with the given version, or none if it is "", meets the condition.
func (c Condition) Holds(version string) bool {
	return (len(c.Versions) == 0 || slices.Contains(c.Versions, version) && version != "") &&
		(!c.Exists.Known || c.Exists.Value == (version != ""))
}

// An Outcome is what became of a Change.
type Outcome struct {
	Before string // version of the document before the change; "" if there was none
	After  string // version after the change; "" if the document is gone
	// Err is a *VersionError if the condition didn't hold, or the reason why an engine can't store the document.
	Err error
}

// A VersionError reports a Condition that didn't hold. It wraps ErrConflict.
type VersionError struct {
	ID  string
	Has string // the version of the document; "" if it does not exist
}

// Error says what the index has.
func (e *VersionError) Error() string {
	if e.Has == "" {
		return fmt.Sprintf("freelancer %q does not exist", e.ID)
	}
	return fmt.Sprintf("freelancer %q has version %s", e.ID, e.Has)
}

// Unwrap returns ErrConflict.
func (e *VersionError) Unwrap() error { return ErrConflict }

// Version returns the version of a record: 128 bits of a hash of its content, in hexadecimal. Equal records have equal
// versions in every index and on every engine. A record that JSON can't represent has no version.
func Version(f *matching.Freelancer) string {
	content, err := json.Marshal(f)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:16])
}

// A Tracker observes the changes of one index. It is not safe for concurrent use.
type Tracker interface {
	// Changed yields the documents that were put or deleted since Track, or since the last call of Changed: each ID once,
	// in any order, in its current state, or one final error. It includes every change that was complete when Changed was
	// called. If the caller stops early or there is an error, the next call yields the same changes again.
	Changed(ctx context.Context) iter.Seq2[Changed, error]
	// Close ends the observation.
	Close() error
}

// Changed is a document that was put or deleted.
type Changed struct {
	ID         string
	Freelancer *matching.Freelancer // nil if the document was deleted
}
