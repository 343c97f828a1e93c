package account

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"time"

	"freelancer-matching/access/audit"
	"freelancer-matching/access/quota"
)

// A Throttle limits failed attempts per key, as quota.Guard does. Keys may have any length.
type Throttle interface {
	// Blocked reports whether a key has failed too often, and how long it has to wait.
	Blocked(key string) (retryAfter time.Duration, blocked bool)
	// Failed counts a failed attempt of a key.
	Failed(key string)
}

// Throttles holds the limits of failed attempts. Email must allow the most failures, because an attacker who uses
// them up locks out the owner of the address, wherever they sign in from.
type Throttles struct {
	Visitor Throttle // sign-ins, per network address and email address together
	Address Throttle // sign-ins, per network address
	Email   Throttle // sign-ins, per email address
	SignUp  Throttle // open sign-ups, per network address; all count, because each costs a hash and may reveal a user
	Taken   Throttle // invitations that revealed that an email address is taken, per network address
}

// A Config holds the dependencies of a Service. All are required.
type Config struct {
	Store     Store
	Now       func() time.Time
	SignUp    SignUpPolicy
	Throttles Throttles
	Log       *slog.Logger
}

// A Service registers users, signs them in, and changes accounts. It is safe for concurrent use. Except for creating
// links, it does not check whether an actor has the role for a change: callers must, with Role.Includes.
//
// Expected failures are matching.Errors with a code of this package, whose messages may be shown to users.
type Service struct {
	store     Store
	clock     func() time.Time
	signUp    SignUpPolicy
	throttles Throttles
	passwords *hasher
	rules     passwordRules
	log       *slog.Logger
}

// New returns a Service. It takes about 25 ms, for the hash that sign-ins of unknown users are compared with.
func New(c Config) *Service {
	return &Service{
		store:     c.Store,
		clock:     c.Now,
		signUp:    c.SignUp,
		throttles: c.Throttles,
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
	u, err := s.store.User(ctx, userID)
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

// attempt is one attempt to use a password.
type attempt struct {
	throttles [3]Throttle
	keys      [3]string
}

func (s *Service) attempt(address netip.Addr, email string) attempt {
	from := quota.AddressKey(address)
	return attempt{
		throttles: [3]Throttle{s.throttles.Visitor, s.throttles.Address, s.throttles.Email},
		keys:      [3]string{"visitor " + from + " " + email, "address " + from, "email " + email},
	}
}

// blocked returns CodeTooManyAttempts with the longest wait of all throttles, or nil if the attempt is allowed.
func (a attempt) blocked() error {
	var wait time.Duration
	for i, t := range a.throttles {
		if d, blocked := t.Blocked(a.keys[i]); blocked {
			wait = max(wait, d, time.Second)
		}
	}
	if wait > 0 {
		return errTooManyAttempts(wait)
	}
	return nil
}

func (a attempt) failed() {
	for i, t := range a.throttles {
		t.Failed(a.keys[i])
	}
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
	events, err := s.store.Events(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("read audit log: %w", err)
	}
	return events, nil
}
