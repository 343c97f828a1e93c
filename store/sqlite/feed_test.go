package sqlite

import (
	"testing"

	"github.com/freelancer-matching/service/store/storetest"
)

func TestFeed(t *testing.T) {
	storetest.Feed(t, openEmpty)
}
