package skills

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/taxonomy"
)

// Config configures a Service. All fields but Verdicts are required.
type Config struct {
	Engine   engine.Searcher
	Alias    string             // alias of the live index
	Taxonomy *taxonomy.Taxonomy // should be the one the documents were prepared with
	Verdicts *Verdicts          // if nil, words that nobody knows are reported as nonexistent
	Log      *slog.Logger
}

// A Service verifies words. It is safe for concurrent use.
type Service struct {
	config   Config
	taxonomy *taxonomy.Taxonomy
	known    func() *vocabulary // names and job titles of the taxonomy
	used     atomic.Pointer[usage]
	counting singleflight.Group
}

// New returns a service that reads the taxonomy and the index on the first request, or in Warm.
func New(c Config) *Service {
	known := sync.OnceValue(func() *vocabulary { return taxonomyWords(c.Taxonomy) })
	return &Service{config: c, taxonomy: c.Taxonomy, known: known}
}

// Warm does the work that the first request would otherwise wait for.
func (s *Service) Warm(ctx context.Context) error {
	s.known()
	_, err := s.usage(ctx)
	return err
}

// Verify returns what is known about a word. If nobody knows the word, it asks the judge and charges the account. A
// missing verdict is not an error; the answer gives the reason. Errors are *matching.Error: CodeEngineTimeout if ctx's
// deadline passed, CodeEngineUnavailable if the engine failed. After another index goes live, the counts describe
// the previous index until the new one has been counted.
func (s *Service) Verify(ctx context.Context, account, keyword string) (*matching.Verification, error) {
	used, err := s.usage(ctx)
	if err != nil {
		return nil, err
	}
	keyword = strings.Join(strings.Fields(keyword), " ")
	q := &question{service: s, used: used, keyword: keyword, key: taxonomy.Key(keyword)}
	v := q.answer()
	if !v.Exists && q.key != "" && s.config.Verdicts != nil {
		q.askJudge(ctx, s.config.Verdicts, account, v)
	}
	return v, nil
}

// usage returns the words that the freelancers of the live index use. While a new index is counted for the first time,
// usage returns those of the previous index; it waits only if there is none. After changes of single freelancers, the
// words can be a minute old. Its errors come from engine.ReadLive.
func (s *Service) usage(ctx context.Context) (used *usage, err error) {
	err = engine.ReadLive(ctx, s.config.Engine, s.config.Alias, func(live engine.Snapshot) (err error) {
		if live == nil {
			used = newUsage(s.taxonomy, identity{}, time.Time{}, &engine.Vocabulary{})
			return nil
		}
		used, err = s.usageOf(ctx, live)
		return err
	})
	return used, err
}

// usageOf returns the words of an index, or those of an earlier state or index while a new count runs.
func (s *Service) usageOf(ctx context.Context, snapshot engine.Snapshot) (*usage, error) {
	last := s.used.Load()
	of := identityOf(snapshot.Info())
	if last != nil && last.serves(of) {
		return last, nil
	}

	// Requests that come meanwhile share one count.
	count := s.counting.DoChan("", func() (any, error) { return s.count(ctx, snapshot, of, last) })

	// Old counts are better than a wait. The new ones serve the requests that follow.
	if last != nil {
		return last, nil
	}

	select {
	case r := <-count:
		if r.Err != nil {
			return nil, fmt.Errorf("count the words: %w", r.Err)
		}
		return r.Val.(*usage), nil

	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// count counts the words of an index and stores them in place of last, which is nil for the first count.
func (s *Service) count(ctx context.Context, snapshot engine.Snapshot, of identity, last *usage) (*usage, error) {
	// The counts are shared by all requests, so one canceled request must not stop the count.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), countTimeout)
	defer cancel()

	now := time.Now()
	words, err := snapshot.Vocabulary(ctx)
	if err != nil {
		s.config.Log.WarnContext(ctx, "index words not counted", "index", of.name, "error", err)
		return nil, err
	}

	u := newUsage(s.taxonomy, of, now, words)
	s.used.Store(u)
	if last == nil || !last.of.sameIndex(of) {
		s.compareTaxonomies(ctx, snapshot.Info())
	}

	return u, nil
}

// compareTaxonomies warns if the index was prepared with another taxonomy, as after an update of the program. The index
// still serves, but skills that only one of the taxonomies knows don't match.
func (s *Service) compareTaxonomies(ctx context.Context, info engine.Info) {
	if info.Taxonomy != s.taxonomy.Version() {
		s.config.Log.WarnContext(ctx, "the index and the server use different skills",
			"index", info.Name, "index_taxonomy", info.Taxonomy, "server_taxonomy", s.taxonomy.Version(),
			"action", "load the data again, or run indexer reindex, with the server's skills-file")
	}
}

// distinct returns texts without duplicates. The result is never nil.
func distinct(texts ...string) []string {
	unique := make([]string, 0, len(texts))
	for _, text := range texts {
		if !slices.Contains(unique, text) {
			unique = append(unique, text)
		}
	}
	return unique
}
