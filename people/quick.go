package people

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/freelancers"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
)

var _ freelancers.Eraser = (*Service)(nil)

// errInPlaceOnly is returned if an engine can't erase freelancers quickly.
var errInPlaceOnly = &matching.Error{
	Code: freelancers.CodeReadOnly, Message: "The search engine of this server can't erase single freelancers.",
}

// EraseFreelancers implements freelancers.Eraser: it does what Erase does for people who are given by ID, while the
// service is running. It doesn't read whole indexes, so it finds dead letters without an ID only by the names and the
// addresses of profiles in the given records. It may be repeated if it fails.
func (s *Service) EraseFreelancers(
	ctx context.Context, by audit.By, account string, list []freelancers.Person,
) (map[string]freelancers.Erasure, error) {
	e, ok := s.Indexes.(inPlaceEngine)
	if !ok {
		return nil, errInPlaceOnly
	}
	q := s.newQuickErasure(by, account, list)
	if len(list) == 0 {
		return q.erased, nil
	}

	// The list of erased people comes first, so that a change or a load that has read an earlier list notices; see
	// freelancers.Service. Of those without a record, finish lists the people who are found elsewhere.
	withRecord := idsWithRecord(list)
	if err := q.list(ctx, withRecord); err != nil {
		return nil, err
	}
	if err := q.eraseIndexed(ctx, e, withRecord); err != nil {
		return nil, err
	}

	// finish comes last, because it needs to know about whom anything was found.
	for _, step := range []func(context.Context) error{
		q.eraseLetters, q.eraseExports, q.eraseInterviews, q.eraseVerdicts, q.eraseReports, q.eraseResults,
		q.eraseProjects, q.eraseBriefs, q.finish,
	} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}

	return q.erased, nil
}

// idsWithRecord returns the IDs of the people who have a record in the live index.
func idsWithRecord(list []freelancers.Person) (ids []string) {
	for _, person := range list {
		if person.Record != nil {
			ids = append(ids, person.ID)
		}
	}
	return ids
}

// EraseListed deletes freelancers whom another server has erased from the indexes and the data folder of this one. That
// server has erased what the database has.
func (s *Service) EraseListed(ctx context.Context, ids []string) error {
	e, ok := s.Indexes.(inPlaceEngine)
	if !ok {
		return errInPlaceOnly
	}

	_, indexes, err := s.eraseInPlace(ctx, e, ids, ids)
	if err != nil {
		return err
	}
	if err := s.Letters.drop(indexes.Dropped); err != nil {
		return err
	}

	t := newTraces(Subject{IDs: ids})
	if _, err := s.Letters.erase(&t); err != nil {
		return err
	}
	_, err = s.Exports.erase(ids)

	return err
}

// A quickErasure erases several people at once. Each step adds what it has erased to erased.
type quickErasure struct {
	*Service
	by      audit.By
	account string
	ids     []string
	traces  []traces                       // in the order of ids
	erased  map[string]freelancers.Erasure // by ID, of those about whom anything was found
}

func (s *Service) newQuickErasure(by audit.By, account string, list []freelancers.Person) *quickErasure {
	q := &quickErasure{Service: s, by: by, account: account, erased: map[string]freelancers.Erasure{}}
	for _, person := range list {
		t := newTraces(Subject{IDs: []string{person.ID}})
		if person.Record != nil {
			t.learn(person.Record)
		}
		q.ids = append(q.ids, person.ID)
		q.traces = append(q.traces, t)
	}
	return q
}

// list adds people to the list of erased people.
func (q *quickErasure) list(ctx context.Context, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	return q.List.add(ctx, Subject{IDs: ids}, q.Now())
}

// count adds to what was erased about a person.
func (q *quickErasure) count(id string, add func(*freelancers.Erasure)) {
	e := q.erased[id]
	add(&e)
	q.erased[id] = e
}

// eraseIndexed deletes the people from all indexes, and the dead letters of the indexes that had to be dropped. The
// given people are known to be in the live one.
func (q *quickErasure) eraseIndexed(ctx context.Context, e inPlaceEngine, inLive []string) error {
	found, indexes, err := q.eraseInPlace(ctx, e, q.ids, inLive)
	if err != nil {
		return engine.ClientError(err)
	}
	for _, id := range found {
		q.count(id, func(e *freelancers.Erasure) { e.Indexed = true })
	}
	return q.Letters.drop(indexes.Dropped)
}

func (q *quickErasure) eraseLetters(context.Context) error {
	for i := range q.traces {
		n, err := q.Letters.erase(&q.traces[i])
		if err != nil {
			return err
		}
		if n > 0 {
			q.count(q.ids[i], func(e *freelancers.Erasure) { e.Other += n })
		}
	}
	return nil
}

