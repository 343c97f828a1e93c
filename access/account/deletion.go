package account

import (
	"context"
	"fmt"
	"strings"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/matching"
)

// A Deletion is an account to be deleted, as its store sees it while nobody else changes it.
type Deletion struct {
	Account Account
	Users   []User
	Keys    int
	// AdministratorElsewhere reports whether another account has an administrator.
	AdministratorElsewhere bool
}

// Close deletes a user's own account, see Delete. The user confirms it with the account's name and a proof, see
// Confirm. It returns CodeInvalid for another name, the errors of Confirm, CodeNotAllowed unless the user is an owner,
// or CodeLastAdministrator.
func (s *Accounts) Close(ctx context.Context, by audit.By, userID, name, proof string) error {
	u, err := s.users.find(ctx, userID)
	if err != nil {
		return err
	}

	a, err := s.Find(ctx, u.Account)
	if err != nil {
		return err
	}

	if strings.TrimSpace(name) != strings.TrimSpace(a.Name) {
		return matching.Invalid([]matching.FieldError{
			fieldError("name", "mismatch", "enter the name of the account: "+a.Name),
		})
	}

	if err := s.verifier.Confirm(ctx, by, userID, proof); err != nil {
		return err
	}

	// The role is checked inside the transaction: it may have been taken away since the page was shown.
	return s.delete(ctx, by, u.Account, func(d Deletion) error {
		for _, other := range d.Users {
			if other.ID == userID && other.Role.Includes(Owner) {
				return nil
			}
		}
		return &matching.Error{Code: CodeNotAllowed, Message: "Only an owner can delete the account."}
	})
}

// Delete deletes an account with its users, keys, links, usage and interviews. The audit log keeps its entries. It
// returns CodeLastAdministrator if no other account has an administrator, or CodeNotFound.
func (s *Accounts) Delete(ctx context.Context, by audit.By, id string) error {
	return s.delete(ctx, by, id, func(Deletion) error { return nil })
}

func (s *Accounts) delete(ctx context.Context, by audit.By, id string, allow func(Deletion) error) error {
	err := s.accounts.store.Delete(ctx, id, func(d Deletion) ([]audit.Event, error) {
		if err := allow(d); err != nil {
			return nil, err
		}
		if hasRole(d.Users, Administrator) && !d.AdministratorElsewhere {
			return nil, &matching.Error{
				Code: CodeLastAdministrator,
				Message: "The account has the only administrators of this service. " +
					"Make someone in another account an administrator first.",
			}
		}
		detail := fmt.Sprintf("%d users, %d keys, plan %s", len(d.Users), d.Keys, d.Account.Plan)
		return []audit.Event{event(s.now(), by, id, audit.AccountDeleted, id, detail)}, nil
	})
	if err != nil {
		return withCode(fmt.Errorf("delete account %q: %w", id, err))
	}
	return nil
}
