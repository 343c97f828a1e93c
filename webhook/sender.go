package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"freelancer-matching/internal/retry"
)

const (
	sendTimeout = 10 * time.Second
	// lease is how long a process holds a delivery: longer than an attempt takes. Another process repeats the attempt of
	// one that was killed.
	lease = time.Minute
	// settleTimeout limits the storing of an outcome, which may happen after the server was told to stop.
	settleTimeout = 5 * time.Second
	// pollEvery is the interval at which a worker looks for deliveries that became due, or that other processes stored.
	pollEvery = 5 * time.Second

	firstWait   = 10 * time.Second // before the second attempt, and doubled with each further one
	longestWait = 4 * time.Hour    // also for Retry-After
	giveUpAfter = 24 * time.Hour   // after the event

	// workers is the number of messages that a process sends at a time. accountBusy of all processes may be for the same
	// account, so that an endpoint that doesn't respond leaves workers to the other accounts.
	workers     = 8
	accountBusy = 2

	maxResponse = 64 << 10 // bytes read of a response, so that its connection can be used again
)

// The outcomes that an Observer gets.
const (
	Delivered = "delivered"
	Failed    = "failed"   // and will be retried
	GivenUp   = "given_up" // and will not be retried
)

// An Observer counts attempts for operators.
type Observer interface {
	WebhookSent(outcome string)
}

// A Sender sends messages from an outbox. All fields are required.
type Sender struct {
	Outbox   Outbox
	Client   *http.Client // of Allowed.NewClient
	Now      func() time.Time
	Log      *slog.Logger
	Observer Observer

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
	for range workers {
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
			s.Log.WarnContext(ctx, "webhooks not sent", "retry_in", pollEvery, "error", err)
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
	delivery, err := s.Outbox.Claim(ctx, now, now.Add(lease), accountBusy)
	if err != nil {
		return err
	}

	s.Notify() // there may be more

	after, sendError := s.send(ctx, &delivery)
	outcome := Outcome{At: s.Now()}
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
			s.Log.WarnContext(ctx, "webhook given up", "session", delivery.Session, "message", delivery.ID,
				"attempts", delivery.Attempt, "error", outcome.Error)
		} else {
			outcome.Next = next
		}
	}

	s.Observer.WebhookSent(counted)

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
	if next.After(d.Created.Add(giveUpAfter)) {
		return time.Time{}
	}
	return next
}

// errGone means that the receiver wants no further messages.
var errGone = errors.New("the endpoint responded with 410 Gone")

// errNoSecret means that no key of this server decrypts the secret of the endpoint.
var errNoSecret = errors.New("the secret of the endpoint can't be decrypted; tell the operator")

// send sends a message once. If it fails, after is how long the receiver asks to wait. The error is for the client who
// named the endpoint, so it doesn't reveal addresses of the operator's network.
func (s *Sender) send(ctx context.Context, d *Delivery) (after time.Duration, err error) {
	if len(d.Secret) == 0 {
		return 0, errNoSecret
	}

	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()

	r, err := http.NewRequestWithContext(ctx, http.MethodPost, d.URL, bytes.NewReader(d.Body))
	if err != nil {
		return 0, errors.New("the URL is invalid")
	}
	at := s.Now()
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "freelancer-matching")
	r.Header.Set("Webhook-Id", d.ID)
	r.Header.Set("Webhook-Timestamp", strconv.FormatInt(at.Unix(), 10))
	r.Header.Set("Webhook-Signature", Sign(d.Secret, d.ID, at, d.Body))
	response, err := s.Client.Do(r)
	if err != nil {
		return 0, describe(err)
	}
	defer response.Body.Close()

	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, maxResponse)) // the status alone counts
	switch status := response.StatusCode; {
	case status >= 200 && status < 300:
		return 0, nil
	case status == http.StatusGone:
		return 0, errGone
	default:
		return retryAfter(response.Header.Get("Retry-After"), at),
			fmt.Errorf("the endpoint responded with %d %s", status, http.StatusText(status))
	}
}

// retryAfter parses the header of a response: seconds or a date. Other values are ignored.
func retryAfter(text string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// describe returns the reason why there was no response.
func describe(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok && e.Timeout() {
		return fmt.Errorf("no response within %s", sendTimeout)
	}
	if errors.Is(err, errPrivate) {
		return errPrivate
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return errors.New("the host name could not be resolved")
	}
	if isCertificateError(err) {
		return errors.New("the certificate of the endpoint is not valid")
	}
	return errors.New("the connection failed")
}

// isCertificateError reports whether the endpoint's certificate was rejected.
func isCertificateError(err error) bool {
	_, authority := errors.AsType[x509.UnknownAuthorityError](err)
	_, name := errors.AsType[x509.HostnameError](err)
	_, invalid := errors.AsType[x509.CertificateInvalidError](err)
	_, verification := errors.AsType[*tls.CertificateVerificationError](err)
	return authority || name || invalid || verification
}
