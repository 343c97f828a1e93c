package apikey

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/matching"
)

// ErrNotFound is returned for a key that does not exist.
var ErrNotFound = errors.New("no such API key")

// A Store stores keys. Times have a resolution of at least a millisecond and are in UTC.
type Store interface {
	// FindByHash returns the key with a hash, or ErrNotFound.
	FindByHash(ctx context.Context, h Hash) (Key, error)
	// Find returns the key with an id, or ErrNotFound.
	Find(ctx context.Context, id string) (Key, error)
	// List returns all keys, oldest first.
	List(ctx context.Context) ([]Key, error)
	// ListOf returns the keys of an account, oldest first; for "", the keys without an account.
	ListOf(ctx context.Context, account string) ([]Key, error)
	// Update changes the keys of an account (for "", the keys without one) while nobody else changes them. The
	// function change receives them oldest first and returns new and changed keys. It runs inside a transaction and must
	// not call the Store or wait for anything. If it fails, nothing is written and its error is returned, wrapped.
	// Update fails if a key of another account has the id or the hash of a new key.
	Update(ctx context.Context, account string, change func([]Key) (Changes, error)) error
}

// A Service creates, changes and authenticates keys. It is safe for concurrent use.
type Service struct {
	store Store
	clock func() time.Time
}

// NewService returns a service on a store, with a function that returns the current time.
func NewService(store Store, now func() time.Time) *Service {
	return &Service{store: store, clock: now}
}

// now returns the time in the resolution of stores.
func (s *Service) now() time.Time { return s.clock().UTC().Truncate(time.Millisecond) }

// Create creates a key without an account. The token is available only here. It returns the errors of Issue.
func (s *Service) Create(ctx context.Context, by audit.By, r Request) (token string, k Key, err error) {
	err = s.store.Update(ctx, "", func(keys []Key) (Changes, error) {
		now := s.now()
		if token, k, err = Issue(now, Owner{}, keys, r); err != nil {
			return Changes{}, err
		}
		return k.Creation(now, by), nil
	})
	if err != nil {
		return "", Key{}, fmt.Errorf("create key: %w", err)
	}
	return token, k, nil
}

// List returns all keys, oldest first.
func (s *Service) List(ctx context.Context) ([]Key, error) {
	keys, err := s.store.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("list keys: %w", err)
	}
	return keys, nil
}

// ListOf returns the keys of an account, oldest first; for "", the keys without an account.
func (s *Service) ListOf(ctx context.Context, account string) ([]Key, error) {
	keys, err := s.store.ListOf(ctx, account)
	if err != nil {
		return nil, fmt.Errorf("list keys of account %q: %w", account, err)
	}
	return keys, nil
}

// Find returns the key with an id, whichever account owns it, or ErrNotFound.
func (s *Service) Find(ctx context.Context, id string) (Key, error) {
	k, err := s.store.Find(ctx, id)
	if errors.Is(err, ErrNotFound) {
		return Key{}, errNotFound(id)
	}
	if err != nil {
		return Key{}, fmt.Errorf("find key %q: %w", id, err)
	}
	return k, nil
}

// Get returns the key of an account with an id. For a key of another account, it returns ErrNotFound.
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
	return &matching.Error{
		Code: matching.CodeNotFound, Message: fmt.Sprintf("There is no key %q.", id), Cause: ErrNotFound,
	}
}

// Change replaces all settings of a current key. A later expiry does not extend a grace period. It returns CodeInvalid
// with all faults, CodeEnded or ErrNotFound.
func (s *Service) Change(ctx context.Context, by audit.By, account, id string, settings Settings) (Key, error) {
	return s.update(ctx, account, id, func(before Key, now time.Time) (k Key, c Changes, err error) {
		if err := checkCurrent(before, now); err != nil {
			return Key{}, Changes{}, err
		}

		k = before
		if err := matching.Invalid(settings.apply(&k, now)); err != nil {
			return Key{}, Changes{}, err
		}

		if k.Name != before.Name {
			c.Events = append(c.Events, k.Event(now, by, audit.KeyRenamed, fmt.Sprintf("%q → %q", before.Name, k.Name)))
		}

		// The audit log gets one entry for the name and one for everything else, each with both values.
		if from, to := before.describeSettings(), k.describeSettings(); from != to {
			c.Events = append(c.Events, k.Event(now, by, audit.KeyChanged, from+" → "+to))
		}

		if len(c.Events) > 0 {
			c.Keys = []Key{k}
		}

		return k, c, nil
	})
}

// SetPermissions replaces the permissions of a current key. Only administrators of the service may call it. It returns
// CodeInvalid with all faults, CodeEnded or ErrNotFound.
func (s *Service) SetPermissions(
	ctx context.Context, by audit.By, account, id string, permissions []string,
) (Key, error) {
	granted, faults := parsePermissions(permissions)
	if err := matching.Invalid(faults); err != nil {
		return Key{}, err
	}

	return s.update(ctx, account, id, func(before Key, now time.Time) (Key, Changes, error) {
		if err := checkCurrent(before, now); err != nil {
			return Key{}, Changes{}, err
		}
		if before.Test() && len(granted) > 0 {
			return Key{}, Changes{}, matching.Invalid([]matching.FieldError{{
				Field: "permissions", Code: "test_key", Message: "permissions are for keys that read and change the service's " +
					"own data, which a test key never does",
			}})
		}

		k := before
		k.Permissions = granted
		if slices.Equal(before.Permissions, k.Permissions) {
			return k, Changes{}, nil
		}

		// An unchanged set leaves no trace in the audit log.
		detail := describePermissions(before.Permissions) + " → " + describePermissions(k.Permissions)
		return k, Changes{
			Keys: []Key{k}, Events: []audit.Event{k.Event(now, by, audit.KeyPermissions, detail)},
		}, nil
	})
}

