// Package account keeps who uses the service: accounts with their plans, the users who sign in to them on the dashboard, and
// the one-time links that let users in.
package account

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"strings"
	"time"

	"freelancer-matching/access/apikey"
	"freelancer-matching/access/audit"
)

// Account is a client of the service: a company, or a person. It owns keys and has a plan.
type Account struct {
	ID        string // acc_ and 12 characters
	Name      string
	Plan      string    // name of an apikey.Plan
	PlanSince time.Time // when the plan began
	Created   time.Time
	Disabled  time.Time // its keys are refused and nobody signs in to it until it is enabled; zero: never
}

// Role is what a user may do.
type Role string

// The roles, each with all that those before it may do.
const (
	Member        Role = "member"        // see keys and usage, use the playground
	Owner         Role = "owner"         // make and change keys, invite and remove users of the account
	Administrator Role = "administrator" // all accounts, plans, invitations, the audit log
)

// Includes reports whether the role may do all that another one may.
func (r Role) Includes(other Role) bool {
	roles := []Role{Member, Owner, Administrator}
	return slices.Contains(roles, other) && slices.Index(roles, r) >= slices.Index(roles, other)
}

// User is a person who signs in. A user belongs to one account.
type User struct {
	ID         string // usr_ and 12 characters
	Account    string // id
	Email      string // unique, in small letters
	Role       Role
	Password   string // argon2id hash in PHC form
	Created    time.Time
	LastSignIn time.Time
	// Sessions is raised to end all sessions of the user: each one remembers the number it was begun with.
	Sessions int
}

// Token is the SHA-256 of a link's secret, the only form in which it is stored.
type Token [sha256.Size]byte

// Purpose is what a link is for.
type Purpose string

// The purposes.
const (
	SetUp      Purpose = "setup"      // make the first administrator
	Invitation Purpose = "invitation" // join an account, or make a new one
	Reset      Purpose = "reset"      // choose a new password
)

// URL is the address of the page where a link is used. The secret is in the fragment, which browsers keep to themselves: it
// reaches no log of a server or a proxy. base is scheme and host, such as https://match.example.com.
func URL(base string, p Purpose, secret string) string {
	page := map[Purpose]string{SetUp: "setup", Invitation: "join", Reset: "reset"}[p]
	return strings.TrimSuffix(base, "/") + "/dashboard/" + page + "#" + secret
}

// Link is a one-time link. It ends when it is used, revoked, replaced, or out of date, and with the rights of who made it.
type Link struct {
	ID      string // lnk_ and 12 characters
	Token   Token
	Purpose Purpose
	Email   string // of whom it is for; "": anyone's
	Account string // of an invitation: to join; "" to make a new account. Of a reset: the user's
	Plan    string // of an invitation to make a new account
	Role    Role   // of an invitation
	User    string // of a reset: id
	MadeBy  string // as audit.Event.Actor
	Created time.Time
	Expires time.Time
}

// What a Store answers.
var (
	ErrNotFound   = errors.New("not found")
	ErrEmailTaken = errors.New("there is a user with this e-mail address")
	ErrLinkSpent  = errors.New("the link was used, revoked, or is out of date")
	ErrNotFirst   = errors.New("there are users already")
)

// Registration is a new user, all of it or nothing.
type Registration struct {
	Account *Account // made with the user; nil: User.Account exists and is joined
	User    User
	Link    *Token // spent by it; nil: none is needed
	First   bool   // only where there is no user yet: ErrNotFirst
	Events  []audit.Event
}

// Store keeps accounts, users and links. Moments are kept to the millisecond at least, in UTC. The functions that it is given
// run inside its transactions: they compute, and do nothing else; where they fail nothing is written, and their error comes
// back in the chain. Events are written in the same transaction.
type Store interface {
	// Register adds a user. ErrEmailTaken, ErrLinkSpent (at: the moment that a link must not be out of date at), ErrNotFirst,
	// ErrNotFound for an account to join that is not there.
	Register(ctx context.Context, r Registration, at time.Time) error
	// HasUsers reports whether there is any user.
	HasUsers(ctx context.Context) (bool, error)
	// User is the user with an id. ErrNotFound.
	User(ctx context.Context, id string) (User, error)
	// UserByEmail is the user with an address in small letters. ErrNotFound.
	UserByEmail(ctx context.Context, email string) (User, error)
	// Users is the users of an account, oldest first.
	Users(ctx context.Context, account string) ([]User, error)
	// UpdateUsers changes users of one account, alone: change gets them and the keys of the account, oldest first, and returns what
	// becomes of the users. spend is a link used up by it (ErrLinkSpent at a moment), nil for none. The links that a removed user
	// has made, or could choose a new password with, go with it. ErrNotFound for the account, or a user to change or remove.
	UpdateUsers(
		ctx context.Context, account string, spend *Token, at time.Time, change func([]User, []apikey.Key) (UserChanges, error),
	) error
	// Account is the account with an id. ErrNotFound.
	Account(ctx context.Context, id string) (Account, error)
	// Accounts is the accounts with a part of their name or of a user's address, in any case of letters; all with "". Newest
	// first, up to limit.
	Accounts(ctx context.Context, part string, limit int) ([]Account, error)
	// UpdateAccount changes an account and its keys together, alone: change gets both, changes the account in place, and returns
	// the keys that are new or changed, and the events. ErrNotFound.
	UpdateAccount(ctx context.Context, id string, change func(*Account, []apikey.Key) (apikey.Changes, error)) error
	// InsertLink adds a link. Those of the same purpose that it replaces go: every SetUp link, every Reset link of the same user.
	InsertLink(ctx context.Context, l Link, events ...audit.Event) error
	// Link is the link with a token, when it can be used at a moment. ErrLinkSpent.
	Link(ctx context.Context, t Token, at time.Time) (Link, error)
	// Links is the links that can be used at a moment: those of an account, or all with "". Newest first.
	Links(ctx context.Context, account string, at time.Time) ([]Link, error)
	// DeleteLink revokes a link by its id. ErrNotFound.
	DeleteLink(ctx context.Context, id string, events ...audit.Event) error
	// Record writes events that no other change goes with: a sign-in.
	Record(ctx context.Context, events ...audit.Event) error
	// Events is the audit log.
	Events(ctx context.Context, q audit.Query) ([]audit.Event, error)
}

// UserChanges is what becomes of the users of an account and of links.
type UserChanges struct {
	Changed  []User
	Removed  []string // ids
	Unlinked []string // ids of users whose links to reset the password end
	Unmade   []string // ids of users who have made links that end
	Made     []Link   // as with InsertLink
	Events   []audit.Event
}
