package apikey

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"
	"unicode/utf8"

	"freelancer-matching/internal/matching"
)

// maxName is the longest name of a key, in characters.
const maxName = 100

// ErrNotFound is a Store's answer for a key that it does not have.
var ErrNotFound = errors.New("no such API key")

// Store keeps the records of keys. Moments are kept to the millisecond at least, in UTC.
type Store interface {
	// KeyByHash is the key with a hash. ErrNotFound when there is none.
	KeyByHash(ctx context.Context, h Hash) (Key, error)
	// KeyByID is the key with an id. ErrNotFound.
	KeyByID(ctx context.Context, id string) (Key, error)
	// Keys is every key, oldest first.
	Keys(ctx context.Context) ([]Key, error)
	// KeysOf is the keys of an account, oldest first; those of none with "".
	KeysOf(ctx context.Context, account string) ([]Key, error)
	// UpdateKeys changes the keys of an account (those of none with ""), alone: change gets them oldest first, and returns what
	// becomes of them. It runs inside the transaction: it computes, and does nothing else. Where it fails nothing is written, and
	// its error comes back in the chain. An id or a hash that a key of another account has is an error.
	UpdateKeys(ctx context.Context, account string, change func([]Key) (Changes, error)) error
}

// Service makes, lists, revokes and checks keys. It is safe for concurrent use.
type Service struct {
	store Store
	now   func() time.Time
	usage *usage
}

// NewService starts a service that keeps its keys in store, asks now for the time, and reports to log what goes wrong
// in the background. Close it to record the last uses.
func NewService(store Store, now func() time.Time, log *slog.Logger) *Service {
	return &Service{store: store, now: now, usage: startUsage(store, log)}
}

// Close records the last uses and ends the background work. The store stays open.
func (s *Service) Close() error { return s.usage.close() }

// Request is what a new key is to be.
type Request struct {
	Name    string // 1 to 100 characters
	Plan    string // the name of one of Plans
	Expires time.Time
}

// Create makes a key. This is the only time that its token is seen. A request that cannot be met is a matching.Error
// with the code CodeInvalid, which tells every fault.
func (s *Service) Create(ctx context.Context, r Request) (token string, k Key, err error) {
	now := s.now().UTC()
	name := strings.TrimSpace(r.Name)
	plan, known := PlanNamed(r.Plan)
	var faults []matching.FieldError
	if n := utf8.RuneCountInString(name); n == 0 || n > maxName || !utf8.ValidString(name) {
		faults = append(faults, matching.FieldError{
			Field: "name", Code: "invalid",
			Message: fmt.Sprintf("name must have 1 to %d characters", maxName),
		})
	}
	if !known {
		faults = append(faults, matching.FieldError{
			Field: "plan", Code: "unknown",
			Message: fmt.Sprintf("plan must be one of %s, got %q", planNames(), r.Plan),
		})
	}
	if !r.Expires.IsZero() && !r.Expires.After(now) {
		faults = append(faults, matching.FieldError{Field: "expires", Code: "past", Message: "expires must lie ahead"})
	}
	if len(faults) > 0 {
		var messages []string
		for _, f := range faults {
			messages = append(messages, f.Message)
		}
		return "", Key{}, &matching.Error{
			Code: matching.CodeInvalid, Message: strings.Join(messages, "; "), Details: faults,
		}
	}
	token = Generate(plan)
	k = Key{
		ID: "key_" + randomText(12), Name: name, Plan: plan.Name, Prefix: plan.Prefix, Last4: token[len(token)-lastLen:],
		Hash: HashOf(token), Created: now, Expires: r.Expires.UTC(),
	}
	if err := s.store.InsertKey(ctx, k); err != nil {
		return "", Key{}, fmt.Errorf("store the new key: %w", err)
	}
	return token, k, nil
}

// List is every key, oldest first. Its State needs the time of the caller's clock.
func (s *Service) List(ctx context.Context) ([]Key, error) {
	keys, err := s.store.Keys(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the keys: %w", err)
	}
	return keys, nil
}

// Revoke ends a key for good, from the next request on. Revoking twice is fine. ErrNotFound.
func (s *Service) Revoke(ctx context.Context, id string) (Key, error) {
	k, err := s.store.RevokeKey(ctx, id, s.now().UTC())
	if err != nil {
		return Key{}, fmt.Errorf("revoke key %q: %w", id, err)
	}
	return k, nil
}

// Authenticate is the key that a token stands for, when it is accepted now. A refusal is a matching.Error with one of
// the codes of this package; any other error means that the store could not be asked.
func (s *Service) Authenticate(ctx context.Context, token string) (Key, error) {
	if token == "" {
		return Key{}, errMissing()
	}
	if _, err := Parse(token); err != nil {
		return Key{}, errInvalid()
	}
	hash := HashOf(token)
	k, err := s.store.KeyByHash(ctx, hash)
	if errors.Is(err, ErrNotFound) {
		return Key{}, errInvalid()
	}
	if err != nil {
		return Key{}, fmt.Errorf("look up an API key: %w", err)
	}
	if subtle.ConstantTimeCompare(k.Hash[:], hash[:]) != 1 {
		return Key{}, errInvalid()
	}
	now := s.now().UTC()
	if err := refusal(k.State(now)); err != nil {
		return Key{}, err
	}
	s.usage.touch(k.ID, now)
	return k, nil
}
