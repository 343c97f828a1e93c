// Package redis counts quotas on Redis, 6.2 or later, for many servers at once. It is alone in knowing the client of Redis.
//
// Redis has to write what it is told to disk (appendonly yes), and must not throw away what it was told to keep
// (maxmemory-policy noeviction): what it forgets is allowed again.
package redis

import (
	"context"
	_ "embed"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"

	"freelancer-matching/access/quota"
)

// keep is how long a subject is kept after its last request: its month is over by then, and a day is for clocks that differ.
// It is counted from the request on by Redis itself, so that its clock need not agree with that of any server.
const keep = quota.Month + 24*time.Hour

//go:embed take.lua
var takeSource string

// Store is a quota.Store on Redis. Each subject is one hash, so that one script changes both of its windows at once.
type Store struct {
	client  *redis.Client
	take    *redis.Script
	prefix  string
	timeout time.Duration
}

var _ quota.Store = (*Store)(nil)

// Open makes a store. It does not reach for the server: Ping does. Its errors show nothing of the URL or the password.
func Open(o Options) (*Store, error) {
	settings, err := o.settings()
	if err != nil {
		return nil, fmt.Errorf("redis: %w", err)
	}
	logging.Disable() // of the client: lines of its own about what it returns as errors, too
	return &Store{
		client: redis.NewClient(settings), take: redis.NewScript(takeSource),
		prefix: o.Prefix, timeout: settings.ReadTimeout,
	}, nil
}

// Close ends the connections.
func (s *Store) Close() error { return s.client.Close() }

// Ping reports whether the server answers.
func (s *Store) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	return s.fault(s.client.Ping(ctx).Err())
}

// Take implements quota.Store. It is not tried again: after an error, the request may have been counted.
func (s *Store) Take(ctx context.Context, subject string, w quota.Windows) (quota.Windows, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	reply, err := s.take.Run(ctx, s.client, []string{s.prefix + subject},
		w.Minute.Start.UnixMilli(), w.Minute.Limit, w.Month.Start.UnixMilli(), w.Month.Limit, keep.Milliseconds()).Int64Slice()
	if err != nil {
		return quota.Windows{}, false, s.fault(err)
	}
	if len(reply) != 5 {
		return quota.Windows{}, false, s.fault(fmt.Errorf("the script returned %d numbers, want 5", len(reply)))
	}
	return quota.Windows{
		Minute: w.Minute.Counted(moment(reply[1]), int(reply[2])),
		Month:  w.Month.Counted(moment(reply[3]), int(reply[4])),
	}, reply[0] == 1, nil
}

// Peek implements quota.Store.
func (s *Store) Peek(ctx context.Context, subject string, w quota.Windows) (quota.Windows, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	stored, err := s.client.HMGet(ctx, s.prefix+subject, "minute", "minute_used", "month", "month_used").Result()
	if err != nil {
		return quota.Windows{}, s.fault(err)
	}
	var numbers [4]int64
	for i, v := range stored {
		if v == nil { // a subject that was never counted: its windows began long ago
			continue
		}
		if numbers[i], err = strconv.ParseInt(fmt.Sprint(v), 10, 64); err != nil {
			return quota.Windows{}, s.fault(fmt.Errorf("the count of %q is damaged: %w", subject, err))
		}
	}
	return quota.Windows{
		Minute: w.Minute.Counted(moment(numbers[0]), int(numbers[1])),
		Month:  w.Month.Counted(moment(numbers[2]), int(numbers[3])),
	}, nil
}

func (s *Store) fault(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("ask Redis at %s: %w", s.client.Options().Addr, err)
}

func moment(milliseconds int64) time.Time { return time.UnixMilli(milliseconds).UTC() }
