package feed

import (
	"time"

	"github.com/freelancer-matching/service/webhook"
)

// An Endpoint of an account receives messages about the events that it asks for.
type Endpoint struct {
	ID       string // "we_" and 16 characters
	Account  string
	Name     string
	URL      string // "" if its messages are not sent, but fetched as deliveries
	Events   []Event
	Created  time.Time
	Disabled time.Time // zero if it is on
	// PreviousUntil is when the secret before the last rotation no longer signs; zero without one.
	PreviousUntil time.Time
}

// On reports whether the endpoint gets messages.
func (e Endpoint) On() bool { return e.Disabled.IsZero() }

// A NewSecret is a secret to store. Until is when the one before it no longer signs; zero for a new endpoint.
type NewSecret struct {
	Secret webhook.Secret
	Until  time.Time
}

// A DeliveryState says what became of a message.
type DeliveryState string

// The states of deliveries.
const (
	Waiting   DeliveryState = "waiting"  // for its first attempt
	Retrying  DeliveryState = "retrying" // after a failed attempt
	Delivered DeliveryState = "delivered"
	Failed    DeliveryState = "failed" // and will not be sent again by itself
	Held      DeliveryState = "held"   // for an endpoint without a URL
)

// A Delivery is a message to an endpoint and what became of it.
type Delivery struct {
	webhook.Message
	Attempts  int
	Attempted time.Time // end of the last attempt; zero if there was none
	Delivered time.Time // zero if it wasn't
	Next      time.Time // of the next attempt, or when one in progress is given up; zero if there will be none
	Sending   bool      // an attempt is in progress
	Status    int       // of the last response; 0 for none
	Took      time.Duration
	LastError string // of the last failed attempt; "" if none failed
	Held      bool   // the endpoint has no URL
}

// State returns what became of the message.
func (d *Delivery) State() DeliveryState {
	switch {
	case !d.Delivered.IsZero() && d.Next.IsZero():
		return Delivered
	case d.Held:
		return Held
	case d.Next.IsZero():
		return Failed
	case d.Attempts > 0 && !d.Sending:
		return Retrying
	default:
		return Waiting
	}
}

// A Place is where a page of deliveries begins: after the one with this time and ID. The zero value is the beginning.
type Place struct {
	Created time.Time
	ID      string
}
