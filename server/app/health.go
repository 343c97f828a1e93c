package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match"
	"github.com/freelancer-matching/service/server/api/wire"
)

// healthTimeout limits a health check. A slower result would come after the timeout of most callers.
const healthTimeout = 2 * time.Second

// Check implements api.Health.
func (s *Server) Check(ctx context.Context) wire.Components {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()

	c := wire.Components{
		DataSource:     wire.DataSource{Status: wire.StatusHealthy, Type: "none", Engine: s.Index.EngineName()},
		SkillExtractor: wire.SkillExtractor{Status: wire.StatusReady, Skills: s.Index.Taxonomy.Len()},
		Database:       wire.Database{Status: wire.StatusConnected, Type: s.DB.Type()},
		LLM:            s.model.health(),
	}

	if rates := s.Index.Rates; rates != nil {
		c.ExchangeRates = &wire.ExchangeRates{Status: wire.StatusCurrent, Date: rates.Table().Date()}
		if rates.Stale() {
			c.ExchangeRates.Status = wire.StatusOutdated
		}
	}

	if s.encoding != nil {
		progress := s.encoding.Progress()
		c.Encoder = &wire.Encoder{
			Status: wire.StatusEncoding, Encoded: progress.Encoded, Freelancers: progress.Freelancers,
		}
		if progress.Done {
			c.Encoder.Status = wire.StatusComplete
		}
	}

	if languages := s.parser.OCRLanguages(); len(languages) > 0 {
		c.OCR = &wire.OCR{Languages: languages}
	}
	s.checkIndex(ctx, &c.DataSource)

	// Live may return information that is half a second old, so Ping asks the cluster itself.
	if p, ok := s.Index.Engine.(interface{ Ping(context.Context) error }); ok {
		if err := p.Ping(ctx); err != nil {
			s.log.ErrorContext(ctx, "search engine unreachable", "error", err)
			c.DataSource.Status = wire.StatusError
			c.DataSource.Error = "The search engine does not respond."
		}
	}

	if err := s.DB.Health(ctx); err != nil {
		s.log.ErrorContext(ctx, "database unhealthy", "error", err)
		c.Database.Status = wire.StatusError
		c.Database.Error = databaseProblem(err)
	}

	return c
}

// checkIndex checks the alias and the index that it points to. A server that has an index open keeps answering from it
// when the alias or its next index turns out damaged; that is a degraded state.
func (s *Server) checkIndex(ctx context.Context, d *wire.DataSource) {
	info, err := s.Live(ctx)

	// A server without data works, and waits for the first load.
	if errors.Is(err, engine.ErrNotFound) {
		return
	}

	if err != nil {
		s.log.ErrorContext(ctx, "index unreadable", "error", err, "hint", engine.Remedy(err))
		d.Status = wire.StatusError
		d.Error = "The index cannot be read." + remedy(err)
		return
	}

	d.Type = info.Source
	d.FreelancerCount = info.Documents
	d.Index = info.Name
	d.IndexedAt = info.Created

	if err := s.Index.Engine.CheckAlias(ctx, match.Alias); err != nil && ctx.Err() == nil {
		s.log.ErrorContext(ctx, "alias not followed", "serving", info.Name, "error", err, "hint", engine.Remedy(err))
		d.Status = wire.StatusDegraded
		d.Error = "The alias or its index cannot be read; the index that was open stays in service." + remedy(err)
	}

	if info.DamagedRecords > 0 {
		err := error(&engine.DamagedError{})
		s.log.ErrorContext(ctx, "damaged records", "index", info.Name, "freelancers", info.DamagedRecords,
			"hint", engine.Remedy(err))
		d.Status = wire.StatusDegraded
		d.Error = strings.TrimSpace(fmt.Sprintf("%s Damaged records: %d.%s", d.Error, info.DamagedRecords, remedy(err)))
	}
}

// remedy returns engine.Remedy as a sentence with a space before it, or "" if there is none.
func remedy(err error) string {
	text := engine.Remedy(err)
	if text == "" {
		return ""
	}
	return " The operator can " + text + "."
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
