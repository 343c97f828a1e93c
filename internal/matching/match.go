package matching

// Match is one freelancer in the response to a brief.
type Match struct {
	Freelancer    Freelancer
	Score         float64  // 0 to 1, rounded to 1e-6
	Fit           float64  // the score without budget and timeline
	Level         Level    // of Fit
	Price         Price    // the zero value if the brief has no budget
	MatchedSkills []string // of the required skills, as the client wrote them
	MissingSkills []string // the others, without near-duplicates of matched ones
	Estimate      Estimate
	Explanation   []Feature    // in the order of the profile; contributions add up to the score; nil unless Brief.Explain
	Adjustments   []Adjustment // factors on the whole score; nil unless Brief.Explain
	// Parts has what each feature contributes to the score for a weight of 1; nil unless Brief.Explore. Clients don't
	// see it.
	Parts []float64
}

// Level is a score as a word.
type Level string

// The levels, best first. The ranking profile defines the lowest score of each.
const (
	LevelExcellent Level = "excellent"
	LevelStrong    Level = "strong"
	LevelFair      Level = "fair"
	LevelWeak      Level = "weak"
)

// Price compares a freelancer's price with the budget.
type Price struct {
	Verdict PriceVerdict      `json:"verdict"`
	Times   Optional[float64] `json:"times"` // price ÷ budget to a tenth, of a freelancer over a budget above 0
}

// PriceVerdict says whether a price is within the budget.
type PriceVerdict string

// The verdicts of the wire format.
const (
	PriceWithin  PriceVerdict = "within_budget"
	PriceOver    PriceVerdict = "over_budget"
	PriceUnknown PriceVerdict = "unknown_rate"
)

// Estimate is the effort and cost of the work with one freelancer. Fields are unknown if the brief lacks the size of
// the work, or the data the rate.
type Estimate struct {
	Hours    Optional[float64] `json:"hours"`
	Days     Optional[float64] `json:"days"` // calendar days
	Cost     Optional[float64] `json:"cost"`
	Currency string            `json:"currency,omitempty"` // of the cost
}

// Feature is one signal of a score with its contribution.
type Feature struct {
	Name         string  `json:"feature"`
	Value        float64 `json:"value"`        // 0 to 1
	Weight       float64 `json:"weight"`       // share of the score; the weights of all features add up to 1
	Contribution float64 `json:"contribution"` // to the score
	Summary      string  `json:"summary"`      // a short sentence with the facts behind the value
}

// Adjustment is a factor on a whole score. A contribution is value × weight × all factors.
type Adjustment struct {
	Factor float64 `json:"factor"` // 0 to 1
	Reason string  `json:"reason"` // a short sentence about the freelancer
}

// Skipped is a part of the ranking that was left out, with the reason.
type Skipped struct {
	Feature string `json:"feature"` // a feature of the ranking, or one of the constants below
	Reason  string `json:"reason"`
}

// SkippedRecords is the Skipped.Feature for freelancers who were left out because their records are damaged.
const SkippedRecords = "records"

// SkippedCopies is the Skipped.Feature for freelancers whose profiles repeat the brief.
const SkippedCopies = "copies"

// SkippedLanguage is the Skipped.Feature for the note that a brief in another language was read in English.
const SkippedLanguage = "language"

// SkippedRanking is the Skipped.Feature for the published ranking of an account that this release can't use.
const SkippedRanking = "ranking"

// SkippedLevel is the Skipped.Feature for the note that no match is excellent, because most words of the brief are
// unknown or no title fits its trade.
const SkippedLevel = "level"

// Answer is the result of a brief.
type Answer struct {
	Matches    []Match // best first
	Considered int     // number of matches, counted up to a limit; clients can page through them
	// DerivedSkills holds the canonical names of skills extracted from the brief's text, if it had no skills of its own.
	DerivedSkills []string
	// ExcludedSkills holds the canonical names of skills that the brief's text excludes, and NiceToHaveSkills those of
	// skills that the text calls nice to have, if the brief had no skills of its own.
	ExcludedSkills   []string
	NiceToHaveSkills []string
	// RequiredSkills counts the freelancers with each of the brief's required skills; nil if it listed none.
	RequiredSkills []RequiredSkill
	// AllRequiredSkills counts the freelancers with all of them together; nil if the brief listed fewer than two.
	AllRequiredSkills *AllRequiredSkills

	// Understood is the share, 0 to 1, of the distinct words of the brief that occur in the data or name a skill. It is
	// unknown if the brief has no words, and without data.
	Understood Optional[float64]

	UnknownSkills []UnknownSkill // unknown to the taxonomy, so matched by spelling alone unless corrected
	Skipped       []Skipped
	// Currency belongs to the estimates, and DataCurrency to the freelancers' hourly rates. Each is "" if it is
	// unknown. Conversion is nil if they are the same.
	Currency     string
	DataCurrency string
	Conversion   *Conversion
	Effort       *Effort        // the size of the work that estimates rest on; nil without data
	Budget       *BudgetReading // nil if the brief has no budget
	Encoder      *EncoderUse    // nil if the sentence encoder didn't take part
	Ranking      *RankingUse    // nil unless the published ranking of the account ordered the matches
	Explored     *Explored      // nil unless a coin decided the order of two neighbors
	Filters      []FilterCount  // effect of each filter on its own; nil if the brief has none
	// SuggestedFilters holds filters that the brief's text asks for and that the client didn't set.
	SuggestedFilters []SuggestedFilter
	// Reason is why Matches is empty: ReasonNoData, ReasonNoOverlap, ReasonOffset, or ReasonFilter with the name of the
	// filter that excluded the last freelancer. It is "" if there are matches.
	Reason       string
	ReasonDetail []FilterStep // effect of each filter, in the order of application

	Versions Versions // zero if nobody was considered
}

