package matching

// Match is one freelancer in the answer to a brief.
type Match struct {
	Freelancer    Freelancer
	Score         float64 // 0 to 1, rounded to 1e-6
	Level         Level
	MatchedSkills []string // of the required skills, as the client wrote them
	MissingSkills []string
	Estimate      Estimate
	Explanation   []Feature // in the order of the profile; the contributions add up to the score
}

// Level is a score in one word.
type Level string

// The levels, best first. The scores at which they begin are in the ranking profile.
const (
	LevelExcellent Level = "excellent"
	LevelStrong    Level = "strong"
	LevelFair      Level = "fair"
	LevelWeak      Level = "weak"
)

// Estimate is what the work would take with one freelancer. A part is unknown where the brief says nothing of the
// work's size or the data nothing of the rate.
type Estimate struct {
	Hours Optional[float64] `json:"hours"`
	Days  Optional[float64] `json:"days"` // calendar days
	Cost  Optional[float64] `json:"cost"`
}

// Feature is one signal of a score with what it was worth.
type Feature struct {
	Name         string  `json:"feature"`
	Value        float64 `json:"value"`        // 0 to 1
	Weight       float64 `json:"weight"`       // share of the score, the weights of all features in force adding up to 1
	Contribution float64 `json:"contribution"` // to the score
	Summary      string  `json:"summary"`      // a short sentence with the facts behind the value
}

// Skipped is a part of the ranking that was left out, and why.
type Skipped struct {
	Feature string `json:"feature"`
	Reason  string `json:"reason"`
}

// Answer is everything that a brief gets back.
type Answer struct {
	Matches    []Match // best first
	Considered int     // candidates that were ranked
	// DerivedSkills are the canonical names of the skills found in the brief's text, used because it named none.
	DerivedSkills []string
	UnknownSkills []UnknownSkill // named in the brief and unknown to the taxonomy; matched by spelling alone
	Skipped       []Skipped
	// Reason says in one word why Matches is empty: ReasonNoData, ReasonNoOverlap, ReasonOffset, or
	// ReasonFilter + the filter that left nobody. It is "" when there are matches.
	Reason       string
	ReasonDetail []FilterStep // what each filter did, in the order they were applied
}

// The reasons for an empty answer.
const (
	ReasonNoData    = "no_data"    // nothing was loaded yet
	ReasonNoOverlap = "no_overlap" // nobody shares a skill or a word with the brief
	ReasonOffset    = "offset"     // the offset is past the last match
	ReasonFilter    = "filter:"    // followed by the name of the filter
)

// UnknownSkill is a skill that the taxonomy does not know, with the names it may have been meant as, best first.
type UnknownSkill struct {
	Skill       string   `json:"skill"`
	Suggestions []string `json:"suggestions"`
}

// FilterStep is what one filter did to those that the filters before it let through.
type FilterStep struct {
	Filter   string `json:"filter"`
	Before   int    `json:"before"`   // freelancers before this filter
	Excluded int    `json:"excluded"` // left out by it
	Unknown  int    `json:"unknown"`  // of all freelancers, those whose data does not say what it asks about
	Message  string `json:"message"`
}
