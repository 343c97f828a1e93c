package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/feed"
	"github.com/freelancer-matching/service/store/auditlog"
	"github.com/freelancer-matching/service/store/column"
	"github.com/freelancer-matching/service/store/sqldb"
	"github.com/freelancer-matching/service/webhook"
)

// EndpointMessages stores the endpoints of accounts, and is the outbox of their messages.
type EndpointMessages struct {
	db       *sqldb.DB
	auditLog auditlog.Log
}

var (
	_ feed.EndpointStore = EndpointMessages{}
	_ webhook.Outbox     = EndpointMessages{}
)

// endpointPurpose returns for what the secret of an endpoint is encrypted.
func endpointPurpose(id string) string { return "webhook endpoint " + id }

func (s EndpointMessages) seal(id string, secret webhook.Secret) []byte {
	return []byte(s.db.Secrets.Seal(string(secret), endpointPurpose(id)))
}

// open decrypts a stored secret. It returns nil if nothing is stored, or if the key that encrypted it is gone.
func (s EndpointMessages) open(id string, stored []byte) webhook.Secret {
	secret, ok := s.db.Secrets.Open(string(stored), endpointPurpose(id))
	if !ok || len(stored) == 0 {
		return nil
	}
	return webhook.Secret(secret)
}

// eventsColumn stores events as words.
func eventsColumn(e *feed.Endpoint, words *[]string) column.Column {
	*words = nil
	for _, event := range e.Events {
		*words = append(*words, string(event))
	}
	return column.Words(words)
}

// Insert implements feed.EndpointStore. The lock of the feed keeps two requests from exceeding the limit together.
func (s EndpointMessages) Insert(
	ctx context.Context, e *feed.Endpoint, secret webhook.Secret, limit int, event audit.Event,
) error {
	return s.db.Transact(ctx, "create endpoint", func(tx *sql.Tx) error {
		last, err := (Feed{db: s.db}).lockFeed(ctx, tx)
		if err != nil {
			return err
		}
		var words []string
		err = sqldb.ChangeOne(ctx, tx, feed.ErrFull, `
			INSERT INTO endpoints (id, account, name, url, events, secret, disabled, created, position)
			SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9 FROM feed_state
			WHERE one = 1 AND (SELECT count(*) FROM endpoints WHERE account = $2) < $10`,
			e.ID, e.Account, e.Name, e.URL, eventsColumn(e, &words), s.seal(e.ID, secret), column.Time(&e.Disabled),
			column.Time(&e.Created), last, limit)
		if err != nil {
			return err
		}
		return s.auditLog.Insert(ctx, tx, []audit.Event{event})
	})
}

// A storedEndpoint is an endpoint with its events as they are stored.
type storedEndpoint struct {
	feed.Endpoint
	words []string
}

const selectEndpoints = "SELECT id, account, name, url, events, created, disabled, previous_until FROM endpoints"

func endpointColumns(e *storedEndpoint) []any {
	return []any{
		&e.ID, &e.Account, &e.Name, &e.URL, column.Words(&e.words), column.Time(&e.Created), column.Time(&e.Disabled),
		column.Time(&e.PreviousUntil),
	}
}

func (e *storedEndpoint) endpoint() feed.Endpoint {
	for _, word := range e.words {
		e.Events = append(e.Events, feed.Event(word))
	}
	return e.Endpoint
}

// List implements feed.EndpointStore.
func (s EndpointMessages) List(ctx context.Context, account string) ([]feed.Endpoint, error) {
	stored, err := sqldb.SelectAll(ctx, s.db.Pools.Read, endpointColumns,
		selectEndpoints+" WHERE account = $1 ORDER BY created, id", account)
	if err != nil {
		return nil, fmt.Errorf("list endpoints: %w", s.db.Note(err))
	}
	var endpoints []feed.Endpoint
	for i := range stored {
		endpoints = append(endpoints, stored[i].endpoint())
	}
	return endpoints, nil
}

// Find implements feed.EndpointStore.
func (s EndpointMessages) Find(ctx context.Context, account, id string) (feed.Endpoint, error) {
	row := s.db.Pools.Read.QueryRowContext(ctx, selectEndpoints+" WHERE account = $1 AND id = $2", account, id)
	stored, err := sqldb.ScanOne(row, endpointColumns, feed.ErrUnknown)
	if err != nil {
		return feed.Endpoint{}, fmt.Errorf("find endpoint: %w", s.db.Note(err))
	}
	return stored.endpoint(), nil
}

// change runs a statement that must change an endpoint, and stores the entry of the audit log.
func (s EndpointMessages) change(ctx context.Context, event audit.Event, statement string, args ...any) error {
	return s.db.Transact(ctx, "change endpoint", func(tx *sql.Tx) error {
		if err := sqldb.ChangeOne(ctx, tx, feed.ErrUnknown, statement, args...); err != nil {
			return err
		}
		return s.auditLog.Insert(ctx, tx, []audit.Event{event})
	})
}

