package feed

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/matching"
)

const (
	// MaxChanges is how many changes a message has at most.
	MaxChanges = 500
	// Retention is how long the feed keeps changes.
	Retention = 30 * 24 * time.Hour
	// KeepDeliveries is how long messages to endpoints are kept.
	KeepDeliveries = 14 * 24 * time.Hour
	// MaxKept is how many messages to an endpoint are kept, the newest.
	MaxKept = 10_000

	// overdue is when changes are published whose server hasn't said what became of them: longer than a change of a
	// batch takes.
	overdue = 5 * time.Minute
	// pause is the time between two publications of a server, in which the changes of a burst come together.
	pause = 200 * time.Millisecond
	// pollEvery is the interval at which a server looks for what others have published.
	pollEvery = time.Second
	// maxPublished limits the changes of a transaction.
	maxPublished = 2_000
	// maxWaiting limits the changes in memory. More are published when they are overdue.
	maxWaiting = 200_000
	// maxNotes limits the messages of Tell in memory, and maxNoted the subjects that a process remembers.
	maxNotes = 1_000
	maxNoted = 10_000
	// publishTime limits a transaction.
	publishTime = 10 * time.Second
)

// An Announcement lists changes that are being made.
type Announcement struct {
	ID      string
	Changes []Change // without numbers
}

// A State says which changes the feed has.
type State struct {
	Last      int64 // number of the newest change; 0 if there never was one
	Forgotten int64 // number of the newest change that is no longer kept; 0 if all are kept
}

// An Index is the live index of servers that share one.
type Index struct {
	Servers string // names them
	Name    string // "" for none
	State   string // differs after each command that changes the index
	Load    Load   // what has made it what it is
	Silent  bool   // no change for those who follow the feed: the first index is empty
}

// A Store stores the feed. Several processes can share it.
type Store interface {
	// Announce stores changes that are about to be made, in a transaction with their entries in the audit log. They are
	// published at the time due unless Publish is called before.
	Announce(ctx context.Context, events []audit.Event, a *Announcement, due time.Time) error
	// Publish adds announced changes to the feed, each announcement once, and forgets the announcements. It publishes
	// those in its argument, which may lack changes that were not made, and those that are due. It returns how many
	// changes it has added.
	Publish(ctx context.Context, done []Announcement, now time.Time) (int, error)
	// ObserveIndex adds a change to the feed if the live index of servers differs from the one that was observed last.
	// The first observation adds none. It reports whether it has added one.
	ObserveIndex(ctx context.Context, i *Index, now time.Time) (bool, error)
	// State returns which changes the feed has.
	State(ctx context.Context) (State, error)
	// Since returns up to limit changes after the one with a number, the oldest first.
	Since(ctx context.Context, after int64, limit int) ([]Change, error)
	// Fill stores messages to endpoints about changes in the feed that they have no message about, and reports whether it
	// has stored any. An endpoint whose messages wait gets no further ones until they have been sent.
	Fill(ctx context.Context, now time.Time) (bool, error)
	// Tell stores a message about an event to the endpoints of an account that ask for it, unless it has been called with
	// the subject before.
	Tell(ctx context.Context, subject, account string, e Event, data any, now time.Time) error
}

// A Service announces changes. It is safe for concurrent use.
type Service struct {
	store  Store
	now    func() time.Time
	log    *slog.Logger
	notify func() // makes a sender look for messages

	wake chan struct{}

	flushing sync.Mutex // held by Flush

	mu      sync.Mutex
	waiting []Announcement // that are done
	changes int            // in waiting
	last    int64          // number of the newest change that this process knows of
	grown   chan struct{}  // closed when last grows
	notes   []note
	noted   map[string]bool // subjects of notes, stored or not
}

// A note is a message to store about an event that is announced once.
type note struct {
	subject, account string
	event            Event
	data             any
}

