package matching

// Brief is what a client needs. The zero value of every optional member means that the client did not say.
type Brief struct {
	Description      string
	JobTitle         string
	RequiredSkills   []string
	NiceToHaveSkills []string
	Budget           Optional[Budget]
	Complexity       Complexity
	TimelineDays     Optional[int]
	EffortHours      Optional[float64]
	Filters          Filters
	Profile          string             // name of a ranking profile; "" is the default one
	Weights          map[string]float64 // overrides of the profile's weights, by feature
	Limit, Offset    int
	Explain          bool // tell also which of the brief's words were found
}

// Budget is the price range of a brief, in the currency of the data set.
type Budget struct {
	Low, High float64
	Hourly    bool // the range is a rate per hour; otherwise a price for the whole project
}

// Complexity is how demanding a brief is. The zero value means that the client did not say.
type Complexity string

// The complexities of the wire format.
const (
	ComplexityLow    Complexity = "low"
	ComplexityMedium Complexity = "medium"
	ComplexityHigh   Complexity = "high"
)

// Filters are conditions that a freelancer meets or not; they never change a score. An unknown value meets none.
type Filters struct {
	Available      Optional[bool]
	MinRating      Optional[float64]
	MinExperience  Optional[float64]
	MaxHourlyRate  Optional[float64]
	MustHaveSkills []string
	IDs            []string // nil: everyone
	ExcludeIDs     []string
}
