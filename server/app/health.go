package app

import (
	"context"
	"errors"
	"strings"
	"time"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
	"freelancer-matching/server/api"
)

// healthTimeout limits a health check. A slower result would come after the timeout of most callers.
const healthTimeout = 2 * time.Second

// Check implements api.Health.
func (s *Server) Check(ctx context.Context) api.Components {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	c := api.Components{
		DataSource:     api.DataSource{Status: api.StatusHealthy, Type: "none", Engine: s.Index.EngineName()},
		SkillExtractor: api.SkillExtractor{Status: api.StatusReady, Skills: s.Index.Taxonomy.Len()},
		Database:       api.Database{Status: api.StatusConnected, Type: s.DB.Type()},
		LLM:            s.model.health(),
	}
	info, err := s.Live(ctx)
	switch {
	case err == nil:
		c.DataSource.Type, c.DataSource.FreelancerCount = info.Source, info.Documents
		c.DataSource.Index, c.DataSource.IndexedAt = info.Name, info.Created
	case !errors.Is(err, engine.ErrNotFound):
		s.log.ErrorContext(ctx, "index unreadable", "error", err)
		c.DataSource.Status, c.DataSource.Error = api.StatusError, "The index cannot be read."
	}
	// Live may return information that is half a second old, so Ping asks the cluster itself.
	if p, ok := s.Index.Engine.(interface{ Ping(context.Context) error }); ok {
		if err := p.Ping(ctx); err != nil {
			s.log.ErrorContext(ctx, "search engine unreachable", "error", err)
			c.DataSource.Status, c.DataSource.Error = api.StatusError, "The search engine does not respond."
		}
	}
	if err := s.DB.Health(ctx); err != nil {
		s.log.ErrorContext(ctx, "database unhealthy", "error", err)
		c.Database.Status, c.Database.Error = api.StatusError, databaseProblem(err)
	}
	return c
}

// databaseProblem returns the first sentence of an error of the database, without internals.
func databaseProblem(err error) string {
	fault, ok := errors.AsType[*matching.Error](err)
	if !ok {
		return "The database does not respond."
	}
	problem, _, _ := strings.Cut(fault.Message, ". ")
	return strings.TrimSuffix(problem, ".") + "."
}
