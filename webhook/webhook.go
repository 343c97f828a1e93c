// Package webhook sends messages about events to URLs that clients have named. Messages wait in an outbox, which is
// written in the same transaction as the event, so none is lost; they are signed as the Standard Webhooks specification
// describes (https://www.standardwebhooks.com), retried for a day, and sent to public addresses only.
package webhook

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"
)

const (
	// MaxURL is the maximum length of a URL in bytes.
	MaxURL = 2_000

	secretPrefix         = "whsec_"
	minSecret, maxSecret = 24, 256 // bytes
	newSecret            = 32
)

// An Endpoint receives messages.
type Endpoint struct {
	URL      string
	Secret   Secret
	Previous Secret // also signs for a while after a rotation; nil for none
}

// A Secret is the key that an endpoint and this service share. Formatting it doesn't reveal it.
type Secret []byte

// String implements fmt.Stringer.
func (Secret) String() string { return "[secret]" }

// GoString implements fmt.GoStringer.
func (Secret) GoString() string { return "[secret]" }

// NewSecret returns a random secret.
func NewSecret() Secret {
	s := make(Secret, newSecret)
	_, _ = rand.Read(s) // never fails
	return s
}

// Text returns the secret as ParseSecret reads it.
func (s Secret) Text() string { return secretPrefix + base64.StdEncoding.EncodeToString(s) }

// ParseSecret returns the secret in a text: whsec_, followed by 24 to 256 bytes in base64. Errors don't quote the text.
func ParseSecret(text string) (Secret, error) {
	encoded, ok := strings.CutPrefix(text, secretPrefix)
	secret, err := base64.StdEncoding.DecodeString(encoded)
	if !ok || err != nil {
		return nil, errors.New("must be whsec_ followed by base64")
	}
	if len(secret) < minSecret || len(secret) > maxSecret {
		return nil, fmt.Errorf("must have %d to %d bytes in base64, got %d", minSecret, maxSecret, len(secret))
	}
	return secret, nil
}

// A Message is about one event.
type Message struct {
	ID      string // the same for all attempts, so that a receiver recognizes a repeated message
	Type    string // such as interview.evaluated
	Body    []byte // JSON
	Created time.Time
}

// NewMessage returns a message with a new ID.
func NewMessage(kind string, body []byte, at time.Time) *Message {
	return &Message{ID: "msg_" + strings.ToLower(rand.Text()), Type: kind, Body: body, Created: at}
}

// A Delivery is an attempt to send a message. Its process holds it until it settles the delivery or the lease ends.
type Delivery struct {
	Message
	Endpoint
	Session string // or the endpoint of an account
	Attempt int    // starts at 1
	Holder  string // identifies the attempt
	Status  int    // of the response, set by the Transport; 0 for none
}

// An Outcome is the result of an attempt.
type Outcome struct {
	At    time.Time
	Error string    // in a few words, for the client; "" if the message was delivered
	Next  time.Time // of the next attempt; zero after a delivery, and if there will be no further attempt

	Status int // of the response; 0 for none
	Took   time.Duration
}

// A Status describes the last message of a session.
type Status struct {
	URL       string
	Type      string    // of the message; "" if there was no event yet
	Attempts  int       // begun so far
	Delivered time.Time // zero if not delivered
	LastError string    // of the last failed attempt; "" if none failed
	Next      time.Time // of the next attempt; zero if there will be none
}

// GaveUp reports whether the message will never be delivered.
func (s *Status) GaveUp() bool { return s.Type != "" && s.Delivered.IsZero() && s.Next.IsZero() }

// errGone is what errors of Gone are.
var errGone = errors.New("the receiver wants no further messages")

// Gone returns an error with a text, after which a message is not sent again.
func Gone(text string) error { return goneError(text) }

type goneError string

func (e goneError) Error() string { return string(e) }

// Is implements the method that errors.Is calls.
func (goneError) Is(target error) bool { return target == errGone }

// ErrNone means that no delivery is due.
var ErrNone = errors.New("no delivery is due")

// An Outbox stores messages until they are delivered. Several processes can share it.
type Outbox interface {
	// Claim returns the delivery that has been due for the longest time at now, with the next attempt, and holds it until
	// the given time. It skips accounts with busy or more deliveries that are held. It returns ErrNone if there is none.
	Claim(ctx context.Context, now, until time.Time, busy int) (Delivery, error)
	// Settle stores the outcome of an attempt. It does nothing if its Holder no longer holds the delivery.
	Settle(ctx context.Context, d Delivery, o Outcome) error
}
