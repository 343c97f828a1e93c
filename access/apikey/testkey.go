package apikey

import (
	"fmt"

	"github.com/freelancer-matching/service/internal/matching"
)

const (
	// testPrefix begins the tokens of test keys on every plan. It never changes during the life of a key.
	testPrefix = "svc_test_"
	// maxTestKeys is the number of current test keys that an account may have besides Plan.MaxKeys others.
	maxTestKeys = 5
)

// Test reports whether the key is a test key. Requests with it see generated freelancers, change nothing that other
// keys see, and have the limits of TestPlan instead of those of the key's plan.
func (k Key) Test() bool { return k.Prefix == testPrefix }

// TestPlan returns the limits of test keys. It isn't among Plans, so no account can be on it.
func TestPlan() Plan {
	return Plan{
		Name: "test", Prefix: testPrefix, PerMinute: 60, MaxKeys: maxTestKeys, MaxDepth: 500, Interviews: 100,
		InterviewBytes: 5 << 20,
	}
}

// CodeTestKey is the error code of requests that a test key may not send.
const CodeTestKey matching.Code = "test_key_not_allowed"

// ErrTestKey returns the error for an operation that test keys may not call.
func ErrTestKey(operation string) error {
	return &matching.Error{
		Code: CodeTestKey,
		Message: fmt.Sprintf("A test key can't be used for %s, which works on the service's own data. Use another key.",
			operation),
	}
}

// testLimits returns a plan with the prefix and the number of keys of test keys.
func testLimits(plan Plan) Plan {
	plan.Prefix = testPrefix
	plan.MaxKeys = maxTestKeys
	return plan
}
