package apikey

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"freelancer-matching/access/audit"
	"freelancer-matching/internal/matching"
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
	Expires    time.Time // by its owner's will; zero: never
	GraceEnd   time.Time // of the grace period after a rotation or a change of plan; zero: there was none
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
	Disabled State = "disabled" // or its account is
	Revoked  State = "revoked"
	Expired  State = "expired"
)

// State is the state of the key at a moment. What cannot be undone goes first.
func (k Key) State(now time.Time) State {
	switch {
	case !k.Revoked.IsZero():
		return Revoked
	case k.expired(now):
		return Expired
	case !k.Disabled.IsZero(), !k.Suspended.IsZero():
		return Disabled
	default:
		return Active
	}
}

// End is when the key is refused from, unless it is revoked: Expires or GraceEnd, whichever comes first; zero: never.
func (k Key) End() time.Time {
	if k.Expires.IsZero() || !k.GraceEnd.IsZero() && k.GraceEnd.Before(k.Expires) {
		return k.GraceEnd
	}
	return k.Expires
}

func (k Key) expired(now time.Time) bool { return !k.End().IsZero() && !now.Before(k.End()) }

// Ended reports whether the key will never be accepted again: it was revoked, or its time is over.
func (k Key) Ended(now time.Time) bool { return !k.Revoked.IsZero() || k.expired(now) }

// Current reports whether the key has neither ended nor been replaced. Only a current key can be changed or rotated, and it
// takes one of the Plan.MaxKeys of its account, disabled or not.
func (k Key) Current(now time.Time) bool { return !k.Ended(now) && k.ReplacedBy == "" }

// Allows reports whether the key may be used for an operation from an address: nil, or a matching.Error with the code
// CodeOperation or CodeNetwork. An IPv4 address may come in the form of an IPv6 one.
func (k Key) Allows(operation string, address netip.Addr) error {
	if len(k.Operations) > 0 && !slices.Contains(k.Operations, operation) {
		return &matching.Error{
			Code:    CodeOperation,
			Message: fmt.Sprintf("the API key may not be used for %s; it is for %s", operation, strings.Join(k.Operations, ", ")),
		}
	}
	address = address.Unmap().WithZone("")
	within := func(p netip.Prefix) bool { return p.Contains(address) }
	if len(k.Networks) > 0 && !slices.ContainsFunc(k.Networks, within) {
		return &matching.Error{
			Code:    CodeNetwork,
			Message: "the API key may not be used from this network address; its owner can allow it",
		}
	}
	return nil
}

// Event is what the audit log holds of something done to the key.
func (k Key) Event(at time.Time, by audit.By, action audit.Action, detail string) audit.Event {
	return audit.Event{
		At: at, Actor: by.Actor, Account: k.Account, Action: action, Subject: k.ID, Detail: detail, Address: by.Address,
	}
}

// The codes with which a request is refused: 401, and 403 for the last two.
const (
	CodeMissing   matching.Code = "missing_api_key"
	CodeInvalid   matching.Code = "invalid_api_key"
	CodeDisabled  matching.Code = "disabled_api_key"
	CodeRevoked   matching.Code = "revoked_api_key"
	CodeExpired   matching.Code = "expired_api_key"
	CodeOperation matching.Code = "operation_not_allowed"
	CodeNetwork   matching.Code = "network_not_allowed"
)

func errMissing() error {
	return &matching.Error{Code: CodeMissing, Message: "the request has no API key; send one in the header X-API-Key"}
}

// errInvalid is one answer for a malformed and for an unknown key: whoever guesses learns nothing from it.
func errInvalid() error {
	return &matching.Error{Code: CodeInvalid, Message: "the API key is not valid; check that X-API-Key holds the whole key"}
}

// Refusal is the error for the key at a moment, nil where it is accepted. One on a plan that this version does not know, which
// a newer version has written, is refused with an error that is no matching.Error: what it may use cannot be told.
func (k Key) Refusal(now time.Time) error {
	_, known := PlanNamed(k.Plan)
	switch state := k.State(now); {
	case state == Revoked:
		return &matching.Error{Code: CodeRevoked, Message: "the API key was revoked; use another one"}
	case state == Disabled && k.Disabled.IsZero():
		return &matching.Error{Code: CodeDisabled, Message: "the account of the API key is disabled; ask whoever runs this service"}
	case state == Disabled:
		return &matching.Error{Code: CodeDisabled, Message: "the API key is disabled; enable it or use another one"}
	case state == Expired:
		return &matching.Error{Code: CodeExpired, Message: "the API key has expired; use another one"}
	case !known:
		return fmt.Errorf("key %s is on the plan %q, which this version does not know", k.ID, k.Plan)
	default:
		return nil
	}
}
