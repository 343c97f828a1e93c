package auditlog

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/access/audit/chain"
	"github.com/freelancer-matching/service/store/sqldb"
)

const (
	// adoptBatch is how many entries of earlier releases one transaction appends to the chains.
	adoptBatch = 500
	// readBatch is how many records one statement reads. A statement of PostgreSQL may take ten seconds.
	readBatch = 1000
)

// recordColumns lists the columns of an entry with its place in a chain.
func recordColumns(r *chain.Record) []any {
	return append(storedColumns(&r.Event), (*string)(&r.Chain), &r.Sequence, &r.Salt, hashColumn{&r.Commitment},
		hashColumn{&r.Hash})
}

// A hashColumn stores a hash. It reads anything else as the zero hash, which fits no record, so that verifying says
// where somebody has removed a hash.
type hashColumn struct{ hash *chain.Hash }

// Value implements driver.Valuer.
func (h hashColumn) Value() (driver.Value, error) { return h.hash[:], nil }

// Scan implements sql.Scanner.
func (h hashColumn) Scan(stored any) error {
	*h.hash = chain.Hash{}
	if v, ok := stored.([]byte); ok && len(v) == len(h.hash) {
		copy(h.hash[:], v)
	}
	return nil
}

// positionColumns lists the columns of a chain's name, and of a position in it.
func positionColumns(p *chain.Position) []any {
	return []any{(*string)(&p.Chain), &p.Sequence, hashColumn{&p.Hash}}
}

const (
	insertRecord = `
		INSERT INTO audit_events (at, actor, account, action, subject, detail, address, erased,
			chain, sequence, salt, commitment, hash)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`
	selectRecords = `
		SELECT at, actor, account, action, subject, detail, address, erased, chain, sequence, salt, commitment, hash
		FROM audit_events`
	selectHead  = "SELECT chain, sequence, hash FROM audit_chains WHERE chain = $1"
	selectStart = "SELECT chain, expired, expired_hash FROM audit_chains WHERE chain = $1"
	updateHead  = "UPDATE audit_chains SET sequence = $2, hash = $3 WHERE chain = $1"
)

// Insert adds entries to the audit log in a transaction. It locks their chains until the transaction ends, so it must
// come last: a transaction that has locked a chain then waits for no other lock, and others wait for a short time.
func (s Log) Insert(ctx context.Context, tx *sql.Tx, events []audit.Event) error {
	return s.append(ctx, tx, chainsOf(events), func(heads map[chain.Name]*chain.Position) error {
		for _, e := range events {
			r := heads[chain.Of(e.Action)].Append(e, chain.NewSalt())
			if _, err := tx.ExecContext(ctx, insertRecord, recordColumns(&r)...); err != nil {
				return fmt.Errorf("record %s of %q: %w", e.Action, e.Subject, err)
			}
		}
		return nil
	})
}

// chainsOf returns the chains of events in the order of locking.
func chainsOf(events []audit.Event) (names []chain.Name) {
	found := map[chain.Name]bool{}
	for _, e := range events {
		found[chain.Of(e.Action)] = true
	}
	for _, name := range chain.Names() {
		if found[name] {
			names = append(names, name)
		}
	}
	return names
}

// append locks chains, calls f with their heads, and writes the heads that f has moved.
func (s Log) append(
	ctx context.Context, tx *sql.Tx, names []chain.Name, f func(heads map[chain.Name]*chain.Position) error,
) error {
	heads := map[chain.Name]*chain.Position{}
	for _, name := range names {
		head, err := readPosition(ctx, tx, selectHead+s.db.Dialect.LockRows, name)
		if err != nil {
			return err
		}
		heads[name] = &head
	}

	if err := f(heads); err != nil {
		return err
	}

	for _, name := range names {
		if _, err := tx.ExecContext(ctx, updateHead, positionColumns(heads[name])...); err != nil {
			return fmt.Errorf("write head of audit chain %s: %w", name, err)
		}
	}
	return nil
}

