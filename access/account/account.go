// Package account manages the accounts of the service with their plans, the users who sign in to them on the dashboard,
// and the one-time links that let new users in.
package account

import (
	"slices"
	"time"
)

// An Account is a client of the service: a company or a person. It has a plan and owns API keys.
type Account struct {
	ID        string // "acc_" and 12 characters
	Name      string
	Plan      string // name of an apikey.Plan
	PlanSince time.Time
	Created   time.Time
	Disabled  time.Time // zero if enabled; a disabled account's keys are refused, and nobody can sign in to it

	ResultsOff time.Time // since when results of the playground aren't stored; zero if they are
	// TwoFactorRequired is since when all users of the account need a second factor; zero if they don't. Administrators
	// always do.
	TwoFactorRequired time.Time
	RecordingUntil    time.Time // until when requests are recorded; see package requestlog
}

// A Role says what a user may do.
type Role string

// The roles. Each includes the permissions of the ones before it.
const (
	Member        Role = "member"        // see keys and usage, use the playground
	Owner         Role = "owner"         // create and change keys, invite and remove users of the account
	Administrator Role = "administrator" // manage all accounts, plans and invitations, read the audit log
)

// Includes reports whether r has all permissions of other. An unknown role has none and is included in none.
func (r Role) Includes(other Role) bool {
	roles := []Role{Member, Owner, Administrator}
	return slices.Contains(roles, other) && slices.Index(roles, r) >= slices.Index(roles, other)
}

// A User is a person who signs in. A user belongs to one account.
type User struct {
	ID         string // "usr_" and 12 characters
	Account    string // id
	Email      string // unique, in lower case
	Role       Role
	Password   string // argon2id hash in PHC string format
	Created    time.Time
	LastSignIn time.Time
	// Sessions is the generation of the user's sessions. Raising it ends all sessions that began with a lower number.
	Sessions  int
	TwoFactor TwoFactor
}

// TwoFactor is the second factor of a user: an app that shows one-time codes (TOTP, RFC 6238). The zero value means
// that the user has not set one up.
type TwoFactor struct {
	Secret   string // shared with the app, in base32
	Since    time.Time
	LastStep int64    // number of the 30 seconds of the last code that was used; older codes are refused
	Recovery []string // SHA-256 of the unused recovery codes, in hexadecimal
}

// On reports whether there is a second factor.
func (t TwoFactor) On() bool { return t.Secret != "" }
