package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/freelancer-matching/service/instances"
	"github.com/freelancer-matching/service/store/column"
	"github.com/freelancer-matching/service/store/fault"
	"github.com/freelancer-matching/service/store/sqldb"
)

// Instances stores the servers that share the database.
type Instances struct{ db *sqldb.DB }

var _ instances.Store = Instances{}

const (
	instanceColumnNames = "id, host, folder, engine, started, seen, live_index, erased"
	selectInstances     = "SELECT " + instanceColumnNames + " FROM servers ORDER BY id"
)

func instanceColumns(i *instances.Instance) []any {
	return []any{
		&i.ID, &i.Host, &i.Folder, &i.Engine,
		column.Sortable(&i.Started), column.Sortable(&i.Seen), &i.Index, &i.Erased,
	}
}

// Beat implements instances.Store.
func (s Instances) Beat(ctx context.Context, i instances.Instance) error {
	return s.db.Exec(ctx, "store a heartbeat", `
		INSERT INTO servers (`+instanceColumnNames+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (id) DO UPDATE SET
			host = excluded.host, folder = excluded.folder, engine = excluded.engine, started = excluded.started,
			seen = excluded.seen, live_index = excluded.live_index, erased = excluded.erased`, instanceColumns(&i)...)
}

// Instances implements instances.Store.
func (s Instances) Instances(ctx context.Context) ([]instances.Instance, error) {
	list, err := sqldb.SelectAll(ctx, s.db.Pools.Read, instanceColumns, selectInstances)
	if err != nil {
		return nil, fmt.Errorf("list servers: %w", s.db.Note(err))
	}
	return list, nil
}

// RemoveInstance implements instances.Store.
func (s Instances) RemoveInstance(ctx context.Context, id string, seen time.Time) error {
	return s.db.Exec(ctx, "remove a server", "DELETE FROM servers WHERE id = $1 AND seen = $2", id, column.Sortable(&seen))
}

// InspectInstances lists the servers in a database that New need not accept. It also returns the revision of the list
// of erased people.
func InspectInstances(ctx context.Context, pool *sql.DB) (list []instances.Instance, erased int64, err error) {
	if list, err = sqldb.SelectAll(ctx, pool, instanceColumns, selectInstances); err == nil {
		err = pool.QueryRowContext(ctx, selectErasedRevision).Scan(&erased)
	}
	if err != nil {
		return nil, 0, fault.Mark(fmt.Errorf("list servers: %w", err))
	}
	return list, erased, nil
}
