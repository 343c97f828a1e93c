package search

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/freelancer-matching/service/engine/embedded/segment"
)

// A progress is what the goroutines of one search share. Each block is worked on by one of them at a time.
type progress struct {
	best   top
	places []uint32     // by block of the view and word: the place of the word among the keys, see lookUpWords
	blocks []blockPlace // of the view

	// By tile of the view.
	limits    []float32 // an upper bound of its sums (see discount), or noHit
	tileCodes []uint16  // the highest code, see scratch.required; valid if there is a discount
	wordless  []bool    // none of its documents has a word of the query

	mu     sync.Mutex                   // guards unions
	unions map[unionKey][2]segment.List // the lists of the demands of several skills, of their skills and families
}

// A blockPlace is the place of a block in a view.
type blockPlace struct {
	x      *partPlan
	number int
}

// start numbers the blocks and tiles of the view.
func (s *progress) start(p *plan) {
	s.blocks = s.blocks[:0]
	tiles := 0
	for i := range p.parts {
		x := &p.parts[i]
		x.firstTile = tiles
		for number := range x.Blocks {
			s.blocks = append(s.blocks, blockPlace{x, number})
			tiles += segment.TilesFor(x.BlockSize(number))
		}
	}

	s.limits = slices.Grow(s.limits[:0], tiles)[:tiles]
	s.tileCodes = slices.Grow(s.tileCodes[:0], tiles)[:tiles]
	s.wordless = slices.Grow(s.wordless[:0], tiles)[:tiles]
}

// workFor makes s take part in a search.
func (s *scratch) workFor(search *progress) {
	s.progress = search
	s.neededFor = float32(math.NaN()) // which differs from every score
	s.boundedAt = s.neededFor
}

// share calls do with each number below n. In a large index, helpers take numbers, too, while fewer goroutines search
// it than there are processors: they make a search faster that is alone, and many searches keep all processors busy
// anyway.
func (v Snapshot) share(ctx context.Context, s *scratch, n int, do func(s *scratch, i int)) error {
	var next atomic.Int64
	work := func(s *scratch) (err error) {
		defer v.Guard(&err)()
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			if err := ctx.Err(); err != nil {
				return err
			}
			do(s, i)
		}
		return nil
	}

	var helpers sync.WaitGroup
	var outcomes []outcome
	if v.Totals.Documents >= v.Shared.HelpersFrom {
		outcomes = make([]outcome, max(0, min(n, runtime.GOMAXPROCS(0))-1))
	}
	for i := range outcomes {
		leave, mayHelp := v.Shared.Searching.TryEnter()
		if !mayHelp {
			break
		}
		helpers.Go(func() {
			defer leave()
			defer outcomes[i].catch()
			helper := v.borrow()
			defer v.giveBack(helper)
			helper.workFor(s.progress)
			outcomes[i].err = work(helper)
		})
	}

	// The memory of the search must not be given back before all helpers have left it.
	err := func() error {
		defer helpers.Wait()
		return work(s)
	}()
	for i := range outcomes {
		if cause := outcomes[i].panic; cause != nil {
			panic(cause)
		}
		err = cmp.Or(err, outcomes[i].err)
	}
	return err
}

// An outcome is how a helper ended.
type outcome struct {
	err   error
	panic any
}

// catch keeps a panic, so that it ends the search and not the program.
func (o *outcome) catch() {
	if cause := recover(); cause != nil {
		o.panic = fmt.Sprintf("%v\n\n%s", cause, debug.Stack())
	}
}
