// Package state keeps what a synchronization knows about the index between two runs: which rows of the database are in
// it, by ID and digest, and which changes have begun. It is a SQLite file in the data folder. Every change of the file
// is atomic and durable, so a process may be killed at any time.
package state

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"os"
	"time"

	"modernc.org/sqlite" // also registers the database/sql driver "sqlite"
	codes "modernc.org/sqlite/lib"

	"github.com/freelancer-matching/service/indexer/query"
)

// FileName is the name of the file in the data folder.
const FileName = "sync.db"

// ErrInUse is returned if another process has the file open.
var ErrInUse = errors.New("another indexer sync is running on this data folder")

// Info is what is known about the index as a whole.
type Info struct {
	Source  string    `json:"source"`  // what the rows depend on: query, columns, flags, version; see dbsync
	Index   string    `json:"index"`   // that the state describes
	Mapping string    `json:"mapping"` // of columns to fields, as YAML
	Synced  time.Time `json:"synced"`  // the index has everything that was committed before
	// Compared is when all rows were last read or compared.
	Compared time.Time `json:"compared"`
	// Watermark is the time from which rows may have changed since; zero if it is unknown.
	Watermark time.Time `json:"watermark,omitzero"`
	// Slot and Position say up to where a replication slot has been followed.
	Slot     string    `json:"slot,omitempty"`
	Position query.LSN `json:"position,omitempty"`
	Totals   Totals    `json:"totals"`
}

// Totals count what synchronizations have done since the file was created.
type Totals struct {
	Rounds   int64 `json:"rounds"`
	Full     int64 `json:"full"` // rounds that built a new index
	Failed   int64 `json:"failed"`
	Changed  int64 `json:"changed"` // freelancers added or replaced
	Deleted  int64 `json:"deleted"`
	Rejected int64 `json:"rejected"` // rows
}

// An Entry is an ID of the database with what is known about it.
type Entry struct {
	ID     string
	Digest query.Digest
	// Absent is set if the index doesn't have the ID, because its rows were rejected or the person was erased.
	Absent bool
}

// A Pending is an ID whose change has begun or is due. The index may have an old or a new version of it.
type Pending struct {
	ID string
	// IsForeign is set if only the index has the ID, which the database may not even accept.
	IsForeign bool
}

// A Store is an open file. It is not safe for concurrent use.
type Store struct {
	path string
	db   *sql.DB
	*view
}

// A Tx is a change of a Store, which takes effect as a whole when it is committed.
type Tx struct {
	tx *sql.Tx
	*view
}

// A view reads and writes, inside or outside of a transaction.
type view struct{ do executor }

type executor interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// schema creates the tables. IDs are blobs, sorted by their bytes.
const schema = `
CREATE TABLE IF NOT EXISTS info (content TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS people (
	id BLOB PRIMARY KEY, digest BLOB NOT NULL, absent INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS pending (id BLOB PRIMARY KEY, is_foreign INTEGER NOT NULL) WITHOUT ROWID`

// Open opens the file at path, and creates it if there is none. It returns ErrInUse if another process has it open.
// Only its owner can read it, because IDs may be personal data.
func Open(ctx context.Context, path string) (*Store, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := file.Close(); err != nil {
		return nil, err
	}

	address := url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: url.Values{"_pragma": {
		"locking_mode(EXCLUSIVE)", "journal_mode(WAL)", "synchronous(FULL)",
	}}.Encode()}
	db, err := sql.Open("sqlite", address.String())
	if err != nil {
		return nil, err
	}

	db.SetMaxOpenConns(1) // a second one would wait for the lock of the first
	_, err = db.ExecContext(ctx, schema)
	if e, ok := errors.AsType[*sqlite.Error](err); ok && e.Code() == codes.SQLITE_BUSY {
		err = ErrInUse
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), db.Close())
	}

	return &Store{path, db, &view{db}}, nil
}

// Close closes the file.
func (s *Store) Close() error { return s.db.Close() }

// Change calls do with a transaction, and commits it unless do returns an error.
func (s *Store) Change(ctx context.Context, do func(*Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	if err := do(&Tx{tx, &view{tx}}); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	return nil
}

// Info returns what is known about the index; the zero Info in a new file.
func (v *view) Info(ctx context.Context) (info Info, err error) {
	var content string
	err = v.do.QueryRowContext(ctx, "SELECT content FROM info").Scan(&content)
	if errors.Is(err, sql.ErrNoRows) {
		return info, nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(content), &info)
	}
	return info, err
}

// SetInfo replaces what is known about the index.
func (t *Tx) SetInfo(ctx context.Context, info *Info) error {
	content, err := json.Marshal(info)
	if err == nil {
		_, err = t.do.ExecContext(ctx, "DELETE FROM info")
	}
	if err == nil {
		_, err = t.do.ExecContext(ctx, "INSERT INTO info (content) VALUES (?)", string(content))
	}
	return err
}

