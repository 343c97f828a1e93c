package app

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/freelancers"
	"github.com/freelancer-matching/service/instances"
	"github.com/freelancer-matching/service/match"
	"github.com/freelancer-matching/service/setup"
)

// joinServers lists this server in a database that several can share, and warns if changes over HTTP are refused
// because of the others. It must come before the first request: a server that accepts a change has read the list. A
// database that can't be written prevents no start, because it lets no server accept a change.
func (s *Server) joinServers(ctx context.Context) error {
	if !s.config.Database.On() {
		return nil
	}

	self, err := s.Index.Instance()
	if err != nil {
		return err
	}
	s.servers = &servers{
		Registry: instances.New(s.DB.Instances, self, s.now), engine: self.Engine,
		revision: s.DB.ErasedPeople.ErasedRevision,
	}
	if err := s.beat(ctx); err != nil {
		s.log.ErrorContext(ctx, "heartbeat not stored", "error", err)
	}
	s.closeWith(func() error { return s.servers.Leave(context.WithoutCancel(ctx)) })
	s.log.InfoContext(ctx, "server listed in the database", "server", self.ID)
	s.warnOfServers(ctx)

	return nil
}

// beat stores a heartbeat of this server.
func (s *Server) beat(ctx context.Context) error {
	followed, err := s.DB.ErasedPeople.ErasedRevision(ctx)
	if err != nil {
		return err
	}

	// Without an index, nobody has to be deleted from it. Health checks report an index that can't be opened.
	index := ""
	snapshot, err := s.engine.Open(ctx, match.Alias)
	switch {
	case err == nil:
		index = snapshot.Info().Name
		followed = s.erasedUpTo(index)
	case !errors.Is(err, engine.ErrNotFound):
		followed = 0
	}

	return s.servers.Beat(ctx, index, followed)
}

// erasedUpTo returns the revision of the list of erased people up to which they are deleted from an index of the
// embedded engine.
func (s *Server) erasedUpTo(index string) int64 {
	e, ok := s.Index.Engine.(*withoutErased)
	if !ok {
		return 0
	}
	last := e.last.Load()
	if last == nil || last.index != index {
		return 0
	}
	return last.list.Revision()
}

// watchServers stores heartbeats until ctx ends, and logs when changes over HTTP begin or cease to be refused.
func (s *Server) watchServers(ctx context.Context) {
	if s.servers == nil {
		return
	}

	ticker := time.NewTicker(instances.BeatEvery)
	defer ticker.Stop()
	failed := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}

		err := s.beat(ctx)
		isNew := err != nil && !failed
		if isNew && ctx.Err() == nil {
			s.log.ErrorContext(ctx, "heartbeat not stored", "error", err)
		}
		failed = err != nil
		s.warnOfServers(ctx)
	}
}

// warnOfServers logs whether changes over HTTP are refused, if that has changed.
func (s *Server) warnOfServers(ctx context.Context) {
	indexes, err := s.servers.Indexes(ctx)
	if err != nil {
		if ctx.Err() == nil {
			s.log.ErrorContext(ctx, "other servers not listed", "error", err)
		}
		return
	}

	refused := indexes > 1
	switch {
	case refused == s.servers.refused.Swap(refused):
	case refused:
		p := setup.SeveralServers(indexes)
		s.log.WarnContext(ctx, "changes over HTTP are refused", "problem", p.Text, "next", p.Next)
	default:
		s.log.InfoContext(ctx, "changes over HTTP are accepted again")
	}
}

// servers implements freelancers.Servers.
type servers struct {
	*instances.Registry
	engine   string                                   // of this server
	revision func(ctx context.Context) (int64, error) // of the list of erased people
	refused  atomic.Bool                              // whether the log says so
}

var _ freelancers.Servers = (*servers)(nil)

// Indexes implements freelancers.Servers.
func (s *servers) Indexes(ctx context.Context) (int, error) {
	others, err := s.Others(ctx)
	if err != nil {
		return 0, err
	}
	return instances.Indexes(append(others, instances.Instance{ID: s.ID(), Engine: s.engine})), nil
}

// Erasures implements freelancers.Servers. This server has just erased somebody, so its own index is rewritten.
func (s *servers) Erasures(ctx context.Context) (*freelancers.ErasedOn, error) {
	others, err := s.Others(ctx)
	if err != nil || s.engine != instances.Embedded || len(others) == 0 {
		return nil, err
	}
	revision, err := s.revision(ctx)
	if err != nil {
		return nil, err
	}

	on := &freelancers.ErasedOn{Rewritten: []string{s.ID()}, Pending: []string{}}
	for _, other := range others {
		switch {
		case other.Engine != instances.Embedded: // its index is shared, and has lost the person already
		case other.Erased >= revision:
			on.Rewritten = append(on.Rewritten, other.ID)
		default:
			on.Pending = append(on.Pending, other.ID)
		}
	}

	return on, nil
}
