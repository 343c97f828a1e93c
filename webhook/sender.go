package webhook

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/freelancer-matching/service/internal/retry"
)

const (
	// lease is how long a process holds a delivery: longer than an attempt takes. Another process repeats the attempt of
	// one that was killed.
	lease = time.Minute
	// settleTimeout limits the storing of an outcome, which may happen after the server was told to stop.
	settleTimeout = 5 * time.Second
	// pollEvery is the interval at which a worker looks for deliveries that became due, or that other processes stored.
	pollEvery = 5 * time.Second

	firstWait   = 10 * time.Second // before the second attempt, and doubled with each further one
	longestWait = 4 * time.Hour    // also for Retry-After

	// defaultWorkers is the number of messages that a process sends at a time. busyLimit of all processes may be for the
	// same account, so that an endpoint that doesn't respond leaves workers to the other accounts.
	defaultWorkers = 8
	busyLimit      = 2
)

// GiveUpAfter is how long a message is sent again after its event.
const GiveUpAfter = 24 * time.Hour

// The outcomes of an attempt.
const (
	Delivered = "delivered"
	Failed    = "failed"   // and will be retried
	GivenUp   = "given_up" // and will not be retried
)

// A Transport sends messages.
type Transport interface {
	// Send sends a message once, within half a minute. If it fails, after is how long the receiver asks to wait. An error
	// of Gone ends the attempts.
	Send(ctx context.Context, d *Delivery) (after time.Duration, err error)
}

// A Sender sends messages from an outbox. All fields but Workers are required.
type Sender struct {
	Name      string // of the messages in the log, such as webhook
	Outbox    Outbox
	Transport Transport
	Now       func() time.Time
	Log       *slog.Logger
	Sent      func(outcome string) // counts attempts for operators
	Workers   int                  // messages sent at a time; default: 8

	wake chan struct{}
}

// NewSender returns a copy of s that can run.
func NewSender(s Sender) *Sender {
	s.wake = make(chan struct{}, 1)
	return &s
}

// Notify makes a worker look for new messages at once.
func (s *Sender) Notify() {
	select {
	case s.wake <- struct{}{}:
	default: // a worker is about to look
	}
}

// Run sends messages until ctx ends.
func (s *Sender) Run(ctx context.Context) {
	var running sync.WaitGroup
	for range cmp.Or(s.Workers, defaultWorkers) {
		running.Go(func() { s.work(ctx) })
	}
	running.Wait()
}

// work sends one message after the other until ctx ends.
func (s *Sender) work(ctx context.Context) {
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	for ctx.Err() == nil {
		err := s.SendNext(ctx)
		if err == nil {
			continue
		}
		if !errors.Is(err, ErrNone) && ctx.Err() == nil {
			s.Log.WarnContext(ctx, "messages not sent", "messages", s.Name, "retry_in", pollEvery, "error", err)
		}
		select {
		case <-ctx.Done():
		case <-poll.C:
		case <-s.wake:
		}
	}
}

// SendNext sends the message that has been due for the longest time, and stores the outcome. It returns ErrNone if no
// message is due, and otherwise errors of the outbox only.
func (s *Sender) SendNext(ctx context.Context) error {
	now := s.Now()
	delivery, err := s.Outbox.Claim(ctx, now, now.Add(lease), busyLimit)
	if err != nil {
		return err
	}

	s.Notify() // there may be more

	after, sendError := s.Transport.Send(ctx, &delivery)
	outcome := Outcome{At: s.Now(), Status: delivery.Status}
	outcome.Took = outcome.At.Sub(now)
	counted := Delivered
	switch {
	case sendError == nil:

	// An interrupted attempt says nothing about the endpoint, so it is repeated as soon as a server runs again.
	case ctx.Err() != nil:
		outcome.Error = "the server stopped during the attempt"
		outcome.Next = outcome.At
		counted = Failed

	default:
		outcome.Error = sendError.Error()
		counted = Failed

		next := nextAttempt(&delivery, outcome.At, after)
		if next.IsZero() || errors.Is(sendError, errGone) {
			counted = GivenUp
			s.Log.WarnContext(ctx, "message given up", "messages", s.Name, "session", delivery.Session,
				"message", delivery.ID, "attempts", delivery.Attempt, "error", outcome.Error)
		} else {
			outcome.Next = next
		}
	}

	s.Sent(counted)

	// The outcome is stored even if the server stops meanwhile, or the message would be sent again.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
	defer cancel()

	return s.Outbox.Settle(ctx, delivery, outcome)
}

// nextAttempt returns when to repeat a failed attempt, or the zero time if that is too long after the event. after is
// how long the receiver asks to wait.
func nextAttempt(d *Delivery, at time.Time, after time.Duration) time.Time {
	wait := max(retry.Backoff(d.Attempt-1, firstWait, longestWait), min(after, longestWait))
	next := at.Add(wait)
	if next.After(d.Created.Add(GiveUpAfter)) {
		return time.Time{}
	}
	return next
}
