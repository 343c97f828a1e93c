package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/store/auditlog"
	"github.com/freelancer-matching/service/store/sqldb"
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
		"DELETE FROM request_log WHERE account = $1",
		"DELETE FROM projects WHERE account = $1", // with their people and links
		"DELETE FROM briefs WHERE account = $1",
		"DELETE FROM rankings WHERE account = $1",
		"DELETE FROM failures WHERE key_id IN " + keys,
		"DELETE FROM usage_days WHERE key_id IN " + keys,
		"DELETE FROM usage_hours WHERE key_id IN " + keys,
		"DELETE FROM quotas WHERE subject IN (SELECT counter FROM api_keys WHERE account = $1)", // before the keys
		"DELETE FROM api_keys WHERE account = $1",
		"DELETE FROM links WHERE account = $1 OR user_id IN " + users + " OR made_by IN " + users,
		"DELETE FROM endpoints WHERE account = $1",    // with their messages
		"DELETE FROM notice_boxes WHERE account = $1", // with their notices
		"DELETE FROM users WHERE account = $1",        // with their known browsers
		"DELETE FROM accounts WHERE id = $1",
	}
}

// Delete implements account.AccountStore.
func (s Accounts) Delete(
	ctx context.Context, id string, allow func(account.Deletion) ([]audit.Event, error),
) error {
	return s.db.Transact(ctx, fmt.Sprintf("delete account %q", id), func(tx *sql.Tx) error {
		// Two administrators who delete their accounts at once must not both succeed.
		if err := sqldb.Lock(ctx, tx, s.db.Dialect.LockUsers); err != nil {
			return err
		}

		var d account.Deletion
		var err error
		if d.Account, err = lockAccount(ctx, s.db, tx, id); err != nil {
			return err
		}
		if d.Users, err = s.users.listIn(ctx, tx, id); err != nil {
			return err
		}

		// Like AddUsage, lock the keys in the order of their IDs to avoid deadlocks.
		keys, err := sqldb.SelectAll(ctx, tx, func(key *string) []any { return []any{key} },
			"SELECT id FROM api_keys WHERE account = $1 ORDER BY id"+s.db.Dialect.LockRows, id)
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

		return auditlog.New(s.db).Insert(ctx, tx, events)
	})
}
