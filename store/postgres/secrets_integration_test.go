//go:build integration

package postgres

import (
	"testing"

	"freelancer-matching/store/storetest"
)

func TestSecrets(t *testing.T) {
	storetest.Secrets(t, openEmpty)
}
