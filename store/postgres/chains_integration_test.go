//go:build integration

package postgres

import (
	"testing"

	"freelancer-matching/store"
	"freelancer-matching/store/storetest"
)

func TestAuditChains(t *testing.T) {
	storetest.AuditChains(t, func(t *testing.T) func() *store.DB {
		address := newSchema(t)
		return func() *store.DB { return openAt(t, address) }
	})
}
