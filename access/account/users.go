package account

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/matching"
)

// Users lists, changes and removes the users of accounts.
type Users struct {
	users    userRecords
	verifier *Verifier
	now      clock
}

// List returns the users of an account, oldest first.
func (s *Users) List(ctx context.Context, account string) ([]User, error) {
	users, err := s.users.store.List(ctx, account)
	if err != nil {
		return nil, fmt.Errorf("list users of account %q: %w", account, err)
	}
	return users, nil
}

// FindByEmail returns the user with an email address. It returns CodeInvalid if it is malformed, or CodeNotFound.
func (s *Users) FindByEmail(ctx context.Context, email string) (User, error) {
	parsed, err := ParseEmail(email)
	if err != nil {
		return User{}, matching.Invalid([]matching.FieldError{fieldError("email", "invalid", err.Error())})
	}
	u, err := s.users.store.FindByEmail(ctx, parsed)
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

// SetRole changes a user's role. A lower role deletes the links that the user created. It returns CodeLastOwner,
// CodeLastAdministrator, CodeInvalid or CodeNotFound.
func (s *Users) SetRole(ctx context.Context, by audit.By, userID string, role Role) (User, error) {
	// A member must not keep an administrator's links.
	if !role.Includes(Member) {
		return User{}, matching.Invalid([]matching.FieldError{invalidRole(role)})
	}

	var changed User
	err := s.replace(ctx, by, userID, func(u User) (replacement []User, c UserChanges) {
		if changed = u; u.Role == role {
			return []User{u}, UserChanges{}
		}

		changed.Role = role
		detail := fmt.Sprintf("%s %s → %s", u.Email, u.Role, role)
		c = UserChanges{
			Changed: []User{changed},
			Events:  []audit.Event{event(s.now(), by, u.Account, audit.UserRoleChanged, u.ID, detail)},
		}

		if !role.Includes(u.Role) {
			c.DeleteCreated = []string{u.ID}
		}

		return []User{changed}, c
	})
	if err != nil {
		return User{}, err
	}

	return changed, nil
}

// SetEmail changes the email address with which a user signs in. Only the operator may call it: nothing proves that the
// new address is the user's. It returns CodeInvalid, CodeEmailTaken or CodeNotFound.
func (s *Users) SetEmail(ctx context.Context, by audit.By, userID, email string) (User, error) {
	u, err := s.users.find(ctx, userID)
	if err != nil {
		return User{}, err
	}

	parsed, err := ParseEmail(email)
	if err != nil {
		return User{}, matching.Invalid([]matching.FieldError{fieldError("email", "invalid", err.Error())})
	}

	// The database refuses two users with an address in any case; this is for a clear error.
	other, err := s.users.store.FindByEmail(ctx, parsed)
	switch {
	case err == nil && other.ID == u.ID:
		return u, nil
	case err == nil:
		return User{}, withCode(ErrEmailTaken)
	case !errors.Is(err, ErrNotFound):
		return User{}, fmt.Errorf("read user by email: %w", err)
	}

	return s.users.update(ctx, u, nil, func(u *User) ([]audit.Event, error) {
		detail := u.Email + " → " + parsed
		u.Email = parsed
		return []audit.Event{event(s.now(), by, u.Account, audit.EmailChanged, u.ID, detail)}, nil
	})
}

// Remove deletes a user with their sessions and the links they created. The account and its keys remain. It returns
// CodeLastOwner, CodeLastAdministrator or CodeNotFound.
func (s *Users) Remove(ctx context.Context, by audit.By, userID string) error {
	return s.replace(ctx, by, userID, func(u User) (replacement []User, c UserChanges) {
		return nil, UserChanges{
			Removed: []string{u.ID},
			Events:  []audit.Event{event(s.now(), by, u.Account, audit.UserRemoved, u.ID, u.Email)},
		}
	})
}

// Leave removes a user from their account, at their own request. The proof, see Confirm, protects a session that
// somebody else took over. Leave returns the errors of Confirm, CodeLastOwner or CodeLastAdministrator.
func (s *Users) Leave(ctx context.Context, by audit.By, userID, proof string) error {
	if err := s.verifier.Confirm(ctx, by, userID, proof); err != nil {
		return err
	}
	return s.Remove(ctx, by, userID)
}

// replace changes or removes a user, unless that would leave the service without an administrator or the account
// without an owner it needs.  A store locks the users of one account only, so replace is certain only of administrators
// in the same account. It also counts the actor, if the actor is an administrator of another account. Two
// administrators of different accounts who demote each other at the same moment can therefore both succeed; the command
// line can then invite a new one.
func (s *Users) replace(
	ctx context.Context, by audit.By, userID string, change func(User) (replacement []User, c UserChanges),
) error {
	u, err := s.users.find(ctx, userID)
	if err != nil {
		return err
	}

	actor, err := s.users.store.Find(ctx, by.Actor)
	if err != nil && !errors.Is(err, ErrNotFound) { // the command line is not a user
		return fmt.Errorf("read user %q: %w", by.Actor, err)
	}

	adminElsewhere := actor.Role == Administrator && actor.Account != u.Account
	update := func(users []User, keys []apikey.Key) (UserChanges, error) {
		i := slices.IndexFunc(users, func(other User) bool { return other.ID == userID })
		if i < 0 {
			return UserChanges{}, ErrNotFound
		}

		before := users[i]
		replacement, changes := change(before)
		after := slices.Concat(users[:i], replacement, users[i+1:])
		if before.Role == Administrator && !hasRole(after, Administrator) && !adminElsewhere {
			return UserChanges{}, &matching.Error{
				Code:    CodeLastAdministrator,
				Message: "This may be the last administrator. Make someone else an administrator first.",
			}
		}

		hasKeys := slices.ContainsFunc(keys, func(k apikey.Key) bool { return !k.Ended(s.now()) })
		return changes, checkOwner(after, hasKeys)
	}
	if err := s.users.store.Update(ctx, u.Account, nil, s.now(), update); err != nil {
		return withCode(fmt.Errorf("change user %q: %w", userID, err))
	}

	return nil
}

// hasRole reports whether one of the users has all permissions of a role.
func hasRole(users []User, role Role) bool {
	return slices.ContainsFunc(users, func(u User) bool { return u.Role.Includes(role) })
}

// checkOwner returns CodeLastOwner if an account has users or usable keys but no owner. An account with neither needs
// none.
func checkOwner(users []User, hasKeys bool) error {
	message := ""
	switch {
	case hasRole(users, Owner):
		return nil
	case len(users) > 0:
		message = "The account has no other owner. Make another user an owner first."
	case hasKeys:
		message = "The account has usable keys and no other owner. Revoke them first, or invite another owner."
	default:
		return nil
	}
	return &matching.Error{Code: CodeLastOwner, Message: message}
}
