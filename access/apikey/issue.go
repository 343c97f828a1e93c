package apikey

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"freelancer-matching/internal/matching"
)

// The codes with which a change to keys is refused.
const (
	CodeTooMany matching.Code = "too_many_keys" // the plan of the account allows no more
	CodeEnded   matching.Code = "key_ended"     // the key was revoked, has expired, or was replaced
)

// ErrExists is the answer to a Request whose id is already that of a key: the same form was sent twice.
var ErrExists = errors.New("there is already a key with this id")

// Owner is for whom a key is made.
type Owner struct {
	Account   string // id; "" for nobody's: then Request.Plan is what the key gets, and there is no limit to their number
	Plan      string // name of the account's plan
	PlanSince time.Time
}

// Issue makes a key for an owner who has keys, and stores nothing. A request that cannot be met is a matching.Error: with the
// code CodeInvalid and every fault, or CodeTooMany. ErrExists.
//
// An account gets a new counter only when keys in use hold all that it has had: see inherited.
func Issue(now time.Time, owner Owner, keys []Key, r Request) (token string, k Key, err error) {
	now = now.UTC().Truncate(time.Millisecond)
	k = Key{ID: r.ID, Account: owner.Account, PlanSince: owner.PlanSince, Created: now}
	faults := Settings{Name: r.Name, Operations: r.Operations, Networks: r.Networks, Expires: r.Expires}.apply(&k, now)
	planName := owner.Plan
	if owner.Account == "" {
		planName, k.PlanSince = r.Plan, now
	}
	plan, known := PlanNamed(planName)
	if !known {
		faults = append(faults, matching.FieldError{
			Field: "plan", Code: "unknown", Message: fmt.Sprintf("plan must be one of %s, got %q", planNames(), planName),
		})
	}
	if k.ID == "" {
		k.ID = NewID()
	} else if !idForm.MatchString(k.ID) {
		faults = append(faults, matching.FieldError{Field: "id", Code: "invalid", Message: "id must come from this service"})
	}
	if err := matching.Invalid(faults); err != nil {
		return "", Key{}, err
	}
	if slices.ContainsFunc(keys, func(other Key) bool { return other.ID == k.ID }) {
		return "", Key{}, fmt.Errorf("key %q: %w", k.ID, ErrExists)
	}
	k.Counter = k.ID
	if owner.Account != "" {
		if err := underLimit(now, keys, plan); err != nil {
			return "", Key{}, err
		}
		if counter, ok := inherited(now, keys); ok {
			k.Counter = counter
		}
	}
	token = k.newToken(plan)
	return token, k, nil
}

// newToken makes a token of a plan and records it in the key.
func (k *Key) newToken(plan Plan) (token string) {
	token = Generate(plan)
	k.Plan, k.Prefix, k.Last4, k.Hash = plan.Name, plan.Prefix, token[len(token)-lastLen:], HashOf(token)
	return token
}

func underLimit(now time.Time, keys []Key, plan Plan) error {
	n := 0
	for _, k := range keys {
		if k.Current(now) {
			n++
		}
	}
	if n < plan.MaxKeys {
		return nil
	}
	return &matching.Error{
		Code: CodeTooMany,
		Message: fmt.Sprintf("the plan %s has room for %d; revoke a key, rotate one, or ask for a larger plan",
			plan.Name, plan.MaxKeys),
	}
}

// inherited is the counter that a new key of an account takes over: of the keys whose counter no current key holds, that of the
// most recently made. So revoking a key and making a new one goes on with the same allowance, and an account never has more
// counters than it had current keys at one time. A key that was replaced by rotation holds nothing, although it is accepted
// until its grace is over: else rotating, revoking the new key and making another would give a fresh allowance each time.
func inherited(now time.Time, keys []Key) (counter string, ok bool) {
	held := map[string]bool{}
	for _, k := range keys {
		if k.Current(now) {
			held[k.Counter] = true
		}
	}
	var last Key
	for _, k := range keys {
		if !held[k.Counter] && !k.Created.Before(last.Created) {
			last = k
		}
	}
	return last.Counter, last.Counter != ""
}

// Graces is how long a key can live on after it was rotated, or after its account went to another plan.
func Graces() []time.Duration {
	return []time.Duration{0, time.Hour, 24 * time.Hour, 7 * 24 * time.Hour}
}

// CheckGrace is nil for one of Graces, else a matching.Error.
func CheckGrace(grace time.Duration) error {
	if slices.Contains(Graces(), grace) {
		return nil
	}
	return matching.Invalid([]matching.FieldError{{
		Field: "grace", Code: "unknown", Message: fmt.Sprintf("grace must be 0, 1h, 24h or 168h, got %s", grace),
	}})
}

// endGraceBy lets the key live no longer than until a moment. A grace period that ends before stays as it is.
func (k *Key) endGraceBy(at time.Time) {
	if k.GraceEnd.IsZero() || at.Before(k.GraceEnd) {
		k.GraceEnd = at
	}
}

// ofEarlierPlan reports whether the token was made for another plan than the key now has.
func (k Key) ofEarlierPlan() bool {
	plan, _ := PlanNamed(k.Plan)
	return k.Prefix != plan.Prefix
}

// rotate makes a token with the settings of a current key and lets the old one live on for one of Graces, at most. The new
// key is as disabled as the old one, goes on with its counter, and has the prefix of the plan of now. It
// expires when the old one does, by its owner's will; the grace period after a change of plan is the old prefix's, and not
// passed on.
func (k Key) rotate(now time.Time, grace time.Duration) (token string, next, old Key) {
	plan, _ := PlanNamed(k.Plan)
	next, old = k, k
	next.ID, next.Created, next.LastUsed = NewID(), now, time.Time{}
	next.GraceEnd = time.Time{}
	token = next.newToken(plan)
	old.ReplacedBy = next.ID
	old.endGraceBy(now.Add(grace))
	return token, next, old
}

// Replan is what becomes of the keys of an account that goes to a plan: those that have not ended count by the new plan at
// once, whatever their prefix, and those with the prefix of another plan live on for the grace period at most. No change of
// plan lets a key live longer, also not one back to the plan of its prefix; nor does it touch when it expires. Their number
// is left as it is, also where the plan has room for fewer: that limits new ones only.
func Replan(now time.Time, keys []Key, plan Plan, grace time.Duration) (changed []Key) {
	for _, k := range keys {
		if k.Ended(now) {
			continue
		}
		k.Plan, k.PlanSince = plan.Name, now
		if k.ofEarlierPlan() {
			k.endGraceBy(now.Add(grace))
		}
		changed = append(changed, k)
	}
	return changed
}
