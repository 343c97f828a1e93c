package account

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/matching"
)

// Accounts lists, changes and deletes accounts, and creates their keys.
type Accounts struct {
	accounts accountRecords
	users    userRecords
	verifier *Verifier
	now      clock
}

// List returns the accounts whose name or one of whose users' addresses contains part, newest first and at most limit.
// An empty part matches all accounts.
func (s *Accounts) List(ctx context.Context, part string, limit int) ([]Account, error) {
	accounts, err := s.accounts.store.List(ctx, part, limit)
	if err != nil {
		return nil, fmt.Errorf("list accounts: %w", err)
	}
	return accounts, nil
}

// Find returns the account with an id, or CodeNotFound.
func (s *Accounts) Find(ctx context.Context, id string) (Account, error) {
	return s.accounts.find(ctx, id)
}

// Disable disables an account until Enable is called: its keys and sessions are refused, and nobody can sign in to it.
// Users cannot disable their own account: CodeOwnAccount. It returns CodeNotFound if there is none.
func (s *Accounts) Disable(ctx context.Context, by audit.By, id string) (Account, error) {
	users, err := s.users.store.List(ctx, id)
	if err != nil {
		return Account{}, err
	}
	if slices.ContainsFunc(users, func(u User) bool { return u.ID == by.Actor }) {
		return Account{}, &matching.Error{
			Code:    CodeOwnAccount,
			Message: "You cannot disable your own account, because you could not enable it again.",
		}
	}
	return s.accounts.update(ctx, id, func(a *Account, _ []apikey.Key, now time.Time) (c apikey.Changes, err error) {
		if a.Disabled.IsZero() {
			a.Disabled = now
			c.Events = append(c.Events, event(now, by, a.ID, audit.AccountDisabled, a.ID, fmt.Sprintf("%q", a.Name)))
		}
		return c, nil
	})
}

// Enable enables a disabled account. It returns CodeNotFound if there is none.
func (s *Accounts) Enable(ctx context.Context, by audit.By, id string) (Account, error) {
	return s.accounts.update(ctx, id, func(a *Account, _ []apikey.Key, now time.Time) (c apikey.Changes, err error) {
		if !a.Disabled.IsZero() {
			a.Disabled = time.Time{}
			c.Events = append(c.Events, event(now, by, a.ID, audit.AccountEnabled, a.ID, fmt.Sprintf("%q", a.Name)))
		}
		return c, nil
	})
}

// RecordRequests records the requests of an account until a time, or no longer if the time is zero. It returns
// CodeNotFound if there is no such account. Requests that are already recorded stay.
func (s *Accounts) RecordRequests(ctx context.Context, by audit.By, id string, until time.Time) error {
	_, err := s.accounts.update(ctx, id, func(a *Account, _ []apikey.Key, now time.Time) (c apikey.Changes, err error) {
		action := audit.RecordingOff
		if !until.IsZero() {
			action = audit.RecordingOn
		}
		a.RecordingUntil = until
		c.Events = append(c.Events, event(now, by, a.ID, action, a.ID, fmt.Sprintf("%q", a.Name)))
		return c, nil
	})
	return err
}

// StoreResults turns on or off whether results of the playground are stored. It returns CodeNotFound if there is no
// such account. Results that are already stored stay.
func (s *Accounts) StoreResults(ctx context.Context, by audit.By, id string, on bool) error {
	_, err := s.accounts.update(ctx, id, func(a *Account, _ []apikey.Key, now time.Time) (c apikey.Changes, err error) {
		if on == a.ResultsOff.IsZero() {
			return c, nil
		}

		action := audit.ResultsOn
		a.ResultsOff = time.Time{}
		if !on {
			action = audit.ResultsOff
			a.ResultsOff = now
		}
		c.Events = append(c.Events, event(now, by, a.ID, action, a.ID, fmt.Sprintf("%q", a.Name)))
		return c, nil
	})
	return err
}

// RequireTwoFactor makes all users of an account need a second factor, or no longer. Those without one can do nothing
// else until they have set it up. It returns CodeNotFound if there is no such account.
func (s *Accounts) RequireTwoFactor(ctx context.Context, by audit.By, id string, on bool) error {
	_, err := s.accounts.update(ctx, id, func(a *Account, _ []apikey.Key, now time.Time) (c apikey.Changes, err error) {
		if on != a.TwoFactorRequired.IsZero() {
			return c, nil
		}

		action := audit.TwoFactorOptional
		a.TwoFactorRequired = time.Time{}
		if on {
			action = audit.TwoFactorRequired
			a.TwoFactorRequired = now
		}
		c.Events = append(c.Events, event(now, by, a.ID, action, a.ID, fmt.Sprintf("%q", a.Name)))
		return c, nil
	})
	return err
}

// ChangePlan moves an account and its keys to another plan, from now on; see apikey.Replan for the effect on keys. If
// the account is already on the plan, nothing changes. A billing system would call this method after a payment. It
// returns CodeInvalid for an unknown plan or grace period, or CodeNotFound.
func (s *Accounts) ChangePlan(ctx context.Context, by audit.By, id, plan string, grace time.Duration) (Account, error) {
	next, known := apikey.PlanNamed(plan)
	if !known {
		return Account{}, matching.Invalid([]matching.FieldError{apikey.UnknownPlan(plan)})
	}
	if err := apikey.CheckGrace(grace); err != nil {
		return Account{}, err
	}

	return s.accounts.update(ctx, id, func(a *Account, keys []apikey.Key, now time.Time) (c apikey.Changes, err error) {
		if a.Plan == next.Name {
			return c, nil
		}

		// The keys change in the same transaction, so no request is counted against the old plan's limits afterward.
		detail := fmt.Sprintf("plan %s → %s", a.Plan, next.Name)
		a.Plan = next.Name
		a.PlanSince = now
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

// CreateKey creates a key for an account, within the key limit of its plan. The token is available only here. It
// returns the errors of apikey.Issue, CodeAccountDisabled or CodeNotFound.
func (s *Accounts) CreateKey(
	ctx context.Context, by audit.By, accountID string, r apikey.Request,
) (token string, k apikey.Key, err error) {
	change := func(a *Account, keys []apikey.Key, now time.Time) (apikey.Changes, error) {
		if !a.Disabled.IsZero() {
			return apikey.Changes{}, errAccountDisabled()
		}
		owner := apikey.Owner{Account: a.ID, Plan: a.Plan, PlanSince: a.PlanSince}
		if token, k, err = apikey.Issue(now, owner, keys, r); err != nil {
			return apikey.Changes{}, err
		}
		return k.Creation(now, by), nil
	}
	if _, err := s.accounts.update(ctx, accountID, change); err != nil {
		return "", apikey.Key{}, err
	}
	return token, k, nil
}
