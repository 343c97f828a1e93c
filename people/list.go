package people

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
)

// keyLength is the length of the key of a hash in bytes.
const keyLength = 32

// A Kind says what an entry of the list of erased people is the hash of.
type Kind string

// The kinds of entries.
const (
	KindID    Kind = "id"
	KindEmail Kind = "email"
)

// An Entry is an ID or an address on the list of erased people, as a hash with a key. It counts if Erased is later than
// Readmitted. Of two copies of an entry, the later times are valid, so lists can be merged in any order and repeatedly.
type Entry struct {
	Key        []byte // of the hash; lists that were merged have several
	Kind       Kind
	Hash       string
	Erased     time.Time // in microseconds
	Readmitted time.Time // zero for never
}

// A ListStore keeps the list of erased people in the database. All servers of a database share it, and backups contain
// it.
type ListStore interface {
	// ErasedRevision returns a number that grows whenever the list changes; 0 before the first change.
	ErasedRevision(ctx context.Context) (int64, error)
	// ErasedPeople returns all entries, with a revision that is not newer than they are.
	ErasedPeople(ctx context.Context) ([]Entry, int64, error)
	// MergeErased adds entries. The later times of an entry are kept.
	MergeErased(ctx context.Context, entries []Entry) error
}

// A ListReport describes the list in a database.
type ListReport struct {
	Entries     []Entry
	Exists      bool      // whether anybody was ever put on the list
	LastErasure time.Time // according to the audit log; zero for never
}

// Missing reports whether people were erased, but the database has no list of them: it was restored from a backup of a
// release that kept the list in the data folder only.
func (r *ListReport) Missing() bool { return !r.Exists && !r.LastErasure.IsZero() }

// A List is the list of erased people, whom loads and changes leave out. It holds keyed hashes of IDs and addresses.
// They reveal nobody, but anybody with the key can check whether somebody is on it. The database has the list. The data
// folder has a copy, so that a database that is lost or restored from an older backup gets it back. A List is safe for
// concurrent use.
type List struct {
	Store ListStore
	Copy  Copy

	mu   sync.Mutex
	read *Erased // nil before the first
}

// Read returns the content of the list. It reads the entries only if the list has changed since the last call.
func (l *List) Read(ctx context.Context) (*Erased, error) {
	revision, err := l.Store.ErasedRevision(ctx) // without the lock, so that requests don't wait for each other
	if err != nil {
		return nil, err
	}

	l.mu.Lock()
	defer l.mu.Unlock()
	if l.read != nil && l.read.revision == revision {
		return l.read, nil
	}

	entries, revision, err := l.Store.ErasedPeople(ctx)
	if err != nil {
		return nil, err
	}
	l.read = NewErased(entries)
	l.read.revision = revision

	return l.read, nil
}

// Matcher returns a function that reports whether a freelancer is on the list now, or nil if nobody is.
func (l *List) Matcher(ctx context.Context) (func(*matching.Freelancer) bool, error) {
	e, err := l.Read(ctx)
	if err != nil {
		return nil, err
	}
	return e.Matcher(), nil
}

// Sync adds to the database what only the copy has, and to the copy what only the database has. It returns the number
// of entries that the database lacked: more than 0 if the copy is of an earlier release, which had no list in the
// database, or if the database was lost or restored from an older backup.
func (l *List) Sync(ctx context.Context) (added int, err error) {
	fromCopy, err := l.Copy.Read()
	if err != nil {
		return 0, err
	}
	stored, err := l.Read(ctx)
	if err != nil {
		return 0, err
	}

	missing := fromCopy.Beyond(stored)
	if len(missing) > 0 {
		if err := l.Store.MergeErased(ctx, missing); err != nil {
			return 0, err
		}
	}

	return len(missing), l.Copy.merge(stored.Entries())
}

// add adds the IDs and addresses of a subject.
func (l *List) add(ctx context.Context, s Subject, at time.Time) error {
	e, err := l.Read(ctx)
	if err != nil {
		return err
	}

	var key []byte
	if len(e.keys) > 0 {
		key = e.keys[0]
	} else {
		// Two servers may both find an empty list. It then has two keys, which works as well as one.
		key = make([]byte, keyLength)
		_, _ = rand.Read(key) // never fails
	}

	return l.merge(ctx, e.having(key, s, at))
}

// remove removes the IDs and addresses of a subject, and reports whether any of them was on the list.
func (l *List) remove(ctx context.Context, s Subject, at time.Time) (removed bool, err error) {
	e, err := l.Read(ctx)
	if err != nil {
		return false, err
	}
	entries := e.lacking(s, at)
	if len(entries) == 0 {
		return false, nil
	}
	return true, l.merge(ctx, entries)
}

// merge adds entries to the database and to the copy. If it fails, it can be repeated.
func (l *List) merge(ctx context.Context, entries []Entry) error {
	if err := l.Store.MergeErased(ctx, entries); err != nil {
		return err
	}
	return l.Copy.merge(entries)
}

// An Erased is the content of a list. It doesn't change.
type Erased struct {
	keys    [][]byte // sorted
	entries map[entryID]times
	active  int  // number of entries that count
	emails  bool // whether the list has addresses

	revision int64 // of the database's list; 0 if it isn't from there
}

// An entryID identifies an entry.
type entryID struct {
	key  string
	kind Kind
	hash string
}

// times belong to an entry.
type times struct{ erased, readmitted time.Time }

func (t times) active() bool { return t.erased.After(t.readmitted) }

