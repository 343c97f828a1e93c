package events

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
)

const (
	flushInterval = time.Second
	flushTimeout  = 10 * time.Second
	// maxPending and maxPendingBytes limit the matches that wait to be written.
	maxPending      = 10_000
	maxPendingBytes = 32 << 20
	// maxBrief is the size of the largest brief that is kept. Only long lists of IDs make one larger.
	maxBrief = 512 << 10
	// clockSkew is how far the clock of a client may be ahead.
	clockSkew = 5 * time.Minute
)

// The codes of field errors about events.
const (
	codeUnknownRequest = "unknown_request" // the account has no such match, or no longer
	codeNotInResponse  = "not_in_response" // the response didn't have the freelancer
	codeTime           = "invalid_time"    // before the match, or in the future
)

// A Config holds the dependencies of a Service. All are required.
type Config struct {
	Store    Store
	Now      func() time.Time
	Log      *slog.Logger
	Observer Observer
	Program  string // version of the program, which is recorded with every match
}

// A Service records matches and events. Matches are collected in memory and written every second, so that no match
// waits for the database; if the process is killed, those of the last second are lost. It is safe for concurrent use.
type Service struct {
	config Config
	agreed atomic.Pointer[map[string]Agreement] // by account
	stop   chan struct{}
	done   chan struct{}
	once   sync.Once

	writing sync.Mutex // held during a flush, so that Flush returns after the matches before it were written

	mu      sync.Mutex // guards the fields below
	pending map[matchKey]*Match
	bytes   int // of pending matches
	dropped int // since the last flush
}

type matchKey struct{ account, id string }

// New starts a Service, once it has read which accounts have agreed. Call Close to write the last matches.
func New(c Config) *Service {
	s := &Service{config: c, stop: make(chan struct{}), done: make(chan struct{}), pending: map[matchKey]*Match{}}
	s.agreed.Store(&map[string]Agreement{})
	s.flushInBackground()
	go s.run()
	return s
}

func (s *Service) run() {
	defer close(s.done)
	ticker := time.NewTicker(flushInterval)
	defer ticker.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-ticker.C:
			s.flushInBackground()
		}
	}
}

// flushInBackground writes the pending matches and reads what accounts have agreed to.
func (s *Service) flushInBackground() {
	ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
	defer cancel()
	if err := s.Flush(ctx); err != nil {
		s.config.Log.Warn("matches not recorded yet; events about them are rejected until they are", "error", err)
	}

	list, err := s.config.Store.Agreements(ctx)
	if err != nil {
		s.config.Log.Warn("agreements of accounts not read", "error", err)
		return
	}
	agreed := make(map[string]Agreement, len(list))
	for _, a := range list {
		agreed[a.Account] = a
	}
	s.agreed.Store(&agreed)
}

// KeepsBriefs reports whether an account has agreed to its briefs being kept.
func (s *Service) KeepsBriefs(account string) bool { return (*s.agreed.Load())[account].Briefs }

// AllowsSwaps reports whether an account has agreed to coins that decide the order of neighbors.
func (s *Service) AllowsSwaps(account string) bool { return (*s.agreed.Load())[account].Swaps }

// Matched records a match. It never waits for the database.
func (s *Service) Matched(m Match) {
	if len(m.Freelancers) == 0 {
		return // no event can be about it
	}
	if len(m.Brief) > maxBrief {
		m.Brief = nil
	}
	m.Versions.Program = s.config.Program

	s.mu.Lock()
	defer s.mu.Unlock()
	k := matchKey{m.Account, m.ID}
	if len(s.pending) >= maxPending || s.bytes+len(m.Brief) > maxPendingBytes {
		s.dropped++
		return
	}

	// A repeated match replaces the earlier one.
	if earlier := s.pending[k]; earlier != nil {
		s.bytes -= len(earlier.Brief)
	}
	s.bytes += len(m.Brief)
	s.pending[k] = &m
}

// Flush writes the matches recorded so far. If it fails, they are kept for the next time.
func (s *Service) Flush(ctx context.Context) error {
	s.writing.Lock()
	defer s.writing.Unlock()

	// The database is written without s.mu, so that Matched never waits for it.
	s.mu.Lock()
	pending := s.pending
	dropped := s.dropped
	s.pending = map[matchKey]*Match{}
	s.bytes = 0
	s.dropped = 0
	s.mu.Unlock()

	if dropped > 0 {
		s.config.Observer.MatchesDropped(dropped)
		s.config.Log.Warn("too many matches to record; events about some are rejected", "dropped", dropped)
	}

	if len(pending) == 0 {
		return nil
	}

	list := make([]Match, 0, len(pending))
	for _, m := range pending {
		list = append(list, *m)
	}

	err := s.config.Store.AddMatches(ctx, list)
	if err == nil {
		return nil
	}

	// Earlier matches go first. If memory is short, the newest ones are dropped.
	s.mu.Lock()
	newer := s.pending
	s.pending = map[matchKey]*Match{}
	s.bytes = 0
	s.mu.Unlock()

	for _, m := range pending {
		s.Matched(*m)
	}

	for _, m := range newer {
		s.Matched(*m)
	}

	return fmt.Errorf("record %d matches: %w", len(list), err)
}

