package account

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"freelancer-matching/access/apikey"
	"freelancer-matching/access/audit"
	"freelancer-matching/internal/matching"
)

// Users returns the users of an account, oldest first.
func (s *Service) Users(ctx context.Context, account string) ([]User, error) {
	users, err := s.stores.Users.List(ctx, account)
	if err != nil {
		return nil, fmt.Errorf("list users of account %q: %w", account, err)
	}
	return users, nil
}

// SetRole changes a user's role. A lower role deletes the links that the user created. It returns CodeLastOwner,
// CodeLastAdministrator, CodeInvalid or CodeNotFound.
func (s *Service) SetRole(ctx context.Context, by audit.By, userID string, role Role) (User, error) {
	// A member must not keep an administrator's links.
	if !role.Includes(Member) {
		return User{}, matching.Invalid([]matching.FieldError{invalidRole(role)})
	}

	var changed User
	err := s.replaceUser(ctx, by, userID, func(u User) (replacement []User, c UserChanges) {
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

// RemoveUser deletes a user with their sessions and the links they created. The account and its keys remain. It returns
// CodeLastOwner, CodeLastAdministrator or CodeNotFound.
func (s *Service) RemoveUser(ctx context.Context, by audit.By, userID string) error {
	return s.replaceUser(ctx, by, userID, func(u User) (replacement []User, c UserChanges) {
		return nil, UserChanges{
			Removed: []string{u.ID},
			Events:  []audit.Event{event(s.now(), by, u.Account, audit.UserRemoved, u.ID, u.Email)},
		}
	})
}

// replaceUser changes or removes a user, unless that would leave the service without an administrator or the account
// without an owner it needs.
//
// A store locks the users of one account only, so replaceUser is certain only of administrators in the same account.
// It also counts the actor, if the actor is an administrator of another account. Two administrators of different
// accounts who demote each other at the same moment can therefore both succeed; the command line can then invite a
// new one.
func (s *Service) replaceUser(
	ctx context.Context, by audit.By, userID string, change func(User) (replacement []User, c UserChanges),
) error {
	u, err := s.user(ctx, userID)
	if err != nil {
		return err
	}

	actor, err := s.stores.Users.Find(ctx, by.Actor)
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
	if err := s.stores.Users.Update(ctx, u.Account, nil, s.now(), update); err != nil {
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