// Update implements feed.EndpointStore.
func (s EndpointMessages) Update(ctx context.Context, e *feed.Endpoint, event audit.Event) error {
	var words []string
	return s.change(ctx, event, `
		UPDATE endpoints SET name = $1, url = $2, events = $3, disabled = $4,
			position = CASE WHEN disabled IS NULL THEN position ELSE (SELECT last FROM feed_state WHERE one = 1) END
		WHERE account = $5 AND id = $6`,
		e.Name, e.URL, eventsColumn(e, &words), column.Time(&e.Disabled), e.Account, e.ID)
}

// Rotate implements feed.EndpointStore.
func (s EndpointMessages) Rotate(
	ctx context.Context, account, id string, n feed.NewSecret, event audit.Event,
) error {
	return s.change(ctx, event, `
		UPDATE endpoints SET previous = secret, previous_until = $1, secret = $2 WHERE account = $3 AND id = $4`,
		column.Time(&n.Until), s.seal(id, n.Secret), account, id)
}

// Delete implements feed.EndpointStore.
func (s EndpointMessages) Delete(ctx context.Context, account, id string, event audit.Event) error {
	return s.change(ctx, event, "DELETE FROM endpoints WHERE account = $1 AND id = $2", account, id)
}

// MayRead implements feed.EndpointStore. A key without an account has endpoints of its own.
func (s EndpointMessages) MayRead(ctx context.Context, account string, now time.Time) (bool, error) {
	keys, err := sqldb.SelectAll(ctx, s.db.Pools.Read, selectedKeyColumns,
		selectKeys+" WHERE k.account = $1 OR k.account IS NULL AND k.counter = $1", account)
	if err != nil {
		return false, fmt.Errorf("read keys of account %q: %w", account, s.db.Note(err))
	}
	for _, k := range keys {
		if k.State(now) == apikey.Active && k.Permits(apikey.ReadData) == nil {
			return true, nil
		}
	}
	return false, nil
}

// insertMessage stores a message to an endpoint. A message that is fetched is never due.
func insertMessage(
	ctx context.Context, tx *sql.Tx, m *webhook.Message, endpoint, account string, fetched bool,
) error {
	due := m.Created
	if fetched {
		due = time.Time{}
	}
	_, err := tx.ExecContext(ctx, `
		INSERT INTO endpoint_messages
			(id, endpoint, account, type, body, created, due, holder, attempts, status, took, last_error)
		VALUES ($1, $2, $3, $4, $5, $6, $7, '', 0, 0, 0, '')`,
		m.ID, endpoint, account, m.Type, m.Body, column.Time(&m.Created), column.Time(&due))
	return err
}

// Send implements feed.EndpointStore.
func (s EndpointMessages) Send(ctx context.Context, account, id string, m *webhook.Message) error {
	return s.db.Transact(ctx, "store a message to an endpoint", func(tx *sql.Tx) error {
		var url string
		err := tx.QueryRowContext(ctx, "SELECT url FROM endpoints WHERE account = $1 AND id = $2", account, id).Scan(&url)
		if errors.Is(err, sql.ErrNoRows) {
			return feed.ErrUnknown
		}
		if err != nil {
			return err
		}
		return insertMessage(ctx, tx, m, id, account, url == "")
	})
}

// dueEndpointMessage selects a message that is due, unless its account has too many in progress or its endpoint is off.
const dueEndpointMessage = `
	SELECT m.id, m.due FROM endpoint_messages AS m JOIN endpoints AS e ON e.id = m.endpoint
	WHERE m.due <= $1 AND e.disabled IS NULL AND $2 > (
		SELECT count(*) FROM endpoint_messages AS held
		WHERE held.due > $1 AND held.account = m.account AND held.holder <> '')
	ORDER BY m.due, m.id LIMIT 1`

// Claim implements webhook.Outbox. Of several processes that find the same message, one can change it.
func (s EndpointMessages) Claim(ctx context.Context, now, until time.Time, busy int) (webhook.Delivery, error) {
	for {
		var id string
		var due int64
		err := s.db.Pools.Read.QueryRowContext(ctx, dueEndpointMessage, column.Time(&now), busy).Scan(&id, &due)
		if errors.Is(err, sql.ErrNoRows) {
			return webhook.Delivery{}, webhook.ErrNone
		}
		if err != nil {
			return webhook.Delivery{}, fmt.Errorf("find a due message: %w", s.db.Failed(err))
		}
		d, err := s.claim(ctx, id, due, now, until)
		if !errors.Is(err, webhook.ErrNone) {
			return d, err
		}
	}
}

