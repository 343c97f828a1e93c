package app

import (
	"context"
	"errors"
	"time"

	"github.com/freelancer-matching/service/access/audit/chain"
)

// checkAuditLog appends entries of earlier releases to the chains of the audit log, and verifies the chains once a day.
// The metrics have what any server found last.
func (s *Server) checkAuditLog(ctx context.Context, now time.Time) {
	adopted, err := s.DB.AuditLog.Adopt(ctx)
	if adopted > 0 {
		s.log.WarnContext(ctx, "entries of the audit log without a hash appended to the chains", "entries", adopted,
			"hint", "they are of an earlier release; otherwise, somebody has put them in")
	}
	if err == nil {
		err = errors.Join(s.DB.AuditLog.VerifyDaily(ctx, now), s.countFaults(ctx))
	}

	switch {
	case err == nil || ctx.Err() != nil:
	case chain.IsBroken(err):
		s.log.ErrorContext(ctx, "audit log was tampered with", "error", err, "next", "run server audit verify")
	default:
		s.log.WarnContext(ctx, "audit log not verified", "retry_in", sweepEvery, "error", err)
	}
}

// countFaults sets the metric of the audit log.
func (s *Server) countFaults(ctx context.Context) error {
	states, err := s.DB.AuditLog.States(ctx)
	if err != nil {
		return err
	}

	faults := 0
	for _, state := range states {
		if state.Fault != "" {
			faults++
		}
	}
	s.Metrics.AuditLogVerified(faults)
	return nil
}
