package sessions

import (
	"context"
	"time"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/interview"
)

// entryBy returns an entry of the audit log about a session.
func entryBy(r interview.Requester, at time.Time, action audit.Action, session string) audit.Event {
	return audit.Event{
		At: at, Actor: r.Actor, Account: r.Account, Action: action, Subject: session, Address: r.Address,
	}
}

// auditReading records that somebody reads stored answers. A session without any has nothing to read. If the entry
// cannot be stored, the request fails: nobody reads answers without a trace.
func (s *Service) auditReading(ctx context.Context, by *interview.Requester, se *session) error {
	if len(se.Answers) == 0 {
		return nil
	}
	now := s.now()
	entry := entryBy(*by, now, audit.InterviewRead, se.record.ID)
	return s.config.Store.AuditOnce(ctx, entry, now.Truncate(24*time.Hour))
}
