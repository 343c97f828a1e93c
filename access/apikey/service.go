package apikey

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"freelancer-matching/access/audit"
	"freelancer-matching/internal/matching"
)

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

// Service makes, changes and checks keys. It is safe for concurrent use.
type Service struct {
	store Store
	clock func() time.Time
}

// NewService is a service that keeps its keys in store and asks now for the time.
func NewService(store Store, now func() time.Time) *Service {
	return &Service{store: store, clock: now}
}

// now is the time as stores keep it.
func (s *Service) now() time.Time { return s.clock().UTC().Truncate(time.Millisecond) }

// Create makes a key that belongs to no account. This is the only time that its token is seen. Errors are those of Issue.
func (s *Service) Create(ctx context.Context, by audit.By, r Request) (token string, k Key, err error) {
	err = s.store.UpdateKeys(ctx, "", func(keys []Key) (Changes, error) {
		now := s.now()
		if token, k, err = Issue(now, Owner{}, keys, r); err != nil {
			return Changes{}, err
		}
		return Changes{Keys: []Key{k}, Events: []audit.Event{k.Event(now, by, audit.KeyCreated, k.Describe())}}, nil
	})
	if err != nil {
		return "", Key{}, fmt.Errorf("make a key: %w", err)
	}
	return token, k, nil
}

// Describe is the key in a line of the audit log.
func (k Key) Describe() string {
	return fmt.Sprintf("%q %s, plan %s, %s", k.Name, k.Masked(), k.Plan, k.describeSettings())
}

func (k Key) describeSettings() string {
	operations, networks, expires := "any operation", "any network", "never expires"
	if len(k.Operations) > 0 {
		operations = strings.Join(k.Operations, " ")
	}
	if len(k.Networks) > 0 {
		networks = "from " + strings.Trim(fmt.Sprint(k.Networks), "[]")
	}
	if !k.Expires.IsZero() {
		expires = "expires " + k.Expires.Format(time.RFC3339)
	}
	return operations + ", " + networks + ", " + expires
}

// List is every key, oldest first. Its State needs the time of the caller's clock.
func (s *Service) List(ctx context.Context) ([]Key, error) {
	keys, err := s.store.Keys(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the keys: %w", err)
	}
	return keys, nil
}

// ListOf is the keys of an account, oldest first; those of none with "".
func (s *Service) ListOf(ctx context.Context, account string) ([]Key, error) {
	keys, err := s.store.KeysOf(ctx, account)
	if err != nil {
		return nil, fmt.Errorf("list the keys of account %q: %w", account, err)
	}
	return keys, nil
}

// Find is the key with an id, whoever's. ErrNotFound.
func (s *Service) Find(ctx context.Context, id string) (Key, error) {
	k, err := s.store.KeyByID(ctx, id)
	if errors.Is(err, ErrNotFound) {
		return Key{}, errNotFound(id)
	}
	if err != nil {
		return Key{}, fmt.Errorf("find key %q: %w", id, err)
	}
	return k, nil
}

// Get is the key of an account with an id. ErrNotFound also for the key of another account.
func (s *Service) Get(ctx context.Context, account, id string) (Key, error) {
	k, err := s.Find(ctx, id)
	if err == nil && k.Account != account {
		err = errNotFound(id)
	}
	if err != nil {
		return Key{}, err
	}
	return k, nil
}

func errNotFound(id string) error {
	return &matching.Error{Code: matching.CodeNotFound, Message: fmt.Sprintf("there is no key %q", id), Cause: ErrNotFound}
}

// Change gives a current key new settings, all of them. A grace period that runs goes on: no expiry puts off its end. Errors: CodeInvalid with every fault, CodeEnded, ErrNotFound.
func (s *Service) Change(ctx context.Context, by audit.By, account, id string, settings Settings) (k Key, err error) {
	err = s.update(ctx, account, id, func(before Key, now time.Time) (c Changes, err error) {
		if err := current(before, now); err != nil {
			return Changes{}, err
		}
		k = before
		if err := matching.Invalid(settings.apply(&k, now)); err != nil {
			return Changes{}, err
		}
		if k.Name != before.Name {
			c.Events = append(c.Events, k.Event(now, by, audit.KeyRenamed, fmt.Sprintf("%q → %q", before.Name, k.Name)))
		}
		if was, is := before.describeSettings(), k.describeSettings(); was != is {
			c.Events = append(c.Events, k.Event(now, by, audit.KeyChanged, was+" → "+is))
		}
		if len(c.Events) > 0 {
			c.Keys = []Key{k}
		}
		return c, nil
	})
	if err != nil {
		return Key{}, err
	}
	return k, nil
}

// Disable lets a key be refused until it is enabled. One that is disabled keeps its moment. CodeEnded, ErrNotFound.
func (s *Service) Disable(ctx context.Context, by audit.By, account, id string) (Key, error) {
	return s.mark(ctx, by, account, id, audit.KeyDisabled, func(k *Key, now time.Time) error {
		if k.Disabled.IsZero() {
			k.Disabled = now
		}
		return notEnded(*k, now)
	})
}

