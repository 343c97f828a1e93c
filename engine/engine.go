// Package engine defines the contract between the service and a search engine. Package embedded implements it in
// process, package elastic on Elasticsearch, and enginetest holds the test suite that both pass. Only package setup
// knows which engine is running.
//
// Engines store prepared documents: skills are resolved to taxonomy ids and text is analyzed into terms before a
// document reaches the engine. Both engines therefore index the same ids and terms, and neither needs a taxonomy or an
// analyzer.
package engine

import (
	"context"
	"iter"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/mappings"
)

// A Searcher opens the live index for searching.
type Searcher interface {
	// Open returns a snapshot of the index that the alias points to. It notices within a second when another process
	// moves the alias; snapshots opened before the move keep answering from their own index. Open returns an error
	// wrapping ErrNotFound if the alias points to no index because nothing has been loaded yet.
	//
	// If the alias becomes unreadable, or points to an index that is, Open keeps returning the last snapshot, and
	// CheckAlias says why. Without such a snapshot, or if the index that it belongs to was found to be damaged, Open
	// returns an error for which Unusable is true.
	Open(ctx context.Context, alias string) (Snapshot, error)
}

// A Checker checks what a Searcher serves.
type Checker interface {
	// CheckAlias returns nil if the alias points to a complete index that this engine serves or could serve. It returns an
	// error wrapping ErrNotFound if nothing has been loaded yet, and an error for which Unusable is true if the alias or
	// its index can't be used, an *AliasError if the alias is at fault. It is quick; Verify reads all of an index.
	CheckAlias(ctx context.Context, alias string) error
}

// A Snapshot is a consistent view of one index. It is safe for concurrent use. After its index is dropped, a snapshot
// either stays readable or its methods return errors wrapping ErrNotFound, depending on the engine; in the second case
// the caller must call Open again.
type Snapshot interface {
	// Info describes the index.
	Info() Info
	// Statistics returns facts about all documents, and for each of the given skills the number of documents that have
	// it with any evidence stronger than Sibling.
	Statistics(ctx context.Context, skills []string) (Statistics, error)
	// Search returns the best q.Size hits by descending retrieval score; for some that may follow, see Query.Window. Ties
	// are broken by id, bytewise. An engine may find hits approximately and miss some, but on average it finds at least
	// 99% of the ten best. Everything a Hit contains is exact. Search returns an error if q.Check does.
	Search(ctx context.Context, q *Query) (*Page, error)
	// Fetch returns the freelancers with the given ids, in the same order. It returns an error wrapping ErrNotFound if
	// any of them is missing. If records are damaged, it returns a *DamagedError that lists them, together with the other
	// freelancers; the damaged ones have no ID.
	Fetch(ctx context.Context, ids []string) ([]matching.Freelancer, error)
	// Count returns the number of documents that pass f.
	Count(ctx context.Context, f Filters) (int, error)
	// CountEach returns for each of the filters the number of documents that pass it. It is faster than a Count for each.
	CountEach(ctx context.Context, filters []Filters) ([]int, error)
	// CountUnknown returns the number of documents that lack at least one value that f filters by, such as a rating or
	// an hourly rate. Ids and skills are never unknown. For labels, see UnknownLabels.
	CountUnknown(ctx context.Context, f Filters) (int, error)
	// List returns the ids of the documents that pass f, in byte order: the first limit ids after the id after, which need
	// not exist. Without a limit above 0 there are none. A caller that passes the last id of each page gets every document
	// that exists throughout exactly once, even if each page comes from a newer snapshot of the index.
	List(ctx context.Context, f Filters, after string, limit int) ([]string, error)
	// Vocabulary returns the words that the documents use, with their frequencies. Every call collects them again, which
	// can take a tenth of a second for a large index: call it once per index, outside the request path.
	Vocabulary(ctx context.Context) (*Vocabulary, error)
}

// An Indexer builds indexes, changes them, and moves aliases.
type Indexer interface {
	Updater
	Changer
	// Lock keeps other indexers of the same engine out until release is called or the process ends. If another indexer
	// holds the lock, Lock returns an error that wraps ErrConflict and contains that indexer's owner text.
	Lock(ctx context.Context, owner string) (release func() error, err error)
	// Create makes an empty index, which stays invisible to searches until an alias points to it. It returns an error
	// wrapping ErrConflict if the index exists, and an error if one of the vector spaces is invalid.
	Create(ctx context.Context, spec Spec) error
	// Bulk starts to fill a newly created index. It returns an error wrapping ErrNotFound if the index does not exist and
	// ErrConflict if it has been filled, even in part: an index left behind by an aborted Bulk can only be dropped.
	// If reject is not nil, the engine calls it for each document it cannot store, from any goroutine but never
	// concurrently, and before Close returns.
	Bulk(ctx context.Context, index string, reject RejectFunc) (Bulk, error)
	// Scan yields every freelancer of an index in the order in which they were added, or one final error. A replaced
	// freelancer comes where it was added last. The error wraps ErrNotFound if the index does not exist and ErrConflict
	// if it was never completed. A damaged record is no final error: Scan yields a *DamagedError that names the freelancer
	// and continues. Scan can read an index of an earlier format, or with damaged search structures, if its records are
	// intact.
	Scan(ctx context.Context, index string) iter.Seq2[matching.Freelancer, error]
	// OpenIndex returns a snapshot of a complete index, whether or not an alias points to it. It returns an error
	// wrapping ErrNotFound if the index does not exist and ErrConflict if it was never completed.
	OpenIndex(ctx context.Context, index string) (Snapshot, error)
	// Indexes returns all indexes, oldest first, including incomplete and damaged ones.
	Indexes(ctx context.Context) ([]Info, error)
	// Alias returns the index that the alias points to and the one that it pointed to before. Each is "" if there is no
	// such index or it has been dropped. A damaged alias points nowhere; Alias logs a warning about it.
	Alias(ctx context.Context, alias string) (index, previous string, err error)
	// PointAlias atomically points the alias to a complete index and returns the previous index, as Alias does from then
	// on. Nothing changes if the alias already points there. It replaces a damaged alias. The error wraps ErrNotFound if
	// the index does not exist and ErrConflict if it was never completed.
	//
	// PointAlias needs no lock: of two concurrent moves, one happens after the other.
	PointAlias(ctx context.Context, alias, index string) (previous string, err error)
	// SwapAlias does the same as PointAlias, but only if the alias points to the index from, where "" stands for none, or
	// to index already. Otherwise nothing changes, and the error is a *MovedError.
	SwapAlias(ctx context.Context, alias, from, index string) (previous string, err error)
	// SetProvenance replaces the stored provenance of a complete index, durably. A snapshot that Open returns shows it
	// within a second. The error wraps ErrNotFound if the index does not exist and ErrConflict if it was never completed.
	SetProvenance(ctx context.Context, index string, p *Provenance) error
	// Drop deletes an index. Dropping an unknown index is not an error. Drop returns an error wrapping ErrConflict if an
	// alias points to the index, or if the index is complete and a damaged alias may point to it; that an alias pointed to
	// it before is no obstacle.
	Drop(ctx context.Context, index string) error
}

