package account

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"freelancer-matching/access/apikey"
	"freelancer-matching/access/audit"
	"freelancer-matching/access/quota"
	"freelancer-matching/internal/matching"
)

// Credentials is the form of a sign-in.
type Credentials struct {
	Email, Password string
	Address         netip.Addr // of the client
	Browser         string     // the token that RememberBrowser returned to this browser, or ""
}

// SignIn returns the user with an email address and a password. If the user has a second factor, codeNeeded is true,
// and the caller must call SignInWithCode before it lets the user in.
//
// For an unknown address and for a wrong password, SignIn does the same work and returns the same CodeWrongCredentials.
// It returns CodeAccountDisabled only if the password is right, CodeTooManyAttempts, and matching.CodeOverloaded.
func (s *Service) SignIn(ctx context.Context, c Credentials) (u User, codeNeeded bool, err error) {
	defer func() {
		if !codeNeeded || err != nil { // otherwise SignInWithCode ends it
			s.signInEnded(err)
		}
	}()

	email, err := ParseEmail(c.Email)
	if err != nil {
		email = "" // no user has it, so it is handled like any unknown address
	}

	u, err = s.stores.Users.FindByEmail(ctx, email)
	if errors.Is(err, ErrNotFound) {
		u = User{Password: s.passwords.dummy}
		err = nil
	}

	if err != nil {
		return User{}, false, fmt.Errorf("sign in: %w", err)
	}

	browserUser, err := s.browserUser(ctx, c.Browser)
	if err != nil {
		return User{}, false, fmt.Errorf("sign in: %w", err)
	}

	hash, err := s.checkPassword(ctx, s.passwordAttempt(c, email, browserUser, u.ID), u, c.Password)
	if matching.CodeOf(err) == CodeWrongCredentials {
		reason := "wrong password"
		if u.ID == "" {
			reason = "no user has the email address"
		}
		return User{}, false, s.refuse(ctx, u, c.Address, reason, err)
	}

	if err != nil {
		return User{}, false, err
	}
	if _, err := s.enabledAccount(ctx, u.Account); err != nil {
		return User{}, false, err
	}

	u, err = s.recordSignIn(ctx, u, hash, c.Address)
	return u, u.TwoFactor.On(), err
}

// checkPassword compares a password with the one of a user, and counts a wrong one. If u has no id, every password is
// wrong. It returns the hash to store, which is a new one if the stored one was created at another cost.
func (s *Service) checkPassword(ctx context.Context, a attempt, u User, password string) (hash string, err error) {
	leave, err := s.enter(ctx, a)
	if err != nil {
		return "", err
	}
	defer leave()

	// A user who doesn't exist takes as long as one who does.
	match, outdated, err := s.passwords.matches(u.Password, password)
	if err != nil {
		return "", fmt.Errorf("compare password of user %q: %w", u.ID, err)
	}

	if !match || u.ID == "" {
		if err := s.countFailure(ctx, a.counters...); err != nil {
			return "", fmt.Errorf("count failed sign-in: %w", err)
		}
		return "", errWrongCredentials()
	}

	// The cost of hashes was raised since: only now is the password known that a new hash needs.
	if outdated {
		return s.passwords.hash(password), nil
	}

	return u.Password, nil
}

// enter takes a slot for an attempt, which the caller gives back with leave, unless too many attempts have failed.
func (s *Service) enter(ctx context.Context, a attempt) (leave func(), err error) {
	if err := s.blocked(ctx, a.counters...); err != nil {
		return nil, err
	}
	if leave, err = s.passwords.enter(ctx, a.client, a.known); err != nil {
		return nil, err
	}
	// Check again: of many concurrent attempts, most wait in enter while the ones before them fail.
	if err := s.blocked(ctx, a.counters...); err != nil {
		leave()
		return nil, err
	}
	return leave, nil
}

// refuse records a failed sign-in of a user and returns the refusal, or the error of the record.
func (s *Service) refuse(ctx context.Context, u User, address netip.Addr, reason string, refusal error) error {
	s.log.InfoContext(ctx, "sign-in failed", "address", address.String())
	if err := s.recordFailure(ctx, u, address, reason); err != nil {
		return fmt.Errorf("record failed sign-in: %w", err)
	}
	return refusal
}

