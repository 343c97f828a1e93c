// Package apikey creates, parses and checks API keys. A key's token begins with a prefix that names its plan and ends
// with a checksum. Only its SHA-256 is stored: the token is available once, when the key is created. Package quota
// counts the requests of a key, and package usage records them.
//
//	token, key, err := service.Create(ctx, by, apikey.Request{Name: "Acme", Plan: "professional"})
//	key, err = service.Authenticate(ctx, token)
package apikey

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/matching"
)

// A Key is the record of an API key. Times of events that have not happened are zero.
type Key struct {
	ID      string // "key_" and 12 characters; public, identifies the key in logs and commands
	Account string // id of the account that owns the key; "" for a key from the command line without an account
	Name    string // chosen by the owner
	Plan    string // name of the current plan; the prefix may be that of an earlier one
	Prefix  string // of the token
	Last4   string // the last characters of the token, for people to recognize it
	Hash    Hash

	// Counter is the name under which the key's requests are counted: the key's id, or the counter of a key that it
	// replaces. So neither rotating nor revoking a key grants a fresh allowance.
	Counter   string
	PlanSince time.Time // start of the plan, from which its months of 30 days are counted

	Operations  []string       // permitted operations, sorted; empty: all
	Networks    []netip.Prefix // permitted client networks, sorted; empty: all
	Permissions []string       // granted by administrators, sorted; see Permissions

	Created    time.Time
	Expires    time.Time // chosen by the owner; zero: never
	GraceEnd   time.Time // end of the grace period after a rotation or a change of plan, if any
	Disabled   time.Time // refused until it is enabled again
	Revoked    time.Time // refused for good
	LastUsed   time.Time // accurate to a few seconds
	LastFrom   string    // network address of that use; "" if unknown or no longer kept
	ReplacedBy string    // id of the key that replaced this one by rotation
	Suspended  time.Time // when the account was disabled; read from the account, never written with the key
	// RecordingUntil is until when the account records requests; read from the account, like Suspended.
	RecordingUntil time.Time
	// Ranking is the published ranking of the account; nil if it has none. It is read like Suspended.
	Ranking *matching.Ranking
}

// Changes holds changes to the keys of an account.
type Changes struct {
	Keys   []Key // new and changed keys
	Events []audit.Event
}

// Masked returns the part of the token that may be shown: svc_pr_…wxyz.
func (k Key) Masked() string { return k.Prefix + "…" + k.Last4 }

// A State says whether a key is accepted.
type State string

// The states of a key. Only an active key is accepted.
const (
	Active   State = "active"
	Disabled State = "disabled" // the key or its account is disabled
	Revoked  State = "revoked"
	Expired  State = "expired"
)

// State returns the state of the key at a time. Permanent states take precedence over temporary ones.
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

// End returns when the key ends unless it is revoked: Expires or GraceEnd, whichever comes first. Zero means never.
func (k Key) End() time.Time {
	if k.Expires.IsZero() || !k.GraceEnd.IsZero() && k.GraceEnd.Before(k.Expires) {
		return k.GraceEnd
	}
	return k.Expires
}

func (k Key) expired(now time.Time) bool { return !k.End().IsZero() && !now.Before(k.End()) }

// Ended reports whether the key was revoked or has expired, so that it will never be accepted again.
func (k Key) Ended(now time.Time) bool { return !k.Revoked.IsZero() || k.expired(now) }

// Current reports whether the key has neither ended nor been replaced. Only a current key can be changed or rotated,
// and each one counts toward the Plan.MaxKeys of its account, even if it is disabled.
func (k Key) Current(now time.Time) bool { return !k.Ended(now) && k.ReplacedBy == "" }

// AnyOperation is an operation that every key allows.
const AnyOperation = ""

