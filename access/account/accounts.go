package account

import (
	"context"
	"fmt"
	"slices"
	"time"

	"freelancer-matching/access/apikey"
	"freelancer-matching/access/audit"
	"freelancer-matching/internal/matching"
)

// Accounts is the accounts with a part of their name or of a user's address, all with "": newest first, up to limit.
func (s *Service) Accounts(ctx context.Context, part string, limit int) ([]Account, error) {
	accounts, err := s.store.Accounts(ctx, part, limit)
	if err != nil {
		return nil, fmt.Errorf("list the accounts: %w", err)
	}
	return accounts, nil
}

// Account is the account with an id. CodeNotFound.
func (s *Service) Account(ctx context.Context, id string) (Account, error) {
	a, err := s.store.Account(ctx, id)
	if err != nil {
		return Account{}, expected(fmt.Errorf("read account %q: %w", id, err))
	}
	return a, nil
}

// update changes an account and its keys inside the store's transaction, and is the account as it is then.
func (s *Service) update(
	ctx context.Context, id string, change func(a *Account, keys []apikey.Key, now time.Time) (apikey.Changes, error),
) (changed Account, err error) {
	err = s.store.UpdateAccount(ctx, id, func(a *Account, keys []apikey.Key) (apikey.Changes, error) {
		changes, err := change(a, keys, s.now())
		changed = *a
		return changes, err
	})
	if err != nil {
		return Account{}, expected(fmt.Errorf("change account %q: %w", id, err))
	}
	return changed, nil
}

// DisableAccount lets the keys of an account be refused and nobody sign in to it, until it is enabled. Sessions are refused
// meanwhile. Nobody can disable his own: CodeOwnAccount. CodeNotFound.
func (s *Service) DisableAccount(ctx context.Context, by audit.By, id string) (Account, error) {
	users, err := s.Users(ctx, id)
	if err != nil {
		return Account{}, err
	}
	if slices.ContainsFunc(users, func(u User) bool { return u.ID == by.Actor }) {
		return Account{}, &matching.Error{
			Code: CodeOwnAccount, Message: "this is your own account; whoever disables it could not enable it again",
		}
	}
	return s.update(ctx, id, func(a *Account, _ []apikey.Key, now time.Time) (c apikey.Changes, err error) {
		if a.Disabled.IsZero() {
			a.Disabled = now
			c.Events = append(c.Events, event(now, by, a.ID, audit.AccountDisabled, a.ID, fmt.Sprintf("%q", a.Name)))
		}
		return c, nil
	})
}

// EnableAccount ends DisableAccount. CodeNotFound.
func (s *Service) EnableAccount(ctx context.Context, by audit.By, id string) (Account, error) {
	return s.update(ctx, id, func(a *Account, _ []apikey.Key, now time.Time) (c apikey.Changes, err error) {
		if !a.Disabled.IsZero() {
			a.Disabled = time.Time{}
			c.Events = append(c.Events, event(now, by, a.ID, audit.AccountEnabled, a.ID, fmt.Sprintf("%q", a.Name)))
		}
		return c, nil
	})
}

// ChangePlan puts an account and its keys on another plan, from now on: see apikey.Replan for what becomes of the keys. An
// account that has the plan keeps it as it is. Here is where billing would come in, which this service does not do: whoever
// takes the money calls this. CodeInvalid, CodeNotFound.
func (s *Service) ChangePlan(ctx context.Context, by audit.By, id, plan string, grace time.Duration) (Account, error) {
	next, known := apikey.PlanNamed(plan)
	if !known {
		return Account{}, matching.Invalid([]matching.FieldError{unknownPlan(plan)})
	}
	if err := apikey.CheckGrace(grace); err != nil {
		return Account{}, err
	}
	return s.update(ctx, id, func(a *Account, keys []apikey.Key, now time.Time) (c apikey.Changes, err error) {
		if a.Plan == next.Name {
			return c, nil
		}
		detail := fmt.Sprintf("plan %s → %s", a.Plan, next.Name)
		a.Plan, a.PlanSince = next.Name, now
		c.Keys = apikey.Replan(now, keys, next, grace)
		c.Events = append(c.Events, event(now, by, a.ID, audit.PlanChanged, a.ID, detail))
		for _, k := range c.Keys {
			if k.Prefix != next.Prefix {
				detail := fmt.Sprintf("%q %s, now plan %s, ends %s", k.Name, k.Masked(), k.Plan, k.End().Format(time.RFC3339))
				c.Events = append(c.Events, k.Event(now, by, audit.KeyChanged, detail))
			}
		}
		return c, nil
	})
}

// CreateKey makes a key of an account, within what its plan has room for. This is the only time that its token is seen. Errors
// are those of apikey.Issue, CodeAccountDisabled, and CodeNotFound.
func (s *Service) CreateKey(
	ctx context.Context, by audit.By, accountID string, r apikey.Request,
) (token string, k apikey.Key, err error) {
	_, err = s.update(ctx, accountID, func(a *Account, keys []apikey.Key, now time.Time) (apikey.Changes, error) {
		if !a.Disabled.IsZero() {
			return apikey.Changes{}, errAccountDisabled()
		}
		owner := apikey.Owner{Account: a.ID, Plan: a.Plan, PlanSince: a.PlanSince}
		if token, k, err = apikey.Issue(now, owner, keys, r); err != nil {
			return apikey.Changes{}, err
		}
		return apikey.Changes{
			Keys: []apikey.Key{k}, Events: []audit.Event{k.Event(now, by, audit.KeyCreated, k.Describe())},
		}, nil
	})
	if err != nil {
		return "", apikey.Key{}, err
	}
	return token, k, nil
}
