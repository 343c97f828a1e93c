package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"freelancer-matching/access/account"
	"freelancer-matching/store/fault"
	"freelancer-matching/store/sqldb"
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
	AuditLog       AuditLog

	Quotas  Quotas
	Changes Changes
	Views   Views
	Usage   Usage
	Results Results

	Interviews  Interviews
	Webhooks    Webhooks
	MatchEvents MatchEvents
	Verdicts    Verdicts

	ErasedPeople ErasedPeople
	Instances    Instances
}

// New returns the stores of a database on open pools whose schema is up to date. Close closes the pools; if New fails,
// it closes them.
func New(ctx context.Context, d sqldb.Dialect, pools sqldb.Pools) (*DB, error) {
	open := sqldb.New(d, pools)
	db := &DB{
		DB: open,

		Keys:           Keys{db: open},
		Accounts:       Accounts{open, Users{open}},
		Users:          Users{open},
		Links:          Links{open},
		SignInFailures: SignInFailures{open},
		Browsers:       Browsers{open},
		Sessions:       Sessions{open},
		AuditLog:       AuditLog{open},

		Quotas:  Quotas{db: open},
		Changes: Changes{open},
		Views:   Views{db: open},
		Usage:   Usage{open},
		Results: Results{open},

		Interviews:  Interviews{open, Webhooks{open}, AuditLog{open}},
		Webhooks:    Webhooks{open},
		MatchEvents: MatchEvents{open},
		Verdicts:    Verdicts{open},

		ErasedPeople: ErasedPeople{db: open},
		Instances:    Instances{open},
	}

	// The statements that run for every request.
	for _, s := range []struct {
		statement **sql.Stmt
		pool      *sql.DB
		query     string
	}{
		{&db.Keys.byHash, pools.Read, selectKeys + " WHERE k.hash = $1"},
		{&db.Quotas.take, pools.Count, takeQuota},
		{&db.Quotas.peek, pools.Read, peekQuota},
		{&db.Views.ofDay, pools.Read, selectViews},
		{&db.ErasedPeople.revision, pools.Read, selectErasedRevision},
	} {
		var err error
		if *s.statement, err = s.pool.PrepareContext(ctx, s.query); err != nil {
			return nil, errors.Join(fault.Mark(fmt.Errorf("%w: prepare %q", err, s.query)), pools.Close())
		}
	}

	return db, nil
}

// AccountStores returns the stores that the services of package account need.
func (db *DB) AccountStores() account.Stores {
	return account.Stores{
		Accounts: db.Accounts, Users: db.Users, Links: db.Links, Failures: db.SignInFailures, Browsers: db.Browsers,
		AuditLog: db.AuditLog,
	}
}