// readPosition returns the position that a query selects.
func readPosition(ctx context.Context, d sqldb.Database, query string, name chain.Name) (chain.Position, error) {
	missing := &chain.BreakError{Chain: name, Reason: "its row in the table audit_chains is missing"}
	p, err := sqldb.ScanOne(d.QueryRowContext(ctx, query, string(name)), positionColumns, missing)
	if err != nil {
		return p, fmt.Errorf("read audit chain %s: %w", name, err)
	}
	return p, nil
}

// Adopt appends entries in no chain, which earlier releases have written, to the chains in the order of their numbers.
// It returns how many there were.
func (s Log) Adopt(ctx context.Context) (adopted int, err error) {
	for {
		n, err := s.adoptSome(ctx)
		adopted += n
		if err != nil || n < adoptBatch {
			return adopted, err
		}
	}
}

// A numberedEvent is an entry of the audit log with its primary key.
type numberedEvent struct {
	audit.Event
	number int64
}

func numberedColumns(e *numberedEvent) []any { return append(storedColumns(&e.Event), &e.number) }

const selectNumbered = "SELECT at, actor, account, action, subject, detail, address, erased, number FROM audit_events"

// adoptSome appends up to adoptBatch entries and returns their number.
func (s Log) adoptSome(ctx context.Context) (n int, err error) {
	// Most calls find none, and must not make others wait for the chains.
	var one int
	err = s.db.Pools.Read.QueryRowContext(ctx, "SELECT 1 FROM audit_events WHERE sequence IS NULL LIMIT 1").Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read audit log: %w", s.db.Failed(err))
	}

	err = s.db.Transact(ctx, "append entries of earlier releases to the audit chains", func(tx *sql.Tx) error {
		return s.append(ctx, tx, chain.Names(), func(heads map[chain.Name]*chain.Position) error {
			// The lock keeps pseudonyms from changing an entry after its content is read.
			events, err := sqldb.SelectAll(ctx, tx, numberedColumns,
				selectNumbered+" WHERE sequence IS NULL ORDER BY number LIMIT $1"+s.db.Dialect.LockRows, adoptBatch)
			if err != nil {
				return err
			}

			for _, e := range events {
				e.Erased = time.Time{} // the chain covers the entry as it is now
				r := heads[chain.Of(e.Action)].Append(e.Event, chain.NewSalt())
				if err := place(ctx, tx, e.number, &r); err != nil {
					return err
				}
			}

			n = len(events)
			return nil
		})
	})
	return n, err
}