// claim claims a message with an unchanged due time, or returns webhook.ErrNone.
func (s EndpointMessages) claim(
	ctx context.Context, id string, due int64, now, until time.Time,
) (webhook.Delivery, error) {
	d := webhook.Delivery{Holder: rand.Text()}
	err := s.db.Transact(ctx, "claim message "+id, func(tx *sql.Tx) error {
		err := sqldb.ChangeOne(ctx, tx, webhook.ErrNone, `
			UPDATE endpoint_messages SET due = $1, holder = $2, attempts = attempts + 1 WHERE id = $3 AND due = $4`,
			column.Time(&until), d.Holder, id, due)
		if err != nil {
			return err
		}

		var secret, previous []byte
		var previousUntil time.Time
		err = tx.QueryRowContext(ctx, `
			SELECT m.id, type, body, m.created, endpoint, attempts, url, secret, previous, previous_until
			FROM endpoint_messages AS m JOIN endpoints AS e ON e.id = m.endpoint WHERE m.id = $1`, id).
			Scan(&d.ID, &d.Type, &d.Body, column.Time(&d.Created), &d.Session, &d.Attempt, &d.URL, &secret, &previous,
				column.Time(&previousUntil))
		d.Secret = s.open(d.Session, secret)
		if now.Before(previousUntil) {
			d.Previous = s.open(d.Session, previous)
		}
		return err
	})
	if err != nil {
		return webhook.Delivery{}, err
	}
	return d, nil
}

// Settle implements webhook.Outbox.
func (s EndpointMessages) Settle(ctx context.Context, d webhook.Delivery, o webhook.Outcome) error {
	var delivered time.Time
	if o.Error == "" {
		delivered = o.At
	}
	return s.db.Exec(ctx, "settle message to an endpoint", `
		UPDATE endpoint_messages SET holder = '', due = $1, delivered = $2, attempted = $3, status = $4, took = $5,
			last_error = CASE WHEN $6 = '' THEN last_error ELSE $6 END
		WHERE id = $7 AND holder = $8`,
		column.Time(&o.Next), column.Time(&delivered), column.Time(&o.At), o.Status, column.Duration(&o.Took), o.Error, d.ID,
		d.Holder)
}

func deliveryColumns(d *feed.Delivery) []any {
	return []any{
		&d.ID, &d.Type, &d.Body, column.Time(&d.Created), &d.Attempts, column.Time(&d.Attempted),
		column.Time(&d.Delivered), column.Time(&d.Next), column.Flag(&d.Sending), &d.Status,
		column.Duration(&d.Took), &d.LastError, column.Flag(&d.Held),
	}
}

// Deliveries implements feed.EndpointStore.
func (s EndpointMessages) Deliveries(
	ctx context.Context, account, id string, after feed.Place, limit int,
) ([]feed.Delivery, error) {
	before := int64(math.MaxInt64)
	if !after.Created.IsZero() {
		before = after.Created.UnixMicro()
	}
	deliveries, err := sqldb.SelectAll(ctx, s.db.Pools.Read, deliveryColumns, `
		SELECT m.id, type, body, m.created, attempts, attempted, delivered, due,
			CASE WHEN holder <> '' THEN 1 ELSE 0 END, status, took, last_error, CASE WHEN url = '' THEN 1 ELSE 0 END
		FROM endpoint_messages AS m JOIN endpoints AS e ON e.id = m.endpoint
		WHERE m.endpoint = $1 AND e.account = $2 AND (m.created < $3 OR m.created = $3 AND m.id < $4)
		ORDER BY m.created DESC, m.id DESC LIMIT $5`, id, account, before, after.ID, limit)
	if err != nil {
		return nil, fmt.Errorf("list deliveries: %w", s.db.Note(err))
	}
	return deliveries, nil
}

// Retry implements feed.EndpointStore.
func (s EndpointMessages) Retry(ctx context.Context, account, id, message string, now time.Time) error {
	const one = `
		FROM endpoint_messages AS m JOIN endpoints AS e ON e.id = m.endpoint
		WHERE m.id = $1 AND m.endpoint = $2 AND e.account = $3 AND e.url <> ''`
	return s.db.Transact(ctx, "retry message to an endpoint", func(tx *sql.Tx) error {
		var holder string
		var due time.Time
		err := tx.QueryRowContext(ctx, "SELECT m.holder, m.due"+one, message, id, account).Scan(&holder, column.Time(&due))
		if errors.Is(err, sql.ErrNoRows) {
			return feed.ErrUnknown
		}
		if err != nil {
			return err
		}

		// An attempt whose lease has ended was that of a process that has ended, too.
		if holder != "" && due.After(now) {
			return feed.ErrSending
		}
		return sqldb.ChangeOne(ctx, tx, feed.ErrSending,
			"UPDATE endpoint_messages SET due = $1, holder = '' WHERE id = $2 AND holder = $3",
			column.Time(&now), message, holder)
	})
}
