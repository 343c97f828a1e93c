package query

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pglogrepl"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// LSN is a position in the log of a PostgreSQL server.
type LSN uint64

func parseLSN(text string) (LSN, error) {
	lsn, err := pglogrepl.ParseLSN(text)
	return LSN(lsn), err
}

// A Batch is what some transactions have changed.
type Batch struct {
	IDs []string // distinct
	// All is set if any row may have changed: a table was emptied, or there are too many IDs.
	All bool
	// Position is behind the last of the transactions.
	Position LSN
	// Committed is the time of the first transaction by the server's clock; zero if there was none.
	Committed time.Time

	transactions []uint32 // the lower halves of their numbers
}

const (
	maxFollowed = 100_000 // IDs of a batch; more are found by a comparison
	// statusInterval is the time between two messages that tell the server which changes it needs to keep. They also
	// show it that the connection is alive.
	statusInterval = time.Second
)

// A Stream receives the changes of tables. Its methods may be called while Run runs.
type Stream struct {
	conn      *pgconn.PgConn
	columns   map[string]string   // of the ID, by table as the server names it
	relations map[uint32]relation // that the server has described
	current   change              // of the transaction that is being received

	mu           sync.Mutex // guards the fields below
	ids          map[string]struct{}
	batch        Batch // without IDs
	acknowledged LSN
	arrived      chan struct{} // has an element if there may be a batch
}

// A relation is a table as messages refer to it.
type relation struct {
	column   int // the place of the ID; -1 if the table isn't followed
	isFollow bool
}

// A change is what a transaction has changed.
type change struct {
	ids         map[string]struct{}
	all         bool
	transaction uint32
}

// Stream starts to receive the changes that the slot has. The caller must call Run and Close.
func (d *Database) Stream(ctx context.Context, f *Following) (*Stream, error) {
	s := &Stream{
		columns: map[string]string{}, relations: map[uint32]relation{}, ids: map[string]struct{}{},
		arrived: make(chan struct{}, 1),
	}
	err := d.administrate(ctx, func(conn *pgx.Conn) error {
		for _, t := range f.Tables {
			var name string
			err := conn.QueryRow(ctx, `SELECT n.nspname || '.' || c.relname FROM pg_class c
				JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = $1::text::regclass`,
				pgx.Identifier(strings.Split(t.Name, ".")).Sanitize()).Scan(&name)
			if err != nil {
				return err
			}
			s.columns[name] = t.Column
		}
		return nil
	})
	if err != nil {
		return nil, err
	}

	config := d.config.Config.Copy()
	config.RuntimeParams["replication"] = "database"
	// A message has a row of a table, of which the query may use only a part, so it has no limit.
	config.BuildFrontend = pgproto3.NewFrontend
	if s.conn, err = pgconn.ConnectConfig(ctx, config); err != nil {
		return nil, d.explain(err)
	}

	err = pglogrepl.StartReplication(ctx, s.conn, f.Slot, 0, pglogrepl.StartReplicationOptions{
		PluginArgs: []string{"proto_version '1'", "publication_names '" + f.Slot + "'"},
	})
	if err != nil {
		return nil, errors.Join(d.explain(err), s.Close(ctx))
	}

	return s, nil
}

// Close ends the connection. Run must have returned.
func (s *Stream) Close(ctx context.Context) error { return s.conn.Close(context.WithoutCancel(ctx)) }

// Acknowledge tells the server that the changes before a position need not be sent again. It takes effect within a
// second.
func (s *Stream) Acknowledge(position LSN) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.acknowledged = max(s.acknowledged, position)
}

// Arrived returns a channel that has an element if changes have arrived since the last call of Take.
func (s *Stream) Arrived() <-chan struct{} { return s.arrived }

// Take returns the changes that have arrived since the last call. There may be none.
func (s *Stream) Take() *Batch {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.batch
	taken.IDs = slices.Collect(maps.Keys(s.ids))
	s.batch = Batch{Position: taken.Position}
	clear(s.ids)
	return &taken
}