// Clear removes all entries and everything pending.
func (t *Tx) Clear(ctx context.Context) error {
	_, err := t.do.ExecContext(ctx, "DELETE FROM people; DELETE FROM pending")
	return err
}

// Put adds or replaces entries.
func (t *Tx) Put(ctx context.Context, entries ...Entry) error {
	insert, err := t.tx.PrepareContext(ctx, "INSERT OR REPLACE INTO people (id, digest, absent) VALUES (?, ?, ?)")
	if err != nil {
		return err
	}
	defer insert.Close()
	for i := range entries {
		e := &entries[i]
		if _, err := insert.ExecContext(ctx, []byte(e.ID), e.Digest[:], e.Absent); err != nil {
			return err
		}
	}
	return nil
}

// SetAbsent records that the index doesn't have these IDs.
func (t *Tx) SetAbsent(ctx context.Context, ids []string) error {
	return t.each(ctx, "UPDATE people SET absent = 1 WHERE id = ?", ids)
}

// Remove removes entries.
func (t *Tx) Remove(ctx context.Context, ids []string) error {
	return t.each(ctx, "DELETE FROM people WHERE id = ?", ids)
}

// Await makes IDs pending.
func (t *Tx) Await(ctx context.Context, pending ...Pending) error {
	insert, err := t.tx.PrepareContext(ctx, "INSERT OR REPLACE INTO pending (id, is_foreign) VALUES (?, ?)")
	if err != nil {
		return err
	}
	defer insert.Close()
	for _, p := range pending {
		if _, err := insert.ExecContext(ctx, []byte(p.ID), p.IsForeign); err != nil {
			return err
		}
	}
	return nil
}

// Settle makes IDs no longer pending.
func (t *Tx) Settle(ctx context.Context, ids []string) error {
	return t.each(ctx, "DELETE FROM pending WHERE id = ?", ids)
}

// each runs a statement for every ID.
func (t *Tx) each(ctx context.Context, statement string, ids []string) error {
	prepared, err := t.tx.PrepareContext(ctx, statement)
	if err != nil {
		return err
	}
	defer prepared.Close()
	for _, id := range ids {
		if _, err := prepared.ExecContext(ctx, []byte(id)); err != nil {
			return err
		}
	}
	return nil
}

// Pending returns the first limit pending IDs.
func (v *view) Pending(ctx context.Context, limit int) (pending []Pending, err error) {
	rows, err := v.do.QueryContext(ctx, "SELECT id, is_foreign FROM pending ORDER BY id LIMIT ?", limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id []byte
		var p Pending
		if err := rows.Scan(&id, &p.IsForeign); err != nil {
			return nil, err
		}
		p.ID = string(id)
		pending = append(pending, p)
	}
	return pending, rows.Err()
}

// Count returns the number of entries and of pending IDs.
func (v *view) Count(ctx context.Context) (entries, pending int, err error) {
	err = v.do.QueryRowContext(ctx, "SELECT (SELECT count(*) FROM people), (SELECT count(*) FROM pending)").
		Scan(&entries, &pending)
	return entries, pending, err
}

// Find returns the entries of these IDs that exist.
func (v *view) Find(ctx context.Context, ids []string) (map[string]Entry, error) {
	found := make(map[string]Entry, len(ids))
	for _, id := range ids {
		var digest []byte
		e := Entry{ID: id}
		err := v.do.QueryRowContext(ctx, "SELECT digest, absent FROM people WHERE id = ?", []byte(id)).
			Scan(&digest, &e.Absent)
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err != nil {
			return nil, err
		}
		copy(e.Digest[:], digest)
		found[id] = e
	}
	return found, nil
}

// pageSize is the number of entries that Entries reads at once.
const pageSize = 10_000

// Entries yields all entries in the order of their bytes, or one final error. The caller may change the store
// meanwhile.
func (v *view) Entries(ctx context.Context) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		after := []byte{}
		for {
			page, err := v.page(ctx, after)
			if err != nil {
				yield(Entry{}, err)
				return
			}
			for _, e := range page {
				if !yield(e, nil) {
					return
				}
			}
			if len(page) < pageSize {
				return
			}
			after = []byte(page[len(page)-1].ID)
		}
	}
}

// page returns the first entries after an ID.
func (v *view) page(ctx context.Context, after []byte) (page []Entry, err error) {
	rows, err := v.do.QueryContext(ctx, "SELECT id, digest, absent FROM people WHERE id > ? ORDER BY id LIMIT ?",
		after, pageSize)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id, digest sql.RawBytes
		var e Entry
		if err := rows.Scan(&id, &digest, &e.Absent); err != nil {
			return nil, err
		}
		e.ID = string(id)
		copy(e.Digest[:], digest)
		page = append(page, e)
	}
	return page, rows.Err()
}