// New returns a Service. notify is called when there are new messages to endpoints.
func New(s Store, now func() time.Time, log *slog.Logger, notify func()) *Service {
	return &Service{
		store: s, now: now, log: log, notify: notify, wake: make(chan struct{}, 1), grown: make(chan struct{}),
		noted: map[string]bool{},
	}
}

// kindOf returns the kind of a change by its entry in the audit log.
func kindOf(a audit.Action) Kind {
	switch a {
	case audit.FreelancerPatched:
		return Patched
	case audit.FreelancerDeleted:
		return Erased
	default:
		return Stored
	}
}

// Announce records entries of the audit log about changes that are about to be made, together with the announcement.
// The caller calls finish when they are made, or known not to be made: made reports which. A nil made stands for all.
func (s *Service) Announce(
	ctx context.Context, events []audit.Event,
) (finish func(made func(id string) bool), err error) {
	a := Announcement{ID: strings.ToLower(rand.Text())}
	for i := range events {
		a.Changes = append(a.Changes, Change{Kind: kindOf(events[i].Action), ID: events[i].Subject, At: events[i].At})
	}
	if err := s.store.Announce(ctx, events, &a, s.now().Add(overdue)); err != nil {
		return nil, err
	}
	return func(made func(id string) bool) { s.finish(a, made) }, nil
}

// Erasing announces that a command erases freelancers. A server publishes it in a few minutes, when that is done.
func Erasing(ctx context.Context, s Store, ids []string, now time.Time) error {
	a := Announcement{ID: strings.ToLower(rand.Text())}
	for _, id := range ids {
		a.Changes = append(a.Changes, Change{Kind: Erased, ID: id, At: now.UTC()})
	}
	return s.Announce(ctx, nil, &a, now.Add(overdue))
}

// finish has an announcement published.
func (s *Service) finish(a Announcement, made func(id string) bool) {
	if made != nil {
		var changes []Change
		for _, c := range a.Changes {
			if made(c.ID) {
				changes = append(changes, c)
			}
		}
		a.Changes = changes
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	if s.changes+len(a.Changes) > maxWaiting {
		return
	}
	s.waiting = append(s.waiting, a)
	s.changes += len(a.Changes)
	s.wakeUp()
}

// wakeUp makes Run look for work.
func (s *Service) wakeUp() {
	select {
	case s.wake <- struct{}{}:
	default: // it is about to look
	}
}

// take returns announcements with up to maxPublished changes.
func (s *Service) take() (taken []Announcement) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for len(s.waiting) > 0 && (n == 0 || n+len(s.waiting[0].Changes) <= maxPublished) {
		n += len(s.waiting[0].Changes)
		taken = append(taken, s.waiting[0])
		s.waiting = s.waiting[1:]
	}
	s.changes -= n
	return taken
}

// putBack returns announcements that could not be published to those that wait.
func (s *Service) putBack(taken []Announcement) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = append(taken, s.waiting...)
	for _, a := range taken {
		s.changes += len(a.Changes)
	}
}

// Run publishes changes and makes messages of them until ctx ends. What is done by then is still published.
func (s *Service) Run(ctx context.Context) {
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	failed := false
	for {
		err := s.Flush(ctx)
		if err != nil && ctx.Err() == nil && !failed {
			s.log.WarnContext(ctx, "changes not announced", "retry_in", pollEvery, "error", err)
		}
		failed = err != nil

		wake := s.wake
		if failed {
			wake = nil // a database that doesn't answer is asked once a second
		}
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), publishTime)
			defer cancel()
			if err := s.Flush(last); err != nil {
				s.log.WarnContext(ctx, "changes not announced before the end; another run announces them", "error", err)
			}
			return
		case <-poll.C:
		case <-wake:
		}

		// Changes of a burst come together in the meantime. The last ones are published without a pause.
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// Flush publishes what is done, and makes messages of what is new in the feed.
func (s *Service) Flush(ctx context.Context) error {
	s.flushing.Lock()
	defer s.flushing.Unlock()

	for {
		taken := s.take()
		limited, cancel := context.WithTimeout(ctx, publishTime)
		_, err := s.store.Publish(limited, taken, s.now())
		cancel()
		if err != nil {
			s.putBack(taken)
			return err
		}
		if len(taken) == 0 {
			break
		}
	}

	if err := s.follow(ctx); err != nil {
		return err
	}
	if err := s.tell(ctx); err != nil {
		return err
	}
	for {
		filled, err := s.store.Fill(ctx, s.now())
		if err != nil {
			return err
		}
		if !filled {
			return nil
		}
		s.notify()
	}
}

