package apikey

import (
	"net/netip"
	"time"

	"freelancer-matching/internal/matching"
	"freelancer-matching/server/audit"
)

// Key is the record of one API key. Moments that have not come are zero.
type Key struct {
	ID      string // public, key_ and 12 characters; in logs and commands it stands for the key
	Account string // id of the account that owns it; "" for one made on the command line for none
	Name    string // what it is for, in the owner's words
	Plan    string // name of the plan; it decides, not the prefix
	Prefix  string
	Last4   string // the last characters of the token, to tell keys apart
	Hash    Hash

	// Counter is the name under which its requests are counted: its own id, or the counter of the key whose place it took, so
	// that neither rotating nor revoking gives a fresh allowance.
	Counter   string
	PlanSince time.Time // when its plan began: months of 30 days are counted from then on

	Operations []string       // the operations it may be used for, sorted; none: all
	Networks   []netip.Prefix // the networks it may be used from; none: any

	Created    time.Time
	Expires    time.Time // from then on refused; zero: never
	Disabled   time.Time // refused until enabled again
	Revoked    time.Time // refused for good
	LastUsed   time.Time // to some seconds
	ReplacedBy string    // id of the key that took its place by rotation
	Suspended  time.Time // when its account was disabled; read from there, never written with the key
}

// Changes is what becomes of the keys of an account.
type Changes struct {
	Keys   []Key // new ones and changed ones, told apart by their ids
	Events []audit.Event
}

// Masked is the token as far as it may be shown: svc_pr_…wxyz.
func (k Key) Masked() string { return k.Prefix + "…" + k.Last4 }

// State is whether a key is accepted.
type State string

// The states of a key. Only an active key is accepted.
const (
	Active   State = "active"
	Disabled State = "disabled"
	Revoked  State = "revoked"
	Expired  State = "expired"
)

// State is the state of the key at a moment. What cannot be undone goes first.
func (k Key) State(now time.Time) State {
	switch {
	case !k.Revoked.IsZero():
		return Revoked
	case !k.Disabled.IsZero():
		return Disabled
	case !k.Expires.IsZero() && !now.Before(k.Expires):
		return Expired
	default:
		return Active
	}
}

// The codes with which a request is refused, all of them 401.
const (
	CodeMissing  matching.Code = "missing_api_key"
	CodeInvalid  matching.Code = "invalid_api_key"
	CodeDisabled matching.Code = "disabled_api_key"
	CodeRevoked  matching.Code = "revoked_api_key"
	CodeExpired  matching.Code = "expired_api_key"
)

func errMissing() error {
	return &matching.Error{Code: CodeMissing, Message: "the request has no API key; send one in the header X-API-Key"}
}

// errInvalid is one answer for a malformed and for an unknown key: whoever guesses learns nothing from it.
func errInvalid() error {
	return &matching.Error{Code: CodeInvalid, Message: "the API key is not valid; check that X-API-Key holds the whole key"}
}

// refusal is the error for a key in a state, nil for an active one.
func refusal(s State) error {
	switch s {
	case Disabled:
		return &matching.Error{Code: CodeDisabled, Message: "the API key is disabled; enable it or use another one"}
	case Revoked:
		return &matching.Error{Code: CodeRevoked, Message: "the API key was revoked; use another one"}
	case Expired:
		return &matching.Error{Code: CodeExpired, Message: "the API key has expired; use another one"}
	default:
		return nil
	}
}
