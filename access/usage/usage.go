// Package usage records the requests of API keys for their owners: daily counts by operation and status, recent
// failures, and when and from where each key was last used. These figures are for information. They are collected in
// memory and written every few seconds; package quota counts exactly.
package usage

import (
	"context"
	"time"
)

// A Count is the number of similar requests that a key made on one day.
type Count struct {
	Key       string    // id
	Day       time.Time // midnight, UTC
	Operation string    // the last segment of the route, such as "match"
	Status    int       // of the response
	Requests  int
}

// A Failure is a request that was answered with an error.
type Failure struct {
	Key       string // id
	At        time.Time
	RequestID string
	Operation string
	Status    int
	Code      string // error.code of the response
}

// A Use is the latest request of a key that was not refused.
type Use struct {
	At      time.Time
	Address string // network address of the client; "" if unknown
}

// A Batch is the usage since the last write.
type Batch struct {
	Counts   []Count
	Failures []Failure
	LastUsed map[string]Use // by key id
}

// A Store stores usage. Times have a resolution of at least a millisecond and are in UTC.
type Store interface {
	// AddUsage adds counts to those of the same key, day, operation and status, adds failures, and updates when and
	// from where keys were last used, unless a later time is stored. It writes all of the batch or nothing, and skips
	// unknown keys.
	AddUsage(ctx context.Context, b Batch) error
	// Usage returns the counts of an account's keys since a day, by day, then key, operation and status.
	Usage(ctx context.Context, account string, since time.Time) ([]Count, error)
	// Failures returns the latest failures of an account's keys, newest first.
	Failures(ctx context.Context, account string, limit int) ([]Failure, error)
	// PruneUsage deletes counts and failures from before a time.
	PruneUsage(ctx context.Context, before time.Time) error
}
