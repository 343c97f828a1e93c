package app

import (
	"context"

	"freelancer-matching/setup"
)

// syncErased brings the list of erased people in the database and its copy in the data folder together. A server with a
// damaged copy starts, because the database has the list; loads fail until an operator has looked at the copy.
func (s *Server) syncErased(ctx context.Context) {
	added, err := s.Erased.Sync(ctx)
	if err != nil {
		s.log.ErrorContext(ctx, "list of erased people not copied", "error", err)
	}
	if added > 0 {
		s.log.WarnContext(ctx, "erased people added to the database; it is from an older backup or release",
			"entries", added, "copy", string(s.Erased.Copy))
	}

	report, err := s.DB.ErasedReport(ctx)
	if err != nil {
		s.log.ErrorContext(ctx, "list of erased people not checked", "error", err)
		return
	}
	if report.Missing() {
		p := setup.MissingErased(s.config, report)
		s.log.WarnContext(ctx, "list of erased people missing", "problem", p.Text, "next", p.Next)
	}
}
