package app

import (
	"context"
	"time"

	"freelancer-matching/access/audit/chain"
)

// checkAuditLog appends entries of earlier releases to the chains of the audit log, and verifies the chains once a day.
func (s *Server) checkAuditLog(ctx context.Context, now time.Time) {
	adopted, err := s.DB.AuditLog.Adopt(ctx)
	if adopted > 0 {
		s.log.WarnContext(ctx, "entries of the audit log without a hash appended to the chains", "entries", adopted,
			"hint", "they are of an earlier release; otherwise, somebody has put them in")
	}
	if err == nil {
		err = s.DB.AuditLog.VerifyDaily(ctx, now)
	}

	switch {
	case err == nil || ctx.Err() != nil:
	case chain.IsBroken(err):
		s.log.ErrorContext(ctx, "audit log was tampered with", "error", err, "next", "run server audit verify")
	default:
		s.log.WarnContext(ctx, "audit log not verified", "retry_in", sweepEvery, "error", err)
	}
}
