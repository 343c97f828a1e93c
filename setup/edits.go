package setup

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/freelancer-matching/service/store/postgres"
	"github.com/freelancer-matching/service/store/sqlite"
)

// Edits returns the fields of freelancers that clients and the dashboard have changed since a time, by ID. An empty
// list stands for the whole record. Without a database, there are none.
func (x *Index) Edits(ctx context.Context, since time.Time) (map[string][]string, error) {
	c := x.config
	if c.Database.On() {
		return postgres.Edits(ctx, c.Database.URL, c.Database.Password.Get, since)
	}

	edits, err := sqlite.Edits(ctx, filepath.Join(c.Data, databaseFile), since)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return edits, err
}
