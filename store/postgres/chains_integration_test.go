//go:build integration

package postgres

import (
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/access/audit/chain"
	"github.com/freelancer-matching/service/store"
	"github.com/freelancer-matching/service/store/storetest"
)

func TestAuditChains(t *testing.T) {
	storetest.AuditChains(t, func(t *testing.T) func() *store.DB {
		address := newSchema(t)
		return func() *store.DB { return openAt(t, address) }
	})
}

// A server that dies while it holds a chain releases it, and leaves no gap.
func TestAuditChains_ConnectionKilled(t *testing.T) {
	address := newSchema(t)
	killed := openAt(t, address)
	other := openAt(t, address)
	events := []audit.Event{{At: time.Unix(1_800_000_000, 0), Action: audit.KeyChanged}}
	tx, err := killed.Pools.Write.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()

	if err := killed.AuditLog.Insert(t.Context(), tx, events); err != nil {
		t.Fatal(err)
	}
	var process int
	if err := tx.QueryRowContext(t.Context(), "SELECT pg_backend_pid()").Scan(&process); err != nil {
		t.Fatal(err)
	}

	// The other server may already wait for the chain, or come later.
	recorded := make(chan error)
	go func() { recorded <- other.AuditLog.Record(t.Context(), events...) }()
	if _, err := connectRaw(t, address).ExecContext(t.Context(), "SELECT pg_terminate_backend($1)", process); err != nil {
		t.Fatal(err)
	}
	if err := <-recorded; err != nil {
		t.Error(err)
	}
	if err := tx.Commit(); err == nil {
		t.Error("the killed transaction was committed")
	}

	report, err := other.AuditLog.Verify(t.Context(), chain.Main, nil)
	if err != nil || report.Records != 1 {
		t.Errorf("%d records, %v; want one", report.Records, err)
	}
}
