//go:build integration

package postgres

import (
	"testing"

	"github.com/freelancer-matching/service/store/storetest"
)

func TestMatchEvents(t *testing.T) {
	storetest.MatchEvents(t, openEmpty)
}
