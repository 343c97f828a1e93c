package engine

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/mappings"
)

// A Query asks an engine for the documents that answer a brief. A document is a hit if it passes Filters and also has
// one of the Skills or belongs to one of their families, contains one of the Terms, or has a vector whose closeness to
// the brief's is above Semantic.Hit. MatchAll drops everything but the filters.
//
// The retrieval score of a document is
//
//	TextWeight · BM25 ÷ (BM25 + reference)
//	+ Σ over Demands: Weight · Credit[best evidence]
//	+ Semantic.Weight · closeness
//	+ Fit(signals, schedule) + Quality(signals)
//
// without the first line if the reference is 0, and without the third if Semantic is nil. Bend maps this sum, and
// Discount lowers the result for a document that lacks required skills.
//
// BM25 is computed as in Lucene: Σ over Terms: Weight · idf · tf/(tf + k1·(1−b+b·length/mean)), where idf = ln(1 +
// (N−df+.5)/(df+.5)), N is the number of documents that have any terms, mean is their mean length, df is the number of
// documents that contain the term, and length is RoundLength of the document's number of terms. An engine that changes
// indexes in place may count replaced and deleted documents until it has cleaned up.
//
// The closeness is Semantic.Closeness of the cosine of the two vectors.
//
// But for rounding, the retrieval score is the final score that package ranking computes.
type Query struct {
	Terms      []Term
	TextWeight float64
	Skills     []SkillClause
	// Credit is the share of a skill's weight, from 0 to 1, that each kind of evidence earns. Stronger evidence never
	// earns less, and Credit[NoEvidence] is 0.
	Credit [matching.Listed + 1]float64
	// Bend and Discount are applied to the sum, in this order. With a Discount, no part of the sum may be negative.
	Bend     Bend
	Discount matching.Discount
	// Semantic compares the meaning of the brief with that of each document. If nil, meanings are not compared.
	Semantic *SemanticClause
	// Compare asks for Hit.Compared. It changes neither which documents are hits nor their order.
	Compare *CompareClause
	// Fit scores hourly rate, experience, availability and the schedule; Quality scores rating and total sales. Both must
	// be pure functions that are monotonic in each of these numbers while the others stay the same, so that an engine can
	// bound them for a range of values. Several goroutines may call them. Fit must be highest for the schedule
	// BestSchedule. If nil, the score is 0.
	Fit     func(matching.Signals, matching.Schedule) float64
	Quality func(matching.Signals) float64

	Filters  Filters
	MatchAll bool
	Size     int // number of best hits that the caller needs; if 0, Search computes only the reference
	// Window is the maximum of Page.Matching, and of the number of hits if it exceeds Size: those whose score is less than
	// Tie below that of the last of the best follow them, because their order may change when scores are rounded.
	Window int
}

// BestSchedule returns the schedule of somebody who can start at any time and whose hours a week are unknown. With the
// same signals, no other schedule has a higher Query.Fit.
func BestSchedule() matching.Schedule { return matching.Schedule{From: matching.Some(math.MinInt32)} }

// Tie is the difference in score up to which the caller may order hits differently.
const Tie = 1e-6

// A Term is one distinct analyzed word of the brief.
type Term struct {
	Text   string
	Weight float64 // how often and how prominently the brief uses the word; at least 0
	// Reference marks the terms of the brief's first line, title and skills. The reference value of a query is the BM25
	// score, with the same weights, of a document of average length that contains each of these terms once.
	Reference bool
}

// A SkillClause asks for one skill.
type SkillClause struct {
	ID     string
	Family string  // "" if the skill has none; all documents of the family have at least the evidence Sibling
	Weight float64 // at least 0
	// Required skills are those that Query.Discount is about.
	Required bool
	// Demand is the number of the demand that the skill belongs to; 0 for a skill that is a demand by itself. Skills of
	// one demand have the same weight and the same Required. Only the one with the best evidence counts.
	Demand int
}

// Demands returns the numbers of the clauses of each demand of Skills, in the order of their first clauses.
func (q *Query) Demands() [][]int {
	demands := make([][]int, 0, len(q.Skills))
	for i, s := range q.Skills {
		at := -1
		if s.Demand != 0 {
			at = slices.IndexFunc(demands, func(d []int) bool { return q.Skills[d[0]].Demand == s.Demand })
		}
		if at < 0 {
			at = len(demands)
			demands = append(demands, nil)
		}
		demands[at] = append(demands[at], i)
	}
	return demands
}

