package ranking

import "github.com/freelancer-matching/service/internal/matching"

// Request is a brief as the score needs it, with resolved skills.
type Request struct {
	Skills  []Requirement // without duplicates; the order doesn't matter
	Derived bool          // the skills were extracted from the brief's text
	// NobodyHasAll is set if nobody in the data set has all of the required skills that anybody has.
	NobodyHasAll bool
	HasText      bool // the brief has words; nobody matches words that are missing from the data
	HasSemantic  bool // brief and data have comparable built-in vectors, so Candidate.Semantic is valid
	HasModel     bool // the same for the vectors of a model that reads sentences and Candidate.Model
	HasEncoder   bool // this model is the sentence encoder of this program, not one of an embeddings server

	// Understood is the share, 0 to 1, of the words of the brief that occur in the data or name a skill.
	Understood matching.Optional[float64]
	// Trade is how close the brief is to the profiles that fit it best, 0 to 1, by the sentence encoder.
	Trade matching.Optional[float64]

	Budget       matching.Optional[matching.Budget] // of a known kind
	Complexity   matching.Complexity                // "" if not given
	TimelineDays matching.Optional[int]             // until the deadline, counted from Start
	Start        int                                // first day of the work, in days since 1970-01-01
	Effort       matching.Optional[matching.Effort] // the size of the work; see Profile.Sized

	// Money is the currency of the amounts in summaries and of the cost in estimates. All amounts of a request and of its
	// candidates are in the currency of the data set.
	Money Money

	Corpus Corpus
}

// Requirement is one skill of a request.
type Requirement struct {
	Name  string // canonical; unique in its request
	Nice  bool   // nice to have; otherwise required
	Count int    // freelancers in the data set who have it
	// Spoken says that it is a language that the text demands. It counts like a required skill, but having it is no
	// evidence of the trade, and lacking it may only mean that nobody asked, so that the discount ignores it.
	Spoken bool
	// Demand is the number of the demand that the skill belongs to, 0 for a skill that is one by itself. Near-duplicates,
	// such as 2D Drafting and 2D Drawing, have the same number, Nice and Spoken: one of them is enough.
	Demand int
}

func (r Requirement) required() bool { return !r.Nice && !r.Spoken }

// Corpus holds the statistics of the data set that the score needs.
type Corpus struct {
	Documents  int
	MeanRating matching.Optional[float64] // 0 to 5; unknown if nobody is rated
	RateMedian matching.Optional[float64] // median of the hourly rates; unknown if all rates are
}

// Candidate is a freelancer being ranked.
type Candidate struct {
	ID       string
	Text     float64 // BM25 divided by the query's reference value, at least 0
	Semantic float64 // similarity in meaning by the built-in vectors, 0 to 1
	// Model is the similarity in meaning by the model that reads sentences, 0 to 1. If unknown, it counts as 0, so that a
	// candidate that was not compared never passes a better one that was.
	Model matching.Optional[float64]
	// Unencoded means that the profile will be compared, but its vector isn't known yet: Model is a stand-in.
	Unencoded bool
	Evidence  []matching.Evidence // for each of Request.Skills
	Signals   matching.Signals
	Schedule  matching.Schedule
	Facts     Facts // used only by explanations
}

// Facts holds optional details for an explanation.
type Facts struct {
	// FoundWords and MissingWords are the main words of the brief, as written there, that do and don't occur in the
	// freelancer's title, skills or description.
	FoundWords, MissingWords []string
	// Through holds, for each of Request.Skills, the freelancer's skill that implies it or is related to it; "" if none.
	Through []string
	// Contradicted holds, for each of Request.Skills, whether the freelancer lists it, but title and description are about
	// work of other fields. Its evidence is InText.
	Contradicted []bool
}
