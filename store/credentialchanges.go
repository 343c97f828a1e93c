package store

import (
	"context"
	"fmt"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/store/column"
	"github.com/freelancer-matching/service/store/sqldb"
)

// Changes returns the latest changes of the credentials of a user, and with keys also those of the account's API keys,
// newest first and at most limit. They are in the audit log, whether or not notices are configured, until it forgets
// whom they concern.
func (n Notices) Changes(ctx context.Context, account, user string, keys bool, limit int) ([]audit.Event, error) {
	args := []any{account, limit, user}
	oneOf := func(actions []audit.Action) string {
		first := len(args) + 1
		for _, a := range actions {
			args = append(args, string(a))
		}
		return "action IN (" + sqldb.Parameters(first, len(actions)) + ")"
	}

	concerned := "subject = $3 AND " + oneOf(audit.Concerning(audit.User))
	if keys {
		concerned += " OR " + oneOf(audit.Concerning(audit.Owners))
	}

	// The first condition on actions is the one of the index, which leaves out what programs of the account do.
	columns := func(e *audit.Event) []any {
		return []any{column.Time(&e.At), &e.Actor, &e.Account, (*string)(&e.Action), &e.Subject, &e.Detail, &e.Address}
	}
	events, err := sqldb.SelectAll(ctx, n.db.Pools.Read, columns, `
		SELECT at, actor, account, action, subject, detail, address FROM audit_events
		WHERE account = $1 AND (action LIKE 'user.%' OR action LIKE 'key.%') AND pseudonymous = 0 AND (`+concerned+`)
		ORDER BY at DESC, number DESC LIMIT $2`, args...)
	if err != nil {
		return nil, fmt.Errorf("read changes of credentials: %w", n.db.Note(err))
	}

	return events, nil
}
