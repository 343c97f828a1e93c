package interview

import (
	"context"
	"errors"
	"iter"
	"strings"
	"time"

	"freelancer-matching/access/audit"
	"freelancer-matching/internal/matching"
)

const (
	// chunk is the number of sessions that are in memory at once while many are read.
	chunk = 20
	// deletedAtOnce is the number of sessions deleted in one transaction, which others wait for.
	deletedAtOnce = 100
)

// A Summary describes a session without questions and answers.
type Summary struct {
	SessionID      string
	Freelancer     Person
	JobTitle       string // of the project
	Mode           Mode   // that the session started with; Full for Questions
	State          State
	Language       string // ISO 639-1
	Begun          time.Time
	Evaluated      time.Time // zero for an open session
	Expires        time.Time
	Questions      int // so far
	Answered       int // not counting skipped questions
	Overall        matching.Optional[int]
	Recommendation matching.Optional[bool]
}

// A Page is a part of the list of sessions.
type Page struct {
	Sessions []Summary
	Damaged  int   // sessions left out because their stored data can't be read
	Next     Place // where the next page begins; zero on the last page
}

// List returns up to limit of the selected sessions after a place in the list, the newest first.
func (s *Service) List(ctx context.Context, selected Selection, after Place, limit int) (Page, error) {
	var page Page
	n := 0

	// One session more than the page holds shows whether another page follows.
	for r, err := range s.records(ctx, selected, after, limit+1) {
		if err != nil {
			return Page{}, err
		}

		if n++; n > limit {
			page.Next = after
			break
		}

		after = r.place()
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
func (s *Service) Read(ctx context.Context, account, id string, by Requester) (Result, error) {
	se, err := s.find(ctx, account, id)
	if err != nil {
		return Result{}, err
	}
	if err := s.auditReading(ctx, &by, se); err != nil {
		return Result{}, err
	}
	r := se.result(Report)
	return s.withWebhook(ctx, &r)
}

// ErrDamaged is the error for a session whose stored data can't be read.
var ErrDamaged = errors.New("the stored data of the session is damaged")

// Export returns all selected sessions like Read, the newest first. For a session whose stored data can't be read, it
// yields a Result that has only the ID, with ErrDamaged. It ends after the first other error.
func (s *Service) Export(ctx context.Context, selected Selection, by Requester) iter.Seq2[Result, error] {
	return func(yield func(Result, error) bool) {
		for r, err := range s.records(ctx, selected, Place{}, 0) {
			if err != nil {
				yield(Result{}, err)
				return
			}

			se, err := decode(r)
			if err != nil {
				s.logDamage(ctx, err)
				if !yield(Result{SessionID: r.ID}, ErrDamaged) {
					return
				}
				continue
			}

			// A session is in the audit log before the caller gets it, so an export that breaks off leaves no gap.
			if err := s.auditReading(ctx, &by, se); err != nil {
				yield(Result{}, err)
				return
			}

			result := se.result(Report)
			result, err = s.withWebhook(ctx, &result)
			if matching.CodeOf(err) == CodeSessionNotFound {
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
func (s *Service) DeleteAll(ctx context.Context, selected Selection, by Requester) (deleted int, err error) {
	entry := func(id string) audit.Event { return by.event(s.now(), audit.InterviewDeleted, id) }
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
func (s *Service) records(ctx context.Context, selected Selection, after Place, limit int) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for left := limit; limit == 0 || left > 0; left -= chunk {
			n := chunk
			if limit > 0 {
				n = min(chunk, left)
			}
			list, err := s.config.Store.List(ctx, selected, after, n, s.now())
			if err != nil {
				yield(Record{}, err)
				return
			}

			for _, r := range list {
				if !yield(r, nil) {
					return
				}
				after = r.place()
			}

			// A list that isn't full is the last one.
			if len(list) < n {
				return
			}
		}
	}
}

func (r *Record) place() Place { return Place{r.Begun, r.ID} }

func (s *Service) logDamage(ctx context.Context, err error) {
	s.config.Log.ErrorContext(ctx, "interview session unreadable", "error", err)
}

// find reads a session of an account. It returns CodeSessionNotFound if the account has no such session.
func (s *Service) find(ctx context.Context, account, id string) (*session, error) {
	if !isID(id) {
		return nil, s.errNotFound()
	}
	record, err := s.config.Store.Find(ctx, id, s.now())
	if errors.Is(err, ErrNotFound) {
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

// summary returns the summary of a session.
func (se *session) summary() Summary {
	r := se.result(se.Kind)
	sum := Summary{
		SessionID: r.SessionID, Freelancer: r.Freelancer, JobTitle: se.Subject.JobTitle, Mode: r.Mode, State: r.State,
		Language: r.Language, Begun: r.Begun, Expires: r.Expires, Questions: len(r.Questions),
	}
	for _, a := range r.Answers {
		if strings.TrimSpace(a.Text) != "" {
			sum.Answered++
		}
	}
	if e := r.Evaluation; e != nil {
		sum.Evaluated = e.At
		sum.Overall = e.Overall
		sum.Recommendation = e.Recommendation
	}
	return sum
}
