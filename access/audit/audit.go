// Package audit has the words for what was done to accounts, users and keys, by whom. A store writes an event in the same
// transaction as the change that it tells of, so that neither is there without the other.
package audit

import "time"

// Event is one change. It never holds a secret: no token, no password, no hash of either.
type Event struct {
	At      time.Time
	Actor   string // id of the user who did it; CommandLine, or System
	Account string // id of the account that it concerns; "" for a key without an account
	Action  Action
	Subject string // id of the key, user, account or link that was changed
	Detail  string // for people, such as "plan freelancer → professional"
	Address string // network address of the actor; "" where there was none
}

// The actors that are no users.
const (
	CommandLine = "command line"
	System      = "system"
)

// Action is what was done, as a thing and a verb.
type Action string

// The actions.
const (
	KeyCreated  Action = "key.created"
	KeyRenamed  Action = "key.renamed"
	KeyChanged  Action = "key.changed" // operations, networks, expiry
	KeyDisabled Action = "key.disabled"
	KeyEnabled  Action = "key.enabled"
	KeyRotated  Action = "key.rotated"
	KeyRevoked  Action = "key.revoked"

	AccountCreated  Action = "account.created"
	AccountDisabled Action = "account.disabled"
	AccountEnabled  Action = "account.enabled"
	PlanChanged     Action = "account.plan_changed"

	UserCreated     Action = "user.created"
	UserSignedIn    Action = "user.signed_in"
	UserSignedOut   Action = "user.signed_out_everywhere"
	UserRoleChanged Action = "user.role_changed"
	UserRemoved     Action = "user.removed"
	PasswordChanged Action = "user.password_changed"

	LinkMade    Action = "link.made"
	LinkRevoked Action = "link.revoked"
)

// By is who does something, and from where.
type By struct {
	Actor   string // as in Event
	Address string
}

// Query asks for events, newest first.
type Query struct {
	Account string    // "" for those of all accounts
	Before  time.Time // zero: from the newest on
	Limit   int       // at least 1
}
