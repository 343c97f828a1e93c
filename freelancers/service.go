package freelancers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
)

// A Condition must hold for a change to be made. The zero value always holds.
type Condition = engine.Condition

// A Preparer turns freelancers into documents. It must be safe for concurrent use.
type Preparer interface {
	// Spaces returns the vector spaces of the documents.
	Spaces() []matching.VectorSpace
	// Prepare returns one document for each freelancer, in the same order. It fails only if an embedding model does.
	Prepare(ctx context.Context, freelancers []matching.Freelancer) ([]*engine.Document, error)
}

// An Erased is the list of erased people.
type Erased interface {
	// Matcher returns a function that reports whether a freelancer is on the list now, or nil if nobody is.
	Matcher(ctx context.Context) (func(*matching.Freelancer) bool, error)
}

// A Creator creates the first index.
type Creator interface {
	// Create makes an empty index live whose amounts are in a currency. announce is called with its name before it is
	// live; if it fails, no index is left. Create does nothing if an index is live already. It returns an error wrapping
	// engine.ErrConflict while another process builds an index.
	Create(ctx context.Context, by audit.By, currency string, p Preparer, announce func(index string) error) error
}

// An Eraser erases people for good, and admits them again.
type Eraser interface {
	// EraseFreelancers erases people from everywhere and, if anything is found, keeps later loads and changes from storing
	// them again. It returns what it found by ID. The entries of the audit log belong to the given account.
	EraseFreelancers(ctx context.Context, by audit.By, account string, people []Person) (map[string]Erasure, error)
	// ReadmitFreelancer takes a freelancer off the list of erased people, with the addresses in the record.
	ReadmitFreelancer(ctx context.Context, by audit.By, f *matching.Freelancer) error
}

// A Person is somebody to erase.
type Person struct {
	ID     string
	Record *matching.Freelancer // in the live index, before the erasure; nil if it has none
}

// An Erasure says what was erased about one freelancer.
type Erasure struct {
	Indexed    bool `json:"indexed"`    // an index had the freelancer
	Interviews int  `json:"interviews"` // about the freelancer
	Other      int  `json:"other"`      // dead letters, lines of exports, events, and verdicts
	// Servers is set if several servers with indexes of their own share the database.
	Servers *ErasedOn `json:"servers,omitempty"`
}

// Servers are the running servers that share the database. Each one may have an index of its own.
type Servers interface {
	// Indexes returns the number of indexes that these servers have: 1 if a change of this server's reaches all.
	Indexes(ctx context.Context) (int, error)
	// Erasures says which servers have deleted all erased people from their index, and which have not. It returns nil if
	// they share one index.
	Erasures(ctx context.Context) (*ErasedOn, error)
}

// ErasedOn says which servers have deleted all erased people from their index so far, by their IDs. The others leave
// these people out of their responses all the same.
type ErasedOn struct {
	Rewritten []string `json:"rewritten"`
	Pending   []string `json:"pending"`
}

// A Log is the audit log.
type Log interface {
	Record(ctx context.Context, events ...audit.Event) error
}

// A Feed announces changes to those who follow them.
type Feed interface {
	// Announce records entries of the audit log about changes that are about to be made, and stores with them that they
	// will be announced. The caller calls finish when they are made; made reports of which freelancers they were. If it
	// never does, because the process ended, all of them are announced.
	Announce(ctx context.Context, events []audit.Event) (finish func(made func(id string) bool), err error)
}

// Config holds the dependencies of a Service. All fields but Creator, Servers, Feed and Changed are required.
type Config struct {
	Engine engine.Searcher // changes need an engine.Changer
	Alias  string          // of the live index
	// Prepare returns what new documents are prepared with. It may fail while an embedding model is unreachable.
	Prepare func(ctx context.Context) (Preparer, error)
	// Creator creates the index that the first freelancer is stored in. If it is nil, an index must have been loaded.
	Creator  Creator
	Currency string // of that index, unless the first change names another one
	Mapping  string // name of the mapping of new documents
	Taxonomy string // version of the taxonomy of new documents
	// Filters resolves the skills and names in filters.
	Filters func(f *matching.Filters) (engine.Filters, error)
	Erased  Erased
	Eraser  Eraser
	Servers Servers // nil if no other server can share the database
	Log     Log
	Feed    Feed // nil to announce nothing
	Now     func() time.Time
	Logger  *slog.Logger
	// Changed is called after changes with the IDs of freelancers who may have new records.
	Changed func(ids []string)
}

// A Service reads and changes single freelancers. It is safe for concurrent use.
type Service struct {
	Config

	mu       sync.Mutex
	preparer Preparer // nil until Prepare has succeeded
}

// New returns a Service.
func New(c Config) *Service { return &Service{Config: c} }

// A Stored is a freelancer of the live index.
type Stored struct {
	Freelancer matching.Freelancer
	Version    string
}

func newStored(f matching.Freelancer) Stored { return Stored{f, engine.Version(&f)} }

// Get returns the freelancer with an ID. The error has matching.CodeFreelancerUnknown if there is none, and otherwise a
// code of engine.ReadLive.
func (s *Service) Get(ctx context.Context, id string) (Stored, error) {
	var found []matching.Freelancer
	err := engine.ReadLive(ctx, s.Engine, s.Alias, func(live engine.Snapshot) (err error) {
		if live == nil {
			return errUnknown(id)
		}
		if found, err = live.Fetch(ctx, []string{id}); err != nil {
			return fmt.Errorf("fetch the freelancer: %w", err)
		}
		return nil
	})
	if errors.Is(err, engine.ErrNotFound) {
		err = errUnknown(id)
	}
	if err != nil {
		return Stored{}, err
	}
	return newStored(found[0]), nil
}

