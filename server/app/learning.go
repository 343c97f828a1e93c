package app

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/freelancer-matching/service/access/rankings"
	"github.com/freelancer-matching/service/events/bias"
	"github.com/freelancer-matching/service/events/learning"
	"github.com/freelancer-matching/service/ranking/learn"
)

// learnEvery is how often the server looks whether a night has begun.
const learnEvery = time.Hour

// Learner returns the service that learns the rankings of accounts. The file has the groups of freelancers whose
// exposure is compared; "" for none.
func (a *Access) Learner(groupsFile string, now func() time.Time, log *slog.Logger) *learning.Service {
	c := learning.Config{
		Store: a.DB.Learning, Agreements: a.DB.MatchEvents.Agreements, Rankings: rankings.New(a.DB.Rankings, now), Now: now,
		Log: log, Options: learn.DefaultOptions(),
	}
	if groupsFile != "" {
		c.Groups = func() (*bias.Groups, error) { return readGroups(groupsFile) }
	}
	return learning.New(c)
}

// readGroups reads the groups of freelancers from a file, as it is now.
func readGroups(name string) (*bias.Groups, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	groups, err := bias.ReadGroups(file)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return groups, nil
}

// learn learns the rankings of accounts each night, until ctx ends.
func (s *Server) learn(ctx context.Context) {
	every(ctx, learnEvery, func() {
		if err := s.learner.Night(ctx); err != nil && ctx.Err() == nil {
			s.log.WarnContext(ctx, "rankings not learned", "error", err)
		}
	})
}
