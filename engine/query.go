package engine

import (
	"errors"
	"fmt"
	"strings"

	"freelancer-matching/internal/matching"
)

// Query is what an engine searches for. A document is a hit when it passes Filters and has one of the skills (or is
// of one of their families), or one of the terms, or a vector whose closeness to the brief's is above 0; with MatchAll
// set the second condition does not apply.
//
// The retrieval score of a document is
//
//	TextWeight · BM25 ÷ (BM25 + reference)
//	+ Σ over Skills: Weight · Credit[evidence]
//	+ Semantic.Weight · closeness
//	+ Fit(signals) + Quality(signals)
//
// without the first line where the reference is 0, and without the third where Semantic is nil. BM25 is Σ over Terms:
// Weight · idf · tf/(tf + k1·(1−b+b·length/mean)) as in Lucene, idf = ln(1 + (N−df+.5)/(df+.5)), where N documents of
// this mean length have any term, and df this one, and length is RoundLength of the number of its terms. An engine that
// changes indexes in place may count documents that were replaced or deleted until it has tidied up. The closeness is
// Semantic.Closeness of the cosine of both vectors.
//
// It follows the final score closely, so that the best Size hits hold the best matches; ranking then scores each hit
// exactly.
type Query struct {
	Terms      []Term
	TextWeight float64
	Skills     []SkillClause
	// Credit is the share of a skill's weight that each kind of evidence earns, 0 to 1, never falling with stronger
	// evidence. Credit[NoEvidence] is 0.
	Credit [matching.Listed + 1]float64
	// Semantic compares meanings; nil: not at all.
	Semantic *SemanticClause
	// Fit is a score from hourly rate, experience and availability, Quality one from rating and total sales. Both are
	// pure, and may be called with the mean of a band of similar values in place of each value. nil: 0.
	Fit, Quality func(matching.Signals) float64
	Filters      Filters
	MatchAll     bool
	Size         int // how many hits are wanted; 0: none, only the reference
}

// Term is one distinct analysed word of the brief.
type Term struct {
	Text   string
	Weight float64 // how often, and how prominently, the brief says it; at least 0
	// Reference marks the terms of the first line, the title and the skills. The reference value of a query is the BM25
	// score, with the same weights, of a document of average length that holds each of these once.
	Reference bool
}

// SkillClause is one skill that the brief asks for.
type SkillClause struct {
	ID     string
	Family string  // "" where it has none; a document of this family has at least the evidence Sibling
	Weight float64 // at least 0
}

// SemanticClause is the meaning that the brief asks for.
type SemanticClause struct {
	Space  int             // into Info.Vectors
	Vector matching.Vector // of that space
	Weight float64         // at least 0
	// Floor and Ceiling are the cosines where the closeness begins and where it is complete, Floor < Ceiling.
	Floor, Ceiling float64
}

// Check reports why an index of these spaces cannot be searched for c; nil when it can.
func (c *SemanticClause) Check(spaces []matching.VectorSpace) error {
	switch {
	case len(spaces) == 0:
		return errors.New("semantic clause: the documents of this index have no vectors: load the data again, with vectors")
	case c.Space < 0 || c.Space >= len(spaces):
		return fmt.Errorf("semantic clause: space %d, want one of 0 to %d", c.Space, len(spaces)-1)
	case !(c.Floor < c.Ceiling):
		return fmt.Errorf("semantic clause: floor %v, want less than the ceiling, %v", c.Floor, c.Ceiling)
	}
	if err := spaces[c.Space].Holds(c.Vector); err != nil {
		return fmt.Errorf("semantic clause: %w", err)
	}
	return nil
}

// Closeness is a cosine rescaled: 0 up to Floor, 1 from Ceiling on, and linear between them.
func (c *SemanticClause) Closeness(cosine float64) float64 {
	return min(1, max(0, (cosine-c.Floor)/(c.Ceiling-c.Floor)))
}

// Filters are matching.Filters with the skills resolved. Conditions hold together; an unknown value fails them.
type Filters struct {
	Available     matching.Optional[bool]
	MinRating     matching.Optional[float64]
	MinExperience matching.Optional[float64]
	MaxHourlyRate matching.Optional[float64]
	MustHave      []string // ids; evidence stronger than Sibling
	IDs           []string // nil: everyone
	ExcludeIDs    []string
}

// Page is the answer to a query.
type Page struct {
	Hits []Hit
	// Reference is the BM25 reference value of the query, 0 where no reference term occurs in the index.
	Reference float64
}

// Hit is one document that answers a query.
type Hit struct {
	ID        string
	Retrieval float64             // the score that ordered the hits; not comparable between queries or engines
	Text      float64             // BM25 over Terms with their weights
	Cosine    float64             // of the vectors of Query.Semantic and the document; 0 without Query.Semantic
	Evidence  []matching.Evidence // for each of Query.Skills
	Signals   matching.Signals
}

// String is the query in one line, for logs and golden files.
func (q *Query) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "size=%d", q.Size)
	for i, s := range q.Skills {
		b.WriteString(list(i, " skills=", s.ID))
		fmt.Fprintf(&b, "^%.3g", s.Weight)
	}
	for i, t := range q.Terms {
		b.WriteString(list(i, " terms=", t.Text))
		fmt.Fprintf(&b, "^%.3g", t.Weight)
		if t.Reference {
			b.WriteByte('*')
		}
	}
	if c := q.Semantic; c != nil {
		fmt.Fprintf(&b, " semantic=%d^%.3g[%.3g,%.3g]", c.Space, c.Weight, c.Floor, c.Ceiling)
	}
	if q.Fit != nil {
		b.WriteString(" +fit")
	}
	if q.Quality != nil {
		b.WriteString(" +quality")
	}
	if f := q.Filters.String(); f != "" {
		b.WriteString(" filter(" + f + ")")
	}
	if q.MatchAll {
		b.WriteString(" everyone")
	}
	return b.String()
}

// String is the filters in one line, "" where there are none.
func (f Filters) String() string {
	var parts []string
	add := func(known bool, text string) {
		if known {
			parts = append(parts, text)
		}
	}
	add(f.Available.Known, fmt.Sprintf("available=%v", f.Available.Value))
	add(f.MinRating.Known, fmt.Sprintf("rating>=%v", f.MinRating.Value))
	add(f.MinExperience.Known, fmt.Sprintf("experience>=%v", f.MinExperience.Value))
	add(f.MaxHourlyRate.Known, fmt.Sprintf("rate<=%v", f.MaxHourlyRate.Value))
	add(len(f.MustHave) > 0, "has "+strings.Join(f.MustHave, ","))
	add(f.IDs != nil, fmt.Sprintf("%d ids", len(f.IDs)))
	add(len(f.ExcludeIDs) > 0, fmt.Sprintf("without %d ids", len(f.ExcludeIDs)))
	return strings.Join(parts, " ")
}

func list(i int, first, item string) string {
	if i == 0 {
		return first + item
	}
	return "," + item
}
