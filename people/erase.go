package people

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/interview"
)

// ErrNothing is returned if nothing is stored about a subject.
var ErrNothing = errors.New("nothing is stored about this person")

// An AmbiguousError reports that freelancers whom nobody named have texts with one of the addresses. They may be other
// people, so they are not erased.
type AmbiguousError struct{ IDs []string }

// Error lists the freelancers and says what to do.
func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("the address is in the records of several freelancers: %s. Look at them with server people find, "+
		"and name the IDs to erase", strings.Join(e.IDs, ", "))
}

// A LeftoverError reports what was still found after an erasure.
type LeftoverError struct{ Found *Found }

// Error says what was found.
func (e *LeftoverError) Error() string {
	return "the person was stored again meanwhile: " + e.Found.summary() + ". Run the same command again"
}

// Erasure says what was erased.
type Erasure struct {
	Before     *Found // what was stored before
	Indexes    ErasedIndexes
	Letters    int
	Interviews int
	Redacted   int // interviews about others in which an address was replaced
	Verdicts   int
	Events     int
	Exported   int      // lines of exports in the data folder
	AuditLog   int      // entries in which IDs were replaced by pseudonyms
	Pseudonyms []string // of the subject in the audit log
}

// Plan returns what Erase would erase. It returns ErrNothing or an *AmbiguousError if Erase would.
func (s *Service) Plan(ctx context.Context, subject Subject) (*Found, error) {
	found, err := s.find(ctx, subject)
	if err != nil {
		return nil, err
	}
	named := s.withResumes(subject).IDs
	others := slices.DeleteFunc(found.IDs(), func(id string) bool { return slices.Contains(named, id) })
	switch {
	case found.IsEmpty():
		return nil, ErrNothing
	case len(others) > 1 || len(others) == 1 && len(found.IDs()) > 1:
		return nil, &AmbiguousError{found.IDs()}
	}
	return found, nil
}

// Erase removes a subject from everywhere and puts them on the list of erased people. It first writes the list, so that
// a load that begins meanwhile leaves the subject out. If it fails, it can be called again. At the end it looks once
// more, and returns a *LeftoverError if a request that was running has stored the subject again.
func (s *Service) Erase(ctx context.Context, by audit.By, subject Subject) (*Erasure, error) {
	found, err := s.Plan(ctx, subject)
	if err != nil {
		return nil, err
	}
	e := &Erasure{Before: found}

	erased := Subject{IDs: union(subject.IDs, found.IDs()), Emails: subject.Emails}
	if err := s.List.add(ctx, s.withResumes(erased), s.Now()); err != nil {
		return nil, err
	}

	if ids := found.IDs(); len(ids) > 0 {
		if s.Announce != nil {
			if err := s.Announce(ctx, ids); err != nil {
				return nil, err
			}
		}
		if e.Indexes, err = s.eraseIndexes(ctx, ids); err != nil {
			return nil, err
		}
		if err := s.compact(ctx); err != nil {
			return nil, err
		}
		if err := s.Letters.drop(e.Indexes.Dropped); err != nil {
			return nil, err
		}
	}

	// Dead letters often have no ID. They are recognized by what was found elsewhere.
	if e.Letters, err = s.Letters.erase(&found.traces); err != nil {
		return nil, err
	}
	e.Letters = max(e.Letters, len(found.DeadLetters)) // including those of dropped indexes

	lines, err := s.Exports.erase(union(subject.IDs, found.IDs()))
	if err != nil {
		return nil, err
	}
	for _, n := range lines {
		e.Exported += n
	}

	if err := s.eraseRows(ctx, by, found, e); err != nil {
		return nil, err
	}

	if err := s.record(ctx, by, "", audit.PersonErased, erased, e.summary()); err != nil {
		return nil, err
	}

	// The pseudonyms let the caller find the entries about this erasure.
	for _, text := range slices.Concat(erased.IDs, erased.Emails) {
		pseudonym, err := s.Log.Pseudonym(ctx, text)
		if err != nil {
			return nil, err
		}
		e.Pseudonyms = append(e.Pseudonyms, pseudonym)
	}

	if err := s.Scrub(ctx); err != nil {
		return nil, err
	}

	// A request that was running may have stored the subject again.
	left, err := s.find(ctx, subject)
	if err == nil && !left.IsEmpty() {
		err = &LeftoverError{left}
	}

	return e, err
}

