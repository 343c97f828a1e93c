package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/store/column"
	"github.com/freelancer-matching/service/store/sqldb"
	"github.com/freelancer-matching/service/webhook"
)

// Webhooks is the outbox of messages about interviews.
type Webhooks struct{ db *sqldb.DB }

var _ webhook.Outbox = Webhooks{}

// webhookPurpose returns for what the secret of a session's endpoint is encrypted.
func webhookPurpose(session string) string { return "webhook " + session }

// insert stores the endpoint and the message that a session comes with, if any.
func (w Webhooks) insert(ctx context.Context, tx *sql.Tx, r *interview.Record) error {
	if e := r.Endpoint; e != nil {
		_, err := tx.ExecContext(ctx, "INSERT INTO webhooks (session, url, secret) VALUES ($1, $2, $3)",
			r.ID, e.URL, []byte(w.db.Secrets.Seal(string(e.Secret), webhookPurpose(r.ID))))
		if err != nil {
			return err
		}
	}
	if m := r.Message; m != nil {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO webhook_messages
				(id, session, account, type, body, created, due, holder, attempts, last_error)
			VALUES ($1, $2, $3, $4, $5, $6, $6, '', 0, '')`,
			m.ID, r.ID, r.Account, m.Type, m.Body, column.Time(&m.Created))
		if err != nil {
			return err
		}
	}
	return nil
}

// dueMessage selects a message that is due, unless its account has too many in progress.
const dueMessage = `
	SELECT id, due FROM webhook_messages AS m
	WHERE due <= $1 AND $2 > (
		SELECT count(*) FROM webhook_messages AS held
		WHERE held.due > $1 AND held.account = m.account AND held.holder <> '')
	ORDER BY due, id LIMIT 1`

// Claim implements webhook.Outbox. Of several processes that find the same message, one can change it.
func (w Webhooks) Claim(ctx context.Context, now, until time.Time, busy int) (webhook.Delivery, error) {
	for {
		var id string
		var due int64
		err := w.db.Pools.Read.QueryRowContext(ctx, dueMessage, column.Time(&now), busy).Scan(&id, &due)
		if errors.Is(err, sql.ErrNoRows) {
			return webhook.Delivery{}, webhook.ErrNone
		}
		if err != nil {
			return webhook.Delivery{}, fmt.Errorf("find a due webhook: %w", w.db.Failed(err))
		}
		d, err := w.claim(ctx, id, due, until)
		if !errors.Is(err, webhook.ErrNone) {
			return d, err
		}
	}
}

// claim claims a message with an unchanged due time, or returns webhook.ErrNone.
func (w Webhooks) claim(ctx context.Context, id string, due int64, until time.Time) (webhook.Delivery, error) {
	d := webhook.Delivery{Holder: rand.Text()}
	err := w.db.Transact(ctx, "claim webhook "+id, func(tx *sql.Tx) error {
		err := sqldb.ChangeOne(ctx, tx, webhook.ErrNone, `
			UPDATE webhook_messages SET due = $1, holder = $2, attempts = attempts + 1 WHERE id = $3 AND due = $4`,
			column.Time(&until), d.Holder, id, due)
		if err != nil {
			return err
		}

		var stored []byte
		err = tx.QueryRowContext(ctx, `
			SELECT id, type, body, created, m.session, attempts, url, secret
			FROM webhook_messages AS m JOIN webhooks AS w ON w.session = m.session WHERE id = $1`, id).
			Scan(&d.ID, &d.Type, &d.Body, column.Time(&d.Created), &d.Session, &d.Attempt, &d.URL, &stored)
		if secret, ok := w.db.Secrets.Open(string(stored), webhookPurpose(d.Session)); ok {
			d.Secret = webhook.Secret(secret)
		}
		return err
	})
	if err != nil {
		return webhook.Delivery{}, err
	}
	return d, nil
}

// Settle implements webhook.Outbox.
func (w Webhooks) Settle(ctx context.Context, d webhook.Delivery, o webhook.Outcome) error {
	var delivered time.Time
	if o.Error == "" {
		delivered = o.At
	}
	return w.db.Exec(ctx, "settle webhook", `
		UPDATE webhook_messages SET
			holder = '', due = $1, delivered = $2, last_error = CASE WHEN $3 = '' THEN last_error ELSE $3 END
		WHERE id = $4 AND holder = $5`,
		column.Time(&o.Next), column.Time(&delivered), o.Error, d.ID, d.Holder)
}

// Webhook implements interview.Store.
func (i Interviews) Webhook(ctx context.Context, session string) (webhook.Status, error) {
	var s webhook.Status
	err := i.db.Pools.Read.QueryRowContext(ctx, `
		SELECT url, coalesce(type, ''), coalesce(attempts, 0), delivered, coalesce(last_error, ''), due
		FROM webhooks AS w LEFT JOIN webhook_messages AS m ON m.session = w.session
		WHERE w.session = $1 ORDER BY created DESC, id DESC LIMIT 1`, session).
		Scan(&s.URL, &s.Type, &s.Attempts, column.Time(&s.Delivered), &s.LastError, column.Time(&s.Next))
	if errors.Is(err, sql.ErrNoRows) {
		return webhook.Status{}, interview.ErrNotFound
	}
	if err != nil {
		return webhook.Status{}, fmt.Errorf("find webhook of interview %s: %w", session, i.db.Failed(err))
	}
	return s, nil
}
