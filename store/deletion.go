package store

import (
	"context"
	"database/sql"
	"fmt"

	"freelancer-matching/access/account"
	"freelancer-matching/access/audit"
	"freelancer-matching/store/sqldb"
)

// deletions returns the statements that delete an account's rows, in the order of the references between tables. The
// parameter is the account's ID.
func deletions() []string {
	const (
		keys  = "(SELECT id FROM api_keys WHERE account = $1)"
		users = "(SELECT id FROM users WHERE account = $1)"
	)

	return []string{
		"DELETE FROM interview_requests WHERE account = $1",
		"DELETE FROM interviews WHERE account = $1",
		"DELETE FROM llm_days WHERE account = $1",
		"DELETE FROM view_days WHERE subject = $1",
		"DELETE FROM change_counts WHERE subject = $1",
		"DELETE FROM match_events WHERE account = $1",
		"DELETE FROM match_records WHERE account = $1",
		"DELETE FROM event_accounts WHERE account = $1",
		"DELETE FROM results WHERE account = $1",
		"DELETE FROM failures WHERE key_id IN " + keys,
		"DELETE FROM usage_days WHERE key_id IN " + keys,
		"DELETE FROM usage_hours WHERE key_id IN " + keys,
		"DELETE FROM quotas WHERE subject IN (SELECT counter FROM api_keys WHERE account = $1)", // before the keys
		"DELETE FROM api_keys WHERE account = $1",
		"DELETE FROM links WHERE account = $1 OR user_id IN " + users + " OR made_by IN " + users,
		"DELETE FROM users WHERE account = $1", // with their known browsers
		"DELETE FROM accounts WHERE id = $1",
	}
}

// DeleteAccount implements account.Store.
func (db *DB) DeleteAccount(
	ctx context.Context, id string, allow func(account.Deletion) ([]audit.Event, error),
) error {
	return db.transact(ctx, fmt.Sprintf("delete account %q", id), func(tx *sql.Tx) error {
		// Two administrators who delete their accounts at once must not both succeed.
		if err := sqldb.Lock(ctx, tx, db.dialect.LockUsers); err != nil {
			return err
		}

		var d account.Deletion
		var err error
		if d.Account, err = db.lockAccount(ctx, tx, id); err != nil {
			return err
		}
		if d.Users, err = db.usersOf(ctx, tx, id); err != nil {
			return err
		}

		// Like AddUsage, lock the keys in the order of their IDs to avoid deadlocks.
		keys, err := sqldb.SelectAll(ctx, tx, func(key *string) []any { return []any{key} },
			"SELECT id FROM api_keys WHERE account = $1 ORDER BY id"+db.dialect.LockRows, id)
		if err != nil {
			return err
		}

		d.Keys = len(keys)
		err = tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM users WHERE role = $1 AND account <> $2)",
			string(account.Administrator), id).Scan(&d.AdministratorElsewhere)
		if err != nil {
			return err
		}

		events, err := allow(d)
		if err != nil {
			return err
		}

		for _, statement := range deletions() {
			if _, err := tx.ExecContext(ctx, statement, id); err != nil {
				return err
			}
		}

		return insertEvents(ctx, tx, events)
	})
}

// PseudonymizeAccount does for the entries about an account what Pseudonymize does for old entries.
func (db *DB) PseudonymizeAccount(ctx context.Context, id string) error {
	return db.pseudonymizeAll(ctx, " WHERE pseudonymous = 0 AND account = $1 ORDER BY number LIMIT $2", id)
}

// PseudonymizeUser does for the entries of and about a user what Pseudonymize does for old entries.
func (db *DB) PseudonymizeUser(ctx context.Context, id, email string) error {
	return db.pseudonymizeAll(ctx, ` WHERE pseudonymous = 0 AND (actor = $1 OR subject = $1 OR detail LIKE $3 ESCAPE '\')
		ORDER BY number LIMIT $2`, id, likeContains(email))
}

// pseudonymizeAll changes all entries that a condition selects. Its second parameter is the number of entries to change
// in one transaction.
func (db *DB) pseudonymizeAll(ctx context.Context, condition string, first any, more ...any) error {
	args := append([]any{first, pseudonymBatch}, more...)
	for {
		n, err := db.pseudonymizeSome(ctx, condition, args...)
		if err != nil || n < pseudonymBatch {
			return err
		}
	}
}