// recordSignIn stores the hash of the password and, unless the user has to enter a code first, the time of the sign-in.
// It fails if the password was changed while the old one was being compared. If the database cannot be written,
// recordSignIn logs it and succeeds: neither value is needed to let the user in.
func (s *Service) recordSignIn(ctx context.Context, u User, hash string, address netip.Addr) (User, error) {
	if u.TwoFactor.On() && u.Password == hash {
		return u, nil
	}

	now := s.now()
	by := audit.By{Actor: u.ID, Address: address.String()}
	changed, err := s.updateUser(ctx, u, nil, func(current *User) (audit.Event, error) {
		// A change of the password ends all sessions, so it shows here.
		if current.Sessions != u.Sessions {
			return audit.Event{}, errWrongCredentials()
		}

		current.Password = hash
		if current.TwoFactor.On() {
			return audit.Event{}, nil
		}

		current.LastSignIn = now
		return event(now, by, u.Account, audit.UserSignedIn, u.ID, ""), nil
	})
	if matching.CodeOf(err).IsDatabaseFault() {
		s.log.WarnContext(ctx, "sign-in not recorded", "user", u.ID, "error", err)
		return u, nil
	}

	return changed, err
}

// updateUser changes one user inside the store's transaction, and returns the changed user. If spend is not nil, it
// uses up that link. A change that ends all sessions deletes the user's reset link, too, which could start another
// session, and forgets the user's browsers. If change returns an event without an action, none is recorded.
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

		c := UserChanges{Changed: []User{changed}}
		if e.Action != "" {
			c.Events = []audit.Event{e}
		}

		if changed.Sessions != users[i].Sessions {
			c.DeleteResets = []string{changed.ID}
			c.ForgetBrowsers = []string{changed.ID}
		}

		return c, nil
	}
	if err := s.stores.Users.Update(ctx, u.Account, spend, s.now(), update); err != nil {
		return User{}, withCode(fmt.Errorf("change user %q: %w", u.ID, err))
	}

	return changed, nil
}

// user returns the user with an id, or CodeNotFound.
func (s *Service) user(ctx context.Context, id string) (User, error) {
	u, err := s.stores.Users.Find(ctx, id)
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
	u, err := s.stores.Users.FindByEmail(ctx, parsed)
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

// RecordSessionEnd records that a user ends one of their sessions, which the caller stores.
func (s *Service) RecordSessionEnd(ctx context.Context, by audit.By, userID string) error {
	u, err := s.user(ctx, userID)
	if err != nil {
		return err
	}
	_, err = s.updateUser(ctx, u, nil, func(u *User) (audit.Event, error) {
		return event(s.now(), by, u.Account, audit.SessionEnded, u.ID, ""), nil
	})
	return err
}

// ChangePassword replaces a user's password and ends all sessions. The caller's own session continues with the returned
// User.Sessions. A wrong old password is CodeWrongCredentials, and too many are CodeTooManyAttempts.
func (s *Service) ChangePassword(ctx context.Context, by audit.By, userID, old, password string) (User, error) {
	u, err := s.user(ctx, userID)
	if err != nil {
		return User{}, err
	}
	if err := matching.Invalid(s.rules.check(password, u.Email)); err != nil {
		return User{}, err
	}
	if err := s.confirmPassword(ctx, u, old); err != nil {
		return User{}, err
	}
	leave, err := s.passwords.enter(ctx, u.ID, true)
	if err != nil {
		return User{}, err
	}
	defer leave()
	return s.setPassword(ctx, by, u, nil, s.passwords.hash(password))
}

// confirmPassword returns CodeWrongCredentials unless a password is the one of a user who is signed in. Only signed-in
// users can make wrong attempts count.
func (s *Service) confirmPassword(ctx context.Context, u User, password string) error {
	_, err := s.checkPassword(ctx, s.confirmation(u), u, password)
	if matching.CodeOf(err) == CodeWrongCredentials {
		return &matching.Error{Code: CodeWrongCredentials, Message: "Your current password is wrong."}
	}
	return err
}

// confirmation returns the attempt of a signed-in user to prove who they are.
func (s *Service) confirmation(u User) attempt {
	return attempt{client: u.ID, known: true, counters: []limited{s.limits.Confirm.counter("confirm", u.ID)}}
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
			if !current.TwoFactor.On() {
				current.LastSignIn = s.now() // the link signs the user in
			}
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
	leave, err := s.passwords.enter(ctx, quota.AddressKey(addressOf(by)), false)
	if err != nil {
		return User{}, err
	}
	defer leave()
	by.Actor = u.ID
	return s.setPassword(ctx, by, u, &l.Token, s.passwords.hash(password))
}
