// Package engine is the contract between the service and a search engine. Implementations are embedded (in process)
// and elastic; enginetest holds the suite that both pass. Only internal/setup knows which one runs.
//
// Engines store documents that were prepared outside: skills resolved to taxonomy ids, words analysed to terms. So every
// engine indexes the same ids and terms, and none needs a taxonomy or an analyzer of its own.
package engine

import (
	"context"
	"errors"
	"iter"
	"time"

	"freelancer-matching/internal/matching"
	"freelancer-matching/mappings"
)

// The failures that callers tell apart. Implementations wrap them with what was being done.
var (
	ErrNotFound = errors.New("not found")
	ErrConflict = errors.New("conflict")
)

// Searcher answers briefs.
type Searcher interface {
	// Open is the index that the alias points to; a move by another process is noticed within a second. Everything
	// asked of one Snapshot is answered from that same index, also when the alias moves meanwhile. ErrNotFound: the alias
	// points nowhere, nothing was loaded yet.
	Open(ctx context.Context, alias string) (Snapshot, error)
}

// Snapshot is a consistent view of one index. It is safe for concurrent use. Once its index was dropped it either stays
// readable or fails with ErrNotFound, as the engine has it; after ErrNotFound, Open again.
type Snapshot interface {
	// Info describes the index.
	Info() Info
	// Statistics are facts about all documents together, and how many of them have each of the named skills, listed,
	// implied, or found in title or text.
	Statistics(ctx context.Context, skills []string) (Statistics, error)
	// Search is the best q.Size hits, by falling Retrieval; ties in an order that is stable for one index. An engine may
	// find the hits by estimates and so miss a few: at least 99 of 100 of the best ten are found on average. What a Hit says
	// is exact all the same. An error, when q.Semantic.Check fails.
	Search(ctx context.Context, q *Query) (*Page, error)
	// Fetch is the freelancers with these ids, in the order of ids. ErrNotFound when one is missing.
	Fetch(ctx context.Context, ids []string) ([]matching.Freelancer, error)
	// Count is how many documents pass f.
	Count(ctx context.Context, f Filters) (int, error)
	// CountUnknown is how many of all documents do not say at least one thing that f asks about (a rating, a rate …).
	// Ids and skills are always known.
	CountUnknown(ctx context.Context, f Filters) (int, error)
	// Vocabulary is what the documents of the index say, and how many say it. It is gathered anew by every call, which may
	// take a tenth of a second for a large index: ask once for each index, beside the requests.
	Vocabulary(ctx context.Context) (*Vocabulary, error)
}

// Indexer builds indexes and moves aliases.
type Indexer interface {
	// Lock keeps other indexers of the same engine out until release is called or the process ends. ErrConflict, with
	// the owner's words in the message, when another one holds it.
	Lock(ctx context.Context, owner string) (release func() error, err error)
	// Create makes an empty index. Nobody sees it until an alias points to it. ErrConflict when it exists; an error, when
	// Check of one of its vector spaces fails.
	Create(ctx context.Context, spec Spec) error
	// Bulk fills an index that was just made by Create. ErrNotFound when it does not exist, ErrConflict when it was
	// filled, or begun to be, before: what an aborted Bulk leaves can only be dropped. refused, unless nil, hears of each
	// document that cannot be stored, one at a time, from any goroutine, at the latest before Close returns.
	Bulk(ctx context.Context, index string, refused RejectFunc) (Bulk, error)
	// Scan is every freelancer of an index, in the order they were added (one that was replaced, where it was added
	// last), or one final error. ErrNotFound when the index does not exist, ErrConflict when it was never finished.
	Scan(ctx context.Context, index string) iter.Seq2[matching.Freelancer, error]
	// Inspect is a finished index before, or without, any alias pointing to it. ErrNotFound when it does not exist,
	// ErrConflict when it was never finished.
	OpenIndex(ctx context.Context, index string) (Snapshot, error)
	// Indexes is every index, oldest first, those that were never finished too.
	Indexes(ctx context.Context) ([]Info, error)
	// Alias is the index that the alias points to and the one it pointed to before; "" where there is none, or it was
	// dropped.
	Alias(ctx context.Context, alias string) (index, previous string, err error)
	// PointAlias moves the alias to a finished index in one atomic step. ErrNotFound when the index does not exist,
	// ErrConflict when it was never finished. previous is what Alias now says; pointing to where the alias points
	// already changes nothing.
	PointAlias(ctx context.Context, alias, index string) (previous string, err error)
	// Drop removes an index. Dropping an unknown index is fine; ErrConflict when an alias points to it, as the live one.
	Drop(ctx context.Context, index string) error
}