// Run receives changes until ctx ends or the connection breaks, and returns why.
func (s *Stream) Run(ctx context.Context) error {
	nextStatus := time.Now()
	for {
		if now := time.Now(); !now.Before(nextStatus) {
			if err := s.sendStatus(ctx); err != nil {
				return err
			}
			nextStatus = now.Add(statusInterval)
		}

		receiveCtx, cancel := context.WithDeadline(ctx, nextStatus)
		message, err := s.conn.ReceiveMessage(receiveCtx)
		cancel()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case pgconn.Timeout(err):
			continue
		case err != nil:
			return fmt.Errorf("receive changes: %w", err)
		}

		switch m := message.(type) {
		case *pgproto3.ErrorResponse:
			return fmt.Errorf("receive changes: %w", pgconn.ErrorResponseToPgError(m))
		case *pgproto3.CopyData:
			isAsked, err := s.receive(m.Data)
			if err != nil {
				return fmt.Errorf("receive changes: %w", err)
			}
			if isAsked {
				nextStatus = time.Now()
			}
		}
	}
}

// sendStatus sends which changes the server need not keep.
func (s *Stream) sendStatus(ctx context.Context) error {
	s.mu.Lock()
	position := pglogrepl.LSN(s.acknowledged)
	s.mu.Unlock()
	err := pglogrepl.SendStandbyStatusUpdate(ctx, s.conn, pglogrepl.StandbyStatusUpdate{WALWritePosition: position})
	if err != nil {
		err = fmt.Errorf("acknowledge changes: %w", err)
	}
	return err
}

// receive handles a message of the stream, and reports whether the server asks for a status.
func (s *Stream) receive(data []byte) (isAsked bool, err error) {
	if len(data) == 0 {
		return false, errors.New("an empty message")
	}
	switch data[0] {
	case pglogrepl.PrimaryKeepaliveMessageByteID:
		m, err := pglogrepl.ParsePrimaryKeepaliveMessage(data[1:])
		if err == nil {
			s.idle(LSN(m.ServerWALEnd))
		}
		return m.ReplyRequested, err

	case pglogrepl.XLogDataByteID:
		m, err := pglogrepl.ParseXLogData(data[1:])
		if err != nil {
			return false, err
		}
		logical, err := parse(m.WALData)
		if err != nil {
			return false, err
		}
		return false, s.handle(logical)
	}
	return false, nil
}

// parse parses a message about a transaction. The library trusts the lengths in messages and panics at a broken one,
// which ends the stream instead of the process.
func parse(data []byte) (m pglogrepl.Message, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("invalid message: %v", reason)
		}
	}()
	return pglogrepl.Parse(data)
}

// idle records that the server has sent all changes before a position.
func (s *Stream) idle(position LSN) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.batch.Position = max(s.batch.Position, position)
}

// handle handles a message about a transaction. The server sends whole transactions, in the order of their commits.
func (s *Stream) handle(message pglogrepl.Message) error {
	switch m := message.(type) {
	case *pglogrepl.BeginMessage:
		s.current = change{ids: map[string]struct{}{}, transaction: m.Xid}
	case *pglogrepl.RelationMessage:
		return s.describe(m)
	case *pglogrepl.InsertMessage:
		s.current.note(s.relations[m.RelationID], m.Tuple, false)
	case *pglogrepl.UpdateMessage:
		// A row that moves to another person changes both.
		s.current.note(s.relations[m.RelationID], m.OldTuple, true)
		s.current.note(s.relations[m.RelationID], m.NewTuple, false)
	case *pglogrepl.DeleteMessage:
		s.current.note(s.relations[m.RelationID], m.OldTuple, false)
	case *pglogrepl.TruncateMessage:
		s.current.all = true
	case *pglogrepl.CommitMessage:
		s.commit(m)
	}
	return nil
}

// describe remembers where the rows of a table have the ID.
func (s *Stream) describe(m *pglogrepl.RelationMessage) error {
	column, isFollowed := s.columns[m.Namespace+"."+m.RelationName]
	if !isFollowed {
		s.relations[m.RelationID] = relation{column: -1}
		return nil
	}
	i := slices.IndexFunc(m.Columns, func(c *pglogrepl.RelationMessageColumn) bool { return c.Name == column })
	if i < 0 {
		return fmt.Errorf("the table %s.%s has no column %q any more", m.Namespace, m.RelationName, column)
	}
	s.relations[m.RelationID] = relation{i, true}
	return nil
}