// follow wakes those who wait for changes if the feed has grown.
func (s *Service) follow(ctx context.Context) error {
	state, err := s.store.State(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if state.Last != s.last {
		s.last = state.Last
		close(s.grown)
		s.grown = make(chan struct{})
	}
	return nil
}

// Grown returns a channel that is closed when the feed grows.
func (s *Service) Grown() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.grown
}

// Observe tells the feed which index is live.
func (s *Service) Observe(ctx context.Context, i *Index) error {
	added, err := s.store.ObserveIndex(ctx, i, s.now())
	if added {
		s.wakeUp()
	}
	return err
}

// Tell has a message about an event sent to the endpoints of an account that ask for it, once for each subject. It
// doesn't wait for the database, so it may be called for every request.
func (s *Service) Tell(subject, account string, e Event, data any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.noted[subject] || len(s.notes) >= maxNotes {
		return
	}

	// The database knows, too, which subjects were announced. The map only saves it most questions.
	if len(s.noted) >= maxNoted {
		clear(s.noted)
	}
	s.noted[subject] = true
	s.notes = append(s.notes, note{subject, account, e, data})
	s.wakeUp()
}

// tell stores the messages of Tell. Those that can't be stored wait for the next call.
func (s *Service) tell(ctx context.Context) error {
	for {
		s.mu.Lock()
		if len(s.notes) == 0 {
			s.mu.Unlock()
			return nil
		}
		n := s.notes[0]
		s.mu.Unlock()

		if err := s.store.Tell(ctx, n.subject, n.account, n.event, n.data, s.now()); err != nil {
			return fmt.Errorf("announce %s: %w", n.event, err)
		}
		s.notify()

		s.mu.Lock()
		s.notes = s.notes[1:]
		s.mu.Unlock()
	}
}

// CodeCursorExpired is the code for a cursor after which changes are missing.
const CodeCursorExpired matching.Code = "cursor_expired"

// A Page is a part of the feed.
type Page struct {
	Changes []Change
	Next    int64 // number after which the next page begins
	More    bool  // the next page has changes already
}

// Newest stands for the end of the feed in Since.
const Newest = math.MaxInt64

// Since returns up to limit changes after the one with a number. After Newest, there are none, and Next is the number
// of the newest change. The error has CodeCursorExpired if changes in between are no longer kept, or if the feed has
// never had that number: the database was restored from a backup.
func (s *Service) Since(ctx context.Context, after int64, limit int) (Page, error) {
	state, err := s.store.State(ctx)
	if err != nil {
		return Page{}, err
	}
	if after == Newest {
		return Page{Next: state.Last}, nil
	}
	if after < state.Forgotten || after > state.Last {
		return Page{}, &matching.Error{
			Code: CodeCursorExpired,
			Message: fmt.Sprintf("Changes after this cursor are no longer kept; they are kept for %d days. Request /changes "+
				"without a cursor, read all freelancers again, and continue with the next_cursor of that response.",
				int(Retention.Hours()/24)),
		}
	}

	changes, err := s.store.Since(ctx, after, limit+1)
	if err != nil {
		return Page{}, err
	}
	page := Page{Changes: changes, Next: after}
	if len(changes) > limit {
		page.Changes = changes[:limit]
		page.More = true
	}
	if n := len(page.Changes); n > 0 {
		page.Next = page.Changes[n-1].Sequence
	}
	return page, nil
}
