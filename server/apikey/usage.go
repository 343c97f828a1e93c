package apikey

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

const (
	flushEvery   = time.Minute
	flushTimeout = 10 * time.Second
)

// usage gathers when keys were last used and writes it once a minute, all keys in one step, so that no request waits
// for it and no key is written more often. It holds one moment for each key used since the last flush.
type usage struct {
	store Store
	log   *slog.Logger
	stop  chan struct{}
	done  chan struct{}
	once  sync.Once

	mu   sync.Mutex
	used map[string]time.Time
}

func startUsage(store Store, log *slog.Logger) *usage {
	u := &usage{
		store: store, log: log, stop: make(chan struct{}), done: make(chan struct{}), used: map[string]time.Time{},
	}
	go u.run()
	return u
}

func (u *usage) touch(id string, at time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if at.After(u.used[id]) {
		u.used[id] = at
	}
}

func (u *usage) run() {
	defer close(u.done)
	ticker := time.NewTicker(flushEvery)
	defer ticker.Stop()
	for {
		select {
		case <-u.stop:
			return
		case <-ticker.C:
			if err := u.flush(); err != nil {
				u.log.Warn("last use of keys not recorded, trying again in a minute", "error", err)
			}
		}
	}
}

// flush writes what was gathered. After a failure it is kept for the next flush.
func (u *usage) flush() error {
	u.mu.Lock()
	used := u.used
	u.used = make(map[string]time.Time, len(used))
	u.mu.Unlock()
	if len(used) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
	defer cancel()
	if err := u.store.TouchKeys(ctx, used); err != nil {
		for id, at := range used {
			u.touch(id, at)
		}
		return fmt.Errorf("record the last use of %d keys: %w", len(used), err)
	}
	return nil
}

func (u *usage) close() error {
	u.once.Do(func() { close(u.stop) })
	<-u.done
	return u.flush()
}
