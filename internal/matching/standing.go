package matching

// A Standing is the place of one freelancer in the ranking of a brief, whether or not a match shows them.
type Standing struct {
	Match Match // as in Answer.Matches, always with an explanation
	// Rank is 1 for the best match. It is unknown if the freelancer is excluded, or if the engine ranks only the first
	// freelancers and this one isn't among them.
	Rank  Optional[int]
	Total int // number of freelancers that match the brief; on Elasticsearch, the number of its candidates
	// ExcludedBy holds the reasons why no page of matches can show the freelancer; empty if there are none.
	ExcludedBy []Exclusion
	// LastShown is the last match that the brief's limit and offset show; unknown if they show none.
	LastShown  Optional[ShownMatch]
	Shortfalls []Shortfall // in the order of Match.Explanation
	Answer     Answer      // without matches: what else the answer to the brief says
}

// An Exclusion is a reason why a freelancer is not among the matches.
type Exclusion struct {
	Filter string           `json:"filter"` // name of a filter, ExcludedNoOverlap or SkippedCopies
	Wanted string           `json:"wanted"` // what the filter accepts, in words
	Actual Optional[string] `json:"actual"` // what the freelancer has instead; unknown if the data lacks the value
	Skills []string         `json:"-"`      // the must-have skills that the freelancer lacks
}

// ExcludedNoOverlap is the Exclusion.Filter of a freelancer who has nothing in common with the brief.
const ExcludedNoOverlap = ReasonNoOverlap

// A ShownMatch is the place of a match without its freelancer.
type ShownMatch struct {
	Rank  int     `json:"rank"`
	Score float64 `json:"score"`
}

// A Shortfall is what a freelancer lacks in one feature.
type Shortfall struct {
	Feature string  `json:"feature"`
	Points  float64 `json:"points"` // by which the score would be higher with the feature's highest value
}

// An Alternative is the place that a freelancer would have with another record, or without filters that exclude them.
type Alternative struct {
	With  string // the difference in words, such as "with Kubernetes" and "at 60 EUR an hour"
	Rank  int
	Total int // as in Standing
	Score float64
}
