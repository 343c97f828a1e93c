// Package redis counts quotas on Redis 6.2 or later, for any number of servers. It is the only package that imports
// the Redis client.
//
// Redis must persist what it writes (appendonly yes) and must not evict it (maxmemory-policy noeviction): every count
// it loses is allowed again.
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

// keep is how long Redis keeps a subject after its last request: a month, which ends all of its windows, and a day for
// clocks that differ. Redis measures it from the request on, so its clock need not agree with the servers' clocks.
const keep = quota.Month + 24*time.Hour

//go:embed take.lua
var takeSource string

// A Store is a quota.Store on Redis. Each subject is one hash, and one script updates both of its windows.
type Store struct {
	client  *redis.Client
	take    *redis.Script
	prefix  string
	timeout time.Duration
}

var _ quota.Store = (*Store)(nil)

// Open returns a store without connecting to the server; call Ping to check the connection. Its errors never contain
// the URL or the password.
func Open(o Options) (*Store, error) {
	settings, err := o.settings()
	if err != nil {
		return nil, fmt.Errorf("redis: %w", err)
	}
	logging.Disable() // the client also logs the errors it returns
	return &Store{
		client:  redis.NewClient(settings),
		take:    redis.NewScript(takeSource),
		prefix:  o.Prefix,
		timeout: settings.ReadTimeout,
	}, nil
}

// Close closes the connections.
func (s *Store) Close() error { return s.client.Close() }

// Ping returns an error unless the server answers.
func (s *Store) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	return s.wrap(s.client.Ping(ctx).Err())
}

// Describe returns the version of the server, or "" if it does not tell, and the time of its clock.
func (s *Store) Describe(ctx context.Context) (version string, clock time.Time, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	if clock, err = s.client.Time(ctx).Result(); err != nil {
		return "", time.Time{}, s.wrap(err)
	}
	info, err := s.client.InfoMap(ctx, "server").Result()
	if err != nil { // the user may lack the permission
		return "", clock, nil
	}
	return info["Server"]["redis_version"], clock, nil
}

// Take implements quota.Store. It never retries, because Redis may have counted the request although the call failed.
func (s *Store) Take(ctx context.Context, subject string, w quota.Windows) (quota.Windows, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	reply, err := s.take.Run(ctx, s.client, []string{s.prefix + subject},
		w.Minute.Start.UnixMilli(), w.Minute.Limit, w.Month.Start.UnixMilli(), w.Month.Limit, keep.Milliseconds(),
		w.LatestStart().UnixMilli(),
	).Int64Slice()
	if err != nil {
		return quota.Windows{}, false, s.wrap(err)
	}
	if len(reply) != 5 {
		return quota.Windows{}, false, s.wrap(fmt.Errorf("the script returned %d numbers, want 5", len(reply)))
	}
	return counted(w, reply[1:]), reply[0] == 1, nil
}

// Peek implements quota.Store.
func (s *Store) Peek(ctx context.Context, subject string, w quota.Windows) (quota.Windows, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	stored, err := s.client.HMGet(ctx, s.prefix+subject, "minute", "minute_used", "month", "month_used").Result()
	if err != nil {
		return quota.Windows{}, s.wrap(err)
	}
	numbers := make([]int64, len(stored))
	for i, v := range stored {
		if v == nil { // no requests yet; 0 is earlier than any window
			continue
		}
		if numbers[i], err = strconv.ParseInt(fmt.Sprint(v), 10, 64); err != nil {
			return quota.Windows{}, s.wrap(fmt.Errorf("the count of %q is corrupt: %w", subject, err))
		}
	}
	return counted(w, numbers), nil
}

// counted returns the windows as stored: start and use of the minute, then of the month.
func counted(w quota.Windows, stored []int64) quota.Windows {
	return w.Counted(
		quota.Window{Start: time.UnixMilli(stored[0]).UTC(), Used: int(stored[1])},
		quota.Window{Start: time.UnixMilli(stored[2]).UTC(), Used: int(stored[3])})
}

func (s *Store) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("call Redis at %s: %w", s.client.Options().Addr, err)
}