func (q *quickErasure) eraseExports(context.Context) error {
	removed, err := q.Exports.erase(q.ids)
	for id, n := range removed {
		q.count(id, func(e *freelancers.Erasure) { e.Other += n })
	}
	return err
}

// maxSearched is the number of people up to whom the database searches interviews for each of them. For more, it is
// quicker to read all interviews once.
const maxSearched = 8

// eraseInterviews deletes the interviews about the people, and looks once more: a request that has read a record before
// can still store an interview.
func (q *quickErasure) eraseInterviews(ctx context.Context) error {
	for range 2 {
		candidates, err := q.candidates(ctx)
		if err != nil {
			return err
		}
		about := &Found{traces: newTraces(Subject{IDs: q.ids})}
		if err := q.searchInterviews(ctx, about, candidates); err != nil {
			return err
		}

		for _, i := range about.Interviews {
			if err := q.deleteInterview(ctx, q.by, &i); err != nil {
				return err
			}
			id := i.Freelancer
			if !slices.Contains(q.ids, id) { // a damaged session
				id = q.ids[0]
			}

			q.count(id, func(e *freelancers.Erasure) { e.Interviews++ })
		}
	}

	return nil
}

// candidates returns the IDs of interviews that may be about the people.
func (q *quickErasure) candidates(ctx context.Context) ([]string, error) {
	if len(q.ids) > maxSearched {
		return q.Interviews.IDs(ctx)
	}
	var all []string
	for _, id := range q.ids {
		// Sessions are stored as JSON, in which an ID may have escaped characters.
		text, err := json.Marshal(id)
		if err != nil {
			return nil, err
		}
		ids, err := q.Interviews.IDsWith(ctx, bytes.Trim(text, `"`))
		if err != nil {
			return nil, err
		}
		all = append(all, ids...)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

func (q *quickErasure) eraseVerdicts(ctx context.Context) error {
	all, err := q.Verdicts.List(ctx, time.Unix(1, 0)) // with expired ones, which are still stored
	if err != nil {
		return err
	}
	for i := range q.traces {
		t := &q.traces[i]
		for _, v := range all {
			if !t.occurIn(v.Word) && !t.occurIn(v.Name) {
				continue
			}
			if err := q.Verdicts.Delete(ctx, v.Key); err != nil {
				return err
			}
			q.count(q.ids[i], func(e *freelancers.Erasure) { e.Other++ })
		}
	}
	return nil
}

// eraseReports deletes events about the people, and what records of matches say about them.
func (q *quickErasure) eraseReports(ctx context.Context) error {
	about := &Found{traces: newTraces(Subject{IDs: q.ids})}
	for i := range q.traces {
		about.traces.names = append(about.traces.names, q.traces[i].names...)
		about.traces.urls = append(about.traces.urls, q.traces[i].urls...)
	}
	list, err := q.Events.About(ctx, q.ids)
	if err != nil {
		return err
	}
	for _, e := range list {
		q.count(e.Freelancer, func(e *freelancers.Erasure) { e.Other++ })
	}
	return q.eraseEvents(ctx, about, &Erasure{})
}

// finish puts on the list of erased people who was found elsewhere than in the live index, and replaces all people by
// pseudonyms in the audit log.
func (q *quickErasure) finish(ctx context.Context) error {
	found := make([]string, 0, len(q.erased))
	for id := range q.erased {
		found = append(found, id)
	}
	slices.Sort(found)

	if err := q.list(ctx, found); err != nil {
		return err
	}
	all := newTraces(Subject{IDs: q.ids})
	if _, err := q.Log.ReplaceMentions(ctx, all.longIDs(), q.ids); err != nil {
		return err
	}
	if len(found) == 0 {
		return nil
	}
	if err := q.record(ctx, q.by, q.account, audit.PersonErased, Subject{IDs: found}, "over HTTP"); err != nil {
		return err
	}

	return q.Scrub(ctx)
}

// deleteInterview deletes an interview about somebody who is erased.
func (s *Service) deleteInterview(ctx context.Context, by audit.By, i *Interview) error {
	err := s.Interviews.Delete(ctx, i.Account, i.ID)
	if err == nil {
		// The account's own log says where its interview went.
		err = s.Log.Record(ctx, audit.Event{
			At: s.Now().UTC(), Actor: by.Actor, Account: i.Account, Action: audit.InterviewDeleted, Subject: i.ID,
			Detail: "the freelancer was erased", Address: by.Address,
		})
	}
	if errors.Is(err, interview.ErrNotFound) {
		return nil
	}
	return err
}

// ReadmitFreelancer implements freelancers.Eraser.
func (s *Service) ReadmitFreelancer(ctx context.Context, by audit.By, f *matching.Freelancer) error {
	subject := Subject{IDs: []string{f.ID}}
	for _, text := range texts(f) {
		subject.Emails = append(subject.Emails, addresses(text)...)
	}
	_, err := s.Readmit(ctx, by, subject)
	return err
}
