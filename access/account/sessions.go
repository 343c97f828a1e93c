package account

import (
	"context"
	"errors"
	"fmt"

	"github.com/freelancer-matching/service/access/audit"
)

// Sessions checks and ends the sessions of users. It knows their generation only; the dashboard stores them.
type Sessions struct {
	users    userRecords
	accounts accountRecords
	now      clock
}

// Find returns the user and the account of a session that began when User.Sessions was generation. It returns
// CodeSessionEnded if that number has been raised or the user was removed, and CodeAccountDisabled.
func (s *Sessions) Find(ctx context.Context, userID string, generation int) (User, Account, error) {
	u, err := s.users.store.Find(ctx, userID)
	if errors.Is(err, ErrNotFound) || err == nil && u.Sessions != generation {
		return User{}, Account{}, errSessionEnded()
	}
	if err != nil {
		return User{}, Account{}, fmt.Errorf("read user of session: %w", err)
	}
	a, err := s.accounts.findEnabled(ctx, u.Account)
	if err != nil {
		return User{}, Account{}, err
	}
	return u, a, nil
}

// EndAll ends all sessions of a user.
func (s *Sessions) EndAll(ctx context.Context, by audit.By, userID string) error {
	u, err := s.users.find(ctx, userID)
	if err != nil {
		return err
	}
	_, err = s.users.update(ctx, u, nil, func(u *User) ([]audit.Event, error) {
		u.Sessions++
		return []audit.Event{event(s.now(), by, u.Account, audit.UserSignedOut, u.ID, "")}, nil
	})
	return err
}

// RecordEnd records that a user ends one of their sessions, which the caller stores.
func (s *Sessions) RecordEnd(ctx context.Context, by audit.By, userID string) error {
	u, err := s.users.find(ctx, userID)
	if err != nil {
		return err
	}
	_, err = s.users.update(ctx, u, nil, func(u *User) ([]audit.Event, error) {
		return []audit.Event{event(s.now(), by, u.Account, audit.SessionEnded, u.ID, "")}, nil
	})
	return err
}
