package match

import (
	"fmt"
	"math/rand/v2"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/ranking"
)

const (
	// FirstPage is the number of matches among which a coin may decide the order of two neighbors.
	FirstPage = 10
	// nearlyEqual is the highest difference of the scores of such neighbors. A client sees 3 of 100 points.
	nearlyEqual = .03
)

// explore lets a coin decide the order of two neighbors among the first matches, whose scores are nearly equal and
// whose levels are the same. It returns nil if there are no such neighbors, or no seed.
//
// The seed doesn't depend on who is ranked where, so each of the two comes first equally often over many briefs.
func (r *retrieval) explore(ranked []ranking.Ranked, seed uint64) *matching.Explored {
	if seed == 0 {
		return nil
	}
	first := ranked[:min(FirstPage, len(ranked))]

	var uppers []int
	for i := range len(first) - 1 {
		isNear := first[i].Score-first[i+1].Score <= nearlyEqual
		if isNear && r.level(first[i]) == r.level(first[i+1]) {
			uppers = append(uppers, i)
		}
	}
	if len(uppers) == 0 {
		return nil
	}

	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // the same for each page of a brief
	coin := random.IntN(2)
	upper := uppers[random.IntN(len(uppers))]
	explored := &matching.Explored{Rank: upper + 1, Swapped: coin == 1}

	outcome := "It left them in the order of their scores."
	if explored.Swapped {
		first[upper], first[upper+1] = first[upper+1], first[upper]
		outcome = "It exchanged them; the scores are as computed."
	}
	explored.Message = fmt.Sprintf("The account allows exchanges of neighbors, to learn what its clients choose. A coin "+
		"decided the order of the matches at ranks %d and %d, whose scores are nearly equal. %s", explored.Rank,
		explored.Rank+1, outcome)
	return explored
}

// level returns the level of a ranked candidate.
func (r *retrieval) level(ranked ranking.Ranked) matching.Level {
	return r.scorer.Assess(&r.candidates[ranked.Index]).Level
}

// exploredOn returns what an answer says about a coin; nil if neither neighbor is on its page of n matches.
func exploredOn(explored *matching.Explored, offset, n int) *matching.Explored {
	if explored == nil || explored.Rank > offset+n || explored.Rank+1 <= offset {
		return nil
	}
	return explored
}
