// Package usage tells the owners of keys what was asked for with them: requests a day by operation and status, the last
// failures, and when a key was last used. These are figures to look at, gathered in memory and written every few seconds;
// what a plan allows is counted exactly, in package quota.
package usage

import (
	"context"
	"time"
)

// Count is how many requests of one kind a key made on one day.
type Count struct {
	Key       string    // id
	Day       time.Time // its beginning, UTC
	Operation string    // match, health …: the last part of the route
	Status    int       // of the answer
	Requests  int
}

// Failure is one request that was answered with an error.
type Failure struct {
	Key       string // id
	At        time.Time
	RequestID string
	Operation string
	Status    int
	Code      string // error.code of the answer
}

// Batch is what is written at once.
type Batch struct {
	Counts   []Count
	Failures []Failure
	LastUsed map[string]time.Time // by key id
}

// Store keeps usage. Moments are kept to the millisecond at least, in UTC.
type Store interface {
	// AddUsage adds counts to those of the same key, day, operation and status, adds failures, and records when keys were last
	// used: all or nothing. A last use never moves back. What names an unknown key is passed over.
	AddUsage(ctx context.Context, b Batch) error
	// Usage is the counts of an account's keys since a day, by day, then key, operation and status.
	Usage(ctx context.Context, account string, since time.Time) ([]Count, error)
	// Failures is the last failures of an account's keys, newest first.
	Failures(ctx context.Context, account string, limit int) ([]Failure, error)
	// PruneUsage forgets the counts of days and the failures before a moment.
	PruneUsage(ctx context.Context, before time.Time) error
}
