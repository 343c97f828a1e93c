package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/quota"
	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/feed"
	"github.com/freelancer-matching/service/instances"
	"github.com/freelancer-matching/service/match"
	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/uploads"
	"github.com/freelancer-matching/service/webhook"
)

const (
	// watchIndexEvery is the interval at which the server looks whether another index is live.
	watchIndexEvery = time.Second
	// watchKeysEvery is the interval at which it looks for keys that expire.
	watchKeysEvery = 10 * time.Minute
	// createCommand is the command of an empty index for the first freelancer who is stored over HTTP.
	createCommand = "create"
	// nearlyExhausted is the percentage of a quota after which the account gets an event.
	nearlyExhausted = 80
)

// openFeed opens the feed of changes and the sender of messages to endpoints, which run in the background.
func (s *Server) openFeed() {
	s.announcer = webhook.NewSender(webhook.Sender{
		Name: "event", Outbox: s.DB.Endpoints, Now: s.now, Log: s.log, Sent: s.Metrics.WebhookSent,
		Transport: webhook.HTTP{Client: s.allowed.NewClient(), Now: s.now},
	})
	s.feed = feed.New(s.DB.Feed, s.now, s.log, s.announcer.Notify)
	s.endpoints = &feed.Endpoints{
		Store: s.DB.Endpoints, Allowed: &s.allowed, Now: s.now, Notify: s.announcer.Notify,
	}
}

// watchIndex tells the feed which index is live, until ctx ends.
func (s *Server) watchIndex(ctx context.Context) {
	failed := false
	every(ctx, watchIndexEvery, func() {
		err := s.observeIndex(ctx)
		isNew := err != nil && !failed // once for an outage, not once a second
		if isNew && ctx.Err() == nil {
			s.log.WarnContext(ctx, "live index not announced", "retry_in", watchIndexEvery, "error", err)
		}
		failed = err != nil
	})
}

// every calls f at once and at an interval until ctx ends.
func every(ctx context.Context, interval time.Duration, f func()) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		f()
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// observeIndex tells the feed which index is live. Health checks report an index that can't be opened.
func (s *Server) observeIndex(ctx context.Context) error {
	self, err := s.Index.Instance()
	if err != nil {
		return err
	}
	observed := feed.Index{Servers: self.Engine}
	if self.Engine == instances.Embedded {
		observed.Servers = self.ID // servers with a data folder of their own
	}

	live, err := s.engine.Open(ctx, match.Alias)
	switch {
	case errors.Is(err, engine.ErrNotFound):
		return s.feed.Observe(ctx, &observed)
	case err != nil:
		return nil //nolint:nilerr // see above
	}
	info := live.Info()
	observed.Name = info.Name
	observed.Load = feed.Load{Index: info.Name, Command: "unknown", Freelancers: info.Documents}

	if p := info.Provenance; p != nil {
		content, err := json.Marshal(p)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(content)
		observed.State = hex.EncodeToString(sum[:16])

		run := p.Latest()
		observed.Load.Command = run.Command
		observed.Load.Upload = run.Options[uploadOption]
		observed.Silent = run.Command == createCommand
	}

	return s.feed.Observe(ctx, &observed)
}

// watchKeys announces keys that expire soon, until ctx ends.
func (s *Server) watchKeys(ctx context.Context) {
	every(ctx, watchKeysEvery, func() {
		if err := s.announceKeys(ctx); err != nil && ctx.Err() == nil {
			s.log.WarnContext(ctx, "expiring keys not found", "retry_in", watchKeysEvery, "error", err)
		}
	})
}

// announceKeys tells accounts which of their keys expire soon.
func (s *Server) announceKeys(ctx context.Context) error {
	keys, err := s.DB.Keys.List(ctx)
	now := s.now()
	for i := range keys {
		s.announceExpiry(&keys[i], now)
	}
	return err
}

// announceExpiry tells the account of a key that it expires within a week, and again that it expires within a day. A
// key that was created for less time is announced when it has less than a day.
func (s *Server) announceExpiry(k *apikey.Key, now time.Time) {
	end := k.End()
	if end.IsZero() || k.Ended(now) || k.Test() { // endpoints get nothing that is about tests
		return
	}
	left := end.Sub(now)
	for _, days := range []int{1, 7} {
		span := time.Duration(days) * 24 * time.Hour
		isShort := days > 1 && end.Sub(k.Created) <= span
		if left > span || isShort {
			continue
		}
		subject := fmt.Sprintf("key %s %d %d", k.ID, end.UnixMilli(), days)
		s.feed.Tell(subject, endpoint.NewCaller(*k).Account, feed.KeyExpiring,
			feed.KeyState{Key: k.ID, Name: k.Name, Expires: end})
		return
	}
}

// quotaUsed tells an account, once in each window of 30 days, that most of the quota of a key is used.
func (s *Server) quotaUsed(caller *endpoint.Caller, month quota.Span) {
	if month.Limit == 0 || month.Used*100 < month.Limit*nearlyExhausted {
		return
	}
	key := &caller.Key
	subject := fmt.Sprintf("quota %s %d", key.Counter, month.Start.UnixMilli())
	s.feed.Tell(subject, caller.Account, feed.QuotaNearlyExhausted,
		feed.QuotaState{Key: key.ID, Limit: month.Limit, Used: month.Used, WindowEnd: month.End.UTC()})
}

// loadRefused tells an account that its upload was refused. The same file may be refused again with another mapping.
func (s *Server) loadRefused(u *uploads.Upload) {
	// The clock of a test can stand still between two refusals, so their subjects have the real time.
	s.feed.Tell(fmt.Sprintf("load %s %d", u.ID, time.Now().UnixMicro()), u.Account, feed.LoadRefused,
		feed.Refusal{Upload: u.ID, File: u.File, Code: u.Failure.Code, Message: u.Failure.Message})
}
