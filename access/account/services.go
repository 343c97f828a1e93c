package account

import (
	"crypto/rand"
	"log/slog"
	"net/netip"
	"time"

	"github.com/freelancer-matching/service/access/audit"
)

// A Config holds the dependencies of Services. All are required.
type Config struct {
	Stores Stores
	Now    func() time.Time
	SignUp SignUpPolicy
	Limits Limits
	Log    *slog.Logger
}

// Services holds the services of this package, each for one purpose. They are safe for concurrent use. Except for
// creating links, they don't check whether an actor has the role for a change: callers must, with Role.Includes.
//
// Expected failures are matching.Errors with a code of this package, whose messages may be shown to users.
type Services struct {
	Accounts      *Accounts
	Users         *Users
	Links         *Links
	SignUps       *SignUps
	SignIns       *SignIns
	Sessions      *Sessions
	Browsers      Browsers
	Passwords     *Passwords
	SecondFactors *SecondFactors
	Verifier      *Verifier
	AuditLog      AuditLog
}

// New returns the services. They share the limits of failed attempts and the queue for hashes.
func New(c Config) *Services {
	now := clock(func() time.Time { return c.Now().UTC().Truncate(time.Millisecond) })
	users := userRecords{c.Stores.Users, now}
	accounts := accountRecords{c.Stores.Accounts, now}

	throttle := &throttle{store: c.Stores.Failures, limits: c.Limits, now: now, log: c.Log}
	hasher := newHasher(currentParams())
	rules := newPasswordRules()

	verifier := &Verifier{users, throttle, hasher, now}
	links := &Links{c.Stores.Links, users, accounts, throttle, c.SignUp, now}
	sessions := &Sessions{users, accounts, now}
	browsers := Browsers{c.Stores.Browsers, now}

	return &Services{
		Accounts: &Accounts{accounts, users, verifier, now},
		Users:    &Users{users, verifier, now},
		Links:    links,
		SignUps:  &SignUps{users, accounts, links, throttle, hasher, rules, c.SignUp, now},
		SignIns: &SignIns{
			users: users, accounts: accounts, sessions: sessions, browsers: browsers, verifier: verifier,
			throttle: throttle, hasher: hasher, now: now, log: c.Log,
		},
		Sessions:      sessions,
		Browsers:      browsers,
		Passwords:     &Passwords{users, links, verifier, hasher, rules, now},
		SecondFactors: &SecondFactors{users, now},
		Verifier:      verifier,
		AuditLog:      c.Stores.AuditLog,
	}
}

// A clock returns the current time, in the resolution of stores.
type clock func() time.Time

// newID returns a prefix followed by 12 random base32 characters, 60 bits.
func newID(prefix string) string { return prefix + rand.Text()[:12] }

// addressOf returns the network address of an actor, or the zero address if there is none.
func addressOf(by audit.By) netip.Addr {
	address, _ := netip.ParseAddr(by.Address)
	return address
}

func event(at time.Time, by audit.By, account string, action audit.Action, subject, detail string) audit.Event {
	return audit.Event{
		At: at, Actor: by.Actor, Account: account, Action: action, Subject: subject, Detail: detail, Address: by.Address,
		Browser: by.Browser,
	}
}
