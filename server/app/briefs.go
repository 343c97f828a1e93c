package app

import (
	"context"
	"crypto/rand"

	"github.com/freelancer-matching/service/briefs"
	"github.com/freelancer-matching/service/instances"
	"github.com/freelancer-matching/service/match"
	"github.com/freelancer-matching/service/server/api/wire"
)

// openBriefs opens the saved briefs of accounts, and their watcher if the engine has one. Elasticsearch doesn't say how
// long documents are on average, without which the scores of single documents can't be computed.
func (s *Server) openBriefs(matcher *match.Service) {
	watches := s.Index.EngineName() == instances.Embedded
	changed := func() {}
	if watches {
		s.watcher = briefs.NewWatcher(briefs.WatcherConfig{
			Store: s.DB.Briefs, Holder: rand.Text(), Feed: s.feed, Matcher: matcher,
			Read: wire.SavedMatch, Engine: s.Index.Engine, Alias: match.Alias,
			Prepare: func(ctx context.Context) (briefs.Preparer, error) { return s.Index.ChangePreparer(ctx) },
			Now:     s.now, Log: s.log, Announce: s.announcer.Notify,
		})
		changed = s.watcher.Changed
	}
	s.briefs = briefs.New(s.DB.Briefs, s.now, watches, changed)
}

// watchBriefs keeps the lists of saved briefs up to date until ctx ends.
func (s *Server) watchBriefs(ctx context.Context) {
	if s.watcher != nil {
		s.watcher.Run(ctx)
	}
}
