package enginetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
)

func testSnapshot(t *testing.T, o Options) {
	storage := o.New(t)
	indexer := storage()
	server := storage()
	build(t, indexer, "old", document("of-old", terms("word")))

	if _, err := indexer.PointAlias(t.Context(), alias, "old"); err != nil {
		t.Fatal(err)
	}

	old := open(t, server, "old")
	build(t, indexer, "new", document("of-new", terms("word")))

	if _, err := indexer.PointAlias(t.Context(), alias, "new"); err != nil {
		t.Fatal(err)
	}

	current := open(t, server, "new")

	if err := indexer.Drop(t.Context(), "old"); err != nil {
		t.Fatal(err)
	}

	// A snapshot follows its index, not the alias. Some engines keep a dropped index readable until it is closed.
	q := &engine.Query{Terms: []engine.Term{{Text: "word", Weight: 1}}, Size: 10}
	for want, s := range map[string]engine.Snapshot{"of-old": old, "of-new": current} {
		if s == old && o.SnapshotsExpire {
			_, err := s.Search(t.Context(), q)
			checkError(t, "search a dropped index", err, engine.ErrNotFound)
			_, err = s.Fetch(t.Context(), []string{want})
			checkError(t, "fetch from a dropped index", err, engine.ErrNotFound)
			_, err = s.Count(t.Context(), engine.Filters{MinRating: matching.Some(1.0)})
			checkError(t, "count in a dropped index", err, engine.ErrNotFound)
			continue
		}

		if diff := cmp.Diff([]string{want}, hitIDs(t, s, q)); diff != "" {
			t.Errorf("search (-want +got):\n%s", diff)
		}

		freelancers, err := s.Fetch(t.Context(), []string{want})
		if err != nil || freelancers[0].ID != want {
			t.Errorf("fetch = %v, %v; want %s", freelancers, err, want)
		}
	}
}

// testSwaps searches continuously while the alias moves on and old indexes are dropped. No search may fail, and no page
// may mix two indexes.
func testSwaps(t *testing.T, o Options) {
	storage := o.New(t)
	indexer := storage()
	server := storage()
	generation := func(i int) (name string, documents []*engine.Document) {
		name = fmt.Sprintf("generation-%d", i)
		for j := range 20 {
			documents = append(documents, document(fmt.Sprintf("%s/%d", name, j), terms("word")))
		}
		return name, documents
	}

	swapTo := func(i int) string {
		name, documents := generation(i)
		build(t, indexer, name, documents...)
		if _, err := indexer.PointAlias(t.Context(), alias, name); err != nil {
			t.Fatal(err)
		}
		return name
	}

	name := swapTo(0)
	open(t, server, name)
	ctx, stop := context.WithCancel(t.Context())
	var searching sync.WaitGroup
	for range 3 {
		searching.Go(func() {
			for ctx.Err() == nil {
				err := checkGeneration(t.Context(), server)
				if o.SnapshotsExpire && errors.Is(err, engine.ErrNotFound) {
					continue // its index was dropped
				}

				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}

	for i := range 5 {
		next := swapTo(i + 1)
		open(t, server, next)
		if err := indexer.Drop(t.Context(), name); err != nil {
			t.Error(err)
		}
		name = next
	}

	stop()
	searching.Wait()
}

// checkGeneration makes one search and one fetch and checks that every answer comes from the snapshot's own index.
func checkGeneration(ctx context.Context, e Engine) error {
	s, err := e.Open(ctx, alias)
	if err != nil {
		return err
	}

	page, err := s.Search(ctx, &engine.Query{Terms: []engine.Term{{Text: "word", Weight: 1}}, Size: 50})
	if err != nil {
		return err
	}
	if len(page.Hits) != 20 {
		return fmt.Errorf("%d hits in %s, want 20", len(page.Hits), s.Info().Name)
	}

	ids := []string{}
	for _, hit := range page.Hits {
		if !strings.HasPrefix(hit.ID, s.Info().Name+"/") {
			return fmt.Errorf("index %s returned %s, a document of another index", s.Info().Name, hit.ID)
		}
		ids = append(ids, hit.ID)
	}

	_, err = s.Fetch(ctx, ids)
	return err
}
