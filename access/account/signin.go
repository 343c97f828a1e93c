package account

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"freelancer-matching/access/apikey"
	"freelancer-matching/access/audit"
	"freelancer-matching/internal/matching"
)

// SignIn returns the user with an email address and a password. For an unknown address and for a wrong password, it
// does the same work and returns the same CodeWrongCredentials. It returns CodeAccountDisabled only if the password
// is right, and CodeTooManyAttempts.
func (s *Service) SignIn(ctx context.Context, address netip.Addr, email, password string) (User, error) {
	email, err := ParseEmail(email)
	if err != nil {
		email = "" // no user has it, so it is handled like any unknown address
	}
	attempt := s.attempt(address, email)
	if err := attempt.blocked(); err != nil {
		return User{}, err
	}
	leave, err := s.passwords.enter(ctx)
	if err != nil {
		return User{}, err
	}
	defer leave()
	// Check again: of many concurrent attempts, most wait in enter while the ones before them fail.
	if err := attempt.blocked(); err != nil {
		return User{}, err
	}
	u, err := s.store.UserByEmail(ctx, email)
	if errors.Is(err, ErrNotFound) {
		u, err = User{Password: s.passwords.dummy}, nil
	}
	if err != nil {
		return User{}, fmt.Errorf("sign in: %w", err)
	}
	match, outdated, err := s.passwords.matches(u.Password, password)
	if err != nil {
		return User{}, fmt.Errorf("sign in user %q: %w", u.ID, err)
	}
	if !match || u.ID == "" {
		attempt.failed()
		s.log.Info("sign-in failed", "address", address.String())
		return User{}, errWrongCredentials()
	}
	if _, err := s.enabledAccount(ctx, u.Account); err != nil {
		return User{}, err
	}
	hash := u.Password
	if outdated {
		hash = s.passwords.hash(password)
	}
	return s.recordSignIn(ctx, u, hash, address)
}

// recordSignIn stores the time of a sign-in and the hash of the password. It fails if the password was changed while
// the old one was being compared.
func (s *Service) recordSignIn(ctx context.Context, u User, hash string, address netip.Addr) (User, error) {
	now := s.now()
	by := audit.By{Actor: u.ID, Address: address.String()}
	return s.updateUser(ctx, u, nil, func(current *User) (audit.Event, error) {
		if current.Sessions != u.Sessions {
			return audit.Event{}, errWrongCredentials()
		}
		current.LastSignIn, current.Password = now, hash
		return event(now, by, u.Account, audit.UserSignedIn, u.ID, ""), nil
	})
}

// updateUser changes one user inside the store's transaction, and returns the changed user. If spend is not nil, it
// uses up that link. A change that ends all sessions deletes the user's reset link, too, which could start another
// session.
func (s *Service) updateUser(
	ctx context.Context, u User, spend *Token, change func(*User) (audit.Event, error),
) (changed User, err error) {
	update := func(users []User, _ []apikey.Key) (UserChanges, error) {
		i := slices.IndexFunc(users, func(other User) bool { return other.ID == u.ID })
		if i < 0 {
			return UserChanges{}, ErrNotFound
		}
		changed = users[i]
		e, err := change(&changed)
		if err != nil {
			return UserChanges{}, err
		}
		c := UserChanges{Changed: []User{changed}, Events: []audit.Event{e}}
		if changed.Sessions != users[i].Sessions {
			c.DeleteResets = []string{changed.ID}
		}
		return c, nil
	}
	if err := s.store.UpdateUsers(ctx, u.Account, spend, s.now(), update); err != nil {
		return User{}, withCode(fmt.Errorf("change user %q: %w", u.ID, err))
	}
	return changed, nil
}

// user returns the user with an id, or CodeNotFound.
func (s *Service) user(ctx context.Context, id string) (User, error) {
	u, err := s.store.User(ctx, id)
	if err != nil {
		return User{}, withCode(fmt.Errorf("read user %q: %w", id, err))
	}
	return u, nil
}

