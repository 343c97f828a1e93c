package apikey_test

import (
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/internal/matching"
)

// A test key is recognized by its token, stays one, and takes nothing of the account's keys and quota.
func TestTestKey(t *testing.T) {
	now := time.Date(2030, 6, 15, 12, 0, 0, 0, time.UTC)
	owner := apikey.Owner{Account: "acc_1", Plan: "freelancer", PlanSince: now} // a plan with one key
	var keys []apikey.Key
	issue := func(test bool) (string, apikey.Key, error) {
		token, k, err := apikey.Issue(now, owner, keys, apikey.Request{Name: "CI", Test: test})
		if err == nil {
			keys = append(keys, k)
		}
		return token, k, err
	}

	_, live, err := issue(false)
	if err != nil || live.Test() {
		t.Fatalf("a live key is %+v, %v", live, err)
	}
	keys[0].Revoked = now // its counter is free

	token, test, err := issue(true)
	if err != nil || !test.Test() || !strings.HasPrefix(token, "svc_test_") || test.Plan != "freelancer" {
		t.Fatalf("token %q of %+v, %v", token, test, err)
	}
	if test.Counter != test.ID {
		t.Errorf("the test key counts as %s", test.Counter)
	}
	if plan, err := apikey.Parse(token); err != nil || plan.Name != "test" {
		t.Errorf("the token names the plan %q, %v", plan.Name, err)
	}

	keys[1].Revoked = now
	if _, next, err := issue(false); err != nil || next.Counter != live.Counter {
		t.Errorf("the next live key counts as %s, %v; want %s", next.Counter, err, live.Counter)
	}
	for range apikey.TestPlan().MaxKeys {
		if _, _, err := issue(true); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := issue(true); matching.CodeOf(err) != apikey.CodeTooMany {
		t.Errorf("one test key too many: %v", err)
	}

	professional, _ := apikey.PlanNamed("professional")
	for _, k := range apikey.Replan(now, keys, professional, time.Hour) {
		if k.Test() && (!k.GraceEnd.IsZero() || k.Plan != "professional") {
			t.Errorf("after a change of plan, the test key is %+v", k)
		}
	}
}

// Nobody can put an account on the plan of test keys.
func TestTestPlan_IsNoPlanOfAccounts(t *testing.T) {
	if _, known := apikey.PlanNamed(apikey.TestPlan().Name); known {
		t.Error("the plan of test keys is among the plans of accounts")
	}
}
