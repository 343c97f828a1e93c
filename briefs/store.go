package briefs

import (
	"context"
	"slices"
	"time"

	"github.com/freelancer-matching/service/access/audit"
)

// A Store stores briefs. Methods return ErrNotFound for a brief that an account doesn't have. An entry of the audit log
// is stored in the same transaction as the change that it describes.
type Store interface {
	// Insert stores a brief. It returns ErrFull if the account has limit briefs; 0 is no limit. It returns ErrWatched if
	// the brief has an origin, and the account another brief with it.
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

	// Page returns up to limit briefs of an account after the first ones, the last changed first, and how many there are.
	Page(ctx context.Context, account, user string, offset, limit int) (list []Seen, total int, err error)
	// FindSeen returns a brief of an account.
	FindSeen(ctx context.Context, account, user, id string) (Seen, error)
	// OfOrigin returns the brief of an account that was saved from one of some origins, the oldest if there are several.
	OfOrigin(ctx context.Context, account, user string, origins []string) (Seen, error)
	// Look stores that a user has opened the page of a brief.
	Look(ctx context.Context, user, id string, at time.Time) error
}

// A Seen is a brief with what a user has seen of it.
type Seen struct {
	Brief
	Looked time.Time // when the user last opened its page; zero for never
}

// IsNew reports whether somebody has entered the list since the user looked. Nobody has for users who haven't looked
// yet, and in a list that was begun after: its first people are no news.
func (s *Seen) IsNew(p *Person) bool {
	if s.Looked.IsZero() || !p.Since.After(s.Looked) {
		return false
	}
	isOther := func(other Person) bool { return !other.Since.Equal(p.Since) }
	return slices.ContainsFunc(s.People, isOther)
}

// New returns how many people have entered the list since the user looked.
func (s *Seen) New() (n int) {
	for i := range s.People {
		if s.IsNew(&s.People[i]) {
			n++
		}
	}
	return n
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
