package app

import (
	"cmp"
	"context"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/freelancers"
	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/indexer/loading"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/mappings"
	"github.com/freelancer-matching/service/match"
	"github.com/freelancer-matching/service/people"
	"github.com/freelancer-matching/service/setup"
)

// newEraser returns the service that erases people from the open engine.
func (s *Server) newEraser(c config.Config) *people.Service {
	return people.New(people.Config{
		Indexes:    s.Index.Engine,
		Alias:      match.Alias,
		Letters:    people.Letters(filepath.Join(c.Data, setup.DeadLettersDir)),
		Vectors:    s.eraseVectors,
		Exports:    people.Exports(c.Data),
		List:       s.Erased,
		Interviews: s.DB.Interviews,
		Verdicts:   s.DB.Verdicts,
		Events:     s.DB.MatchEvents,
		Results:    s.DB.Results,
		Requests:   s.DB.RequestLog,
		Projects:   s.DB.Projects,
		Saved:      s.DB.Briefs,
		Log:        s.DB.AuditLog,
		Scrub:      s.DB.Scrub,
		Now:        s.now,
	})
}

// openFreelancers returns the service that reads, changes and erases single freelancers.
func (s *Server) openFreelancers(matcher *match.Service, eraser *people.Service) (*freelancers.Service, error) {
	mapping, err := mappings.Load(mappings.Freelancers)
	if err != nil {
		return nil, err
	}

	config := freelancers.Config{
		Engine: s.Index.Engine,
		Alias:  match.Alias,
		Creator: &indexCreator{
			index: s.Index, data: s.config.Data, version: s.config.Version, log: s.log, now: s.now,
		},
		Currency: loading.DefaultCurrency,
		Mapping:  mapping.Name,
		Taxonomy: s.Index.Taxonomy.Version(),
		Prepare: func(ctx context.Context) (freelancers.Preparer, error) {
			return s.Index.ChangePreparer(ctx)
		},
		Filters: matcher.Filters,
		Erased:  s.Erased,
		Eraser:  eraser,
		Log:     s.DB.AuditLog,
		Feed:    s.feed,
		Now:     s.now,
		Logger:  s.log,
		Changed: s.profileChanged,
	}
	if s.servers != nil { // a nil *servers in the interface wouldn't be nil
		config.Servers = s.servers
	}

	return freelancers.New(config), nil
}

// indexCreator implements freelancers.Creator with the code of the indexer.
type indexCreator struct {
	index   *setup.Index
	data    string // folder
	version string // of the program
	log     *slog.Logger
	now     func() time.Time
}

// Create implements freelancers.Creator.
func (c *indexCreator) Create(
	ctx context.Context, by audit.By, currency string, p freelancers.Preparer, announce func(index string) error,
) error {
	run := engine.Run{
		Command: createCommand, Version: cmp.Or(c.version, "unknown"), User: by.Actor,
		Options: map[string]string{"currency": currency},
	}
	options, err := loading.Options(c.index, c.data, loading.Owner("the first change over HTTP", c.now()), run)
	if err != nil {
		return err
	}
	options.Source = "http"
	options.Currency = currency
	options.Progress = func(bulk.Progress) {} // an empty index is ready at once

	loader := &bulk.Loader{Indexer: c.index.Engine, Preparer: p, Log: c.log, Now: c.now}
	_, err = loader.Create(ctx, options, announce)
	return err
}