// SkillScore returns what the skills add to the sum of a document with the given evidence for them.
func (q *Query) SkillScore(evidence []matching.Evidence) (sum float64) {
	for i, s := range q.Skills {
		if best, isFirst := q.bestEvidence(i, evidence); isFirst {
			sum += s.Weight * q.Credit[best]
		}
	}
	return sum
}

// bestEvidence returns the best of the evidence for the skills of a demand, given its first clause. isFirst is false if
// an earlier clause belongs to the demand.
func (q *Query) bestEvidence(clause int, evidence []matching.Evidence) (best matching.Evidence, isFirst bool) {
	best = evidence[clause]
	demand := q.Skills[clause].Demand
	if demand == 0 {
		return best, true
	}
	for i, s := range q.Skills {
		switch {
		case s.Demand != demand:
		case i < clause:
			return best, false
		default:
			best = max(best, evidence[i])
		}
	}
	return best, true
}

// RequiredSkills returns the clauses that q.Discount is about, none if it is zero.
func (q *Query) RequiredSkills() (clauses []SkillClause) {
	if q.Discount == (matching.Discount{}) {
		return nil
	}
	for _, s := range q.Skills {
		if s.Required {
			clauses = append(clauses, s)
		}
	}
	return clauses
}

// Score returns the retrieval score of a document with the given evidence for q.Skills, for the sum of its parts.
func (q *Query) Score(sum float64, evidence []matching.Evidence) float64 {
	return q.Bend.At(sum) * q.kept(evidence)
}

// kept returns the share of its score that q.Discount leaves to a document with the given evidence for q.Skills.
func (q *Query) kept(evidence []matching.Evidence) float64 {
	required, has := 0, 0
	related := false
	for i, s := range q.Skills {
		best, isFirst := q.bestEvidence(i, evidence)
		if !s.Required || !isFirst {
			continue
		}
		required++
		related = related || best != matching.NoEvidence
		if best.Matches() {
			has++
		}
	}
	return q.Discount.Kept(required, has, related)
}

// A Bend is the function that consists of two lines, through [0, 0], [From, To] and [1, 1]. It rises and is convex. The
// zero value is the identity.
type Bend struct{ From, To float64 } // 0 < To ≤ From < 1

// At returns the value of the function at x.
func (b Bend) At(x float64) float64 {
	switch {
	case b == (Bend{}):
		return x
	case x <= b.From:
		return x * b.To / b.From
	default:
		return 1 - (1-x)*(1-b.To)/(1-b.From)
	}
}

// Inverse returns the x at which the function has the value y.
func (b Bend) Inverse(y float64) float64 { return Bend{From: b.To, To: b.From}.At(y) }

// A SemanticClause asks for documents whose meaning is close to the brief's.
type SemanticClause struct {
	Space  int             // index into Info.Vectors
	Vector matching.Vector // of the brief, in that space
	Weight float64         // at least 0
	// The closeness rises from 0 at the cosine Floor to 1 at the cosine Ceiling. Floor < Ceiling.
	Floor, Ceiling float64
	// Hit is the closeness, from 0 to below 1, above which a document is a hit without any skill or term of the query.
	Hit float64
}

// A CompareClause asks for the cosines of the hits' vectors in one space to a vector of the brief.
type CompareClause struct {
	Space  int             // index into Info.Vectors
	Vector matching.Vector // of the brief, in that space
}

// Check returns an error if an index with these vector spaces cannot be searched for q.
func (q *Query) Check(spaces []matching.VectorSpace) error {
	b := q.Bend
	if rises := 0 < b.To && b.To <= b.From && b.From < 1; !rises && b != (Bend{}) {
		return fmt.Errorf("bend: got %v, want 0 < To <= From < 1", b)
	}

	d := q.Discount
	if !(0 <= d.Some && d.Some <= d.Related && d.Related <= d.None && d.None <= 1) {
		return fmt.Errorf("discount: got %v, want 0 <= Some <= Related <= None <= 1", d)
	}

	if c := q.Semantic; c != nil {
		if err := checkVector(c.Space, c.Vector, spaces); err != nil {
			return fmt.Errorf("semantic clause: %w", err)
		}
		if !(c.Floor < c.Ceiling) {
			return fmt.Errorf("semantic clause: the floor %v is not below the ceiling %v", c.Floor, c.Ceiling)
		}
		if !(c.Hit >= 0 && c.Hit < 1) {
			return fmt.Errorf("semantic clause: a closeness of %v for hits, want at least 0 and less than 1", c.Hit)
		}
	}
	if c := q.Compare; c != nil {
		if err := checkVector(c.Space, c.Vector, spaces); err != nil {
			return fmt.Errorf("compare clause: %w", err)
		}
	}
	return nil
}