func describePermissions(permissions []string) string {
	if len(permissions) == 0 {
		return "no permissions"
	}
	return strings.Join(permissions, " ")
}

// Disable disables a key until Enable is called. It does nothing if the key is disabled already. It returns CodeEnded
// or ErrNotFound.
func (s *Service) Disable(ctx context.Context, by audit.By, account, id string) (Key, error) {
	return s.setTimes(ctx, by, account, id, audit.KeyDisabled, func(k *Key, now time.Time) error {
		if k.Disabled.IsZero() {
			k.Disabled = now
		}
		return checkNotEnded(*k, now)
	})
}

// Enable enables a disabled key. It returns CodeEnded or ErrNotFound.
func (s *Service) Enable(ctx context.Context, by audit.By, account, id string) (Key, error) {
	return s.setTimes(ctx, by, account, id, audit.KeyEnabled, func(k *Key, now time.Time) error {
		k.Disabled = time.Time{}
		return checkNotEnded(*k, now)
	})
}

// Revoke ends a key for good, from the next request on. It does nothing if the key is revoked already. It returns
// ErrNotFound.
func (s *Service) Revoke(ctx context.Context, by audit.By, account, id string) (Key, error) {
	return s.setTimes(ctx, by, account, id, audit.KeyRevoked, func(k *Key, now time.Time) error {
		if k.Revoked.IsZero() {
			k.Revoked = now
		}
		return nil
	})
}

// setTimes sets Disabled or Revoked of a key, and writes an event if that changes the key.
func (s *Service) setTimes(
	ctx context.Context, by audit.By, account, id string, action audit.Action, set func(k *Key, now time.Time) error,
) (Key, error) {
	return s.update(ctx, account, id, func(before Key, now time.Time) (Key, Changes, error) {
		k := before
		if err := set(&k, now); err != nil {
			return Key{}, Changes{}, err
		}
		if k.Disabled.Equal(before.Disabled) && k.Revoked.Equal(before.Revoked) {
			return k, Changes{}, nil
		}
		detail := fmt.Sprintf("%q %s", k.Name, k.Masked())
		return k, Changes{Keys: []Key{k}, Events: []audit.Event{k.Event(now, by, action, detail)}}, nil
	})
}

// Rotate replaces a current key with a new one that has its settings and its counter. The old key ends after a grace
// period, one of Graces, or earlier if it expires earlier. It returns CodeInvalid, CodeEnded or ErrNotFound.
func (s *Service) Rotate(
	ctx context.Context, by audit.By, account, id string, grace time.Duration,
) (token string, next Key, err error) {
	if err := CheckGrace(grace); err != nil {
		return "", Key{}, err
	}

	next, err = s.update(ctx, account, id, func(before Key, now time.Time) (Key, Changes, error) {
		if err := checkCurrent(before, now); err != nil {
			return Key{}, Changes{}, err
		}
		var next, old Key
		token, next, old = before.rotate(now, grace)
		detail := fmt.Sprintf("%q %s → %s %s, the old key ends %s",
			next.Name, old.Masked(), next.ID, next.Masked(), old.End().Format(time.RFC3339))
		return next, Changes{Keys: []Key{old, next}, Events: []audit.Event{old.Event(now, by, audit.KeyRotated, detail)}}, nil
	})
	if err != nil {
		return "", Key{}, err
	}

	return token, next, nil
}

// update changes one key of an account inside the store's transaction. It returns the key that change returns.
func (s *Service) update(
	ctx context.Context, account, id string, change func(before Key, now time.Time) (result Key, c Changes, err error),
) (result Key, err error) {
	err = s.store.Update(ctx, account, func(keys []Key) (c Changes, err error) {
		i := slices.IndexFunc(keys, func(k Key) bool { return k.ID == id })
		if i < 0 {
			return Changes{}, errNotFound(id)
		}
		result, c, err = change(keys[i], s.now())
		return c, err
	})
	if err != nil {
		return Key{}, fmt.Errorf("change key %q: %w", id, err)
	}
	return result, nil
}

func checkCurrent(k Key, now time.Time) error {
	if k.ReplacedBy != "" {
		return &matching.Error{
			Code: CodeEnded, Message: fmt.Sprintf("This key was replaced by %s. Change that key instead.", k.ReplacedBy),
		}
	}
	return checkNotEnded(k, now)
}

func checkNotEnded(k Key, now time.Time) error {
	if k.Ended(now) {
		return &matching.Error{Code: CodeEnded, Message: "This key was revoked or has expired. Create a new one."}
	}
	return nil
}

// Authenticate returns the key of a token. If the key is not accepted, it returns a matching.Error with a code of this
// package, together with the key if it exists but is disabled, revoked or expired. Any other error means that the store
// failed.
//
// A token with a wrong checksum is refused without a lookup. That reveals nothing, because anyone can compute the
// checksum. Otherwise, known and unknown tokens take the same steps.
func (s *Service) Authenticate(ctx context.Context, token string) (Key, error) {
	if token == "" {
		return Key{}, errMissing()
	}
	if _, err := Parse(token); err != nil {
		return Key{}, errInvalid()
	}
	hash := HashOf(token)
	k, err := s.store.FindByHash(ctx, hash)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return Key{}, fmt.Errorf("look up API key: %w", err)
	}
	match := subtle.ConstantTimeCompare(k.Hash[:], hash[:]) == 1 // false for the zero Key of an unknown hash
	refusal := k.Refusal(s.now())
	if !match {
		return Key{}, errInvalid()
	}
	return k, refusal
}
