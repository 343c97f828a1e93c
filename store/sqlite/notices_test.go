package sqlite

import (
	"testing"

	"freelancer-matching/store/storetest"
)

func TestNotices(t *testing.T) {
	storetest.Notices(t, openEmpty)
}
