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

// Users is the users of an account, oldest first.
func (s *Service) Users(ctx context.Context, account string) ([]User, error) {
	users, err := s.store.Users(ctx, account)
	if err != nil {
		return nil, fmt.Errorf("list the users of account %q: %w", account, err)
	}
	return users, nil
}

// SetRole changes what a user may do. A lower role ends the links that the user has made. CodeLastOwner, CodeLastAdministrator, CodeInvalid, CodeNotFound.
func (s *Service) SetRole(ctx context.Context, by audit.By, userID string, role Role) (User, error) {
	if !role.Includes(Member) {
		message := fmt.Sprintf("role must be member, owner or administrator, got %q", role)
		return User{}, matching.Invalid([]matching.FieldError{fault("role", "unknown", message)})
	}
	var changed User
	err := s.changeRoles(ctx, by, userID, func(u User) (after []User, c UserChanges) {
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
			c.Unmade = []string{u.ID}
		}
		return []User{changed}, c
	})
	if err != nil {
		return User{}, err
	}
	return changed, nil
}

// RemoveUser forgets a user, whose sessions end, and so do the links that the user has made; the account and its keys stay.
// CodeLastOwner, CodeLastAdministrator, CodeNotFound.
func (s *Service) RemoveUser(ctx context.Context, by audit.By, userID string) error {
	return s.changeRoles(ctx, by, userID, func(u User) (after []User, c UserChanges) {
		return nil, UserChanges{
			Removed: []string{u.ID},
			Events:  []audit.Event{event(s.now(), by, u.Account, audit.UserRemoved, u.ID, u.Email)},
		}
	})
}

// changeRoles puts other users, or none, in the place of one, where that leaves who is needed: an owner in an account that has
// users, or keys that have not ended, and an administrator of the service.
//
// A store changes the users of one account at a time, so whether an administrator is left is known for certain only of those
// in the same account. Apart from them it is the actor, when he is an administrator himself: he stays one. Two who take the
// role from each other at the same moment, from different accounts, would both succeed; the command line can then invite a new
// administrator.
func (s *Service) changeRoles(ctx context.Context, by audit.By, userID string, change func(User) ([]User, UserChanges)) error {
	u, err := s.user(ctx, userID)
	if err != nil {
		return err
	}
	actor, err := s.store.User(ctx, by.Actor)
	if err != nil && !errors.Is(err, ErrNotFound) { // the command line is no user
		return fmt.Errorf("read user %q: %w", by.Actor, err)
	}
	elsewhere := actor.Role == Administrator && actor.Account != u.Account
	err = s.store.UpdateUsers(ctx, u.Account, nil, s.now(), func(users []User, keys []apikey.Key) (UserChanges, error) {
		i := slices.IndexFunc(users, func(other User) bool { return other.ID == userID })
		if i < 0 {
			return UserChanges{}, ErrNotFound
		}
		before := users[i]
		replaced, changes := change(before)
		after := slices.Concat(users[:i], replaced, users[i+1:])
		if before.Role == Administrator && !someone(after, Administrator) && !elsewhere {
			return UserChanges{}, &matching.Error{
				Code: CodeLastAdministrator, Message: "this may be the last administrator; make another one first",
			}
		}
		live := func(k apikey.Key) bool { return !k.Ended(s.now()) }
		if err := ownerless(after, slices.ContainsFunc(keys, live)); err != nil {
			return UserChanges{}, err
		}
		return changes, nil
	})
	if err != nil {
		return expected(fmt.Errorf("change user %q: %w", userID, err))
	}
	return nil
}

// someone reports whether a user may do all that a role may.
func someone(users []User, role Role) bool {
	return slices.ContainsFunc(users, func(u User) bool { return u.Role.Includes(role) })
}

// ownerless is CodeLastOwner for an account that needs an owner and would have none, and says what to do first. An account
// without users and without keys that can be used needs none.
func ownerless(users []User, keys bool) error {
	message := ""
	switch {
	case someone(users, Owner):
		return nil
	case len(users) > 0:
		message = "the account has no other owner; make another user one first"
	case keys:
		message = "the account has keys that can be used, and no other owner; revoke them first, or invite another owner"
	default:
		return nil
	}
	return &matching.Error{Code: CodeLastOwner, Message: message}
}
