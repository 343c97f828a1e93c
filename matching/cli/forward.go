package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/freelancer-matching/service/webhook"
)

const (
	// forwardTime is how long a local program may take, as long as the receiver of a webhook.
	forwardTime = 10 * time.Second
	// maxReply is how much of a program's response is read, in bytes, so that its connection can be used again.
	maxReply = 64 << 10
)

// A receiver is a local program that gets messages as if the server sent them.
type receiver struct {
	address string
	secret  webhook.Secret
	client  http.Client
	now     func() time.Time
}

// newReceiver returns a receiver. Like the server, it follows no redirect and uses no proxy.
func newReceiver(address string) *receiver {
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &receiver{
		address: address, now: time.Now,
		client: http.Client{Timeout: forwardTime, CheckRedirect: stay, Transport: &http.Transport{}},
	}
}

// A forwardResult is the outcome of forwarding a message.
type forwardResult struct {
	Status int    `json:"status,omitempty"` // 0 without a response
	Error  string `json:"error,omitempty"`
}

// String returns the status or the error.
func (f *forwardResult) String() string {
	if f.Error != "" {
		return f.Error
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s", f.Status, http.StatusText(f.Status)))
}

// send sends a message with its signature.
func (r *receiver) send(ctx context.Context, d *delivery) *forwardResult {
	q, err := webhook.NewRequest(ctx, r.address, d.ID, d.Body, r.now(), r.secret)
	if err != nil {
		return &forwardResult{Error: err.Error()}
	}

	response, err := r.client.Do(q)
	if failure, ok := errors.AsType[*url.Error](err); ok {
		if failure.Timeout() {
			return &forwardResult{Error: fmt.Sprintf("no response within %s", forwardTime)}
		}
		return &forwardResult{Error: failure.Err.Error()} // without the address, which the user knows
	}
	if err != nil {
		return &forwardResult{Error: err.Error()}
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, maxReply)) // the status alone counts
	return &forwardResult{Status: response.StatusCode}
}

// handle forwards a message, and prints it with the outcome.
func (l *listener) handle(ctx context.Context, d *delivery) error {
	var outcome *forwardResult
	if l.receiver != nil {
		outcome = l.receiver.send(ctx, d)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if l.options.json {
		return l.printDelivery(d, outcome)
	}

	// A message of an unknown shape is printed with its event alone.
	var m message
	_ = json.Unmarshal(d.Body, &m)
	text := joinNonEmpty("  ", d.CreatedAt.Local().Format(time.TimeOnly), printable(d.Event, 60),
		printable(m.String(), 300))
	if outcome != nil {
		text += "  → " + printable(outcome.String(), 300)
	}
	fmt.Fprintln(l.stdout, text)
	return nil
}

// printDelivery prints a delivery as JSON, with the outcome as a member.
func (l *listener) printDelivery(d *delivery, outcome *forwardResult) error {
	if outcome == nil {
		l.printJSON(d.raw)
		return nil
	}
	var members map[string]json.RawMessage
	err := decode(d.raw, &members)
	if err != nil {
		return err
	}
	members["forwarded"], err = json.Marshal(outcome)
	if err != nil {
		return err
	}
	line, err := json.Marshal(members)
	if err != nil {
		return err
	}
	l.printJSON(line)
	return nil
}