// Allows returns nil if the key may be used for an operation from an address. Otherwise it returns CodeOperation or
// CodeNetwork. An IPv4 address may be given in the form of an IPv6 address.
func (k Key) Allows(operation string, address netip.Addr) error {
	restricted := operation != AnyOperation && len(k.Operations) > 0
	if restricted && !slices.Contains(k.Operations, operation) {
		return &matching.Error{
			Code:    CodeOperation,
			Message: fmt.Sprintf("The API key does not allow %s. It allows %s.", operation, strings.Join(k.Operations, ", ")),
		}
	}
	address = address.Unmap().WithZone("")
	contains := func(p netip.Prefix) bool { return p.Contains(address) }
	if len(k.Networks) > 0 && !slices.ContainsFunc(k.Networks, contains) {
		return &matching.Error{
			Code:    CodeNetwork,
			Message: "The API key does not allow requests from this network address. Its owner can add the address.",
		}
	}
	return nil
}

// Permits returns nil if administrators have granted the key a permission, and CodePermission otherwise.
func (k Key) Permits(permission string) error {
	if slices.Contains(k.Permissions, permission) {
		return nil
	}
	return &matching.Error{
		Code: CodePermission,
		Message: fmt.Sprintf("The API key does not have the permission %s. An administrator of this service can grant it.",
			permission),
	}
}

// Event returns an entry of the audit log about the key.
func (k Key) Event(at time.Time, by audit.By, action audit.Action, detail string) audit.Event {
	return audit.Event{
		At: at, Actor: by.Actor, Account: k.Account, Action: action, Subject: k.ID, Detail: detail, Address: by.Address,
		Browser: by.Browser,
	}
}

// Creation returns the changes that store the key as a new one.
func (k Key) Creation(at time.Time, by audit.By) Changes {
	detail := fmt.Sprintf("%q %s, plan %s, %s", k.Name, k.Masked(), k.Plan, k.describeSettings())
	return Changes{Keys: []Key{k}, Events: []audit.Event{k.Event(at, by, audit.KeyCreated, detail)}}
}

func (k Key) describeSettings() string {
	operations := "any operation"
	networks := "any network"
	expires := "never expires"
	if len(k.Operations) > 0 {
		operations = strings.Join(k.Operations, " ")
	}
	if len(k.Networks) > 0 {
		networks = "from " + strings.Trim(fmt.Sprint(k.Networks), "[]")
	}
	if !k.Expires.IsZero() {
		expires = "expires " + k.Expires.Format(time.RFC3339)
	}
	return operations + ", " + networks + ", " + expires
}

// The error codes of refused requests. Clients receive the last three with status 403 and the others with 401.
const (
	CodeMissing    matching.Code = "missing_api_key"
	CodeInvalid    matching.Code = "invalid_api_key"
	CodeDisabled   matching.Code = "disabled_api_key"
	CodeRevoked    matching.Code = "revoked_api_key"
	CodeExpired    matching.Code = "expired_api_key"
	CodeOperation  matching.Code = "operation_not_allowed"
	CodeNetwork    matching.Code = "network_not_allowed"
	CodePermission matching.Code = "permission_required"
)

func errMissing() error {
	return &matching.Error{Code: CodeMissing, Message: "The request has no API key. Send one in the X-API-Key header."}
}

// errInvalid returns the same error for malformed and for unknown tokens, so that guessing reveals nothing.
func errInvalid() error {
	return &matching.Error{
		Code: CodeInvalid, Message: "The API key is not valid. Check that X-API-Key contains the whole key.",
	}
}

// Refusal returns nil if the key is accepted at a time, and a matching.Error otherwise. A key on an unknown plan,
// written by a newer version of this service, is refused with another error, because its limits are unknown.
func (k Key) Refusal(now time.Time) error {
	_, known := PlanNamed(k.Plan)
	switch state := k.State(now); {
	case state == Revoked:
		return &matching.Error{Code: CodeRevoked, Message: "The API key was revoked. Use another one."}
	case state == Disabled && k.Disabled.IsZero():
		return &matching.Error{
			Code: CodeDisabled, Message: "The account of this API key is disabled. Ask the operator of this service.",
		}
	case state == Disabled:
		return &matching.Error{Code: CodeDisabled, Message: "The API key is disabled. Enable it, or use another one."}
	case state == Expired:
		return &matching.Error{Code: CodeExpired, Message: "The API key has expired. Use another one."}
	case !known:
		return fmt.Errorf("key %s is on the plan %q, which this version does not know", k.ID, k.Plan)
	default:
		return nil
	}
}
