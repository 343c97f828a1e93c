package quota_test

import (
	"testing"

	"freelancer-matching/server/quota"
	"freelancer-matching/server/quota/quotatest"
)

func TestMemory(t *testing.T) {
	quotatest.Store(t, func(*testing.T) quota.Store { return quota.NewMemory() })
}
