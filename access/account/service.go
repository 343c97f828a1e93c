package account

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"sync/atomic"
	"time"

	"freelancer-matching/access/audit"
	"freelancer-matching/internal/matching"
)

// A Config holds the dependencies of a Service. All are required.
type Config struct {
	Stores Stores
	Now    func() time.Time
	SignUp SignUpPolicy
	Limits Limits
	Log    *slog.Logger
}

// A Service registers users, signs them in, and changes accounts. It is safe for concurrent use. Except for creating
// links, it does not check whether an actor has the role for a change: callers must, with Role.Includes.
//
// Expected failures are matching.Errors with a code of this package, whose messages may be shown to users.
type Service struct {
	stores    Stores
	clock     func() time.Time
	signUp    SignUpPolicy
	limits    Limits
	passwords *hasher
	rules     passwordRules
	log       *slog.Logger
	cleaned   atomic.Int64 // time of the last deletion of old counts, in Unix seconds
	observe   func(outcome matching.Code)
}

// ObserveSignIns calls f at the end of every sign-in with the code of its error, or "" for a success. Call it before
// the first sign-in.
func (s *Service) ObserveSignIns(f func(outcome matching.Code)) { s.observe = f }

// signInEnded reports the end of a sign-in. An error without a code is a fault of the server.
func (s *Service) signInEnded(err error) {
	outcome := matching.CodeOf(err)
	if err != nil && outcome == "" {
		outcome = matching.CodeInternal
	}
	if s.observe != nil {
		s.observe(outcome)
	}
}

// New returns a Service. It takes about 25 ms, for the hash that sign-ins of unknown users are compared with.
func New(c Config) *Service {
	return &Service{
		stores:    c.Stores,
		clock:     c.Now,
		signUp:    c.SignUp,
		limits:    c.Limits,
		passwords: newHasher(currentParams()),
		rules:     newPasswordRules(),
		log:       c.Log,
	}
}

// now returns the time in the resolution of stores.
func (s *Service) now() time.Time { return s.clock().UTC().Truncate(time.Millisecond) }

// newID returns a prefix followed by 12 random base32 characters, 60 bits.
func newID(prefix string) string { return prefix + rand.Text()[:12] }

// Session returns the user and the account of a session that began when User.Sessions was generation. It returns
// CodeSessionEnded if that number has been raised or the user was removed, and CodeAccountDisabled.
func (s *Service) Session(ctx context.Context, userID string, generation int) (User, Account, error) {
	u, err := s.stores.Users.Find(ctx, userID)
	if errors.Is(err, ErrNotFound) || err == nil && u.Sessions != generation {
		return User{}, Account{}, errSessionEnded()
	}
	if err != nil {
		return User{}, Account{}, fmt.Errorf("read user of session: %w", err)
	}
	a, err := s.enabledAccount(ctx, u.Account)
	if err != nil {
		return User{}, Account{}, err
	}
	return u, a, nil
}

// enabledAccount returns the account with an id, or CodeAccountDisabled.
func (s *Service) enabledAccount(ctx context.Context, id string) (Account, error) {
	a, err := s.Account(ctx, id)
	if err == nil && !a.Disabled.IsZero() {
		err = errAccountDisabled()
	}
	if err != nil {
		return Account{}, err
	}
	return a, nil
}

// addressOf returns the network address of an actor, or the zero address if there is none.
func addressOf(by audit.By) netip.Addr {
	address, _ := netip.ParseAddr(by.Address)
	return address
}

func event(at time.Time, by audit.By, account string, action audit.Action, subject, detail string) audit.Event {
	return audit.Event{
		At: at, Actor: by.Actor, Account: account, Action: action, Subject: subject, Detail: detail, Address: by.Address,
	}
}

// Events returns entries of the audit log.
func (s *Service) Events(ctx context.Context, q audit.Query) ([]audit.Event, error) {
	events, err := s.stores.AuditLog.Events(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("read audit log: %w", err)
	}
	return events, nil
}
