package sqlite

import (
	"testing"

	"github.com/freelancer-matching/service/store/storetest"
)

func TestNotices(t *testing.T) {
	storetest.Notices(t, openEmpty)
}