// note adds the ID of a row. A row without one is about nobody. isOptional is set for old versions of rows, which are
// sent only if the columns that identify them have changed.
func (c *change) note(r relation, row *pglogrepl.TupleData, isOptional bool) {
	if !r.isFollow || row == nil && isOptional {
		return
	}
	if row == nil || r.column >= len(row.Columns) {
		c.all = true
		return
	}
	switch value := row.Columns[r.column]; value.DataType {
	case pglogrepl.TupleDataTypeText:
		c.ids[string(value.Data)] = struct{}{}
	case pglogrepl.TupleDataTypeToast:
		c.all = true // a value too long to be sent again
	}

	if len(c.ids) > maxFollowed {
		c.all = true
		clear(c.ids)
	}
}

// commit adds the transaction to the batch.
func (s *Stream) commit(m *pglogrepl.CommitMessage) {
	s.mu.Lock()
	maps.Copy(s.ids, s.current.ids)
	s.batch.All = s.batch.All || s.current.all || len(s.ids) > maxFollowed
	if s.batch.All {
		clear(s.ids)
	}
	s.batch.Position = max(s.batch.Position, LSN(m.TransactionEndLSN))
	if s.batch.Committed.IsZero() {
		s.batch.Committed = m.CommitTime
	}
	s.batch.transactions = append(s.batch.transactions, s.current.transaction)
	s.mu.Unlock()

	select {
	case s.arrived <- struct{}{}:
	default:
	}
}

// visibilityPoll is the time between two looks at which transactions are visible.
const visibilityPoll = 5 * time.Millisecond

// BeginAfter starts a session that has everything that a batch is about. A transaction is sent as soon as it is in the
// server's log, which may be before others see its rows: with synchronous replication, even seconds before. So
// BeginAfter waits until they do.
func (d *Database) BeginAfter(ctx context.Context, s Statement, id string, batch *Batch) (*Session, error) {
	for {
		session, err := d.Begin(ctx, s, id)
		if err != nil {
			return nil, err
		}
		snapshot, err := session.snapshot(ctx)
		if err != nil {
			return nil, errors.Join(d.explain(err), session.Close(ctx))
		}
		if snapshot.hasAll(batch.transactions) {
			return session, nil
		}

		if err := session.Close(ctx); err != nil {
			return nil, d.explain(err)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(visibilityPoll):
		}
	}
}

// A snapshot says which transactions are visible: all before xmin, none from xmax on, and in between those that were
// not running.
type snapshot struct {
	xmin, xmax uint64
	running    []uint64
}

// snapshot returns the snapshot of the session.
func (s *Session) snapshot(ctx context.Context) (*snapshot, error) {
	var text string
	if err := s.tx.QueryRow(ctx, "SELECT txid_current_snapshot()::text").Scan(&text); err != nil {
		return nil, err
	}
	return parseSnapshot(text)
}

// parseSnapshot parses XMIN:XMAX:XID,XID….
func parseSnapshot(text string) (*snapshot, error) {
	parts := strings.Split(text, ":")
	if len(parts) != 3 {
		return nil, fmt.Errorf("invalid snapshot %q", text)
	}
	numbers := parts[:2]
	if parts[2] != "" {
		numbers = append(numbers, strings.Split(parts[2], ",")...)
	}

	parsed := make([]uint64, len(numbers))
	for i, number := range numbers {
		var err error
		if parsed[i], err = strconv.ParseUint(number, 10, 64); err != nil {
			return nil, fmt.Errorf("invalid snapshot %q", text)
		}
	}
	return &snapshot{parsed[0], parsed[1], parsed[2:]}, nil
}

// hasAll reports whether all transactions are visible.
func (s *snapshot) hasAll(transactions []uint32) bool {
	for _, lower := range transactions {
		// The stream has only the lower half of the number. The distance to the current ones is less than 2³¹.
		distance := int32(lower - uint32(s.xmax)) // wraps around as the numbers do
		id := uint64(int64(s.xmax) + int64(distance))
		isVisible := id < s.xmin || id < s.xmax && !slices.Contains(s.running, id)
		if !isVisible {
			return false
		}
	}
	return true
}