// NewErased returns the content of a list with these entries.
func NewErased(entries ...[]Entry) *Erased {
	e := &Erased{entries: map[entryID]times{}}
	for _, entry := range slices.Concat(entries...) {
		id := entryID{string(entry.Key), entry.Kind, entry.Hash}
		known := e.entries[id]
		e.entries[id] = times{later(known.erased, entry.Erased), later(known.readmitted, entry.Readmitted)}

		e.emails = e.emails || entry.Kind == KindEmail
		n, found := slices.BinarySearchFunc(e.keys, entry.Key, slices.Compare)
		if !found {
			e.keys = slices.Insert(e.keys, n, entry.Key)
		}
	}

	for _, t := range e.entries {
		if t.active() {
			e.active++
		}
	}

	return e
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// Len returns the number of IDs and addresses on the list.
func (e *Erased) Len() int { return e.active }

// Revision returns the revision of the list in the database, or 0 for a list from elsewhere. See ListStore.
func (e *Erased) Revision() int64 { return e.revision }

// Entries returns the entries in a fixed order.
func (e *Erased) Entries() []Entry {
	entries := make([]Entry, 0, len(e.entries))
	for id, t := range e.entries {
		entries = append(entries, Entry{[]byte(id.key), id.kind, id.hash, t.erased, t.readmitted})
	}
	slices.SortFunc(entries, func(a, b Entry) int {
		return cmp.Or(slices.Compare(a.Key, b.Key), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Hash, b.Hash))
	})
	return entries
}

// Beyond returns the entries that other lacks, or has with earlier times.
func (e *Erased) Beyond(other *Erased) []Entry {
	return slices.DeleteFunc(e.Entries(), func(entry Entry) bool {
		known := other.entries[entryID{string(entry.Key), entry.Kind, entry.Hash}]
		return !entry.Erased.After(known.erased) && !entry.Readmitted.After(known.readmitted)
	})
}

// Matcher returns a function that reports whether a freelancer is on the list, or nil if nobody is.
func (e *Erased) Matcher() func(*matching.Freelancer) bool {
	if e.Len() == 0 {
		return nil
	}
	return e.Has
}

// Has reports whether a freelancer was erased: by ID, or by an address that a text of the record contains.
func (e *Erased) Has(f *matching.Freelancer) bool {
	if e.has(KindID, f.ID) {
		return true
	}
	if !e.emails {
		return false
	}
	for _, text := range texts(f) {
		if slices.ContainsFunc(addresses(text), func(email string) bool { return e.has(KindEmail, email) }) {
			return true
		}
	}
	return false
}

// hasAny reports whether an ID or an address of a subject is on the list.
func (e *Erased) hasAny(s Subject) bool {
	return slices.ContainsFunc(s.IDs, func(id string) bool { return e.has(KindID, id) }) ||
		slices.ContainsFunc(s.Emails, func(email string) bool { return e.has(KindEmail, email) })
}

func (e *Erased) has(kind Kind, text string) bool {
	return slices.ContainsFunc(e.keys, func(key []byte) bool {
		return e.entries[entryID{string(key), kind, hash(key, text)}].active()
	})
}

func hash(key []byte, text string) string {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return hex.EncodeToString(h.Sum(nil))
}

// having returns the entries that put a subject on the list.
func (e *Erased) having(key []byte, s Subject, at time.Time) (entries []Entry) {
	for kind, texts := range s.texts() {
		for _, text := range texts {
			entry := Entry{Key: key, Kind: kind, Hash: hash(key, text), Erased: at.UTC().Truncate(time.Microsecond)}

			// The clock of the server that has readmitted the subject may be ahead.
			readmitted := e.entries[entryID{string(key), kind, entry.Hash}].readmitted
			if !entry.Erased.After(readmitted) {
				entry.Erased = readmitted.Add(time.Microsecond)
			}

			entries = append(entries, entry)
		}
	}
	return entries
}

// lacking returns the entries that take a subject off the list; none if it isn't on it.
func (e *Erased) lacking(s Subject, at time.Time) (entries []Entry) {
	for kind, texts := range s.texts() {
		for _, text := range texts {
			for _, key := range e.keys {
				id := entryID{string(key), kind, hash(key, text)}
				if known := e.entries[id]; known.active() {
					readmitted := later(known.erased, at.UTC().Truncate(time.Microsecond))
					entries = append(entries, Entry{key, kind, id.hash, known.erased, readmitted})
				}
			}
		}
	}
	return entries
}

// texts returns what a list has hashes of.
func (s Subject) texts() map[Kind][]string {
	return map[Kind][]string{KindID: s.IDs, KindEmail: s.Emails}
}

// texts returns the texts of a record that may contain an address.
func texts(f *matching.Freelancer) []string {
	return append([]string{f.ID, f.Name, f.JobTitle, f.Description, f.ProfileURL, f.Location}, f.Skills...)
}

// addresses returns what looks like an email address in a text, in lower case.
func addresses(text string) []string {
	if !strings.Contains(text, "@") {
		return nil
	}
	var found []string
	for field := range strings.FieldsFuncSeq(lower(text), func(r rune) bool {
		return r <= ' ' || r >= 0x80 || strings.ContainsRune("<>()[]{},;:|\"'/\\`!?*=", r)
	}) {
		if field = strings.Trim(field, ".-_"); strings.Count(field, "@") == 1 {
			found = append(found, field)
		}
	}
	return found
}
