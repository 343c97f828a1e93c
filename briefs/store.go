package briefs

import (
	"context"
	"time"

	"github.com/freelancer-matching/service/access/audit"
)

// A Store stores briefs. Methods return ErrNotFound for a brief that an account doesn't have. An entry of the audit log
// is stored in the same transaction as the change that it describes.
type Store interface {
	// Insert stores a brief. It returns ErrFull if the account has limit briefs; 0 is no limit.
	Insert(ctx context.Context, b *Brief, limit int, e audit.Event) error
	// List returns up to limit briefs of an account after the one with an ID, in the order of their IDs.
	List(ctx context.Context, account, after string, limit int) ([]Brief, error)
	// Open returns up to limit briefs of an account that aren't closed, the last changed first.
	Open(ctx context.Context, account string, limit int) ([]Brief, error)
	Find(ctx context.Context, account, id string) (Brief, error)
	// Update replaces the settings, and raises the revision. The list becomes empty and unmatched if reset is set. It
	// returns ErrNotFound if the brief has another revision than b, too: somebody else has changed it.
	Update(ctx context.Context, b *Brief, reset bool, e audit.Event) error
	Delete(ctx context.Context, account, id string, e audit.Event) error
}

// A WatchStore stores what a Watcher knows. Of several servers that share it, one holds it.
type WatchStore interface {
	// Hold makes a holder the one that watches until a time, unless another one does at the time now. It returns the
	// number of the last change in the feed whose effects are stored, and ErrNotHolder if there is another holder.
	Hold(ctx context.Context, holder string, now, until time.Time) (position int64, err error)
	// Release ends the holding of a holder.
	Release(ctx context.Context, holder string) error
	// Watched calls yield for each brief that isn't closed, whatever its account, in the order of their IDs.
	Watched(ctx context.Context, yield func(Brief) error) error
	// Revisions returns the revision of each brief that isn't closed, by ID.
	Revisions(ctx context.Context) (map[string]int64, error)
	// Get returns a brief of any account.
	Get(ctx context.Context, id string) (Brief, error)
	// Commit stores, in one transaction, the lists that have changed, the messages about them, and the number of the last
	// change in the feed whose effects these are. Lists of briefs that have meanwhile another revision, and messages about
	// them, are dropped. It returns ErrNotHolder, and stores nothing, unless the holder holds the store.
	Commit(ctx context.Context, holder string, position int64, lists []List, now time.Time) error
}

// A List is the new list of a brief, with messages about what is new in it.
type List struct {
	Brief    string // ID
	Account  string
	Revision int64 // of the brief
	Matched  time.Time
	People   []Person
	Events   []Event
}
