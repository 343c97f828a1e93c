package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/store/fault"
	"github.com/freelancer-matching/service/store/sqldb"
)

const selectEdits = "SELECT subject, detail FROM audit_events WHERE action IN ($1, $2) AND at >= $3"

// Edits returns the fields of freelancers that clients and the dashboard have changed since a time, by ID, in a
// database that New need not accept. An empty list stands for the whole record. They come from the audit log, whose
// entries lose their IDs after its retention.
func Edits(ctx context.Context, pool *sql.DB, since time.Time) (map[string][]string, error) {
	columns := func(e *audit.Event) []any { return []any{&e.Subject, &e.Detail} }
	entries, err := sqldb.SelectAll(ctx, pool, columns, selectEdits,
		string(audit.FreelancerStored), string(audit.FreelancerPatched), since.UnixMicro())
	if err != nil {
		return nil, fault.Mark(fmt.Errorf("read the changes of freelancers: %w", err))
	}

	edits := make(map[string][]string)
	whole := make(map[string]bool)
	for _, e := range entries {
		fields := strings.Fields(e.Detail)
		whole[e.Subject] = whole[e.Subject] || len(fields) == 0
		edits[e.Subject] = append(edits[e.Subject], fields...)
	}
	for id := range whole {
		if whole[id] {
			edits[id] = nil
		}
	}

	return edits, nil
}
