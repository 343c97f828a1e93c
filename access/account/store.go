package account

import (
	"context"
	"errors"
	"time"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
)

// The errors of the stores.
var (
	ErrNotFound   = errors.New("not found")
	ErrEmailTaken = errors.New("a user with this email address exists")
	ErrLinkSpent  = errors.New("the link was used or revoked, or has expired")
	ErrNotFirst   = errors.New("the service already has users")
)

// A Registration is a new user. A store writes all of it or nothing.
type Registration struct {
	Account *Account // created with the user; nil if the user joins the existing User.Account
	User    User
	Link    *Token // used up by the registration; nil if it needs none
	First   bool   // fail with ErrNotFirst if there are users already
	Events  []audit.Event
}

// A Browser is one in which a user has signed in. Only the hash of its token is stored.
type Browser struct {
	Token   Token
	User    string // id
	Created time.Time
	Expires time.Time
}

// UserChanges describes changes to the users of an account and to links.
type UserChanges struct {
	Changed        []User
	Removed        []string // ids; the links the users created or could reset their password with are deleted, too
	DeleteResets   []string // ids of users whose reset links are deleted
	DeleteCreated  []string // ids of users whose created links are deleted
	ForgetBrowsers []string // ids of users whose known browsers are deleted; those of removed users always are
	NewLinks       []Link   // inserted as by LinkStore.Insert
	Events         []audit.Event
}

// Stores holds the stores of this package. Times have a resolution of at least a millisecond and are in UTC.
//
// The change functions passed to a store run inside a transaction and must not call a store or wait for anything. If
// one fails, nothing is written and its error is returned, wrapped. Events are written in the same transaction.
type Stores struct {
	Accounts AccountStore
	Users    UserStore
	Links    LinkStore
	Failures FailureStore
	Browsers BrowserStore
	AuditLog AuditLog
}

// A UserStore stores users.
type UserStore interface {
	// Register adds a user. It returns ErrEmailTaken, ErrNotFirst, ErrLinkSpent if the link has been used or has
	// expired at a time, or ErrNotFound if there is no account to join.
	Register(ctx context.Context, r Registration, at time.Time) error
	// Exist reports whether there are any users.
	Exist(ctx context.Context) (bool, error)
	// Find returns the user with an id, or ErrNotFound.
	Find(ctx context.Context, id string) (User, error)
	// FindByEmail returns the user with an address in lower case, or ErrNotFound.
	FindByEmail(ctx context.Context, email string) (User, error)
	// List returns the users of an account, oldest first.
	List(ctx context.Context, account string) ([]User, error)
	// Update changes users of one account while nobody else changes them. The function change receives the users
	// and the keys of the account, oldest first. If spend is not nil, the update uses up that link, or fails with
	// ErrLinkSpent. It returns ErrNotFound if there is no such account, or a changed or removed user is not in it.
	Update(
		ctx context.Context, account string, spend *Token, at time.Time,
		change func([]User, []apikey.Key) (UserChanges, error),
	) error
}

// An AccountStore stores accounts.
type AccountStore interface {
	// Find returns the account with an id, or ErrNotFound.
	Find(ctx context.Context, id string) (Account, error)
	// List returns the accounts whose name or one of whose users' addresses contains part, regardless of case,
	// newest first and at most limit. An empty part matches all accounts.
	List(ctx context.Context, part string, limit int) ([]Account, error)
	// Update changes an account and its keys while nobody else changes them. The function change modifies the
	// account in place and returns new and changed keys. It returns ErrNotFound if there is no such account.
	Update(ctx context.Context, id string, change func(*Account, []apikey.Key) (apikey.Changes, error)) error
	// Delete deletes an account and everything that belongs to it except entries of the audit log, while nobody
	// else changes its users or becomes an administrator, unless allow returns an error. It returns ErrNotFound if there
	// is no such account.
	Delete(ctx context.Context, id string, allow func(Deletion) ([]audit.Event, error)) error
}

// A LinkStore stores links.
type LinkStore interface {
	// Insert adds a link. A SetUp link replaces the previous one; a Reset link replaces the user's previous one.
	Insert(ctx context.Context, l Link, events ...audit.Event) error
	// Find returns the link with a token, or ErrLinkSpent if there is none or it has expired at a time.
	Find(ctx context.Context, t Token, at time.Time) (Link, error)
	// List returns an account's links that have not expired at a time, newest first; for "", those of all accounts.
	List(ctx context.Context, account string, at time.Time) ([]Link, error)
	// Delete deletes the link with an id, or returns ErrNotFound.
	Delete(ctx context.Context, id string, events ...audit.Event) error
}

// A FailureStore counts failed sign-ins.
type FailureStore interface {
	// Add counts a failed attempt at a time. It begins a new count if the previous one has ended.
	Add(ctx context.Context, c Counter, at time.Time) error
	// Current returns the counts that have not ended at a time, in the order of the counters.
	Current(ctx context.Context, counters []Counter, at time.Time) ([]Failures, error)
	// AddEvent counts a failed attempt at the time of an audit event. The first, second, fourth, eighth and so on of a
	// count adds the event to the audit log, with the detail that a function returns for the number of failures.
	AddEvent(ctx context.Context, c Counter, e audit.Event, detail func(failures int) string) error
	// DeleteOld deletes counts that have ended at a time.
	DeleteOld(ctx context.Context, at time.Time) error
}

// A BrowserStore stores known browsers.
type BrowserStore interface {
	// Insert adds a known browser, and deletes all but the newest keep browsers of its user.
	Insert(ctx context.Context, b Browser, keep int) error
	// User returns the id of the user of a known browser, or ErrNotFound if it is unknown or has expired at a
	// time.
	User(ctx context.Context, t Token, at time.Time) (userID string, err error)
	// Delete deletes a known browser, if it exists.
	Delete(ctx context.Context, t Token) error
}

// An AuditLog returns entries of the audit log.
type AuditLog interface {
	Events(ctx context.Context, q audit.Query) ([]audit.Event, error)
}
