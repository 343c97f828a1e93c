package app

import (
	"context"
	"log/slog"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
)

const (
	// probeEvery is how often the server writes to its database to notice that it cannot, or can again.
	probeEvery = 10 * time.Second
	// findDamageEvery is how often the server reads all pages of a SQLite database to find damage.
	findDamageEvery = 24 * time.Hour
)

// A storage is a database whose faults the server watches. See sqldb.DB.
type storage interface {
	Probe(ctx context.Context) error
	FindDamage(ctx context.Context) error
}

// watchStorage watches the database until ctx ends, so that /health and /readyz report its faults.
func (s *Server) watchStorage(ctx context.Context) { watchStorage(ctx, s.DB, s.log) }

func watchStorage(ctx context.Context, db storage, log *slog.Logger) {
	probe := time.NewTicker(probeEvery)
	damage := time.NewTicker(findDamageEvery)
	defer probe.Stop()
	defer damage.Stop()
	findDamage(ctx, db, log)
	var fault matching.Code // of the last probe, "" without one
	for {
		select {
		case <-ctx.Done():
			return
		case <-damage.C:
			findDamage(ctx, db, log)
		case <-probe.C:
			fault = probeStorage(ctx, db, log, fault)
		}
	}
}

// probeStorage writes to the database and logs the beginning and the end of a fault. It returns the code of the fault,
// or "" without one.
func probeStorage(ctx context.Context, db storage, log *slog.Logger, before matching.Code) matching.Code {
	deadline, cancel := context.WithTimeout(ctx, probeEvery)
	defer cancel()
	err := db.Probe(deadline)
	fault := matching.CodeOf(err)
	switch {
	case ctx.Err() != nil || fault == before:
	case err != nil:
		log.ErrorContext(ctx, "database cannot be written", "error", err)
	default:
		log.WarnContext(ctx, "database can be written again")
	}
	return fault
}

func findDamage(ctx context.Context, db storage, log *slog.Logger) {
	if err := db.FindDamage(ctx); err != nil && ctx.Err() == nil {
		log.ErrorContext(ctx, "database not free of damage", "error", err)
	}
}
