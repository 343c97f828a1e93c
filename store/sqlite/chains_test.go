package sqlite

import (
	"path/filepath"
	"testing"

	"github.com/freelancer-matching/service/store"
	"github.com/freelancer-matching/service/store/storetest"
)

func TestAuditChains(t *testing.T) {
	storetest.AuditChains(t, func(t *testing.T) func() *store.DB {
		path := filepath.Join(t.TempDir(), "service.db")
		return func() *store.DB { return openFile(t, path) }
	})
}
