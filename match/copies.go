package match

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
	"freelancer-matching/internal/plaintext"
	"freelancer-matching/ranking"
)

// A profile repeats a brief if its title and description contain enough of the brief's runs of four words (Broder, "On
// the resemblance and containment of documents", 1997), or most of its words close together, in any order. Words are
// stems without function words, as in the index, so that a change that hides a copy also removes what it earns.
//
// Among 666,000 pairs of real briefs and real profiles, no profile has more than five of a brief's runs or a seventh of
// them. None has more than .64 of the words close together, also of briefs cut to their first 12 to 30 distinct words.
const (
	runWords      = 4
	minRuns       = 8
	minRunShare   = .1
	fewRuns       = 5 // are enough if they are most runs of a short brief
	mostRuns      = .5
	minWords      = 12 // distinct words of a brief whose words are compared in any order
	minWordShare  = .8
	wordsTogether = 2 // the length of the passage to compare, in lengths of the brief
	// minCopyText is the least text score, as a multiple of that of the reference profile, of a freelancer whose profile
	// is compared. A copy that raises it less earns too little to matter.
	minCopyText = .7
	// sentenceWords is the number of words of a listed skill that is compared, too, because it is hardly a name.
	sentenceWords = 5
	// maxCopyIDs limits the ids that an answer lists.
	maxCopyIDs = 10
	// moreHits is by how much the number of best hits is multiplied while copies are among them.
	moreHits = 4
)

// A repetition compares profiles with a brief.
type repetition struct {
	service *Service
	brief   *demand
	words   map[string]int         // number of each distinct word of the brief
	runs    map[[runWords]int]bool // nil until a profile may share some
	numbers []int                  // of the words of the brief, in its order
	terms   []string               // memory of the terms of a profile
}

// newRepetition returns nil for a brief that is too short to recognize copies of it.
func newRepetition(s *Service, brief *matching.Brief, d *demand) *repetition {
	c := &repetition{service: s, brief: d, words: map[string]int{}}
	terms := s.analyzer.AppendStems(nil, brief.JobTitle+"\n"+brief.Description, d.written())
	numbers := make([]int, len(terms))
	for i, term := range terms {
		if _, known := c.words[term]; !known {
			c.words[term] = len(c.words)
		}
		numbers[i] = c.words[term]
	}
	c.numbers = numbers
	if len(numbers) < fewRuns+runWords-1 && len(c.words) < minWords {
		return nil
	}
	return c
}

// runsOf yields each run of words without a gap. A negative number is a gap.
func runsOf(numbers []int) func(yield func([runWords]int) bool) {
	return func(yield func([runWords]int) bool) {
		for i := runWords; i <= len(numbers); i++ {
			run := [runWords]int(numbers[i-runWords : i])
			if slices.Min(run[:]) >= 0 && !yield(run) {
				return
			}
		}
	}
}

// of reports whether a profile repeats the brief.
func (c *repetition) of(freelancer *matching.Freelancer) bool {
	s := c.service
	language := c.brief.written()

	// Without markup, as in the index: a tag around each word would separate them.
	text := plaintext.Of(freelancer.JobTitle) + "\n" + plaintext.Of(freelancer.Description)
	terms := s.analyzer.AppendStems(c.terms[:0], text, language)
	for _, skill := range freelancer.Skills {
		if strings.Count(skill, " ") >= sentenceWords-1 {
			terms = s.analyzer.AppendStems(terms, plaintext.Of(skill), language)
		}
	}

	// Words of the brief get their numbers, all others a gap, so that runs can be compared as numbers.
	c.terms = terms
	numbers := make([]int, len(terms))
	has := make([]bool, len(c.words))
	found := 0      // distinct words of the brief
	inRow := 0      // words of the brief since the last gap
	candidates := 0 // runs of words of the brief, in any order
	for i, term := range terms {
		n, known := c.words[term]
		if !known {
			numbers[i] = -1
			inRow = 0
			continue
		}

		if inRow++; inRow >= runWords {
			candidates++
		}

		if !has[n] {
			has[n] = true
			found++
		}

		numbers[i] = n
	}

	if candidates >= fewRuns && c.sharesRuns(numbers) {
		return true
	}

	// The second check is for copies whose words were put into another order.
	enough := int(math.Ceil(minWordShare * float64(len(c.words))))

	return len(c.words) >= minWords && found >= enough && c.together(numbers) >= enough
}

// sharesRuns reports whether the words of a profile contain enough runs of the brief.
func (c *repetition) sharesRuns(numbers []int) bool {
	if c.runs == nil {
		c.runs = make(map[[runWords]int]bool, len(c.numbers))
		for run := range runsOf(c.numbers) {
			c.runs[run] = true
		}
	}
	shared := map[[runWords]int]bool{}
	for run := range runsOf(numbers) {
		if c.runs[run] {
			shared[run] = true
		}
	}
	share := float64(len(shared)) / float64(max(1, len(c.runs)))
	return len(shared) >= minRuns && share >= minRunShare || len(shared) >= fewRuns && share >= mostRuns
}