// GetAll returns the freelancers with some IDs by ID, from one read of the live index. Those without a record are left
// out. The error has a code of engine.ReadLive.
func (s *Service) GetAll(ctx context.Context, ids []string) (map[string]Stored, error) {
	found := make(map[string]Stored, len(ids))
	isRetry := false
	err := engine.ReadLive(ctx, s.Engine, s.Alias, func(live engine.Snapshot) error {
		clear(found)
		if live == nil || len(ids) == 0 {
			return nil
		}

		// Somebody may be missing because the index was just replaced, so only the second read leaves them out.
		list, err := live.Fetch(ctx, ids)
		if errors.Is(err, engine.ErrNotFound) && isRetry {
			return fetchKnown(ctx, live, ids, found)
		}
		isRetry = true
		if err != nil {
			return fmt.Errorf("fetch the freelancers: %w", err)
		}

		for i := range list {
			found[list[i].ID] = newStored(list[i])
		}
		return nil
	})
	return found, err
}

// fetchKnown fetches those of several freelancers who exist.
func fetchKnown(ctx context.Context, live engine.Snapshot, ids []string, found map[string]Stored) error {
	for _, id := range ids {
		list, err := live.Fetch(ctx, []string{id})
		if errors.Is(err, engine.ErrNotFound) {
			continue
		}
		if err != nil {
			return fmt.Errorf("fetch the freelancers: %w", err)
		}
		found[id] = newStored(list[0])
	}
	return nil
}

// maxLikeSkills limits the skills in the brief of Like. The first ones matter most.
const maxLikeSkills = 50

// Like returns a brief that freelancers like f match best. It excludes f.
func Like(f *matching.Freelancer) *matching.Brief {
	return &matching.Brief{
		JobTitle: f.JobTitle, Description: f.Description, RequiredSkills: f.Skills[:min(len(f.Skills), maxLikeSkills)],
		Filters: matching.Filters{ExcludeIDs: []string{f.ID}}, KeepCopies: true,
	}
}

// A Page is a part of the list of freelancers, in the byte order of their IDs.
type Page struct {
	Freelancers []Stored
	Next        string // the ID after which the next page begins; "" on the last page
	Damaged     int    // freelancers of this page who were left out because their records are damaged
}

// List returns up to limit freelancers who pass the filters and whose IDs come after the given one. A caller that
// continues after Next gets every freelancer who exists throughout exactly once. Without data, the list is empty.
func (s *Service) List(ctx context.Context, f *matching.Filters, after string, limit int) (page Page, err error) {
	filters, err := s.Filters(f)
	if err != nil {
		return Page{}, err
	}

	err = engine.ReadLive(ctx, s.Engine, s.Alias, func(live engine.Snapshot) error {
		page = Page{Freelancers: []Stored{}}
		if live == nil {
			return nil
		}

		// One freelancer more than the page holds shows whether another page follows.
		ids, err := live.List(ctx, filters, after, limit+1)
		if err != nil {
			return fmt.Errorf("list freelancers: %w", err)
		}

		if len(ids) > limit {
			ids = ids[:limit]
			page.Next = ids[limit-1]
		}

		page.Freelancers, page.Damaged, err = s.fetch(ctx, live, ids)
		return err
	})

	return page, err
}

// Parse parses a JSON object as the record of a freelancer, and returns the faults of its fields. The text must be
// valid JSON. Amounts are in the given currency, or in that of the live index if it is "". The error has
// matching.CodeInvalid if the live index has another currency than the given one.
func (s *Service) Parse(ctx context.Context, object []byte, currency string) (Record, []matching.FieldError, error) {
	currency, err := s.AmountsIn(ctx, currency)
	if err != nil {
		return Record{}, nil, err
	}
	record, faults := parse(object, currency)
	return record, faults, nil
}

// AmountsIn returns the currency of the amounts in records, ISO 4217: the live index's or, before the first load, the
// given one or the default. The error has matching.CodeInvalid if the live index has another currency than the given
// one, unless that is "".
func (s *Service) AmountsIn(ctx context.Context, currency string) (string, error) {
	err := engine.ReadLive(ctx, s.Engine, s.Alias, func(live engine.Snapshot) error {
		has := cmp.Or(currency, s.Currency) // of the index that the record will be the first in
		if live != nil {
			has = live.Info().Currency
		}
		if currency != "" && currency != has {
			return errCurrency(has, currency)
		}
		currency = has
		return nil
	})
	return currency, err
}

// prepared returns what new documents of the live index are prepared with, or an error if the index was built with
// something else.
func (s *Service) prepared(ctx context.Context, live *engine.Info) (Preparer, error) {
	p, err := s.newest(ctx)
	if err != nil {
		return nil, err
	}
	if d := live.Difference(s.Mapping, s.Taxonomy, p.Spaces()); d != "" {
		return nil, errReindex(d)
	}
	return p, nil
}

// newest returns what the documents of a new index are prepared with.
func (s *Service) newest(ctx context.Context) (Preparer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.preparer == nil {
		p, err := s.Prepare(ctx)
		if err != nil {
			return nil, errEmbeddings(err)
		}
		s.preparer = p
	}
	return s.preparer, nil
}
