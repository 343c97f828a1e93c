// Package redis counts quotas on Redis 6.2 or later, for any number of servers. It is the only package that imports
// the Redis client.
//
// Redis must persist what it writes (appendonly yes) and must not evict it (maxmemory-policy noeviction): every count
// it loses is allowed again.
package redis

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/freelancer-matching/service/access/quota"
)

// keep is how long Redis keeps a subject after its last request: a month, which ends all of its windows, and a day for
// clocks that differ. Redis measures it from the request on, so its clock need not agree with the servers' clocks.
const keep = quota.Month + 24*time.Hour

//go:embed take.lua
var takeSource string

// A Store is a quota.Store on Redis. Each subject is one hash, and one script updates both of its windows.
type Store struct {
	settings *settings
	pool     *redis.Pool
	take     string // hash of the script
	prefix   string
}

var _ quota.Store = (*Store)(nil)

// Open returns a store without connecting to the server; call Ping to check the connection. Its errors never contain
// the URL or the password.
func Open(o Options) (*Store, error) {
	settings, err := o.settings()
	if err != nil {
		return nil, fmt.Errorf("redis: %w", err)
	}
	return &Store{
		settings: settings, pool: settings.pool(), take: redis.NewScript(1, takeSource).Hash(), prefix: o.Prefix,
	}, nil
}

// Close closes the connections.
func (s *Store) Close() error { return s.pool.Close() }

// A command sends a command and returns its reply.
type command func(name string, arguments ...any) (reply any, err error)

// call calls f with a connection, which it takes back. It never retries, because Redis may have counted a request
// although the call failed.
func (s *Store) call(ctx context.Context, f func(do command) error) error {
	ctx, cancel := context.WithTimeout(ctx, s.settings.timeout)
	defer cancel()
	c, err := s.pool.GetContext(ctx)
	if err == nil {
		end, _ := ctx.Deadline()
		// The client's DoContext would start a goroutine for each command.
		err = f(func(name string, arguments ...any) (any, error) {
			left := max(time.Until(end), time.Nanosecond) // 0 would be unlimited
			return redis.DoWithTimeout(c, left, name, arguments...)
		})
		_ = c.Close() // returns it to the pool, or closes it if it failed; that error is in err
	}
	if err != nil {
		return fmt.Errorf("call Redis at %s: %w", s.settings.address, err)
	}
	return nil
}

// Ping returns an error unless the server answers.
func (s *Store) Ping(ctx context.Context) error {
	return s.call(ctx, func(do command) error {
		_, err := do("PING")
		return err
	})
}

// Describe returns the version of the server, or "" if it does not tell, and the time of its clock.
func (s *Store) Describe(ctx context.Context) (version string, clock time.Time, err error) {
	err = s.call(ctx, func(do command) error {
		now, err := redis.Int64s(do("TIME"))
		if err != nil {
			return err
		}
		if len(now) != 2 {
			return fmt.Errorf("TIME returned %d numbers, want 2", len(now))
		}

		clock = time.Unix(now[0], now[1]*1000)
		info, err := redis.String(do("INFO", "server"))
		if err != nil { // the user may lack the permission
			return nil //nolint:nilerr // see above
		}

		for line := range strings.Lines(info) {
			if v, ok := strings.CutPrefix(line, "redis_version:"); ok {
				version = strings.TrimSpace(v)
			}
		}

		return nil
	})

	return version, clock, err
}

// Take implements quota.Store.
func (s *Store) Take(ctx context.Context, subject string, w quota.Windows) (quota.Windows, bool, error) {
	var reply []int64
	err := s.call(ctx, func(do command) (err error) {
		arguments := []any{
			s.take, 1, s.prefix + subject, w.Minute.Start.UnixMilli(), w.Minute.Limit, w.Month.Start.UnixMilli(),
			w.Month.Limit, keep.Milliseconds(), w.LatestStart().UnixMilli(),
		}

		answer, err := do("EVALSHA", arguments...)
		if e, ok := errors.AsType[redis.Error](err); ok && strings.HasPrefix(string(e), "NOSCRIPT ") {
			arguments[0] = takeSource
			answer, err = do("EVAL", arguments...) // also stores the script
		}

		if reply, err = redis.Int64s(answer, err); err == nil && len(reply) != 5 {
			err = fmt.Errorf("the script returned %d numbers, want 5", len(reply))
		}

		return err
	})
	if err != nil {
		return quota.Windows{}, false, err
	}

	return counted(w, reply[1:]), reply[0] == 1, nil
}

// Peek implements quota.Store.
func (s *Store) Peek(ctx context.Context, subject string, w quota.Windows) (quota.Windows, error) {
	var stored []int64
	err := s.call(ctx, func(do command) error {
		reply, err := do("HMGET", s.prefix+subject, "minute", "minute_used", "month", "month_used")
		if err != nil {
			return err
		}

		// A member that is missing, before the first request, becomes 0, which is earlier than any window.
		if stored, err = redis.Int64s(reply, nil); err == nil && len(stored) != 4 {
			err = fmt.Errorf("it has %d members, want 4", len(stored))
		}

		if err != nil {
			return fmt.Errorf("the count of %q is corrupt: %w", subject, err)
		}

		return nil
	})
	if err != nil {
		return quota.Windows{}, err
	}

	return counted(w, stored), nil
}

// counted returns the windows as stored: start and use of the minute, then of the month.
func counted(w quota.Windows, stored []int64) quota.Windows {
	return w.Counted(
		quota.Window{Start: time.UnixMilli(stored[0]).UTC(), Used: int(stored[1])},
		quota.Window{Start: time.UnixMilli(stored[2]).UTC(), Used: int(stored[3])})
}
