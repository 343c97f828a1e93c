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
	"freelancer-matching/internal/matching"
)

// Throttle slows down who fails again and again, such as quota.Guard does. Keys of any length are its own business to bound.
type Throttle interface {
	// Blocked tells whether a key has to wait, and how long.
	Blocked(key string) (retryAfter time.Duration, blocked bool)
	// Failed counts one failed attempt of a key.
	Failed(key string)
}

// Throttles is how often one may fail, each with a rate of its own. The one for an e-mail address must be the most patient:
// whoever uses it up keeps its owner out, from wherever he signs in.
type Throttles struct {
	Visitor Throttle // of sign-ins: for a network address and an e-mail address together
	Address Throttle // of sign-ins: for a network address, whatever the e-mail address
	Email   Throttle // of sign-ins: for an e-mail address, from wherever
	SignUp  Throttle // of open sign-ups: for a network address; every one counts, since each costs a hash and tells of an address
	Taken   Throttle // of invitations that told that an e-mail address has a user: for a network address
}

// Config is what a Service needs. All of it must be there.
type Config struct {
	Store     Store
	Now       func() time.Time
	SignUp    SignUpPolicy
	Throttles Throttles
	Log       *slog.Logger
}

// Service registers users, lets them in, and changes accounts. It is safe for concurrent use. It does not ask whether the
// actor may do what is asked: that is for the pages to know, by User.Role.
//
// An expected failure is a matching.Error with one of the codes of this package, whose message may be shown.
type Service struct {
	store     Store
	clock     func() time.Time
	signUp    SignUpPolicy
	throttles Throttles
	passwords *hasher
	log       *slog.Logger
}

// New is a service.
func New(c Config) *Service {
	return &Service{
		store: c.Store, clock: c.Now, signUp: c.SignUp, throttles: c.Throttles, passwords: newHasher(currentParams()), log: c.Log,
	}
}

// now is the time as stores keep it.
func (s *Service) now() time.Time { return s.clock().UTC().Truncate(time.Millisecond) }

// newID is a prefix and 12 random characters of base32, 60 bits.
func newID(prefix string) string { return prefix + rand.Text()[:12] }

// Session is the user and the account of a session that was begun when the user's Sessions was generation. CodeSessionEnded
// once it was raised or the user removed; CodeAccountDisabled.
func (s *Service) Session(ctx context.Context, userID string, generation int) (User, Account, error) {
	u, err := s.store.User(ctx, userID)
	if errors.Is(err, ErrNotFound) || err == nil && u.Sessions != generation {
		return User{}, Account{}, errSessionEnded()
	}
	if err != nil {
		return User{}, Account{}, fmt.Errorf("read the user of a session: %w", err)
	}
	a, err := s.enabled(ctx, u.Account)
	if err != nil {
		return User{}, Account{}, err
	}
	return u, a, nil
}

// enabled is an account that is not disabled.
func (s *Service) enabled(ctx context.Context, id string) (Account, error) {
	a, err := s.Account(ctx, id)
	if err == nil && !a.Disabled.IsZero() {
		err = errAccountDisabled()
	}
	if err != nil {
		return Account{}, err
	}
	return a, nil
}

// attempt is one try with a password, which may not be made too often.
type attempt struct {
	throttles [3]Throttle
	keys      [3]string
}

func (s *Service) attempt(address netip.Addr, email string) attempt {
	from := networkOf(address)
	return attempt{
		throttles: [3]Throttle{s.throttles.Visitor, s.throttles.Address, s.throttles.Email},
		keys:      [3]string{"visitor " + from + " " + email, "address " + from, "email " + email},
	}
}

// blocked is the error for too many failed attempts, with the longest wait; nil while there may be more.
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

// networkOf is the part of an address that one client keeps: all of IPv4, the first 64 bits of IPv6.
func networkOf(address netip.Addr) string {
	address = address.Unmap().WithZone("")
	if address.Is6() {
		return netip.PrefixFrom(address, 64).Masked().String()
	}
	return address.String()
}

// addressOf is the network address of an actor, the zero one where there is none.
func addressOf(by audit.By) netip.Addr {
	address, _ := netip.ParseAddr(by.Address)
	return address
}

// event is an entry of the audit log.
func event(at time.Time, by audit.By, account string, action audit.Action, subject, detail string) audit.Event {
	return audit.Event{
		At: at, Actor: by.Actor, Account: account, Action: action, Subject: subject, Detail: detail, Address: by.Address,
	}
}

// Events is the audit log.
func (s *Service) Events(ctx context.Context, q audit.Query) ([]audit.Event, error) {
	events, err := s.store.Events(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("read the audit log: %w", err)
	}
	return events, nil
}

func fault(field, code, message string) matching.FieldError {
	return matching.FieldError{Field: field, Code: code, Message: message}
}
