package account

import (
	"context"
	"fmt"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/matching"
)

// A Verifier checks passwords and codes. It limits failed attempts, and how many run at a time.
type Verifier struct {
	users    userRecords
	throttle *throttle
	hasher   *hasher
	now      clock
}

// Confirm returns nil if a signed-in user has proved who they are: with a code if they have a second factor, and with
// the password otherwise. It returns CodeWrongCredentials, CodeWrongCode or CodeTooManyAttempts.
func (s *Verifier) Confirm(ctx context.Context, by audit.By, userID, proof string) error {
	u, err := s.users.find(ctx, userID)
	if err != nil {
		return err
	}
	if !u.TwoFactor.On() {
		return s.confirmPassword(ctx, u, proof)
	}
	_, err = s.useCode(ctx, s.confirmation(u), u, proof, func(u *User, how string) []audit.Event {
		if how == "" {
			return nil
		}
		return []audit.Event{event(s.now(), by, u.Account, audit.RecoveryUsed, u.ID, how)}
	})
	return err
}

// confirmPassword returns CodeWrongCredentials unless a password is the one of a user who is signed in. Only signed-in
// users can make wrong attempts count.
func (s *Verifier) confirmPassword(ctx context.Context, u User, password string) error {
	_, err := s.checkPassword(ctx, s.confirmation(u), u, password)
	if matching.CodeOf(err) == CodeWrongCredentials {
		return &matching.Error{Code: CodeWrongCredentials, Message: "Your current password is wrong."}
	}
	return err
}

// confirmation returns the attempt of a signed-in user to prove who they are.
func (s *Verifier) confirmation(u User) attempt {
	return attempt{client: u.ID, known: true, counters: []limited{s.throttle.limits.Confirm.counter("confirm", u.ID)}}
}

// checkPassword compares a password with the one of a user, and counts a wrong one. If u has no id, every password is
// wrong. It returns the hash to store, which is a new one if the stored one was created at another cost.
func (s *Verifier) checkPassword(ctx context.Context, a attempt, u User, password string) (hash string, err error) {
	leave, err := s.enter(ctx, a)
	if err != nil {
		return "", err
	}
	defer leave()

	// A user who doesn't exist takes as long as one who does.
	match, outdated, err := s.hasher.matches(u.Password, password)
	if err != nil {
		return "", fmt.Errorf("compare password of user %q: %w", u.ID, err)
	}

	if !match || u.ID == "" {
		if err := s.throttle.count(ctx, a.counters...); err != nil {
			return "", fmt.Errorf("count failed sign-in: %w", err)
		}
		return "", errWrongCredentials()
	}

	// The cost of hashes was raised since: only now is the password known that a new hash needs.
	if outdated {
		return s.hasher.hash(password), nil
	}

	return u.Password, nil
}

// enter takes a slot for an attempt, which the caller gives back with leave, unless too many attempts have failed.
func (s *Verifier) enter(ctx context.Context, a attempt) (leave func(), err error) {
	if err := s.throttle.blocked(ctx, a.counters...); err != nil {
		return nil, err
	}
	if leave, err = s.hasher.enter(ctx, a.client, a.known); err != nil {
		return nil, err
	}
	// Check again: of many concurrent attempts, most wait in enter while the ones before them fail.
	if err := s.throttle.blocked(ctx, a.counters...); err != nil {
		leave()
		return nil, err
	}
	return leave, nil
}

// useCode uses a code of a user's app, or a recovery code, and counts a wrong one. The function change changes the user
// in the same transaction. Its argument how describes a recovery code, and is "" for a code of the app.
func (s *Verifier) useCode(
	ctx context.Context, a attempt, u User, code string, change func(u *User, how string) []audit.Event,
) (User, error) {
	leave, err := s.enter(ctx, a) // as for a password, so that hardly more guesses are made at once than one after another
	if err != nil {
		return User{}, err
	}
	defer leave()

	sessions := u.Sessions
	changed, err := s.users.update(ctx, u, nil, func(u *User) ([]audit.Event, error) {
		if u.Sessions != sessions {
			return nil, errSessionEnded()
		}
		how, ok := u.TwoFactor.use(code, s.now())
		if !ok {
			return nil, errWrongCode()
		}

		return change(u, how), nil
	})
	if matching.CodeOf(err) == CodeWrongCode {
		if err := s.throttle.count(ctx, a.counters...); err != nil {
			return User{}, fmt.Errorf("count wrong code: %w", err)
		}
	}

	return changed, err
}