// Enable ends Disable. CodeEnded, ErrNotFound.
func (s *Service) Enable(ctx context.Context, by audit.By, account, id string) (Key, error) {
	return s.mark(ctx, by, account, id, audit.KeyEnabled, func(k *Key, now time.Time) error {
		k.Disabled = time.Time{}
		return notEnded(*k, now)
	})
}

// Revoke ends a key for good, from the next request on. Revoking twice is fine. ErrNotFound.
func (s *Service) Revoke(ctx context.Context, by audit.By, account, id string) (Key, error) {
	return s.mark(ctx, by, account, id, audit.KeyRevoked, func(k *Key, now time.Time) error {
		if k.Revoked.IsZero() {
			k.Revoked = now
		}
		return nil
	})
}

// mark sets one moment of a key, and tells of it where that changed something.
func (s *Service) mark(
	ctx context.Context, by audit.By, account, id string, action audit.Action, set func(k *Key, now time.Time) error,
) (k Key, err error) {
	err = s.update(ctx, account, id, func(before Key, now time.Time) (Changes, error) {
		k = before
		if err := set(&k, now); err != nil {
			return Changes{}, err
		}
		if k.Disabled.Equal(before.Disabled) && k.Revoked.Equal(before.Revoked) {
			return Changes{}, nil
		}
		detail := fmt.Sprintf("%q %s", k.Name, k.Masked())
		return Changes{Keys: []Key{k}, Events: []audit.Event{k.Event(now, by, action, detail)}}, nil
	})
	if err != nil {
		return Key{}, err
	}
	return k, nil
}

// Rotate puts a new key in the place of a current one, with its settings and its counter. The old one lives on for a grace
// period, one of Graces, and never past its own end. Errors: CodeInvalid, CodeEnded, ErrNotFound.
func (s *Service) Rotate(
	ctx context.Context, by audit.By, account, id string, grace time.Duration,
) (token string, k Key, err error) {
	if err := CheckGrace(grace); err != nil {
		return "", Key{}, err
	}
	err = s.update(ctx, account, id, func(before Key, now time.Time) (Changes, error) {
		if err := current(before, now); err != nil {
			return Changes{}, err
		}
		var old Key
		token, k, old = before.rotate(now, grace)
		detail := fmt.Sprintf("%q %s → %s %s, the old one ends %s",
			k.Name, old.Masked(), k.ID, k.Masked(), old.End().Format(time.RFC3339))
		return Changes{Keys: []Key{old, k}, Events: []audit.Event{old.Event(now, by, audit.KeyRotated, detail)}}, nil
	})
	if err != nil {
		return "", Key{}, err
	}
	return token, k, nil
}

// update changes one key of an account inside the store's transaction.
func (s *Service) update(
	ctx context.Context, account, id string, change func(before Key, now time.Time) (Changes, error),
) error {
	err := s.store.UpdateKeys(ctx, account, func(keys []Key) (Changes, error) {
		i := slices.IndexFunc(keys, func(k Key) bool { return k.ID == id })
		if i < 0 {
			return Changes{}, errNotFound(id)
		}
		return change(keys[i], s.now())
	})
	if err != nil {
		return fmt.Errorf("change key %q: %w", id, err)
	}
	return nil
}

func current(k Key, now time.Time) error {
	if k.ReplacedBy != "" {
		return &matching.Error{Code: CodeEnded, Message: "the key was replaced by " + k.ReplacedBy + "; change that one"}
	}
	return notEnded(k, now)
}

func notEnded(k Key, now time.Time) error {
	if k.Ended(now) {
		return &matching.Error{Code: CodeEnded, Message: "the key was revoked or has expired; make a new one"}
	}
	return nil
}

// Authenticate is the key that a token stands for, when it is accepted now. A refusal is a matching.Error with one of the codes
// of this package; any other error means that the store could not be asked. The key comes with the refusal too where it is
// known: disabled, revoked, expired.
//
// A token with a wrong checksum is refused before the store is asked. That tells nothing: the checksum is public arithmetic on
// the token itself. From there on a token takes the same steps whether it is known or not.
func (s *Service) Authenticate(ctx context.Context, token string) (Key, error) {
	if token == "" {
		return Key{}, errMissing()
	}
	if _, err := Parse(token); err != nil {
		return Key{}, errInvalid()
	}
	hash := HashOf(token)
	k, err := s.store.KeyByHash(ctx, hash)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return Key{}, fmt.Errorf("look up an API key: %w", err)
	}
	same := subtle.ConstantTimeCompare(k.Hash[:], hash[:]) == 1 // not for the zero Key of an unknown hash
	refusal := k.Refusal(s.now())
	if !same {
		return Key{}, errInvalid()
	}
	return k, refusal
}
