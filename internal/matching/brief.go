package matching

// Brief is a client's request for freelancers. The zero value of an optional field means that it wasn't given.
type Brief struct {
	Description      string
	JobTitle         string
	RequiredSkills   []string
	NiceToHaveSkills []string
	Budget           Optional[Budget]
	Complexity       Complexity
	TimelineDays     Optional[int] // until the deadline, counted from StartDay
	StartDay         Optional[int] // first day of the work, in days since 1970-01-01; today (UTC) if unknown
	EffortHours      Optional[float64]
	Filters          Filters
	// Bound holds conditions besides Filters, which nothing else in the brief has an effect on. It has no MaxCost, which
	// depends on the size of the work. Its amounts are in BoundCurrency; "" for that of the data set.
	Bound         Filters
	BoundCurrency string
	Profile       string             // name of a ranking profile; "" for the default
	Weights       map[string]float64 // overrides of the profile's weights, by feature
	// Ranking is the published ranking of the account, if the request names no profile and no weights. It takes the place
	// of Profile. Weights override it, too.
	Ranking *Ranking
	// Explore is the seed of a coin that decides the order of two neighbors with nearly the same score; 0 for no coin. The
	// same seed decides the same for each page.
	Explore uint64
	// Currency is the ISO 4217 code of every amount of the brief and of the estimates; "" for that of the data set.
	Currency      string
	Limit, Offset int
	Explain       bool // explain each score; without it, Match.Explanation is nil
	Details       bool // the client wants the freelancers' details
	// KeepCopies keeps freelancers whose profiles repeat the brief, which is the text of a profile.
	KeepCopies bool
}

// Budget is the price range of a brief, in the brief's currency.
type Budget struct {
	Low, High float64
	Kind      BudgetKind
}

// BudgetKind is what a budget pays for. The zero value means that the client didn't say.
type BudgetKind string

// The kinds of the wire format.
const (
	BudgetFixed  BudgetKind = "fixed" // the whole project
	BudgetHourly BudgetKind = "hourly"
)

// Effort is the size of the work of a brief in hours, at an average pace.
type Effort struct {
	Low     float64      `json:"low"`
	Typical float64      `json:"typical"`
	High    float64      `json:"high"`
	From    EffortSource `json:"from"`
}

// EffortSource is what an effort rests on.
type EffortSource string

// The sources of the wire format.
const (
	EffortFromClient        EffortSource = "effort_hours"
	EffortFromText          EffortSource = "text"
	EffortFromTextAndBudget EffortSource = "text_and_budget"
)

// Complexity is how demanding the work is. The zero value means that it wasn't given.
type Complexity string

// The complexities of the wire format.
const (
	ComplexityLow    Complexity = "low"
	ComplexityMedium Complexity = "medium"
	ComplexityHigh   Complexity = "high"
)

// Filters holds conditions that never change a score. A freelancer with an unknown value fails the filter on it.
type Filters struct {
	Available      Optional[bool]
	AvailableBy    Optional[int] // a day, in days since 1970-01-01
	Verified       Optional[bool]
	MinRating      Optional[float64]
	MinExperience  Optional[float64]
	MaxHourlyRate  Optional[float64] // in the brief's currency
	MaxCost        Optional[float64] // of the estimated work, in the brief's currency
	Countries      []string          // ISO 3166-1 alpha-2 codes, of which the freelancer must have one
	Languages      []LanguageFilter  // each of which the freelancer must speak
	TimeZone       Optional[TimeZoneFilter]
	MustHaveSkills []string
	ExcludeSkills  []string
	IDs            []string // nil for everyone
	ExcludeIDs     []string
}

// A LanguageFilter asks for speakers of a language.
type LanguageFilter struct {
	Tag      string        `json:"language"`            // BCP 47, in canonical form
	MinLevel LanguageLevel `json:"min_level,omitempty"` // "" for any level, known or not
}

// A TimeZoneFilter asks for time zones near one, by their offsets from UTC at the time of the request.
type TimeZoneFilter struct {
	Zone        string  `json:"zone"` // IANA name, or a fixed offset such as UTC+05:30
	WithinHours float64 `json:"within_hours"`
}
