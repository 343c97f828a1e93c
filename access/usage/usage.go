// Package usage records the requests of API keys for their owners: hourly and daily counts by operation, status, error
// code and latency, recent failures, and when and from where each key was last used. These figures are for information.
// They are collected in memory and written every few seconds; package quota counts exactly.
package usage

import (
	"context"
	"time"
)

// HoursKept is how long hourly counts are kept.
const HoursKept = 48 * time.Hour

// A Count is the number of similar requests that a key made in one hour or on one day.
type Count struct {
	Key       string    // id
	Start     time.Time // of the hour or day, UTC
	Operation string    // the last segment of the route, such as "match"
	Status    int       // of the response
	Code      string    // error.code of the response, if any
	Latency   Latency
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
	// AddUsage adds the counts of hours to the same counts of their hour and of their day, adds failures, and updates
	// when and from where keys were last used, unless a later time is stored. It writes all of the batch or nothing, and
	// skips unknown keys.
	AddUsage(ctx context.Context, b Batch) error
	// Usage returns the daily counts of an account's keys since a day, by day, then key, operation, status, code and
	// latency.
	Usage(ctx context.Context, account string, since time.Time) ([]Count, error)
	// HourlyUsage returns the hourly counts of an account's keys since an hour, in the same order. They are kept for
	// HoursKept.
	HourlyUsage(ctx context.Context, account string, since time.Time) ([]Count, error)
	// Failures returns the latest failures of an account's keys, newest first.
	Failures(ctx context.Context, account string, limit int) ([]Failure, error)
	// PruneUsage deletes daily counts and failures from before a time, and hourly counts from before another time.
	PruneUsage(ctx context.Context, before, hours time.Time) error
}