// UserByEmail returns the user with an email address. It returns CodeInvalid if it is malformed, or CodeNotFound.
func (s *Service) UserByEmail(ctx context.Context, email string) (User, error) {
	parsed, err := ParseEmail(email)
	if err != nil {
		return User{}, matching.Invalid([]matching.FieldError{fieldError("email", "invalid", err.Error())})
	}
	u, err := s.store.UserByEmail(ctx, parsed)
	if errors.Is(err, ErrNotFound) {
		return User{}, &matching.Error{
			Code: matching.CodeNotFound, Message: fmt.Sprintf("No user has the email address %s.", parsed), Cause: err,
		}
	}
	if err != nil {
		return User{}, fmt.Errorf("read user by email: %w", err)
	}
	return u, nil
}

// SignOutEverywhere ends all sessions of a user.
func (s *Service) SignOutEverywhere(ctx context.Context, by audit.By, userID string) error {
	u, err := s.user(ctx, userID)
	if err != nil {
		return err
	}
	_, err = s.updateUser(ctx, u, nil, func(u *User) (audit.Event, error) {
		u.Sessions++
		return event(s.now(), by, u.Account, audit.UserSignedOut, u.ID, ""), nil
	})
	return err
}

// ChangePassword replaces a user's password and ends all sessions. The caller's own session continues with the returned
// User.Sessions. A wrong old password is CodeWrongCredentials and counts as a failed sign-in.
func (s *Service) ChangePassword(ctx context.Context, by audit.By, userID, old, password string) (User, error) {
	u, err := s.user(ctx, userID)
	if err != nil {
		return User{}, err
	}
	if err := matching.Invalid(s.rules.check(password, u.Email)); err != nil {
		return User{}, err
	}
	attempt := s.attempt(addressOf(by), u.Email)
	leave, err := s.passwords.enter(ctx)
	if err != nil {
		return User{}, err
	}
	defer leave()
	if err := attempt.blocked(); err != nil {
		return User{}, err
	}
	match, _, err := s.passwords.matches(u.Password, old)
	if err != nil {
		return User{}, fmt.Errorf("change password of user %q: %w", userID, err)
	}
	if !match {
		attempt.failed()
		return User{}, &matching.Error{Code: CodeWrongCredentials, Message: "Your current password is wrong."}
	}
	return s.setPassword(ctx, by, u, nil, s.passwords.hash(password))
}

// setPassword stores a new hash and ends all sessions. It fails if another change has ended them meanwhile.
func (s *Service) setPassword(ctx context.Context, by audit.By, u User, spend *Token, hash string) (User, error) {
	return s.updateUser(ctx, u, spend, func(current *User) (audit.Event, error) {
		if current.Sessions != u.Sessions {
			return audit.Event{}, errSessionEnded()
		}
		current.Password = hash
		current.Sessions++
		detail := "with the old password"
		if spend != nil {
			detail = "with a link"
		}
		return event(s.now(), by, u.Account, audit.PasswordChanged, u.ID, detail), nil
	})
}

// CreateResetLink creates a link with which a user can choose a new password. It replaces the user's previous reset
// link. It returns CodeNotAllowed or CodeNotFound.
func (s *Service) CreateResetLink(ctx context.Context, by audit.By, userID string) (secret string, l Link, err error) {
	u, err := s.user(ctx, userID)
	if err != nil {
		return "", Link{}, err
	}
	return s.createLink(ctx, by, Link{Purpose: Reset, Account: u.Account, Email: u.Email, User: u.ID})
}

// ResetPassword sets the password of the user of a reset link, uses up the link, and ends all sessions of the user.
func (s *Service) ResetPassword(ctx context.Context, by audit.By, secret, password string) (User, error) {
	l, err := s.linkFor(ctx, secret, Reset)
	if err != nil {
		return User{}, err
	}
	u, err := s.user(ctx, l.User)
	if err != nil {
		return User{}, err
	}
	if err := matching.Invalid(s.rules.check(password, u.Email)); err != nil {
		return User{}, err
	}
	leave, err := s.passwords.enter(ctx)
	if err != nil {
		return User{}, err
	}
	defer leave()
	by.Actor = u.ID
	return s.setPassword(ctx, by, u, &l.Token, s.passwords.hash(password))
}