// together returns the highest number of distinct words of the brief within one passage of a profile.
func (c *repetition) together(numbers []int) (most int) {
	counts := make([]int, len(c.words))
	distinct := 0
	for i, n := range numbers {
		if n >= 0 {
			if counts[n]++; counts[n] == 1 {
				distinct++
			}
		}
		if first := i - wordsTogether*len(c.numbers); first >= 0 && numbers[first] >= 0 {
			if counts[numbers[first]]--; counts[numbers[first]] == 0 {
				distinct--
			}
		}
		most = max(most, distinct)
	}
	return most
}

// dropCopies removes the freelancers whose profiles repeat the brief from the candidates, down to the end of the page,
// and returns their ids. More hits take their places, so that pages agree with each other. Copies stay if the client
// asks for freelancers by id, or if there is nobody else; dropped is false then.
func (s *Service) dropCopies(
	ctx context.Context, snapshot engine.Snapshot, brief *matching.Brief, d *demand, found *retrieval,
) (copies []string, dropped bool, err error) {
	if brief.KeepCopies {
		return nil, false, nil
	}

	repeats := sync.OnceValue(func() *repetition { return newRepetition(s, brief, d) })
	hits := found.candidates
	checked := map[string]bool{}

	// The records of the page come first, because the answer needs them anyway. If one of them is a copy, others move
	// up, and are checked in turn.
	for first := true; ; first = false {
		more, err := s.copiesAmong(ctx, snapshot, repeats, found, found.unchecked(brief, d, first, checked))
		if err != nil {
			return nil, false, err
		}

		copies = append(copies, more...)

		if len(more) == 0 || brief.Filters.IDs != nil {
			break
		}

		found.without(copies)

		// Removed copies leave the page short, although the engine has more hits: search for a multiple of them.
		for len(found.candidates) < d.size && len(hits) >= found.query.Size && found.query.Size < d.window {
			found.query.Size = min(moreHits*found.query.Size, d.window)
			page, err := snapshot.Search(ctx, found.query)
			if err != nil {
				return nil, false, fmt.Errorf("search in place of copies: %w", err)
			}

			found.setHits(page)
			hits = found.candidates
			found.without(copies)
		}

		if err := found.encode(ctx, snapshot); err != nil {
			return nil, false, err
		}
	}

	// A page of copies, with a warning, is better than none.
	if len(found.candidates) == 0 {
		found.candidates = hits
	}

	if dropped = len(found.candidates) < len(hits); dropped {
		found.matching = max(len(found.candidates), found.matching-len(copies))
	}

	slices.Sort(copies)

	return copies, dropped, nil
}

// without removes candidates.
func (r *retrieval) without(ids []string) {
	r.candidates = slices.DeleteFunc(slices.Clone(r.candidates), func(c ranking.Candidate) bool {
		return slices.Contains(ids, c.ID)
	})
}

// unchecked returns the ids of candidates to compare with the brief and marks them as checked: at first those that
// decide about the page, later all. It includes all freelancers of the page, because their records are needed anyway.
func (r *retrieval) unchecked(brief *matching.Brief, d *demand, first bool, checked map[string]bool) (ids []string) {
	ranked := r.rank()
	if first {
		ranked = ranked[:min(d.size, len(ranked))]
	}
	for i, place := range ranked {
		c := &r.candidates[place.Index]
		onPage := first && i >= brief.Offset && i < brief.Offset+brief.Limit
		if (onPage || c.Text >= minCopyText) && !checked[c.ID] {
			checked[c.ID] = true
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// copiesAmong fetches freelancers and returns the ids of those who repeat the brief.
func (s *Service) copiesAmong(
	ctx context.Context, snapshot engine.Snapshot, repeats func() *repetition, found *retrieval, ids []string,
) (copies []string, err error) {
	if err := found.fetch(ctx, snapshot, ids); err != nil {
		return nil, err
	}
	for i := range found.candidates {
		c := &found.candidates[i]
		if c.Text < minCopyText || !slices.Contains(ids, c.ID) {
			continue
		}
		if f := found.records[c.ID]; f != nil && repeats() != nil && repeats().of(f) {
			copies = append(copies, c.ID)
		}
	}
	return copies, nil
}

// copiesNote returns the note about freelancers whose profiles repeat the brief.
func copiesNote(ids []string, dropped bool) matching.Skipped {
	listed := strings.Join(ids[:min(len(ids), maxCopyIDs)], ", ")
	if more := len(ids) - maxCopyIDs; more > 0 {
		listed += fmt.Sprintf(" and %d more", more)
	}

	one := len(ids) == 1
	var reason string
	switch {
	case dropped && one:
		reason = "1 freelancer was left out because the profile repeats the brief: %s; use filters.ids to score it anyway"
	case dropped:
		reason = fmt.Sprint(len(ids)) + " freelancers were left out because their profiles repeat the brief: %s; " +
			"use filters.ids to score them anyway"
	case one:
		reason = "the profile of 1 freelancer repeats the brief, so the score says little: %s"
	default:
		reason = "the profiles of " + fmt.Sprint(len(ids)) +
			" freelancers repeat the brief, so their scores say little: %s"
	}

	return matching.Skipped{Feature: matching.SkippedCopies, Reason: fmt.Sprintf(reason, listed)}
}
