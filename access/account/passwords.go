package account

import (
	"context"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/access/quota"
	"github.com/freelancer-matching/service/internal/matching"
)

// Passwords changes the passwords of users.
type Passwords struct {
	users    userRecords
	links    *Links
	verifier *Verifier
	hasher   *hasher
	rules    passwordRules
	now      clock
}

// Change replaces a user's password and ends all sessions. The caller's own session continues with the returned
// User.Sessions. A wrong old password is CodeWrongCredentials, and too many are CodeTooManyAttempts.
func (s *Passwords) Change(ctx context.Context, by audit.By, userID, old, password string) (User, error) {
	u, err := s.users.find(ctx, userID)
	if err != nil {
		return User{}, err
	}
	if err := matching.Invalid(s.rules.check(password, u.Email)); err != nil {
		return User{}, err
	}
	if err := s.verifier.confirmPassword(ctx, u, old); err != nil {
		return User{}, err
	}
	leave, err := s.hasher.enter(ctx, u.ID, true)
	if err != nil {
		return User{}, err
	}
	defer leave()
	return s.set(ctx, by, u, nil, s.hasher.hash(password))
}

// Reset sets the password of the user of a reset link, uses up the link, and ends all sessions of the user.
func (s *Passwords) Reset(ctx context.Context, by audit.By, secret, password string) (User, error) {
	l, err := s.links.findFor(ctx, secret, Reset)
	if err != nil {
		return User{}, err
	}
	u, err := s.users.find(ctx, l.User)
	if err != nil {
		return User{}, err
	}
	if err := matching.Invalid(s.rules.check(password, u.Email)); err != nil {
		return User{}, err
	}
	leave, err := s.hasher.enter(ctx, quota.AddressKey(addressOf(by)), false)
	if err != nil {
		return User{}, err
	}
	defer leave()
	by.Actor = u.ID
	return s.set(ctx, by, u, &l.Token, s.hasher.hash(password))
}

// set stores a new hash and ends all sessions. It fails if another change has ended them meanwhile.
func (s *Passwords) set(ctx context.Context, by audit.By, u User, spend *Token, hash string) (User, error) {
	return s.users.update(ctx, u, spend, func(current *User) ([]audit.Event, error) {
		if current.Sessions != u.Sessions {
			return nil, errSessionEnded()
		}
		current.Password = hash
		current.Sessions++
		detail := "with the old password"
		if spend != nil {
			detail = "with a link"
			if !current.TwoFactor.On() {
				current.LastSignIn = s.now() // the link signs the user in
			}
		}
		return []audit.Event{event(s.now(), by, u.Account, audit.PasswordChanged, u.ID, detail)}, nil
	})
}
