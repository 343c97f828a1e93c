//go:build integration

package postgres

import (
	"testing"

	"github.com/freelancer-matching/service/store/storetest"
)

// The list of what is stored fits both databases.
func TestStoredData(t *testing.T) {
	address := newSchema(t)
	openAt(t, address)
	storetest.StoredData(t, connectRaw(t, address), `
		SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = current_schema()`)
}
