package wire

import (
	"time"

	"github.com/freelancer-matching/service/access/apikey"
)

// MeAnswer is the response of GET /me.
type MeAnswer = Answer[Me]

// Me is what an API key may do.
type Me struct {
	KeyID       string     `json:"key_id"`
	Name        string     `json:"name"`
	Plan        string     `json:"plan"`
	Test        bool       `json:"test"`
	ExpiresAt   *time.Time `json:"expires_at"` // null if the key doesn't expire
	Operations  []string   `json:"operations"` // empty: all
	Permissions []string   `json:"permissions"`
	Limits      []Limit    `json:"limits"`    // empty: unlimited
	MaxDepth    int        `json:"max_depth"` // offset + limit of a match, at most
}

// A Limit is what is left of a limit of the plan.
type Limit struct {
	Name      string `json:"name"`   // requests, freelancers or changes
	Window    string `json:"window"` // minute, day or month
	Limit     int    `json:"limit"`
	Remaining int    `json:"remaining"`
	Reset     int    `json:"reset"` // seconds until the window ends, rounded up
}

// NewMe returns what a key may do on a plan, given what is left of its limits.
func NewMe(k *apikey.Key, plan apikey.Plan, left []Limit) Me {
	me := Me{
		KeyID: k.ID, Name: k.Name, Plan: plan.Name, Test: k.Test(), Operations: OrEmpty(k.Operations),
		Permissions: OrEmpty(k.Permissions), Limits: left, MaxDepth: plan.MaxDepth,
	}
	if end := k.End(); !end.IsZero() {
		utc := end.UTC()
		me.ExpiresAt = &utc
	}
	return me
}
