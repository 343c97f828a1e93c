package endpoint

import (
	"net/netip"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/browsertoken"
)

// A Caller is who sends a request.
type Caller struct {
	Key     apikey.Key // without an ID if authentication found none
	Plan    apikey.Plan
	Account string     // that owns what the caller stores, and whose limits apply
	Address netip.Addr // of the client, or of the user's browser; the zero address if unknown
	// Browser has the claims of the browser token that the request has in place of the key; nil for others.
	Browser *browsertoken.Claims
	User    string // ID of the dashboard's user who sends the request; "" for others
}

// NewCaller returns the caller who presents a key. A key without an account has data and limits of its own, which its
// rotated successors share.
func NewCaller(k apikey.Key) Caller {
	plan, _ := apikey.PlanNamed(k.Plan)
	if k.Test() { // metrics and GET /me name the limits that apply
		plan = apikey.TestPlan()
		k.Plan = plan.Name
	}
	owner := k.Account
	if owner == "" {
		owner = k.Counter
	}
	return Caller{Key: k, Plan: plan, Account: owner}
}

// AddressText returns the address, or "" if it is unknown.
func (c *Caller) AddressText() string { return AddressText(c.Address) }

// AddressText returns an address as text, or "" if it is unknown.
func AddressText(a netip.Addr) string {
	if !a.IsValid() {
		return ""
	}
	return a.String()
}
