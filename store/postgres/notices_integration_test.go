//go:build integration

package postgres

import (
	"testing"

	"freelancer-matching/store/storetest"
)

func TestNotices(t *testing.T) {
	storetest.Notices(t, openEmpty)
}
