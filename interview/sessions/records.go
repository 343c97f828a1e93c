package sessions

import (
	"context"
	"errors"
	"iter"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
)

const (
	// chunk is the number of sessions that are in memory at once while many are read.
	chunk = 20
	// deletedAtOnce is the number of sessions deleted in one transaction, which others wait for.
	deletedAtOnce = 100
)

// List returns up to limit of the selected sessions after a place in the list, the newest first.
func (s *Service) List(
	ctx context.Context, selected interview.Selection, after interview.Place, limit int,
) (interview.Page, error) {
	var page interview.Page
	n := 0

	// One session more than the page holds shows whether another page follows.
	for r, err := range s.records(ctx, selected, after, limit+1) {
		if err != nil {
			return interview.Page{}, err
		}

		if n++; n > limit {
			page.Next = after
			break
		}

		after = placeOf(&r)
		se, err := decode(r)
		if err != nil {
			s.logDamage(ctx, err)
			page.Damaged++
			continue
		}

		page.Sessions = append(page.Sessions, se.summary())
	}

	return page, nil
}

// Read returns a session of an account like a request of mode Report. It returns CodeSessionNotFound if the account has
// no such session.
func (s *Service) Read(ctx context.Context, account, id string, by interview.Requester) (interview.Result, error) {
	se, err := s.find(ctx, account, id)
	if err != nil {
		return interview.Result{}, err
	}
	if err := s.auditReading(ctx, &by, se); err != nil {
		return interview.Result{}, err
	}
	r := se.result(interview.Report)
	return s.withWebhook(ctx, &r)
}

// Export returns all selected sessions like Read, the newest first. For a session whose stored data can't be read, it
// yields a Result that has only the ID, with ErrDamaged. It ends after the first other error.
func (s *Service) Export(
	ctx context.Context, selected interview.Selection, by interview.Requester,
) iter.Seq2[interview.Result, error] {
	return func(yield func(interview.Result, error) bool) {
		for r, err := range s.records(ctx, selected, interview.Place{}, 0) {
			if err != nil {
				yield(interview.Result{}, err)
				return
			}

			se, err := decode(r)
			if err != nil {
				s.logDamage(ctx, err)
				if !yield(interview.Result{SessionID: r.ID}, interview.ErrDamaged) {
					return
				}
				continue
			}

			// A session is in the audit log before the caller gets it, so an export that breaks off leaves no gap.
			if err := s.auditReading(ctx, &by, se); err != nil {
				yield(interview.Result{}, err)
				return
			}

			result := se.result(interview.Report)
			result, err = s.withWebhook(ctx, &result)
			if matching.CodeOf(err) == interview.CodeSessionNotFound {
				continue // deleted meanwhile
			}
			if !yield(result, err) || err != nil {
				return
			}
		}
	}
}

// DeleteAll deletes the selected sessions with the stored results of requests about them, including expired ones, and
// returns how many there were. If it fails, it returns how many it has deleted before. The audit log has an entry about
// each.
func (s *Service) DeleteAll(
	ctx context.Context, selected interview.Selection, by interview.Requester,
) (deleted int, err error) {
	entry := func(id string) audit.Event { return entryBy(by, s.now(), audit.InterviewDeleted, id) }
	for {
		n, err := s.config.Store.DeleteSome(ctx, selected, deletedAtOnce, entry)
		deleted += n
		if err != nil || n < deletedAtOnce {
			return deleted, err
		}
	}
}

// records returns the records of selected sessions after a place, up to limit; 0 means no limit. It reads a few at a
// time, because together they can be large, and holds no connection to the database in between.
func (s *Service) records(
	ctx context.Context, selected interview.Selection, after interview.Place, limit int,
) iter.Seq2[interview.Record, error] {
	return func(yield func(interview.Record, error) bool) {
		for left := limit; limit == 0 || left > 0; left -= chunk {
			n := chunk
			if limit > 0 {
				n = min(chunk, left)
			}
			list, err := s.config.Store.List(ctx, selected, after, n, s.now())
			if err != nil {
				yield(interview.Record{}, err)
				return
			}

			for _, r := range list {
				if !yield(r, nil) {
					return
				}
				after = placeOf(&r)
			}

			// A list that isn't full is the last one.
			if len(list) < n {
				return
			}
		}
	}
}

// placeOf returns the place of a session in the list.
func placeOf(r *interview.Record) interview.Place { return interview.Place{Begun: r.Begun, ID: r.ID} }

func (s *Service) logDamage(ctx context.Context, err error) {
	s.config.Log.ErrorContext(ctx, "interview session unreadable", "error", err)
}

// find reads a session of an account. It returns CodeSessionNotFound if the account has no such session.
func (s *Service) find(ctx context.Context, account, id string) (*session, error) {
	if !isID(id) {
		return nil, s.errNotFound()
	}
	record, err := s.config.Store.Find(ctx, id, s.now())
	if errors.Is(err, interview.ErrNotFound) {
		return nil, s.errNotFound()
	}
	if err != nil {
		return nil, err
	}

	// A session of another account looks like one that doesn't exist.
	if record.Account != account {
		return nil, s.errNotFound()
	}
	return decode(record)
}
