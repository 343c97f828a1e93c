//go:build integration

package postgres

import (
	"testing"

	"freelancer-matching/store"
	"freelancer-matching/store/storetest"
)

func TestSecrets(t *testing.T) {
	storetest.Secrets(t, func(t *testing.T) *store.DB { return newDB(t) })
}
