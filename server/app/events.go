package app

import (
	"context"
	"errors"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/events"
	"github.com/freelancer-matching/service/events/bias"
)

// KeepBriefs begins or ends to keep the briefs of an account, or of a key without an account, and reports whether that
// changed anything.
func (a *Access) KeepBriefs(ctx context.Context, by audit.By, id string, keep bool) (bool, error) {
	owner, e, err := a.owner(ctx, id)
	if err != nil {
		return false, err
	}
	e.Actor = by.Actor
	e.Address = by.Address
	e.Action = audit.BriefsKept
	if !keep {
		e.Action = audit.BriefsDropped
	}
	return a.DB.MatchEvents.KeepBriefs(ctx, owner, keep, e)
}

// owner returns the name under which matches of an account, or of a key without an account, are stored, and an entry of
// the audit log about it.
func (a *Access) owner(ctx context.Context, id string) (string, audit.Event, error) {
	e := audit.Event{At: time.Now().UTC(), Account: id, Subject: id}
	_, err := a.Accounts.Find(ctx, id)
	if !errors.Is(err, account.ErrNotFound) {
		return id, e, err
	}
	k, keyErr := a.Keys.Find(ctx, id)
	if keyErr != nil || k.Account != "" {
		return "", e, err // of the account
	}
	e.Account = ""
	return k.Counter, e, nil
}

// JudgedSet returns the judgments of some accounts, or of all if none are named, and records in the audit log of each
// that somebody exported them.
func (a *Access) JudgedSet(ctx context.Context, by audit.By, accounts []string) (*events.JudgedSet, error) {
	set := &events.JudgedSet{}
	return set, a.exportMatches(ctx, by, accounts, matchExport{withEvents: true, add: set.Add})
}

// WriteDecisions writes the matches of some accounts, or of all if none are named, to a log, and records in the audit
// log of each that somebody exported them.
func (a *Access) WriteDecisions(
	ctx context.Context, by audit.By, accounts []string, to *events.DecisionLog,
) error {
	return a.exportMatches(ctx, by, accounts, matchExport{detail: "log of decisions", add: to.Add})
}

// AddToAudit adds the matches of some accounts, or of all if none are named, to an audit, and records in the audit log
// of each that somebody read them.
func (a *Access) AddToAudit(ctx context.Context, by audit.By, accounts []string, to *bias.Audit) error {
	return a.exportMatches(ctx, by, accounts, matchExport{
		detail: "bias audit",
		add: func(m events.Match, list []events.Event) error {
			to.Add(m, list)
			return nil
		},
	})
}

// A matchExport says which matches to export, and what to do with them.
type matchExport struct {
	withEvents bool   // leave out matches without events
	detail     string // of the entry in the audit log
	add        func(events.Match, []events.Event) error
}

// exportMatches exports the matches of some accounts with their events.
func (a *Access) exportMatches(ctx context.Context, by audit.By, accounts []string, export matchExport) error {
	// Unknown accounts are errors before anything is exported.
	owners := make([]string, len(accounts))
	for i, id := range accounts {
		var err error
		if owners[i], _, err = a.owner(ctx, id); err != nil {
			return err
		}
	}
	if len(owners) == 0 {
		owners = []string{""} // all
	}

	store := a.DB.MatchEvents
	last := ""
	for _, owner := range owners {
		err := store.EachMatch(ctx, owner, export.withEvents, func(m events.Match) error {
			list, err := store.Of(ctx, m)
			if err != nil {
				return err
			}

			// Matches come account by account, so each account gets one entry.
			if m.Account != last {
				last = m.Account
				err = a.DB.AuditLog.Record(ctx, audit.Event{
					At: time.Now().UTC(), Actor: by.Actor, Address: by.Address, Account: last, Action: audit.EventsExported,
					Subject: last, Detail: export.detail,
				})
				if err != nil {
					return err
				}
			}

			return export.add(m, list)
		})
		if err != nil {
			return err
		}
	}

	return nil
}
