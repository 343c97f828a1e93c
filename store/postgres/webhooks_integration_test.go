//go:build integration

package postgres

import (
	"testing"

	"freelancer-matching/store/storetest"
)

func TestWebhooks(t *testing.T) {
	storetest.Webhooks(t, openEmpty)
}