// eraseIndexes deletes freelancers from all indexes: in place if the engine can, and with the Eraser otherwise.
func (s *Service) eraseIndexes(ctx context.Context, ids []string) (ErasedIndexes, error) {
	if e, ok := s.Indexes.(inPlaceEngine); ok {
		_, indexes, err := s.eraseInPlace(ctx, e, ids, ids)
		return indexes, err
	}
	return s.Eraser.Erase(ctx, ids)
}

// union returns the distinct texts of two lists, sorted.
func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// eraseRows erases what is in the database.
func (s *Service) eraseRows(ctx context.Context, by audit.By, found *Found, e *Erasure) (err error) {
	for _, i := range found.Interviews {
		if err := s.deleteInterview(ctx, by, &i); err != nil {
			return err
		}
		e.Interviews++
	}

	for _, id := range found.MentionedIn {
		if err := s.redact(ctx, id, &found.traces); err != nil {
			return err
		}
		e.Redacted++
	}

	for _, v := range found.Verdicts {
		if err := s.Verdicts.Delete(ctx, v.Key); err != nil {
			return err
		}
		e.Verdicts++
	}

	if err := s.eraseEvents(ctx, found, e); err != nil {
		return err
	}
	if err := s.Results.Delete(ctx, found.Results); err != nil {
		return err
	}
	if err := s.Requests.Delete(ctx, found.Requests); err != nil {
		return err
	}
	if _, err := s.eraseProjects(ctx, &found.traces); err != nil {
		return err
	}
	if _, err := s.eraseBriefs(ctx, &found.traces); err != nil {
		return err
	}

	// The audit log comes last, because the steps above add entries to it.
	e.AuditLog, err = s.Log.ReplaceMentions(ctx, found.traces.longIDs(), found.traces.subject.IDs)
	return err
}

// redactTries is how often an interview is read again because a request has changed it.
const redactTries = 5

// redact replaces the addresses in an interview about somebody else.
func (s *Service) redact(ctx context.Context, id string, t *traces) (err error) {
	for range redactTries {
		var r interview.Record
		r, _, err = s.Interviews.Read(ctx, id)
		if errors.Is(err, interview.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}

		var data []byte
		if data, err = mapTexts(r.Data, t.redact); err != nil {
			return err
		}
		err = s.Interviews.Redact(ctx, r, data)
		if !errors.Is(err, interview.ErrChanged) {
			return err
		}
	}

	return err
}

// summary says in a few words what was erased, without identifying anybody.
func (e *Erasure) summary() string {
	return fmt.Sprintf("%d index records, %d dead letters, %d interviews, %d mentions in other interviews, %d verdicts, "+
		"%d events, %d match records, %d briefs, %d playground results, %d logged requests, %d places in projects, "+
		"%d texts of projects, %d places on lists of briefs, %d texts of saved briefs",
		len(e.Before.Freelancers), e.Letters, e.Interviews, e.Redacted, e.Verdicts, e.Events, e.Before.ShownIn,
		e.Before.Briefs, len(e.Before.Results), len(e.Before.Requests), len(e.Before.Shortlisted), len(e.Before.ProjectTexts),
		len(e.Before.Watched), len(e.Before.BriefTexts))
}

// Readmit takes a subject off the list of erased people, so that they can be loaded again. It reports whether the
// subject was on the list.
func (s *Service) Readmit(ctx context.Context, by audit.By, subject Subject) (bool, error) {
	removed, err := s.List.remove(ctx, s.withResumes(subject), s.Now())
	if err != nil || !removed {
		return false, err
	}
	return true, s.record(ctx, by, "", audit.PersonReadmitted, subject, "")
}
