// Package rankings keeps the ranking profiles of accounts: named versions, of which an account can publish one. That
// version ranks the matches of requests that name no profile and no weights.
package rankings

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/ranking"
)

const (
	// MaxVersions is the number of versions that are kept of an account, the newest and the published one.
	MaxVersions = 100
	// MaxName is the number of characters of the longest name.
	MaxName = 60
)

// ErrChanged is returned by Replace if another version has been published meanwhile.
var ErrChanged = errors.New("another ranking was published meanwhile")

// ErrNotFound is returned for a version that an account doesn't have.
var ErrNotFound = errors.New("version of the ranking not found")

// A Version is a ranking with its origin.
type Version struct {
	matching.Ranking
	Note    string // where the weights are from, in a short sentence; "" if a user has set them
	MadeBy  string // ID of the user
	Created time.Time
}

// A Change is what Store.Update stores.
type Change struct {
	Add       *Version // nil for none
	Drop      []int    // versions
	Published *matching.Ranking
	Event     audit.Event
}

// A Store stores rankings.
type Store interface {
	// List returns the versions of an account, the newest first, and what Published returns.
	List(ctx context.Context, account string) ([]Version, *matching.Ranking, error)
	// Published returns the published version of an account, or nil if the account has published nothing. It returns
	// ErrNotFound if there is no such account.
	Published(ctx context.Context, account string) (*matching.Ranking, error)
	// Update calls change with what List returns, and stores the result. Concurrent updates of an account wait for each
	// other. It returns ErrNotFound if there is no such account.
	Update(
		ctx context.Context, account string, change func(list []Version, published *matching.Ranking) (Change, error),
	) error
}

// A Service manages the rankings of accounts. It is safe for concurrent use.
type Service struct {
	Store
	now func() time.Time
}

// New returns a Service.
func New(store Store, now func() time.Time) *Service { return &Service{store, now} }

// Check returns the faults of a ranking: of name, profile, and weights. They are a matching.Error with CodeInvalid.
func Check(r *matching.Ranking) error {
	var faults []matching.FieldError
	isLine := !strings.ContainsFunc(r.Name, unicode.IsControl)
	if n := utf8.RuneCountInString(r.Name); n == 0 || n > MaxName || !isLine {
		faults = append(faults, matching.FieldError{
			Field: "name", Code: "invalid_value", Message: fmt.Sprintf("name must have 1 to %d characters in one line", MaxName),
		})
	}

	shipped, err := ranking.Load(r.Profile)
	if err != nil {
		faults = append(faults, matching.FieldError{Field: "profile", Code: "unknown_profile", Message: err.Error()})
		return matching.Invalid(faults)
	}
	_, weightFaults := shipped.Derive(r)
	return matching.Invalid(append(faults, weightFaults...))
}

// Publish stores a new version and publishes it. It sets Version, Created and MadeBy.
func (s *Service) Publish(ctx context.Context, by audit.By, account string, v Version) (Version, error) {
	return s.publish(ctx, by, account, v, func(*matching.Ranking) error { return nil })
}

// Replace does what Publish does, if the version with a number is the published one; 0 for none. Otherwise, it returns
// ErrChanged.
func (s *Service) Replace(
	ctx context.Context, by audit.By, account string, v Version, published int,
) (Version, error) {
	return s.publish(ctx, by, account, v, func(now *matching.Ranking) error {
		version := 0
		if now != nil {
			version = now.Version
		}
		if version != published {
			return ErrChanged
		}
		return nil
	})
}

// publish publishes a version unless check returns an error for the published one, which may be nil.
func (s *Service) publish(
	ctx context.Context, by audit.By, account string, v Version, check func(published *matching.Ranking) error,
) (Version, error) {
	v.Name = strings.Join(strings.Fields(v.Name), " ")
	v.MadeBy = by.Actor
	v.Created = s.time()
	if err := Check(&v.Ranking); err != nil {
		return v, err
	}

	err := s.Update(ctx, account, func(list []Version, published *matching.Ranking) (Change, error) {
		if err := check(published); err != nil {
			return Change{}, err
		}

		// Neither the newest nor the published version is ever dropped, so no number is given twice.
		v.Version = 1
		if len(list) > 0 {
			v.Version = list[0].Version + 1
		}
		c := Change{Add: &v, Published: &v.Ranking}
		c.Event = s.event(by, account, audit.RankingPublished, &v.Ranking)

		for i := MaxVersions - 1; i < len(list); i++ {
			if published == nil || list[i].Version != published.Version {
				c.Drop = append(c.Drop, list[i].Version)
			}
		}
		return c, nil
	})
	return v, err
}

// RollBack publishes a version that the account has.
func (s *Service) RollBack(ctx context.Context, by audit.By, account string, version int) (Version, error) {
	var found Version
	err := s.Update(ctx, account, func(list []Version, _ *matching.Ranking) (Change, error) {
		i := slices.IndexFunc(list, func(v Version) bool { return v.Version == version })
		if i < 0 {
			return Change{}, ErrNotFound
		}
		found = list[i]

		// A rule of a newer release may reject it, and requests would silently get the shipped profile.
		if err := Check(&found.Ranking); err != nil {
			return Change{}, err
		}
		return Change{
			Published: &found.Ranking, Event: s.event(by, account, audit.RankingRolledBack, &found.Ranking),
		}, nil
	})
	return found, err
}

// Withdraw publishes none, so that requests get the shipped default profile again.
func (s *Service) Withdraw(ctx context.Context, by audit.By, account string) error {
	return s.Update(ctx, account, func(_ []Version, published *matching.Ranking) (Change, error) {
		if published == nil {
			return Change{}, ErrNotFound
		}
		return Change{Event: s.event(by, account, audit.RankingWithdrawn, published)}, nil
	})
}

// time returns the time as stores keep it.
func (s *Service) time() time.Time { return s.now().UTC().Truncate(time.Microsecond) }

// event returns an entry of the audit log about a ranking.
func (s *Service) event(by audit.By, account string, action audit.Action, r *matching.Ranking) audit.Event {
	return audit.Event{
		At: s.time(), Actor: by.Actor, Account: account, Action: action, Subject: account,
		Detail: fmt.Sprintf("%q, version %d", r.Name, r.Version), Address: by.Address,
	}
}