// An Updater changes a complete index in place, at a cost proportional to the size of the change.
type Updater interface {
	// Update starts to change a complete index. The documents must have been prepared like those in the index. Changes
	// become visible one by one, at the latest when Close returns, and changes made before a failure stay. Update returns
	// an error wrapping ErrNotFound if the index does not exist and ErrConflict if it was never completed. For reject, see
	// Indexer.Bulk.
	Update(ctx context.Context, index string, reject RejectFunc) (Update, error)
}

// An Update is a stream of changes to one index. It is safe for concurrent use. If a freelancer is changed more than
// once, the last call wins.
type Update interface {
	// Add adds a document, or replaces the one with the same id, under the rules of Bulk.Add.
	Add(ctx context.Context, d *Document) error
	// Delete deletes the document with the given id.
	Delete(ctx context.Context, id string) error
	// Close makes every change visible and durable. The counts are final only when it returns.
	Close(ctx context.Context) (UpdateResult, error)
	// Abort discards changes that have not been written yet. It does nothing after Close.
	Abort()
}

// An UpdateResult counts the outcomes of an update by distinct ids.
type UpdateResult struct {
	Indexed int // added or replaced
	Failed  int
	Deleted int
	Missing int // to be deleted, but not in the index
}

// A RejectFunc receives the id of a document that an engine cannot store, and the reason.
type RejectFunc func(id string, reason error)

// A Bulk is a stream of documents into one index. It is safe for concurrent use. Documents are scanned in the
// order of the calls to Add.
type Bulk interface {
	// Add adds a document, and blocks while the engine is behind. The caller must not change the document afterwards.
	// A second document with the same id replaces the first. A document that cannot be stored, because it has no id or
	// contains a number that JSON cannot represent, counts as failed. An error, such as one from CheckVectors, ends the
	// Bulk.
	Add(ctx context.Context, d *Document) error
	// Close completes the index: when it returns, the documents are durable and the counts final.
	Close(ctx context.Context) (BulkResult, error)
	// Abort leaves the index incomplete. It does nothing after Close.
	Abort()
}

// A BulkResult counts the outcomes of a Bulk. Indexed + Failed is the number of distinct ids that were added.
type BulkResult struct {
	Indexed int
	Failed  int
}

// A Spec specifies a new index.
type Spec struct {
	Name     string
	Mapping  mappings.Mapping
	Source   string                 // where the records came from: csv, ndjson, xlsx, http, generated or mixed
	Currency string                 // ISO 4217 code of every amount in the index
	Taxonomy string                 // version of the taxonomy that the skills were resolved with
	Vectors  []matching.VectorSpace // spaces of the documents' vectors; empty if they have none
	Created  time.Time
}

// Info describes an index.
type Info struct {
	Name      string
	Mapping   string // name of the mapping, such as freelancers.v1
	Source    string
	Currency  string
	Taxonomy  string
	Vectors   []matching.VectorSpace // empty if the documents have no vectors
	Created   time.Time
	Complete  bool // whether Bulk.Close succeeded; an incomplete index remains from an interrupted load
	Documents int  // only set for a complete index
	Bytes     int64
	// Updated is the time of the last change in place, or of its discovery; zero if none is known. It can advance with
	// every change, so code that derives data from all of an index must limit how often.
	Updated time.Time
	// Indexes sets Pending if the index is complete, but no alias has pointed to it: the load ended before that.
	Pending bool
	// Indexes sets Fault to the reason why the index can't be searched; "" if nothing is known to be wrong.
	Fault string
	// DamagedRecords is the number of freelancers whose records a snapshot has found damaged so far.
	DamagedRecords int
	// Provenance is nil if none was stored, as for indexes of earlier versions, or if it is damaged, which is logged.
	// Don't change it.
	Provenance *Provenance
}

// Statistics are facts about all documents of an index together.
type Statistics struct {
	Documents  int
	MeanRating matching.Optional[float64] // over the freelancers with a known rating
	// RateMedian is RateCounts.Median over the hourly rates of all documents.
	RateMedian matching.Optional[float64]
	SkillCount map[string]int // number of documents that have each skill, possibly 0
}
