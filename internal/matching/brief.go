package matching

// Brief is a client's request for freelancers. The zero value of an optional field means that it wasn't given.
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
	Profile          string             // name of a ranking profile; "" for the default
	Weights          map[string]float64 // overrides of the profile's weights, by feature
	Limit, Offset    int
	Explain          bool // also report which words of the brief were found
}

// Budget is the price range of a brief, in the currency of the data set.
type Budget struct {
	Low, High float64
	Hourly    bool // the range is an hourly rate; otherwise a price for the whole project
}

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
	MinRating      Optional[float64]
	MinExperience  Optional[float64]
	MaxHourlyRate  Optional[float64]
	MustHaveSkills []string
	IDs            []string // nil for everyone
	ExcludeIDs     []string
}