// Close writes the last matches and stops. It doesn't close the store. It may be called more than once.
func (s *Service) Close() error {
	s.once.Do(func() { close(s.stop) })
	<-s.done
	ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
	defer cancel()
	if err := s.Flush(ctx); err != nil {
		return fmt.Errorf("the latest matches are not recorded: %w", err)
	}
	return nil
}

// A Result says what became of the events of a request.
type Result struct {
	Recorded   int
	Duplicates int                   // stored before, or repeated in the request
	Rejected   []matching.FieldError // with fields such as events[3].request_id
}

// Record checks events of an account, stores the valid ones and reports the others. If the account has no room for the
// valid ones, it stores none and returns a matching.Error with CodeFull.
func (s *Service) Record(ctx context.Context, account string, events []Event) (Result, error) {
	if err := s.Flush(ctx); err != nil { // the matches of these events may be pending
		return Result{}, err
	}
	matches, err := s.matches(ctx, account, events)
	if err != nil {
		return Result{}, err
	}

	var r Result
	var valid []Event
	seen := map[Event]bool{}
	for i, e := range events {
		e.Account = account
		if fault := s.check(&e, matches[e.Match], fmt.Sprintf("events[%d].", i)); fault != nil {
			r.Rejected = append(r.Rejected, *fault)
			s.config.Observer.Event(e.Type, "rejected")
			continue
		}

		// The time doesn't distinguish events, because a client may report an event again later.
		same := e
		same.At = time.Time{}
		if seen[same] {
			r.Duplicates++
			s.config.Observer.Event(e.Type, "duplicate")
			continue
		}

		seen[same] = true
		valid = append(valid, e)
	}

	if len(valid) == 0 {
		return r, nil
	}

	added, err := s.config.Store.AddEvents(ctx, account, valid, MaxEvents)
	if errors.Is(err, ErrFull) {
		return r, &matching.Error{Code: CodeFull, Cause: err, Message: fmt.Sprintf(
			"This account has reached the limit of %d stored events. None of these events were stored. "+
				"Send events again when older ones have expired.", MaxEvents)}
	}
	if err != nil {
		return r, err
	}

	for i, e := range valid {
		outcome := "recorded"
		if added[i] {
			r.Recorded++
		} else {
			r.Duplicates++
			outcome = "duplicate"
		}

		s.config.Observer.Event(e.Type, outcome)
	}

	return r, nil
}

// matches returns the matches that the events name and the account has, by ID.
func (s *Service) matches(ctx context.Context, account string, events []Event) (map[string]*Match, error) {
	ids := make([]string, len(events))
	for i, e := range events {
		ids[i] = e.Match
	}
	slices.Sort(ids)
	found, err := s.config.Store.Matches(ctx, account, slices.Compact(ids))
	if err != nil {
		return nil, err
	}
	matches := make(map[string]*Match, len(found))
	for i := range found {
		matches[found[i].ID] = &found[i]
	}
	return matches, nil
}

// check sets the rank and, if it is unknown, the time of an event. It returns an error, whose field begins with prefix,
// if the match doesn't exist or doesn't have the freelancer.
func (s *Service) check(e *Event, m *Match, prefix string) *matching.FieldError {
	fault := func(field, code, format string, args ...any) *matching.FieldError {
		return &matching.FieldError{
			Field: prefix + field, Code: code, Message: fmt.Sprintf(prefix+field+" "+format, args...),
		}
	}

	if m == nil {
		return fault("request_id", codeUnknownRequest, "must be the request_id of a match of this account from the last "+
			"%d days, or with earlier events; a match can take a second to be known.", int(Window.Hours()/24))
	}

	if e.Rank = m.rank(e.Freelancer); e.Rank == 0 {
		return fault("freelancer_id", codeNotInResponse, "must be the id of a freelancer in the response to request_id.")
	}

	// The clocks of clients may differ a little from the server's.
	now := s.config.Now()
	switch {
	case e.At.IsZero():
		e.At = now
	case e.At.Before(m.At.Add(-clockSkew)):
		return fault("at", codeTime, "must not be before the match, which was at %s.", m.At.UTC().Format(time.RFC3339))
	case e.At.After(now.Add(clockSkew)):
		return fault("at", codeTime, "must not be in the future; the server's time is %s.", now.UTC().Format(time.RFC3339))
	}

	return nil
}
