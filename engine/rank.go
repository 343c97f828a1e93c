package engine

import "context"

// A Ranker is a Snapshot that can tell how many hits of a query come before a document, however many hits there are.
type Ranker interface {
	// Rank counts the hits of q, whatever q.Size and q.Window are, and those that come before the document of p. Unlike
	// Search, it misses no hit. It returns an error if q.Check does.
	Rank(ctx context.Context, q *Query, p Placed) (Standing, error)
}

// A Placed is a document whose place among the hits of a query is asked for. It need not be one of them.
type Placed struct {
	ID        string
	Retrieval float64 // retrieval score of the document for the query
	// Score returns the score that the caller orders by for a retrieval score. It never falls while the retrieval score
	// rises. If Score is nil, the caller orders by retrieval score.
	Score func(retrieval float64) float64
}

// A Standing is the place of a document among the hits of a query.
type Standing struct {
	// Before is the number of other hits with a higher score, or with the same score and an id that is less, bytewise.
	Before int
	Hits   int // number of all hits
}

// order returns the score that the caller orders by.
func (p *Placed) order(retrieval float64) float64 {
	if p.Score == nil {
		return retrieval
	}
	return p.Score(retrieval)
}

// Counter returns a function that counts one hit. The function is not safe for concurrent use.
func (s *Standing) Counter(p Placed) func(id []byte, retrieval float64) {
	own := p.order(p.Retrieval)
	return func(id []byte, retrieval float64) {
		s.Hits++
		switch score := p.order(retrieval); {
		case score < own || string(id) == p.ID:
		case score > own || string(id) < p.ID:
			s.Before++
		}
	}
}
