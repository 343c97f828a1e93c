package account

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
)

// userRecords reads and changes single users.
type userRecords struct {
	store UserStore
	now   clock
}

// find returns the user with an id, or CodeNotFound.
func (s userRecords) find(ctx context.Context, id string) (User, error) {
	u, err := s.store.Find(ctx, id)
	if err != nil {
		return User{}, withCode(fmt.Errorf("read user %q: %w", id, err))
	}
	return u, nil
}

// update changes one user inside the store's transaction, and returns the changed user. If spend is not nil, it uses up
// that link. A change that ends all sessions deletes the user's reset link, too, which could start another session, and
// forgets the user's browsers.
func (s userRecords) update(
	ctx context.Context, u User, spend *Token, change func(*User) ([]audit.Event, error),
) (changed User, err error) {
	update := func(users []User, _ []apikey.Key) (UserChanges, error) {
		i := slices.IndexFunc(users, func(other User) bool { return other.ID == u.ID })
		if i < 0 {
			return UserChanges{}, ErrNotFound
		}

		changed = users[i]
		events, err := change(&changed)
		if err != nil {
			return UserChanges{}, err
		}

		c := UserChanges{Changed: []User{changed}, Events: events}
		if changed.Sessions != users[i].Sessions {
			c.DeleteResets = []string{changed.ID}
			c.ForgetBrowsers = []string{changed.ID}
		}

		return c, nil
	}
	if err := s.store.Update(ctx, u.Account, spend, s.now(), update); err != nil {
		return User{}, withCode(fmt.Errorf("change user %q: %w", u.ID, err))
	}

	return changed, nil
}

// accountRecords reads and changes single accounts.
type accountRecords struct {
	store AccountStore
	now   clock
}

// find returns the account with an id, or CodeNotFound.
func (s accountRecords) find(ctx context.Context, id string) (Account, error) {
	a, err := s.store.Find(ctx, id)
	if err != nil {
		return Account{}, withCode(fmt.Errorf("read account %q: %w", id, err))
	}
	return a, nil
}

// update changes an account and its keys inside the store's transaction, and returns the changed account.
func (s accountRecords) update(
	ctx context.Context, id string, change func(a *Account, keys []apikey.Key, now time.Time) (apikey.Changes, error),
) (changed Account, err error) {
	err = s.store.Update(ctx, id, func(a *Account, keys []apikey.Key) (apikey.Changes, error) {
		changes, err := change(a, keys, s.now())
		changed = *a
		return changes, err
	})
	if err != nil {
		return Account{}, withCode(fmt.Errorf("change account %q: %w", id, err))
	}
	return changed, nil
}

// findEnabled returns the account with an id, or CodeAccountDisabled.
func (s accountRecords) findEnabled(ctx context.Context, id string) (Account, error) {
	a, err := s.find(ctx, id)
	if err == nil && !a.Disabled.IsZero() {
		err = errAccountDisabled()
	}
	if err != nil {
		return Account{}, err
	}
	return a, nil
}
