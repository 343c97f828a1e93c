package app

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/freelancer-matching/service/server/api/limits"
	"github.com/freelancer-matching/service/webhook"
)

// Options replace parts of the server for test mode. The zero value is a server in production.
type Options struct {
	Now    func() time.Time  // the clock; default: time.Now
	Model  http.RoundTripper // carries requests to the language model; default: the network
	Banner string            // a sentence on every page of the dashboard; "" for none

	// Freelancers is how many freelancers are generated at the start, with Seed. Other parts of the server open meanwhile.
	Freelancers int
	Seed        uint64

	// These wrap the counters of the API's limits. Default: they return their argument.

	Quota   func(limits.Quota) limits.Quota
	Views   func(limits.ViewCounter) limits.ViewCounter
	Changes func(limits.ChangeCounter) limits.ChangeCounter
}

func (o *Options) setDefaults() {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Quota == nil {
		o.Quota = func(q limits.Quota) limits.Quota { return q }
	}
	if o.Views == nil {
		o.Views = func(v limits.ViewCounter) limits.ViewCounter { return v }
	}
	if o.Changes == nil {
		o.Changes = func(c limits.ChangeCounter) limits.ChangeCounter { return c }
	}
}

// fillMeanwhile loads the freelancers of the options in the background. The function that it returns waits for the end.
func (s *Server) fillMeanwhile(ctx context.Context) (wait func() error) {
	if s.options.Freelancers == 0 {
		return func() error { return nil }
	}
	fill := sync.OnceValue(func() error { return s.Fill(ctx, s.options.Freelancers, s.options.Seed) })
	go func() { _ = fill() }() // the other caller sees the error
	return fill
}

// CatchUp does at once what the background tasks would do after the clock was changed: it deletes expired rows, settles
// interviews whose time is over, announces keys that expire soon, learns rankings if a night has begun, and attempts to
// send every message that is due.
func (s *Server) CatchUp(ctx context.Context) error {
	err := errors.Join(s.expire(ctx, s.now()), s.candidates.Settle(ctx), s.announceKeys(ctx), s.learner.Night(ctx))
	err = errors.Join(err, s.feed.Flush(ctx)) // makes messages of what was announced
	for _, sender := range append(s.notices[:len(s.notices):len(s.notices)], s.webhooks, s.announcer) {
		err = errors.Join(err, sendDue(ctx, sender))
	}
	return err
}

// sendDue attempts to send each message that is due now. A failed one is due later, so the loop ends.
func sendDue(ctx context.Context, sender *webhook.Sender) error {
	for {
		if err := sender.SendNext(ctx); err != nil {
			if errors.Is(err, webhook.ErrNone) {
				return nil
			}
			return err
		}
	}
}

// Deliver sends a message to an endpoint once, as the server sends messages about events.
func (s *Server) Deliver(ctx context.Context, d *webhook.Delivery) error {
	if err := s.allowed.CheckURL(d.URL); err != nil {
		return err
	}
	_, err := s.webhooks.Transport.Send(ctx, d)
	return err
}