// checkVector returns an error unless one of the spaces has this number and v is one of its vectors.
func checkVector(space int, v matching.Vector, spaces []matching.VectorSpace) error {
	switch {
	case len(spaces) == 0:
		return errors.New("the documents of this index have no vectors: load the data again to add them")
	case space < 0 || space >= len(spaces):
		return fmt.Errorf("space %d does not exist, want 0 to %d", space, len(spaces)-1)
	}
	return spaces[space].Holds(v)
}

// Closeness rescales a cosine: it returns 0 up to Floor, 1 from Ceiling on, and interpolates linearly in between.
func (c *SemanticClause) Closeness(cosine float64) float64 {
	return min(1, max(0, (cosine-c.Floor)/(c.Ceiling-c.Floor)))
}

// Filters are matching.Filters with resolved skills. A document must meet all conditions, and an unknown value meets
// none.
type Filters struct {
	Available     matching.Optional[bool]
	MinRating     matching.Optional[float64]
	MinExperience matching.Optional[float64]
	MaxHourlyRate matching.Optional[float64]
	RateLimit     matching.Optional[matching.RateLimit] // a second limit on the hourly rate, which must be known
	MustHave      []string                              // skill ids; the evidence must be stronger than Sibling
	// MustHaveOne holds sets of skill ids; the document must have at least one of each set, as for MustHave.
	MustHaveOne   [][]string
	ExcludeSkills []string // skill ids of which a document must have none
	// Labels holds sets of labels; the document must have at least one label of each set. No document has one of an empty
	// set.
	Labels [][]string
	// AvailableBy is a day, in days since 1970-01-01; Schedule.From must not be later.
	AvailableBy matching.Optional[int]
	IDs         []string // if not nil, only these freelancers
	ExcludeIDs  []string
}

// UnknownLabels returns the labels of documents that lack the value that a set of labels asks for. A label has the form
// kind:value or kind:value/detail. A document without a value of that kind has the label "kind:?", and one without the
// detail has "kind:value/?". For "lang:de/C1" the result is "lang:?" and "lang:de/?". Not all of the labels need exist.
func UnknownLabels(set []string) []string {
	var unknown []string
	add := func(label string) {
		if !slices.Contains(unknown, label) {
			unknown = append(unknown, label)
		}
	}
	for _, label := range set {
		if kind, _, ok := strings.Cut(label, ":"); ok {
			add(kind + ":?")
		}
		if i := strings.LastIndexByte(label, '/'); i > 0 {
			add(label[:i] + "/?")
		}
	}
	return unknown
}

// A Page is the answer to a query.
type Page struct {
	Hits []Hit
	// Matching is the number of documents that answer the query, counted up to Query.Window. An engine that looks only at
	// candidates counts those.
	Matching int
	// Reference is the BM25 reference value of the query, 0 if no reference term occurs in the index.
	Reference float64
	// UnknownTerms holds those of Query.Terms that no document has, in the same order.
	UnknownTerms []string
	// Damaged is the number of documents that were left out because their stored data is damaged.
	Damaged int
	// Scoring is what the text scores were computed from; nil if the engine doesn't know all of it.
	Scoring *TextScoring
}

// TextScoring is what the text score of a query and any document can be computed from.
type TextScoring struct {
	Weights    []float64 // weight · idf of each of Query.Terms; 0 for those of Page.UnknownTerms
	MeanLength float64   // of the documents that have any terms, at least 1
	BM25       mappings.BM25
}

