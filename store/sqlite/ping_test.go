package sqlite

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"github.com/freelancer-matching/service/store"
)

// A health check must not fail because requests use all connections.
func TestPing_WhileConnectionsAreBusy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "matching.db")
	db, err := Open(t.Context(), path) // for the schema
	if err == nil {
		err = db.Close()
	}
	if err != nil {
		t.Fatal(err)
	}

	writer, err := connect(path, 1)
	if err != nil {
		t.Fatal(err)
	}
	pools, err := openPools(path, writer)
	if err != nil {
		t.Fatal(err)
	}
	if db, err = store.New(t.Context(), dialect(), pools); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })

	for _, pool := range []*sql.DB{pools.Write, pools.Read} {
		for range pool.Stats().MaxOpenConnections {
			connection, err := pool.Conn(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { connection.Close() })
		}
	}

	// Without a connection of its own, the check would wait until then.
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := db.Health(ctx); err != nil {
		t.Error(err)
	}
}