// place writes where an existing entry is in its chain.
func place(ctx context.Context, tx *sql.Tx, number int64, r *chain.Record) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE audit_events SET erased = NULL, chain = $1, sequence = $2, salt = $3, commitment = $4, hash = $5
		WHERE number = $6`, string(r.Chain), r.Sequence, r.Salt, r.Commitment[:], r.Hash[:], number)
	return err
}

// Heads returns the heads of all chains.
func (s Log) Heads(ctx context.Context) (heads []chain.Position, err error) {
	for _, name := range chain.Names() {
		head, err := readPosition(ctx, s.db.Pools.Read, selectHead, name)
		if err != nil {
			return nil, err
		}
		heads = append(heads, head)
	}
	return heads, nil
}

// A walker receives a chain: its start, its records in their order, and its head. If one of them returns an error, the
// walk ends with it.
type walker struct {
	start  func(chain.Position) error
	record func(*chain.Record) error
	head   func(chain.Position) error
}

// errExpired is returned if records expire before they are read.
var errExpired = errors.New("records have expired while the chain was read; run the command again")

// A part is a part of a chain at one moment.
type part struct {
	start, head chain.Position
	records     []chain.Record
}

// readPart returns up to readBatch records of a chain after one with a number.
func (s Log) readPart(ctx context.Context, name chain.Name, last int64) (p part, err error) {
	err = s.db.ReadSnapshot(ctx, "read audit chain "+string(name), func(tx *sql.Tx) error {
		if p.start, err = readPosition(ctx, tx, selectStart, name); err != nil {
			return err
		}
		if p.head, err = readPosition(ctx, tx, selectHead, name); err != nil {
			return err
		}
		p.records, err = sqldb.SelectAll(ctx, tx, recordColumns,
			selectRecords+" WHERE chain = $1 AND sequence > $2 ORDER BY sequence LIMIT $3", string(name), last, readBatch)
		return err
	})
	return p, err
}

// walk reads a chain. Each part is read by itself, because SQLite can't remove what an erasure leaves in its files
// while somebody reads, and an export may be read slowly.
func (s Log) walk(ctx context.Context, name chain.Name, w walker) error {
	// Records with numbers that can't be are read as well, because an intruder may have put them in.
	last := int64(math.MinInt64)
	for begun := false; ; begun = true {
		p, err := s.readPart(ctx, name, last)
		if err != nil {
			return err
		}

		if !begun {
			err = w.start(p.start)
		} else if p.start.Sequence > last {
			err = errExpired
		}
		if err != nil {
			return err
		}

		for i := range p.records {
			if err := w.record(&p.records[i]); err != nil {
				return err
			}
			last = p.records[i].Sequence
		}

		// The head is of the same moment as the last records.
		if len(p.records) < readBatch {
			return w.head(p.head)
		}
	}
}

// Export writes all chains.
func (s Log) Export(ctx context.Context, x *chain.Exporter) error {
	for _, name := range chain.Names() {
		if err := s.walk(ctx, name, walker{x.Start, x.Record, x.Head}); err != nil {
			return err
		}
	}
	return nil
}

// Verify verifies a chain, compares it with heads that were kept elsewhere, and returns a *chain.BreakError if it
// doesn't hold.
func (s Log) Verify(ctx context.Context, name chain.Name, kept []chain.Position) (report chain.Report, err error) {
	for {
		report, err = s.verify(ctx, name, kept)
		if !errors.Is(err, errExpired) {
			break
		}
	}

	// How it was read says nothing about where it breaks.
	if broken, ok := errors.AsType[*chain.BreakError](err); ok {
		return report, broken
	}
	return report, err
}

// verify makes one attempt to verify a chain. It returns errExpired if records expire before it has read them.
func (s Log) verify(ctx context.Context, name chain.Name, kept []chain.Position) (report chain.Report, err error) {
	var v *chain.Verifier
	err = s.walk(ctx, name, walker{
		start: func(start chain.Position) error {
			v = chain.NewVerifier(start, kept)
			return v.Begin()
		},
		record: func(r *chain.Record) error { return v.Add(r) },
		head: func(head chain.Position) error {
			report, err = v.End(head)
			return err
		},
	})
	return report, err
}

// An UnchainedError says that entries are in no chain.
type UnchainedError struct {
	Entries int64
	First   int64 // number of the first one in the table
}

// Error implements error.
func (e *UnchainedError) Error() string {
	return fmt.Sprintf("entries in no chain: %d, the first of which has number %d in the table audit_events. An earlier "+
		"release wrote them, or somebody put them in. A server appends such entries to the chains within an hour, and its "+
		"log says how many", e.Entries, e.First)
}

// FindUnchained returns an *UnchainedError if there are entries in no chain, or in an unknown one.
func (s Log) FindUnchained(ctx context.Context) error {
	var e UnchainedError
	err := s.db.Pools.Read.QueryRowContext(ctx, `
		SELECT count(*), coalesce(min(number), 0) FROM audit_events
		WHERE sequence IS NULL OR chain IS NULL OR chain NOT IN ('main', 'freelancers')`).Scan(&e.Entries, &e.First)
	if err != nil {
		return fmt.Errorf("read audit log: %w", s.db.Failed(err))
	}
	if e.Entries > 0 {
		return &e
	}
	return nil
}
