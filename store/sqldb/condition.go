package sqldb

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/store/fault"
)

// How much Probe writes, in bytes.
const (
	probeSize         = 16
	probeAfterFailure = 256 << 10
)

// A condition remembers the last fault of a database. Its zero value has none.
type condition struct {
	mu      sync.Mutex
	fault   error
	observe func(matching.Code) // receives the code of every fault; nil if nobody observes
}

// get returns the fault, or nil.
func (c *condition) get() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fault
}

// note remembers err if it is a fault that outlasts the operation, and returns err. It does not remember an unreachable
// database, which Ping notices, or a lock, which most often ends soon. Those are left to Probe.
func (c *condition) note(err error) error {
	c.report(err)
	lasting := []matching.Code{
		matching.CodeDatabaseCorrupt, matching.CodeStorageFull, matching.CodeStorageReadOnly, matching.CodeStorageFailed,
	}
	if slices.Contains(lasting, matching.CodeOf(err)) {
		c.set(err)
	}
	return err
}

// report tells the observer about a fault.
func (c *condition) report(err error) {
	code := matching.CodeOf(err)
	if !code.IsDatabaseFault() {
		return
	}
	c.mu.Lock()
	observe := c.observe
	c.mu.Unlock()
	if observe != nil {
		observe(code)
	}
}

// ObserveFaults calls f with the code of every operation that the database fails from now on.
func (db *DB) ObserveFaults(f func(code matching.Code)) {
	db.condition.mu.Lock()
	defer db.condition.mu.Unlock()
	db.condition.observe = f
}

// set remembers a fault. Damage is never replaced by another fault, because only a restored backup repairs it.
func (c *condition) set(fault error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if matching.CodeOf(c.fault) != matching.CodeDatabaseCorrupt {
		c.fault = fault
	}
}

// Failed marks an error of the database, and remembers it for Health.
func (db *DB) Failed(err error) error { return db.Note(fault.Mark(err)) }

// Note remembers an error that is marked already for Health, and returns it.
func (db *DB) Note(err error) error { return db.condition.note(err) }

// Health returns an error unless the database answers, has no known damage, and could be written by the last operation
// or by a later call of Probe. It writes nothing, so it may be called for anybody.
func (db *DB) Health(ctx context.Context) error {
	if err := db.Ping(ctx); err != nil {
		return err
	}
	return db.condition.get()
}

// Probe writes to the database. It finds faults that no request has met yet, and notices their end. After a fault it
// writes as much as a large request does, because a few bytes may fit on a full disk.
func (db *DB) Probe(ctx context.Context) error {
	size := probeSize
	if db.condition.get() != nil {
		size = probeAfterFailure
	}

	data := make([]byte, size) // of noise, so that no database can compress it
	seed := [32]byte{}
	binary.LittleEndian.PutUint64(seed[:], uint64(time.Now().UnixNano()))

	if _, err := rand.NewChaCha8(seed).Read(data); err != nil {
		return err
	}

	err := db.Transact(ctx, "probe database", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO storage_probe (one, data) VALUES (1, $1) ON CONFLICT (one) DO UPDATE SET data = excluded.data`, data)
		return err
	})

	// Other errors, such as the end of the context, say nothing about the storage.
	if err == nil || matching.CodeOf(err).IsDatabaseFault() {
		db.condition.set(err)
	}

	return err
}

// FindDamage looks for damaged pages, if the kind of database has a quick check for them. It returns a matching.Error
// with CodeDatabaseCorrupt that Health remembers, or another error if the check could not run.
func (db *DB) FindDamage(ctx context.Context) error {
	if db.Dialect.QuickCheck == "" {
		return nil
	}
	var result string
	if err := db.Pools.Read.QueryRowContext(ctx, db.Dialect.QuickCheck).Scan(&result); err != nil {
		return fmt.Errorf("check database: %w", db.Failed(err))
	}
	if result == "ok" {
		return nil
	}
	damage := fault.New(matching.CodeDatabaseCorrupt, errors.New(result))
	return fmt.Errorf("check database: %w", db.Note(damage))
}
