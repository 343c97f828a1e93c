package store

import (
	"context"
	"errors"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/store/auditlog"
	"github.com/freelancer-matching/service/store/counters"
	"github.com/freelancer-matching/service/store/sqldb"
)

// A DB is an open database with its stores. Each store has the tables of one purpose.
type DB struct {
	*sqldb.DB

	Keys           Keys
	Accounts       Accounts
	Users          Users
	Links          Links
	SignInFailures SignInFailures
	Browsers       Browsers
	Sessions       Sessions
	AuditLog       auditlog.Log

	Quotas  counters.Quotas
	Changes counters.Changes
	Views   counters.Views
	Usage   counters.Usage
	Results Results

	RequestLog RequestLog

	Projects Projects
	Briefs   Briefs
	Rankings Rankings

	Interviews  Interviews
	Webhooks    Webhooks
	Notices     Notices
	Feed        Feed
	Endpoints   EndpointMessages
	MatchEvents MatchEvents
	Learning    Learning
	Verdicts    Verdicts

	ErasedPeople ErasedPeople
	Instances    Instances
}

// New returns the stores of a database on open pools whose schema is up to date. Close closes the pools; if New fails,
// it closes them.
func New(ctx context.Context, d sqldb.Dialect, pools sqldb.Pools) (*DB, error) {
	open := sqldb.New(d, pools)
	users := Users{open, Notices{open}}
	db := &DB{
		DB: open,

		Keys:           Keys{db: open},
		Accounts:       Accounts{open, users},
		Users:          users,
		Links:          Links{open},
		SignInFailures: SignInFailures{open},
		Browsers:       Browsers{open},
		Sessions:       Sessions{db: open},
		AuditLog:       auditlog.New(open),

		Changes: counters.NewChanges(open),
		Usage:   counters.NewUsage(open),
		Results: Results{open},

		RequestLog: RequestLog{open},

		Projects: Projects{open, auditlog.New(open)},
		Briefs:   Briefs{open, auditlog.New(open)},
		Rankings: Rankings{open, auditlog.New(open)},

		Interviews:  Interviews{open, Webhooks{open}, auditlog.New(open)},
		Webhooks:    Webhooks{open},
		Notices:     Notices{open},
		Feed:        Feed{open, auditlog.New(open), EndpointMessages{open, auditlog.New(open)}},
		Endpoints:   EndpointMessages{open, auditlog.New(open)},
		MatchEvents: MatchEvents{open},
		Learning:    Learning{open},
		Verdicts:    Verdicts{open},

		ErasedPeople: ErasedPeople{db: open},
		Instances:    Instances{open},
	}

	if err := db.prepare(ctx); err != nil {
		return nil, errors.Join(err, pools.Close())
	}
	return db, nil
}

// prepare prepares the statements that run for every request. It creates Quotas and Views, which prepare their own.
func (db *DB) prepare(ctx context.Context) (err error) {
	if db.Keys.byHash, err = sqldb.Prepare(ctx, db.Pools.Read, selectKeys+" WHERE k.hash = $1"); err != nil {
		return err
	}
	if db.ErasedPeople.revision, err = sqldb.Prepare(ctx, db.Pools.Read, selectErasedRevision); err != nil {
		return err
	}
	if db.Quotas, err = counters.NewQuotas(ctx, db.DB); err != nil {
		return err
	}
	db.Views, err = counters.NewViews(ctx, db.DB)
	return err
}

// AccountStores returns the stores that the services of package account need.
func (db *DB) AccountStores() account.Stores {
	return account.Stores{
		Accounts: db.Accounts, Users: db.Users, Links: db.Links, Failures: db.SignInFailures, Browsers: db.Browsers,
		AuditLog: db.AuditLog,
	}
}
