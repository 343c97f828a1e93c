package app

import (
	"context"
	"path/filepath"
	"time"

	"freelancer-matching/freelancers"
	"freelancer-matching/internal/config"
	"freelancer-matching/mappings"
	"freelancer-matching/match"
	"freelancer-matching/people"
	"freelancer-matching/setup"
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
		Log:        s.DB.AuditLog,
		Scrub:      s.DB.Scrub,
		Now:        time.Now,
	})
}

// openFreelancers returns the service that reads, changes and erases single freelancers.
func (s *Server) openFreelancers(matcher *match.Service, eraser *people.Service) (*freelancers.Service, error) {
	mapping, err := mappings.Load(mappings.Freelancers)
	if err != nil {
		return nil, err
	}

	config := freelancers.Config{
		Engine:   s.Index.Engine,
		Alias:    match.Alias,
		Mapping:  mapping.Name,
		Taxonomy: s.Index.Taxonomy.Version(),
		Prepare: func(ctx context.Context) (freelancers.Preparer, error) {
			return s.Index.ChangePreparer(ctx)
		},
		Filters: matcher.Filters,
		Erased:  s.Erased,
		Eraser:  eraser,
		Log:     s.DB.AuditLog,
		Now:     time.Now,
		Logger:  s.log,
		Changed: s.profileChanged,
	}
	if s.servers != nil { // a nil *servers in the interface wouldn't be nil
		config.Servers = s.servers
	}

	return freelancers.New(config), nil
}
