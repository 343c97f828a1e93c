// Package notices tells people of changes of their credentials: password, second factor, email address, role, sessions
// and API keys. People who didn't expect such a notice can stop an attacker. Notices go to the channels that the
// operator has configured, through an outbox that is written in the same transaction as the change. Changes of one
// person share a message if too many would be sent otherwise.
package notices

import (
	"cmp"
	"time"

	"github.com/freelancer-matching/service/access/audit"
)

// A Channel is a way to send notices.
type Channel string

// The channels.
const (
	Mail    Channel = "mail"    // to the person's email address
	Webhook Channel = "webhook" // to an endpoint of the operator
)

const (
	// MaxAnHour is how many messages a channel sends about one person in any hour. Further changes wait, and share a
	// message.
	MaxAnHour = 5
	// MaxListed is how many changes a message describes. It counts the others.
	MaxListed = 20
	// Type is the type of messages.
	Type = "security.notice"
)

// The values of Event.By that aren't email addresses.
const (
	Self          = "self" // the recipient, or somebody signed in as them
	Operator      = "operator"
	System        = "system"
	Administrator = "administrator" // of the service, in another account
)

// An Event is a change of somebody's credentials, as stored in the outbox and sent in messages.
type Event struct {
	Action  audit.Action `json:"action"`
	Title   string       `json:"title"` // the action in words
	At      time.Time    `json:"at"`
	By      string       `json:"by"`                // Self, Operator, System, Administrator, or a member's email address
	Address string       `json:"address,omitempty"` // network address
	Browser string       `json:"browser,omitempty"`
	Detail  string       `json:"detail,omitempty"`
}

// A Message tells a person of changes. Its JSON is the body of messages in the outbox.
type Message struct {
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	Recipient Recipient `json:"recipient"`
	Events    []Event   `json:"events"`            // oldest first
	Omitted   int       `json:"omitted,omitempty"` // further changes that are not in Events
}

// A Recipient is a person who gets a message.
type Recipient struct {
	Email   string `json:"email"` // the address that the message is for, which may be the person's previous one
	User    string `json:"user"`
	Account string `json:"account"`
}

// Wanted reports whether somebody gets a notice of a change.
func Wanted(e *audit.Event) bool {
	// Users who sign out everywhere themselves know it, and a stranger gains nothing by it.
	ownSignOut := e.Action == audit.UserSignedOut && e.Actor == e.Subject
	return e.Action.Concerns() != audit.Nobody && !ownSignOut
}

// Describe returns what a recipient reads about a change. actorEmail is the address of the user who made it, if they
// are in the same account, and "" otherwise.
func Describe(e *audit.Event, r Recipient, actorEmail string) Event {
	by := cmp.Or(actorEmail, Administrator)
	switch e.Actor {
	case r.User:
		by = Self
	case audit.CommandLine:
		by = Operator
	case audit.System:
		by = System
	}

	// For people, the address or the browser alone is no detail: both have their own lines.
	detail := e.Detail
	if detail == r.Email || detail == e.Browser {
		detail = ""
	}

	return Event{
		Action: e.Action, Title: title(e.Action), At: e.At, By: by, Address: e.Address, Browser: e.Browser, Detail: detail,
	}
}
