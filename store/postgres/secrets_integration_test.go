//go:build integration

package postgres

import (
	"testing"

	"github.com/freelancer-matching/service/store/storetest"
)

func TestSecrets(t *testing.T) {
	storetest.Secrets(t, openEmpty)
}
