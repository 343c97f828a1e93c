package skills

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/singleflight"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
	"freelancer-matching/taxonomy"
)

// Config is what a service is made of. All but Verdicts must be set.
type Config struct {
	Engine   engine.Searcher
	Alias    string             // of the live index
	Taxonomy *taxonomy.Taxonomy // that the documents were prepared with
	Verdicts *Verdicts          // nil: words that nobody knows do not exist
	Log      *slog.Logger
}

// Service verifies words. It is safe for concurrent use.
type Service struct {
	config   Config
	taxonomy *taxonomy.Taxonomy
	known    func() *vocabulary // words of the taxonomy
	used     atomic.Pointer[usage]
	counting singleflight.Group
}

// New is a service that has not read anything yet: the first request, or Warm, does.
func New(c Config) *Service {
	s := &Service{config: c, taxonomy: c.Taxonomy}
	s.known = onceKnown(c.Taxonomy)
	return s
}

// Warm reads what the first request would have to wait for.
func (s *Service) Warm(ctx context.Context) error {
	s.known()
	_, err := s.usage(ctx)
	return err
}

// Verify is what is known of a word, and, where nobody knows it, what a judge says of it, at the expense of an account.
// Failures are *matching.Error: CodeEngineTimeout when ctx's deadline passed, CodeEngineUnavailable when the engine failed.
// That no verdict is to be had is none: the answer says so. For a moment after another index went live, the counts are still
// those of the one before.
func (s *Service) Verify(ctx context.Context, account, keyword string) (*matching.Verification, error) {
	used, err := s.usage(ctx)
	if err != nil {
		return nil, err
	}
	keyword = strings.Join(strings.Fields(keyword), " ")
	q := &question{service: s, used: used, keyword: keyword, key: taxonomy.Key(keyword)}
	v := q.answer()
	if !v.Exists && q.key != "" && s.config.Verdicts != nil {
		q.judged(ctx, s.config.Verdicts, account, v)
	}
	return v, nil
}

// usage returns the words that the freelancers of the live index use. While a new index is counted for the first time,
// usage returns those of the previous index; it waits only if there is none. Errors are those of engine.ReadLive.
func (s *Service) usage(ctx context.Context) (used *usage, err error) {
	err = engine.ReadLive(ctx, s.config.Engine, s.config.Alias, func(live engine.Snapshot) (err error) {
		if live == nil {
			used = newUsage(s.taxonomy, identity{}, &engine.Vocabulary{})
			return nil
		}
		used, err = s.usageOf(ctx, live)
		return err
	})
	return used, err
}

func (s *Service) usageOf(ctx context.Context, snapshot engine.Snapshot) (*usage, error) {
	last := s.used.Load()
	of := identityOf(snapshot.Info())
	if last != nil && last.of == of {
		return last, nil
	}
	counted := s.counting.DoChan("", func() (any, error) {
		// Not with ctx: the counts are for all who ask.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), countTimeout)
		defer cancel()
		words, err := snapshot.Vocabulary(ctx)
		if err != nil {
			s.config.Log.WarnContext(ctx, "the words of the index are not counted, trying again", "index", of.name, "error", err)
			return nil, err
		}
		u := newUsage(s.taxonomy, of, words)
		s.used.Store(u)
		s.compareTaxonomies(ctx, snapshot.Info())
		return u, nil
	})
	if last != nil {
		return last, nil
	}
	select {
	case r := <-counted:
		if r.Err != nil {
			return nil, fmt.Errorf("count the words: %w", r.Err)
		}
		return r.Val.(*usage), nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// compareTaxonomies warns of an index that was prepared with another taxonomy: skills that only one of the two knows do not meet.
// It serves all the same, as after an update of the program.
func (s *Service) compareTaxonomies(ctx context.Context, info engine.Info) {
	if info.Taxonomy != s.taxonomy.Version() {
		s.config.Log.WarnContext(ctx, "the index was prepared with other skills than the server knows: load the data again, or run "+
			"indexer reindex, with the same skills-file", "index", info.Name, "of_index", info.Taxonomy, "of_server", s.taxonomy.Version())
	}
}

// list is l, never nil, without what is in it twice.
func list(l ...string) []string {
	distinct := make([]string, 0, len(l))
	for _, text := range l {
		if !slices.Contains(distinct, text) {
			distinct = append(distinct, text)
		}
	}
	return distinct
}