// Versions says what computed an answer: everything but the brief that decides who is matched, and in which order.
type Versions struct {
	Program  string `json:"program"`
	Index    string `json:"index"` // name of the live index, which a load creates
	Taxonomy string `json:"taxonomy"`
	Profile  string `json:"profile"` // name of the ranking profile
	Numbers  string `json:"numbers"` // digest of the profile's numbers
	// Overridden is set if the request had weights of its own, which are part of the brief.
	Overridden bool   `json:"weights_overridden"`
	Encoder    string `json:"encoder"` // the model of the sentence encoder; "" if it didn't take part
	// Ranking is the version of the account's ranking that has the weights; 0 if the profile has. Its name is left out,
	// because these records outlive accounts.
	Ranking int `json:"ranking_version,omitempty"`
}

// An EncoderUse says how many of the best freelancers the sentence encoder has compared with the brief.
type EncoderUse struct {
	Compared int `json:"compared"` // of Of; the profiles of the others are not encoded yet
	Of       int `json:"of"`       // the number of best freelancers who are ordered by it
}

// A BudgetReading says how a budget was read.
type BudgetReading struct {
	Type    BudgetKind `json:"type"`
	Assumed bool       `json:"assumed"` // the client sent no type
	// Buys is the number of hours that the upper end pays at the median rate of the data set; unknown for an hourly
	// budget.
	Buys    Optional[float64] `json:"buys_hours"`
	Message string            `json:"message"`
}

// The values of Answer.Reason.
const (
	ReasonNoData    = "no_data"    // nothing is loaded
	ReasonNoOverlap = "no_overlap" // no freelancer shares a skill or a word with the brief
	ReasonOffset    = "offset"     // the offset is past the last match
	ReasonFilter    = "filter:"    // followed by the name of the filter
)

// RequiredSkill counts the freelancers who have a required skill: in their list of skills, implied by a listed skill,
// or named in their title or description. A skill that the taxonomy lacks is found in lists only.
type RequiredSkill struct {
	Skill          string        `json:"skill"`                    // as the client wrote it; a language's name
	Because        []string      `json:"because,omitempty"`        // the words of the text that demand the language
	Freelancers    int           `json:"freelancers"`              // of the whole data set
	PassingFilters Optional[int] `json:"passing_filters,omitzero"` // of these; unknown if the brief has no filters
	Message        string        `json:"message"`
}

// AllRequiredSkills counts the freelancers who have all required skills of a brief.
type AllRequiredSkills struct {
	Skills      int    `json:"skills"`      // the number of required skills
	Freelancers int    `json:"freelancers"` // of the whole data set
	Message     string `json:"message"`
}

// UnknownSkill is a skill that the taxonomy lacks, with suggested names, best first.
type UnknownSkill struct {
	Skill       string   `json:"skill"`
	Suggestions []string `json:"suggestions"`
	// CorrectedTo is the canonical name of the skill that was matched instead, if Skill is certainly a misspelling of it.
	CorrectedTo string `json:"corrected_to,omitempty"`
}

// Conversion is the exchange rate between the currency of the data set and that of a brief.
type Conversion struct {
	Date   string  `json:"date"`             // of the rate, such as 2026-11-20
	Source string  `json:"source,omitempty"` // publisher of the rate, if known
	From   string  `json:"from"`             // currency of the data set
	To     string  `json:"to"`               // currency of the brief
	Rate   float64 `json:"rate"`             // amount of To that one unit of From is worth
}

// FilterCount is the effect of one filter on all freelancers, whatever the other filters are.
type FilterCount struct {
	Filter   string `json:"filter"`
	Excluded int    `json:"excluded"`
	Unknown  int    `json:"unknown"` // of those excluded, the freelancers without a value for this filter
	Message  string `json:"message"`
}

// SuggestedFilter is a filter that the words of a brief ask for.
type SuggestedFilter struct {
	Filter  string   `json:"filter"`
	Value   any      `json:"value"`   // as a client would send it
	Because []string `json:"because"` // the words of the brief, verbatim
}

// FilterStep is the effect of one filter on the freelancers that passed the filters before it.
type FilterStep struct {
	Filter   string `json:"filter"`
	Before   int    `json:"before"`   // freelancers before this filter
	Excluded int    `json:"excluded"` // removed by this filter
	Unknown  int    `json:"unknown"`  // of all freelancers, those without a value for this filter
	Message  string `json:"message"`
}
