//go:build integration

package postgres

import (
	"testing"

	"freelancer-matching/store/storetest"
)

func TestMatchEvents(t *testing.T) {
	storetest.MatchEvents(t, openEmpty)
}
