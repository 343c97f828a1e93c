package app

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match"
	"github.com/freelancer-matching/service/people"
	"github.com/freelancer-matching/service/setup"
)

// watchErasedEvery is how often the server looks for erasures of other servers when no request does.
const watchErasedEvery = time.Second

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

	report, err := s.DB.ErasedPeople.Report(ctx)
	if err != nil {
		s.log.ErrorContext(ctx, "list of erased people not checked", "error", err)
		return
	}
	if report.Missing() {
		p := setup.MissingErased(s.config, report)
		s.log.WarnContext(ctx, "list of erased people missing", "problem", p.Text, "next", p.Next)
	}
}

// leaveOutErased makes all requests use an engine without erased people if other servers can share the database. On
// Elasticsearch, an erasure deletes people from the index that all servers share.
func (s *Server) leaveOutErased(c config.Config, eraser *people.Service) {
	s.engine = s.Index.Engine
	if c.Elasticsearch.On() || !c.Database.On() {
		return
	}
	s.Index.Engine = &withoutErased{
		Engine: s.engine, list: s.Erased, erase: eraser.EraseListed, turn: make(chan struct{}, 1),
	}
}

// watchErased deletes people whom other servers have erased, until ctx ends, so that they don't wait for a request. It
// also keeps the copy of the list in the data folder current.
func (s *Server) watchErased(ctx context.Context) {
	shared, sharesDatabase := s.Index.Engine.(*withoutErased)
	if !sharesDatabase {
		return
	}

	ticker := time.NewTicker(watchErasedEvery)
	defer ticker.Stop()
	var copied *people.Erased // the list that was copied into the data folder
	var reported *examined    // by a heartbeat
	failed := false
	for {
		list, err := s.Erased.Read(ctx)
		if err == nil && list != copied {
			if _, err = s.Erased.Sync(ctx); err == nil {
				copied = list
			}
		}

		// Opening the index deletes them, as it does before a request. Health checks report an index that can't be opened.
		_, openErr := s.Index.Engine.Open(ctx, match.Alias)
		if !errors.Is(openErr, engine.ErrNotFound) && !engine.Unusable(openErr) {
			err = errors.Join(err, openErr)
		}

		// The others say in their next response that this server has followed.
		if followed := shared.last.Load(); err == nil && followed != reported {
			if err = s.beat(ctx); err == nil {
				reported = followed
			}
		}

		isNew := err != nil && !failed
		if isNew && ctx.Err() == nil {
			s.log.ErrorContext(ctx, "erasures of other servers not followed", "error", err)
		}
		failed = err != nil

		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// withoutErased is the embedded engine of a server whose database other servers may share. Each server has indexes of
// its own, and an erasure reaches one of them. The others learn about it from the list of erased people: they compare
// its revision whenever they open an index, and delete these people before they answer.
type withoutErased struct {
	setup.Engine
	list  *people.List
	erase func(ctx context.Context, ids []string) error

	turn chan struct{}            // holds a value while a goroutine deletes people
	last atomic.Pointer[examined] // nil before the first
}

// examined is an index together with a list on which nobody of the index is.
type examined struct {
	index string
	list  *people.Erased
}

// Open implements engine.Searcher.
func (e *withoutErased) Open(ctx context.Context, alias string) (engine.Snapshot, error) {
	for {
		snapshot, err := e.Engine.Open(ctx, alias)
		if err != nil {
			return nil, err
		}

		// After the request has come, so that it sees every erasure that was acknowledged before.
		list, err := e.list.Read(ctx)
		if err != nil {
			return nil, err
		}

		now := examined{snapshot.Info().Name, list}
		if last := e.last.Load(); last != nil && *last == now {
			return snapshot, nil
		}
		if list.Len() == 0 {
			e.last.Store(&now)
			return snapshot, nil
		}
		if err := e.remove(ctx, snapshot, now); err != nil {
			return nil, fmt.Errorf("delete people whom another server has erased: %w", err)
		}
	}
}

// remove deletes everybody from an index who is on a list. Addresses aren't compared, because that takes reading all
// records; who erases somebody by an address lists their IDs, too.
func (e *withoutErased) remove(ctx context.Context, snapshot engine.Snapshot, now examined) error {
	select {
	case e.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-e.turn }()

	if last := e.last.Load(); last != nil && *last == now { // another request has done it
		return nil
	}

	// A client that leaves must not undo the work that others wait for.
	ctx = context.WithoutCancel(ctx)
	ids, err := snapshot.List(ctx, engine.Filters{}, "", snapshot.Info().Documents)
	if err != nil {
		return err
	}

	var listed []string
	for _, id := range ids {
		if now.list.Has(&matching.Freelancer{ID: id}) {
			listed = append(listed, id)
		}
	}

	if len(listed) > 0 {
		if err := e.erase(ctx, listed); err != nil {
			return err
		}
	}
	e.last.Store(&now)

	return nil
}
