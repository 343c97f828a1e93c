package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/notices"
	"github.com/freelancer-matching/service/store/column"
	"github.com/freelancer-matching/service/store/sqldb"
	"github.com/freelancer-matching/service/webhook"
)

// Notices stores notices of changed credentials until they are sent. A box collects what a channel has for an address,
// and sends it in one message at a time; its row is also the lock of its notices.
type Notices struct{ db *sqldb.DB }

// insert adds the notices of changes to the boxes of the people whom they concern. The caller has locked their account,
// so no other change waits for two of these boxes in another order.
func (n Notices) insert(ctx context.Context, tx *sql.Tx, events []audit.Event) error {
	if len(n.db.NoticeChannels) == 0 {
		return nil
	}

	for i := range events {
		e := &events[i]
		if !notices.Wanted(e) {
			continue
		}

		recipients, actorEmail, err := concerned(ctx, tx, e)
		if err != nil {
			return fmt.Errorf("find who gets a notice of %s: %w", e.Action, err)
		}

		for _, r := range recipients {
			described, err := json.Marshal(notices.Describe(e, r, actorEmail))
			if err != nil {
				return err
			}
			for _, channel := range n.db.NoticeChannels {
				if err := addNotice(ctx, tx, channel, r, string(described), e.At); err != nil {
					return fmt.Errorf("store notice of %s: %w", e.Action, err)
				}
			}
		}
	}

	return nil
}

// concerned returns the people whom a change concerns, and the email address of the user who made it if they are in the
// same account.
func concerned(ctx context.Context, tx *sql.Tx, e *audit.Event) (to []notices.Recipient, actorEmail string, err error) {
	condition, args := "id = $1", []any{e.Subject}
	if e.Action.Concerns() == audit.Owners {
		condition, args = "account = $1 AND role IN ($2, $3)",
			[]any{e.Account, string(account.Owner), string(account.Administrator)}
	}

	columns := func(r *notices.Recipient) []any { return []any{&r.User, &r.Account, &r.Email} }
	to, err = sqldb.SelectAll(ctx, tx, columns,
		"SELECT id, account, email FROM users WHERE "+condition+" ORDER BY email", args...)
	if err != nil {
		return nil, "", err
	}

	row := tx.QueryRowContext(ctx, "SELECT email FROM users WHERE id = $1 AND account = $2", e.Actor, e.Account)
	if err := row.Scan(&actorEmail); err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, "", err
	}

	return to, actorEmail, nil
}

// addNotice adds a notice to a box, and makes the box due as soon as it may send another message.
func addNotice(
	ctx context.Context, tx *sql.Tx, c notices.Channel, r notices.Recipient, described string, at time.Time,
) error {
	var due time.Time
	var sent []string
	err := tx.QueryRowContext(ctx, `
		INSERT INTO notice_boxes (channel, address, account, user_id, holder, message, attempts, sent)
		VALUES ($1, $2, $3, $4, '', '', 0, '')
		ON CONFLICT (channel, address) DO UPDATE SET account = excluded.account, user_id = excluded.user_id
		RETURNING due, sent`, string(c), r.Email, r.Account, r.User).Scan(column.Time(&due), column.Words(&sent))
	if err != nil {
		return err
	}

	_, err = tx.ExecContext(ctx, "INSERT INTO notices (channel, address, message, event) VALUES ($1, $2, '', $3)",
		string(c), r.Email, described)
	if err != nil || !due.IsZero() {
		return err
	}

	due = nextSlot(sent, at)
	_, err = tx.ExecContext(ctx, "UPDATE notice_boxes SET due = $1 WHERE channel = $2 AND address = $3",
		column.Time(&due), string(c), r.Email)
	return err
}

// nextSlot returns when a box may send another message. sent has the times of the last ones, oldest first, in
// microseconds since 1970.
func nextSlot(sent []string, at time.Time) time.Time {
	if len(sent) < notices.MaxAnHour {
		return at
	}
	first, err := strconv.ParseInt(sent[len(sent)-notices.MaxAnHour], 10, 64)
	if err != nil { // a value that this program hasn't written
		return at
	}
	if slot := time.UnixMicro(first).Add(time.Hour); slot.After(at) {
		return slot
	}
	return at
}

// Outbox returns the outbox of a channel.
func (n Notices) Outbox(c notices.Channel) webhook.Outbox { return noticeOutbox{n.db, string(c)} }

type noticeOutbox struct {
	db      *sqldb.DB
	channel string
}

// dueBox selects a box that is due, unless its channel has too many messages in progress.
const dueBox = `
	SELECT address, due FROM notice_boxes
	WHERE channel = $1 AND due <= $2 AND $3 > (
		SELECT count(*) FROM notice_boxes AS held WHERE held.channel = $1 AND held.due > $2 AND held.holder <> '')
	ORDER BY due, address LIMIT 1`

// Claim implements webhook.Outbox. Of several processes that find the same box, one can change it. All messages of the
// channel count as those of one account, because they go to one server.
func (o noticeOutbox) Claim(ctx context.Context, now, until time.Time, busy int) (webhook.Delivery, error) {
	for {
		var address string
		var due int64
		err := o.db.Pools.Read.QueryRowContext(ctx, dueBox, o.channel, column.Time(&now), busy).Scan(&address, &due)
		if errors.Is(err, sql.ErrNoRows) {
			return webhook.Delivery{}, webhook.ErrNone
		}
		if err != nil {
			return webhook.Delivery{}, fmt.Errorf("find a due notice: %w", o.db.Failed(err))
		}
		d, err := o.claim(ctx, address, due, now, until)
		if !errors.Is(err, webhook.ErrNone) {
			return d, err
		}
	}
}

