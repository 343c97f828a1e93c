package briefs

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/matching"
)

// A Service manages the saved briefs of accounts. It is safe for concurrent use.
type Service struct {
	store   Store
	now     func() time.Time
	watches bool
	changed func()
}

// New returns a Service. watches reports whether briefs are watched, which not every search engine allows. changed is
// called when a brief has changed.
func New(s Store, now func() time.Time, watches bool, changed func()) *Service {
	return &Service{store: s, now: now, watches: watches, changed: changed}
}

// time returns the time as stores keep it.
func (s *Service) time() time.Time { return s.now().UTC().Truncate(time.Microsecond) }

// check returns the faults of settings, and cleans the name.
func (s *Service) check(n *Settings) error {
	var faults []matching.FieldError
	add := func(field, format string, args ...any) {
		faults = append(faults, matching.FieldError{
			Field: field, Code: "invalid_value", Message: field + " " + fmt.Sprintf(format, args...),
		})
	}

	n.Name = strings.TrimSpace(n.Name)
	hasControl := strings.ContainsFunc(n.Name, unicode.IsControl)
	if characters := utf8.RuneCountInString(n.Name); characters == 0 || characters > MaxName || hasControl {
		add("name", "must have 1 to %d characters in one line.", MaxName)
	}
	if n.Top < 1 || n.Top > MaxTop {
		add("top", "must be a number from 1 to %d; got %d.", MaxTop, n.Top)
	}
	if !(n.MinScore >= 0 && n.MinScore <= 1) {
		add("min_score", "must be a number from 0 to 1; got %v.", n.MinScore)
	}
	switch n.MinLevel {
	case "", matching.LevelExcellent, matching.LevelStrong, matching.LevelFair, matching.LevelWeak:
	default:
		add("min_level", "must be excellent, strong, fair or weak.")
	}
	if len(n.Request) > MaxRequest {
		add("match", "must have at most %d kB.", MaxRequest>>10)
	}
	if len(faults) > 0 {
		return matching.Invalid(faults)
	}

	if n.Notify && !s.watches {
		return unsupported("Send notify: false, and match the brief again when you need its list.")
	}
	return nil
}

// unsupported returns the error of a search engine that can't watch briefs, with what to do instead.
func unsupported(instead string) error {
	return &matching.Error{
		Code: CodeUnsupported, Message: "This server's search engine can't watch briefs. " + instead,
	}
}

// Watches reports whether briefs are watched, which not every search engine allows.
func (s *Service) Watches() bool { return s.watches }

// Create saves a brief of an account that may have limit of them; 0 is no limit. origin is the ID of the project or of
// the result of the dashboard that the brief is from, or "". Create returns ErrWatched if a brief was saved from it
// before.
func (s *Service) Create(
	ctx context.Context, by audit.By, account, origin string, n Settings, limit int,
) (Brief, error) {
	if err := s.check(&n); err != nil {
		return Brief{}, err
	}
	b := Brief{
		ID: "brf_" + strings.ToLower(rand.Text()[:16]), Account: account, Settings: n, Created: s.time(), Revision: 1,
		Origin: origin,
	}
	b.Changed = b.Created

	err := s.store.Insert(ctx, &b, limit, s.event(by, audit.BriefSaved, account, b.ID))
	if errors.Is(err, ErrFull) {
		return Brief{}, &matching.Error{
			Code: CodeFull, Cause: err,
			Message: fmt.Sprintf("Your account has %d saved briefs, which is the limit of its plan. Delete one first.", limit),
		}
	}
	if err != nil {
		return Brief{}, err
	}
	s.changed()
	return b, nil
}

func (s *Service) event(by audit.By, action audit.Action, account, id string) audit.Event {
	return audit.Event{
		At: s.time(), Actor: by.Actor, Address: by.Address, Browser: by.Browser, Account: account, Action: action,
		Subject: id,
	}
}

// List returns up to limit briefs of an account after the one with an ID, in the order of their IDs.
func (s *Service) List(ctx context.Context, account, after string, limit int) ([]Brief, error) {
	return s.store.List(ctx, account, after, limit)
}

// Open returns up to limit briefs of an account that aren't closed, the last changed first.
func (s *Service) Open(ctx context.Context, account string, limit int) ([]Brief, error) {
	return s.store.Open(ctx, account, limit)
}

