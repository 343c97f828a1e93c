// Package app puts the parts of the product together. It alone knows which engine and which store run.
package app

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"freelancer-matching/internal/analysis"
	"freelancer-matching/internal/engine"
	"freelancer-matching/internal/engine/embedded"
	"freelancer-matching/internal/match"
	"freelancer-matching/internal/matching"
	"freelancer-matching/internal/store/sqlite"
	"freelancer-matching/internal/taxonomy"
	"freelancer-matching/mappings"
	"freelancer-matching/server/apikey"
)

// The places in a data folder.
const (
	indexesDir   = "indexes"
	databaseFile = "matching.db"
)

// Index is what server and indexer share: the engine on a data folder, and the knowledge that documents and briefs
// are prepared with.
type Index struct {
	Engine   *embedded.Engine
	Taxonomy *taxonomy.Taxonomy
	Analyzer *analysis.Analyzer
}

// OpenIndex opens the engine in a data folder, which is made where it is missing.
func OpenIndex(data string, log *slog.Logger) (*Index, error) {
	skills, err := taxonomy.Load()
	if err != nil {
		return nil, fmt.Errorf("load the skill taxonomy: %w", err)
	}
	e, err := embedded.Open(filepath.Join(data, indexesDir), embedded.Options{Log: log})
	if err != nil {
		return nil, err
	}
	return &Index{Engine: e, Taxonomy: skills, Analyzer: analysis.New()}, nil
}

// Close ends the engine's background work.
func (x *Index) Close() error { return x.Engine.Close() }

// Preparer turns freelancers into documents of this index.
func (x *Index) Preparer() *match.Preparer { return match.NewPreparer(x.Taxonomy, x.Analyzer) }

// Service answers briefs from this index.
func (x *Index) Service(log *slog.Logger) (*match.Service, error) {
	return match.New(x.Engine, x.Taxonomy, x.Analyzer, log)
}

// Fill makes an index of freelancers that are known to be good, such as generated ones, and points the alias to it.
// Files of any other origin go through the indexer, which checks, merges and reports.
func (x *Index) Fill(ctx context.Context, freelancers iter.Seq[matching.Freelancer], source, currency string) error {
	mapping, err := mappings.Load(mappings.Freelancers)
	if err != nil {
		return err
	}
	now := time.Now().UTC().Truncate(time.Second)
	spec := engine.Spec{
		Name:    "freelancers-v1-" + now.Format("20060102t150405z"),
		Mapping: mapping, Source: source, Currency: currency, Taxonomy: x.Taxonomy.Version(), Created: now,
	}
	if err := x.Engine.Create(ctx, spec); err != nil {
		return err
	}
	bulk, err := x.Engine.Bulk(ctx, spec.Name)
	if err != nil {
		return err
	}
	defer bulk.Abort()
	preparer := x.Preparer()
	for f := range freelancers {
		if err := bulk.Add(ctx, preparer.Prepare(f)); err != nil {
			return fmt.Errorf("add freelancer %q: %w", f.ID, err)
		}
	}
	if _, err := bulk.Close(ctx); err != nil {
		return err
	}
	_, err = x.Engine.PointAlias(ctx, match.Alias, spec.Name)
	return err
}

// Keys is the key service on the database of a data folder.
type Keys struct {
	*apikey.Service
	DB *sqlite.DB
}

// OpenKeys opens the database in a data folder, making both where they are missing.
func OpenKeys(ctx context.Context, data string, log *slog.Logger) (*Keys, error) {
	if err := os.MkdirAll(data, 0o750); err != nil {
		return nil, fmt.Errorf("make the data folder: %w", err)
	}
	db, err := sqlite.Open(ctx, filepath.Join(data, databaseFile))
	if err != nil {
		return nil, err
	}
	return &Keys{Service: apikey.NewService(db, time.Now, log), DB: db}, nil
}

// Close records the last uses and closes the database.
func (k *Keys) Close() error { return errors.Join(k.Service.Close(), k.DB.Close()) }
