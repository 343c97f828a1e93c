package apikey

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
)

// The error codes of refused changes to keys.
const (
	CodeTooMany matching.Code = "too_many_keys" // the account's plan permits no more keys
	CodeEnded   matching.Code = "key_ended"     // the key was revoked or replaced, or has expired
)

// ErrExists means that a key with the id of a Request exists, because the same form was sent before.
var ErrExists = errors.New("a key with this id exists")

// An Owner is the account for which a key is created. The zero Owner creates keys without an account, which have
// Request.Plan and are not limited in number.
type Owner struct {
	Account   string // id
	Plan      string // name of the account's plan
	PlanSince time.Time
}

// Issue creates a key for an owner and stores nothing. It needs all existing keys of the owner. It returns CodeInvalid
// with all faults, CodeTooMany, or ErrExists.
//
// A new key continues the counter of an ended key if it can, so replacing a key grants no fresh allowance.
func Issue(now time.Time, owner Owner, keys []Key, r Request) (token string, k Key, err error) {
	now = now.UTC().Truncate(time.Millisecond)
	k = Key{ID: r.ID, Account: owner.Account, PlanSince: owner.PlanSince, Created: now}
	faults := Settings{Name: r.Name, Operations: r.Operations, Networks: r.Networks, Expires: r.Expires}.apply(&k, now)
	planName := owner.Plan
	if owner.Account == "" {
		planName = r.Plan
		k.PlanSince = now
	}

	plan, known := PlanNamed(planName)
	if !known {
		faults = append(faults, UnknownPlan(planName))
	}

	if k.ID == "" {
		k.ID = NewID()
	} else if !idPattern.MatchString(k.ID) {
		faults = append(faults, matching.FieldError{
			Field: "id", Code: "invalid", Message: "id must be one that this service created",
		})
	}

	if err := matching.Invalid(faults); err != nil {
		return "", Key{}, err
	}
	if slices.ContainsFunc(keys, func(other Key) bool { return other.ID == k.ID }) {
		return "", Key{}, fmt.Errorf("key %q: %w", k.ID, ErrExists)
	}

	// A key that takes the place of an ended one continues its counter, or else a new key would be a new allowance.
	k.Counter = k.ID
	if r.Test {
		k.Prefix = testPrefix
		plan = testLimits(plan)
	}
	if owner.Account != "" {
		if err := checkMaxKeys(now, keys, plan, r.Test); err != nil {
			return "", Key{}, err
		}
		// The requests of a test key don't count against the plan, so it takes over no counter.
		if counter, ok := freeCounter(now, keys); ok && !r.Test {
			k.Counter = counter
		}
	}

	token = k.setToken(plan)
	return token, k, nil
}

// setToken gives the key a new token on a plan, and returns the token. A test key stays one.
func (k *Key) setToken(plan Plan) (token string) {
	if k.Test() {
		plan = testLimits(plan)
	}
	token = Generate(plan)
	k.Plan, k.Prefix, k.Last4, k.Hash = plan.Name, plan.Prefix, token[len(token)-last4Len:], HashOf(token)
	return token
}

// checkMaxKeys returns CodeTooMany if an account has as many current keys, or test keys, as it may have.
func checkMaxKeys(now time.Time, keys []Key, plan Plan, test bool) error {
	n := 0
	for _, k := range keys {
		if k.Current(now) && k.Test() == test {
			n++
		}
	}
	if n < plan.MaxKeys {
		return nil
	}
	if test {
		return &matching.Error{
			Code: CodeTooMany, Message: fmt.Sprintf("An account can have %d test keys. Revoke one.", maxTestKeys),
		}
	}
	return &matching.Error{
		Code: CodeTooMany,
		Message: fmt.Sprintf("The plan %s permits at most %s. Revoke or rotate a key, or ask for a larger plan.",
			plan.Name, countKeys(plan.MaxKeys)),
	}
}

func countKeys(n int) string {
	if n == 1 {
		return "1 key"
	}
	return fmt.Sprintf("%d keys", n)
}

// freeCounter returns the counter that a new key of an account takes over, if there is one: the counter of the newest
// key among those whose counter no current key uses. So an account never has more counters than the most current keys
// it ever had at a time, and revoking a key and creating another continues the same allowance.
//
// A key that was replaced by rotation does not keep its counter, although it is accepted until its grace period ends.
// Otherwise, rotating a key, revoking the new one and creating another would grant a fresh allowance each time.
func freeCounter(now time.Time, keys []Key) (counter string, ok bool) {
	used := map[string]bool{}
	for _, k := range keys {
		if k.Current(now) {
			used[k.Counter] = true
		}
	}
	var newest Key
	for _, k := range keys {
		if !used[k.Counter] && !k.Test() && !k.Created.Before(newest.Created) {
			newest = k
		}
	}
	return newest.Counter, newest.Counter != ""
}

// Graces returns the grace periods that a key can have after its rotation or a change of plan.
func Graces() []time.Duration {
	return []time.Duration{0, time.Hour, 24 * time.Hour, 7 * 24 * time.Hour}
}

// CheckGrace returns CodeInvalid unless grace is one of Graces.
func CheckGrace(grace time.Duration) error {
	if slices.Contains(Graces(), grace) {
		return nil
	}
	return matching.Invalid([]matching.FieldError{{
		Field: "grace", Code: "unknown", Message: fmt.Sprintf("grace must be 0, 1h, 24h or 168h, got %s", grace),
	}})
}

// limitGrace sets the end of the grace period, unless it already ends earlier.
func (k *Key) limitGrace(end time.Time) {
	if k.GraceEnd.IsZero() || end.Before(k.GraceEnd) {
		k.GraceEnd = end
	}
}

// rotate returns a new key with a new token, and the old key with its grace period. The new key has the settings and
// the counter of the old one, is disabled if the old one is, and has the prefix of its current plan. It expires when
// the owner wanted the old key to expire: a grace period after a change of plan ends the old prefix only.
func (k Key) rotate(now time.Time, grace time.Duration) (token string, next, old Key) {
	plan, _ := PlanNamed(k.Plan)
	next = k
	old = k
	next.ID = NewID()
	next.Created = now
	next.GraceEnd = time.Time{}
	next.LastUsed = time.Time{}
	next.LastFrom = ""
	token = next.setToken(plan)
	old.ReplacedBy = next.ID
	old.limitGrace(now.Add(grace))
	return token, next, old
}

// Replan returns the changed keys of an account that moves to another plan. All keys that have not ended get the
// limits of the new plan at once. Keys with the prefix of another plan also end after the grace period. No change of
// plan lets a key live longer, even one back to the plan of its prefix, and none changes Expires. Keys in excess of
// the new plan's MaxKeys remain: that limit applies to new keys only.
func Replan(now time.Time, keys []Key, plan Plan, grace time.Duration) (changed []Key) {
	for _, k := range keys {
		if k.Ended(now) {
			continue
		}
		k.Plan = plan.Name
		k.PlanSince = now
		if k.Prefix != plan.Prefix && !k.Test() {
			k.limitGrace(now.Add(grace))
		}
		changed = append(changed, k)
	}
	return changed
}