// Get returns a brief of an account.
func (s *Service) Get(ctx context.Context, account, id string) (Brief, error) {
	b, err := s.store.Find(ctx, account, id)
	return b, unknown(err)
}

// Watched returns a brief of an account whose list is kept up to date. If the search engine can't watch briefs, the
// error has the code CodeUnsupported: an empty list would say that nobody fits.
func (s *Service) Watched(ctx context.Context, account, id string) (Brief, error) {
	b, err := s.Get(ctx, account, id)
	if err == nil && !s.watches {
		err = unsupported("Send its match to /api/v1/match instead.")
	}
	return b, err
}

// Page returns up to limit briefs of an account after the first ones, the last changed first, with what a user has seen
// of them, and how many there are.
func (s *Service) Page(ctx context.Context, account, user string, offset, limit int) ([]Seen, int, error) {
	return s.store.Page(ctx, account, user, offset, limit)
}

// Seen returns a brief of an account with what a user has seen of it.
func (s *Service) Seen(ctx context.Context, account, user, id string) (Seen, error) {
	b, err := s.store.FindSeen(ctx, account, user, id)
	return b, unknown(err)
}

// OfOrigin returns the brief of an account that was saved from a project or result, the IDs of which are origins.
func (s *Service) OfOrigin(
	ctx context.Context, account, user string, origins ...string,
) (b Seen, found bool, err error) {
	origins = slices.DeleteFunc(slices.Clone(origins), func(id string) bool { return id == "" })
	if len(origins) == 0 {
		return Seen{}, false, nil
	}
	b, err = s.store.OfOrigin(ctx, account, user, origins)
	if errors.Is(err, ErrNotFound) {
		return Seen{}, false, nil
	}
	return b, err == nil, err
}

// Look stores that a user looks at a brief now.
func (s *Service) Look(ctx context.Context, user, id string) error {
	return s.store.Look(ctx, user, id, s.time())
}

// maxAttempts is how often a change is tried that other changes of the brief overtake.
const maxAttempts = 10

// Change changes the settings of a brief. choose gets the current ones, once more if somebody else changes them
// meanwhile. If anything but the name and the notification changes, the list starts empty, so that the new one is not
// announced person by person.
func (s *Service) Change(
	ctx context.Context, by audit.By, account, id string, choose func(*Settings) error,
) (b Brief, err error) {
	for range maxAttempts {
		// After somebody else has deleted the brief, Get returns that error.
		if b, err = s.Get(ctx, account, id); err != nil {
			return Brief{}, err
		}
		b, err = s.change(ctx, by, b, choose)
		if !errors.Is(err, ErrNotFound) {
			break
		}
	}
	if err != nil {
		return Brief{}, err
	}
	s.changed()
	return b, nil
}

// change makes one attempt of Change. It returns ErrNotFound if the brief is no longer the given one.
func (s *Service) change(ctx context.Context, by audit.By, b Brief, choose func(*Settings) error) (Brief, error) {
	before := b.Settings
	if err := choose(&b.Settings); err != nil {
		return b, err
	}
	if err := s.check(&b.Settings); err != nil {
		return b, err
	}

	reset := !before.sameList(&b.Settings)
	b.Changed = s.time()
	if err := s.store.Update(ctx, &b, reset, s.event(by, audit.BriefChanged, b.Account, b.ID)); err != nil {
		return b, err
	}
	if reset {
		b.Matched = time.Time{}
		b.People = nil
	}
	return b, nil
}

// sameList reports whether two settings lead to the same list.
func (n *Settings) sameList(other *Settings) bool {
	return string(n.Request) == string(other.Request) && n.Top == other.Top && n.MinScore == other.MinScore &&
		n.MinLevel == other.MinLevel && n.Closed == other.Closed
}

// Delete deletes a brief with its list.
func (s *Service) Delete(ctx context.Context, by audit.By, account, id string) error {
	err := s.store.Delete(ctx, account, id, s.event(by, audit.BriefDeleted, account, id))
	if err == nil {
		s.changed()
	}
	return unknown(err)
}

func unknown(err error) error {
	if !errors.Is(err, ErrNotFound) {
		return err
	}
	return &matching.Error{
		Code: CodeUnknown, Message: "Your account has no saved brief with this ID.", Cause: err,
	}
}
