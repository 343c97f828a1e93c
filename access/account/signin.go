package account

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"freelancer-matching/access/apikey"
	"freelancer-matching/access/audit"
	"freelancer-matching/internal/matching"
)

// SignIn is the user with an e-mail address and a password. CodeWrongCredentials, in the same words and after the same work
// for an unknown address and for a wrong password; CodeTooManyAttempts; CodeAccountDisabled, told only with the right password.
func (s *Service) SignIn(ctx context.Context, address netip.Addr, email, password string) (User, error) {
	email, err := ParseEmail(email)
	if err != nil {
		email = "" // which nobody has, so that it takes the same way as any unknown one
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
	// Once more: of many attempts at once all but a few have waited here, and those before them have failed meanwhile.
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
	same, outdated, err := s.passwords.matches(u.Password, password)
	if err != nil {
		return User{}, fmt.Errorf("sign in user %q: %w", u.ID, err)
	}
	if !same || u.ID == "" {
		attempt.failed()
		s.log.Info("a sign-in failed", "address", address.String())
		return User{}, errWrongCredentials()
	}
	if _, err := s.enabled(ctx, u.Account); err != nil {
		return User{}, err
	}
	rehashed := u.Password
	if outdated {
		rehashed = s.passwords.hash(password)
	}
	return s.signedIn(ctx, u, rehashed, address)
}

// signedIn records a sign-in, unless the password was changed while the old one was compared.
func (s *Service) signedIn(ctx context.Context, u User, rehashed string, address netip.Addr) (User, error) {
	now := s.now()
	by := audit.By{Actor: u.ID, Address: address.String()}
	return s.changeUser(ctx, u, nil, now, func(current *User) ([]audit.Event, error) {
		if current.Sessions != u.Sessions {
			return nil, errWrongCredentials()
		}
		current.LastSignIn, current.Password = now, rehashed
		return []audit.Event{event(now, by, u.Account, audit.UserSignedIn, u.ID, "")}, nil
	})
}

// changeUser changes one user inside the store's transaction, and is the user as it is then. What ends all sessions of a user
// ends the link to reset the password, too: whoever has it could begin another session.
func (s *Service) changeUser(
	ctx context.Context, u User, spend *Token, now time.Time, change func(*User) ([]audit.Event, error),
) (changed User, err error) {
	err = s.store.UpdateUsers(ctx, u.Account, spend, now, func(users []User, _ []apikey.Key) (UserChanges, error) {
		i := slices.IndexFunc(users, func(other User) bool { return other.ID == u.ID })
		if i < 0 {
			return UserChanges{}, ErrNotFound
		}
		changed = users[i]
		events, err := change(&changed)
		if err != nil {
			return UserChanges{}, err
		}
		c := UserChanges{Changed: []User{changed}, Events: events}
		if changed.Sessions != users[i].Sessions {
			c.Unlinked = []string{changed.ID}
		}
		return c, nil
	})
	if err != nil {
		return User{}, expected(fmt.Errorf("change user %q: %w", u.ID, err))
	}
	return changed, nil
}

// user is the user with an id.
func (s *Service) user(ctx context.Context, id string) (User, error) {
	u, err := s.store.User(ctx, id)
	if err != nil {
		return User{}, expected(fmt.Errorf("read user %q: %w", id, err))
	}
	return u, nil
}

// UserByEmail is the user with an e-mail address. CodeNotFound.
func (s *Service) UserByEmail(ctx context.Context, email string) (User, error) {
	parsed, err := ParseEmail(email)
	if err != nil {
		return User{}, matching.Invalid([]matching.FieldError{fault("email", "invalid", err.Error())})
	}
	u, err := s.store.UserByEmail(ctx, parsed)
	if errors.Is(err, ErrNotFound) {
		return User{}, &matching.Error{
			Code: matching.CodeNotFound, Message: fmt.Sprintf("there is no user with the address %s", parsed), Cause: err,
		}
	}
	if err != nil {
		return User{}, fmt.Errorf("find a user: %w", err)
	}
	return u, nil
}

// SignOutEverywhere ends all sessions of a user.
func (s *Service) SignOutEverywhere(ctx context.Context, by audit.By, userID string) error {
	u, err := s.user(ctx, userID)
	if err != nil {
		return err
	}
	now := s.now()
	_, err = s.changeUser(ctx, u, nil, now, func(u *User) ([]audit.Event, error) {
		u.Sessions++
		return []audit.Event{event(now, by, u.Account, audit.UserSignedOut, u.ID, "")}, nil
	})
	return err
}

// ChangePassword gives a user who knows the password another one, and ends all sessions: the one in which it was asked for goes
// on with User.Sessions of the answer. A wrong old password is CodeWrongCredentials and counts as a failed sign-in.
func (s *Service) ChangePassword(ctx context.Context, by audit.By, userID, old, password string) (User, error) {
	u, err := s.user(ctx, userID)
	if err != nil {
		return User{}, err
	}
	if err := matching.Invalid(checkPassword(password, u.Email)); err != nil {
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
	same, _, err := s.passwords.matches(u.Password, old)
	if err != nil {
		return User{}, fmt.Errorf("change the password of user %q: %w", userID, err)
	}
	if !same {
		attempt.failed()
		return User{}, &matching.Error{Code: CodeWrongCredentials, Message: "the present password is wrong"}
	}
	return s.setPassword(ctx, by, u, nil, s.passwords.hash(password))
}

// setPassword stores a new hash and ends all sessions, unless someone else did both meanwhile.
func (s *Service) setPassword(ctx context.Context, by audit.By, u User, spend *Token, hash string) (User, error) {
	now := s.now()
	return s.changeUser(ctx, u, spend, now, func(current *User) ([]audit.Event, error) {
		if current.Sessions != u.Sessions {
			return nil, errSessionEnded()
		}
		current.Password = hash
		current.Sessions++
		detail := "by the old one"
		if spend != nil {
			detail = "by a link"
		}
		return []audit.Event{event(now, by, u.Account, audit.PasswordChanged, u.ID, detail)}, nil
	})
}

// MakeReset makes a link with which a user can choose a new password; it takes the place of one made before,
// and ends as invitations do. CodeNotAllowed, CodeNotFound.
func (s *Service) MakeReset(ctx context.Context, by audit.By, userID string) (secret string, l Link, err error) {
	u, err := s.user(ctx, userID)
	if err != nil {
		return "", Link{}, err
	}
	return s.makeLink(ctx, by, Link{Purpose: Reset, Account: u.Account, Email: u.Email, User: u.ID})
}

// ResetPassword gives the user of a reset link a new password, uses the link up, and ends all sessions of the user.
func (s *Service) ResetPassword(ctx context.Context, by audit.By, secret, password string) (User, error) {
	l, err := s.linkFor(ctx, secret, Reset)
	if err != nil {
		return User{}, err
	}
	u, err := s.user(ctx, l.User)
	if err != nil {
		return User{}, err
	}
	if err := matching.Invalid(checkPassword(password, u.Email)); err != nil {
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