// claim claims a box with an unchanged due time, or returns webhook.ErrNone.
func (o noticeOutbox) claim(
	ctx context.Context, address string, due int64, now, until time.Time,
) (webhook.Delivery, error) {
	d := webhook.Delivery{Holder: rand.Text()}
	err := o.db.Transact(ctx, "claim notices", func(tx *sql.Tx) error {
		m := notices.Message{Type: notices.Type, Recipient: notices.Recipient{Email: address}}
		next := webhook.NewMessage(notices.Type, nil, now)
		row := tx.QueryRowContext(ctx, `
			UPDATE notice_boxes SET
				due = $1, holder = $2, attempts = attempts + 1,
				message = CASE WHEN message = '' THEN $3 ELSE message END,
				begun = CASE WHEN message = '' THEN $4 ELSE begun END
			WHERE channel = $5 AND address = $6 AND due = $7
			RETURNING message, begun, attempts, account, user_id`,
			column.Time(&until), d.Holder, next.ID, column.Time(&now), o.channel, address, due)
		err := row.Scan(&d.ID, column.Time(&d.Created), &d.Attempt, &m.Recipient.Account, &m.Recipient.User)
		if errors.Is(err, sql.ErrNoRows) {
			return webhook.ErrNone
		}
		if err != nil {
			return err
		}

		// A repeated message must not change, because its receiver may have got it before.
		if d.ID == next.ID {
			_, err := tx.ExecContext(ctx,
				"UPDATE notices SET message = $1 WHERE channel = $2 AND address = $3 AND message = ''",
				d.ID, o.channel, address)
			if err != nil {
				return err
			}
		}

		d.Type = m.Type
		m.Timestamp = d.Created
		if m.Events, m.Omitted, err = eventsOf(ctx, tx, d.ID); err != nil {
			return err
		}
		d.Body, err = json.Marshal(m)
		return err
	})
	if err != nil {
		return webhook.Delivery{}, err
	}
	return d, nil
}

// eventsOf returns the first events of a message, and the number of the others.
func eventsOf(ctx context.Context, tx *sql.Tx, message string) (events []notices.Event, others int, err error) {
	texts, err := sqldb.SelectAll(ctx, tx, func(text *string) []any { return []any{text} },
		"SELECT event FROM notices WHERE message = $1 ORDER BY number LIMIT $2", message, notices.MaxListed)
	if err != nil {
		return nil, 0, err
	}

	events = make([]notices.Event, len(texts))
	for i, text := range texts {
		if err := json.Unmarshal([]byte(text), &events[i]); err != nil {
			return nil, 0, err
		}
	}

	row := tx.QueryRowContext(ctx, "SELECT count(*) FROM notices WHERE message = $1", message)
	err = row.Scan(&others)
	return events, others - len(events), err
}

// Settle implements webhook.Outbox. A message that was sent or given up is deleted with its notices.
func (o noticeOutbox) Settle(ctx context.Context, d webhook.Delivery, outcome webhook.Outcome) error {
	if !outcome.Next.IsZero() {
		return o.db.Exec(ctx, "settle notices", `
			UPDATE notice_boxes SET holder = '', due = $1 WHERE channel = $2 AND holder = $3`,
			column.Time(&outcome.Next), o.channel, d.Holder)
	}

	return o.db.Transact(ctx, "settle notices", func(tx *sql.Tx) error {
		var address string
		var sent []string
		err := tx.QueryRowContext(ctx, `
			UPDATE notice_boxes SET holder = '', message = '', attempts = 0, due = NULL, settled = $1
			WHERE channel = $2 AND holder = $3
			RETURNING address, sent`, column.Time(&outcome.At), o.channel, d.Holder).Scan(&address, column.Words(&sent))
		if errors.Is(err, sql.ErrNoRows) {
			return nil // somebody else holds the box, or its user was removed
		}
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM notices WHERE message = $1", d.ID); err != nil {
			return err
		}

		if outcome.Error == "" {
			sent = append(sent, strconv.FormatInt(outcome.At.UnixMicro(), 10))
			sent = sent[max(0, len(sent)-notices.MaxAnHour):]
		}
		next := nextSlot(sent, outcome.At)

		// Changes may have come since the message was put together.
		_, err = tx.ExecContext(ctx, `
			UPDATE notice_boxes SET
				sent = $1,
				due = CASE WHEN EXISTS (SELECT 1 FROM notices WHERE channel = $2 AND address = $3) THEN $4 ELSE due END
			WHERE channel = $2 AND address = $3`, column.Words(&sent), o.channel, address, column.Time(&next))
		return err
	})
}

// deleteOf deletes what is stored for a user.
func (n Notices) deleteOf(ctx context.Context, tx *sql.Tx, user string) error {
	if _, err := tx.ExecContext(ctx, "DELETE FROM notice_boxes WHERE user_id = $1", user); err != nil {
		return fmt.Errorf("delete notices of user %q: %w", user, err)
	}
	return nil
}

// DeleteOld deletes boxes that are empty and don't limit their next message, and notices that no server has tried to
// send for longer than senders try, because the channel isn't configured any more.
func (n Notices) DeleteOld(ctx context.Context, at time.Time) error {
	idle := at.Add(-time.Hour)
	abandoned := at.Add(-2 * webhook.GiveUpAfter)
	return n.db.Exec(ctx, "delete old notices", `
		DELETE FROM notice_boxes WHERE due IS NULL AND coalesce(settled, 0) <= $1 OR due <= $2`,
		column.Time(&idle), column.Time(&abandoned))
}