// Updater is what those engines offer besides that can change a finished index in place, at the cost of the change alone.
// Others make a new index of the old one and the change.
type Updater interface {
	// Update changes a finished index. The documents must have been prepared as those of the index were. Changes become
	// visible one by one, at the latest at Close, and those made before a failure stay. ErrNotFound when the index does not
	// exist, ErrConflict when it was never finished. refused is as for Indexer.Bulk.
	Update(ctx context.Context, index string, refused RejectFunc) (Update, error)
}

// Update is a stream of changes to one index. It is safe for concurrent use; of changes to the same freelancer the one
// called last counts.
type Update interface {
	// Add replaces the document of the same id, or adds one, under the rules of Bulk.Add.
	Add(ctx context.Context, d *Document) error
	// Delete removes the document with an id.
	Delete(ctx context.Context, id string) error
	// Close makes every change visible and durable. Only now are the counts true.
	Close(ctx context.Context) (UpdateResult, error)
	// Abort gives up what was not written yet. It does nothing after Close.
	Abort()
}

// UpdateResult counts what became of the changes, by distinct ids.
type UpdateResult struct {
	Indexed int // added or replaced
	Failed  int
	Deleted int
	Missing int // to be deleted, and not there
}

// RejectFunc is told of a document that an engine cannot store, and why.
type RejectFunc func(id string, reason error)

// Bulk is a stream of documents into one index. It is safe for concurrent use; the order of documents, which decides
// ties, is that of the calls.
type Bulk interface {
	// Add hands over one document. It blocks while the engine is behind. The document must not be changed afterwards.
	// A second document with the same id replaces the first. A document that the engine cannot store (it has no id, or
	// a number that JSON cannot write) is counted as failed; an error, as for one whose CheckVectors fails, ends the Bulk.
	Add(ctx context.Context, d *Document) error
	// Close finishes the index: only now is it complete and durable, and only now are the counts true.
	Close(ctx context.Context) (BulkResult, error)
	// Abort gives up; the index stays unfinished. It does nothing after Close.
	Abort()
}

// BulkResult counts what became of the documents that were added. Indexed + Failed is the number of distinct ids added.
type BulkResult struct {
	Indexed int
	Failed  int
}

// Spec is what an index is made from.
type Spec struct {
	Name     string
	Mapping  mappings.Mapping
	Source   string                 // what the records were loaded from, in one word: csv, ndjson, xlsx, generated, mixed
	Currency string                 // ISO 4217, of every amount in the index
	Taxonomy string                 // version of the taxonomy that the skills were resolved with
	Vectors  []matching.VectorSpace // of the documents; empty: they have none
	Created  time.Time
}

// Info describes an index.
type Info struct {
	Name      string
	Mapping   string // name of the mapping: freelancers.v1
	Source    string
	Currency  string
	Taxonomy  string
	Vectors   []matching.VectorSpace // empty: the documents have none
	Created   time.Time
	Complete  bool // Close succeeded; an incomplete index is the rest of a load that was interrupted
	Documents int  // of a complete index
	Bytes     int64
	Updated   time.Time // of the last change in place; zero: none since the index was finished
}

// Statistics are facts about all documents of an index together.
type Statistics struct {
	Documents  int
	MeanRating matching.Optional[float64] // over the freelancers with a known rating
	SkillCount map[string]int             // documents that have the skill; 0 for one that none has
}