// Text returns the text score of a document with a number of terms, given how often it has each of Query.Terms. Engines
// that store frequencies in one byte round those above a dozen.
func (s *TextScoring) Text(length int, frequency func(term int) float64) (score float64) {
	norm := s.BM25.K1 * (1 - s.BM25.B + s.BM25.B*float64(RoundLength(length))/s.MeanLength)
	for i, weight := range s.Weights {
		if tf := frequency(i); tf > 0 {
			score += weight * tf / (tf + norm)
		}
	}
	return score
}

// A Hit is one document that answers a query.
type Hit struct {
	ID        string
	Retrieval float64             // score that orders the hits; not comparable between queries or engines
	Text      float64             // weighted BM25 over Query.Terms
	Cosine    float64             // between Query.Semantic.Vector and the document's; 0 if Query.Semantic is nil
	Compared  float64             // between Query.Compare.Vector and the document's; 0 if Query.Compare is nil
	Evidence  []matching.Evidence // for each of Query.Skills
	Signals   matching.Signals
	Schedule  matching.Schedule
}

// String returns the query in one line, for logs and golden files.
func (q *Query) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "size=%d", q.Size)
	for i, s := range q.Skills {
		b.WriteString(list(i, " skills=", s.ID))
		fmt.Fprintf(&b, "^%.3g", s.Weight)
		// Without a discount, a required skill is a skill like any other.
		if s.Required && q.Discount != (matching.Discount{}) {
			b.WriteByte('!')
		}
		if s.Demand != 0 {
			fmt.Fprintf(&b, "=%d", s.Demand)
		}
	}

	if d := q.Discount; d != (matching.Discount{}) {
		fmt.Fprintf(&b, " discount=%.3g,%.3g,%.3g", d.Some, d.Related, d.None)
	}

	if q.Bend != (Bend{}) {
		fmt.Fprintf(&b, " bend=%.3g,%.3g", q.Bend.From, q.Bend.To)
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

	if c := q.Compare; c != nil {
		fmt.Fprintf(&b, " compare=%d", c.Space)
	}

	if q.Fit != nil {
		b.WriteString(" +fit")
	}

	if q.Quality != nil {
		b.WriteString(" +quality")
	}

	// The weights of the ranking are in Fit and Quality, which are functions, so the line says only that they exist.
	if f := q.Filters.String(); f != "" {
		b.WriteString(" filter(" + f + ")")
	}

	if q.MatchAll {
		b.WriteString(" match_all")
	}

	return b.String()
}

// String returns the filters in one line, or "" if there are none.
func (f Filters) String() string {
	var parts []string
	// Filters that aren't set are left out, so that the line stays readable in a log.
	add := func(set bool, text string) {
		if set {
			parts = append(parts, text)
		}
	}

	add(f.Available.Known, fmt.Sprintf("available=%v", f.Available.Value))
	add(f.MinRating.Known, fmt.Sprintf("rating>=%v", f.MinRating.Value))
	add(f.MinExperience.Known, fmt.Sprintf("experience>=%v", f.MinExperience.Value))
	add(f.MaxHourlyRate.Known, fmt.Sprintf("rate<=%v", f.MaxHourlyRate.Value))
	add(f.RateLimit.Known, fmt.Sprintf("rate<=%v with experience", f.RateLimit.Value))
	add(len(f.MustHave) > 0, "has "+strings.Join(f.MustHave, ","))
	for _, set := range f.MustHaveOne {
		add(true, "has one of "+strings.Join(set, ","))
	}

	add(len(f.ExcludeSkills) > 0, "lacks "+strings.Join(f.ExcludeSkills, ","))

	for _, set := range f.Labels {
		add(true, "label "+labelText(set))
	}

	add(f.AvailableBy.Known, fmt.Sprintf("from<=day %d", f.AvailableBy.Value))
	add(f.IDs != nil, fmt.Sprintf("%d ids", len(f.IDs)))
	add(len(f.ExcludeIDs) > 0, fmt.Sprintf("without %d ids", len(f.ExcludeIDs)))

	return strings.Join(parts, " ")
}

// labelText returns a set of labels in one word, of a large set only the first labels and the number of the others.
func labelText(set []string) string {
	const shown = 4
	if len(set) <= shown {
		return strings.Join(set, "|")
	}
	return fmt.Sprintf("%s|+%d", strings.Join(set[:shown], "|"), len(set)-shown)
}

func list(i int, first, item string) string {
	if i == 0 {
		return first + item
	}
	return "," + item
}
