package ranking

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"freelancer-matching/internal/matching"
)

//go:embed profiles/*.json
var profileFiles embed.FS

// defaultProfile is the profile that holds every number; the others state only where they differ from it.
const defaultProfile = "default"

// Profile is a named set of all numbers in a score. [Load] makes one; it is not changed afterwards.
type Profile struct {
	Name string `json:"-"`
	// Weights is how much each feature counts, by its name; 0 leaves it out. Only their proportions matter.
	Weights    map[string]float64 `json:"weights"`
	Skills     SkillNumbers       `json:"skills"`
	Work       WorkNumbers        `json:"work"`
	Experience ExperienceNumbers  `json:"experience"`
	Quality    QualityNumbers     `json:"quality"`
	// Neutral is the value, 0 to 1, of a feature that needs something unknown of a freelancer.
	Neutral float64 `json:"neutral"`
	// Curve turns the weighted mean of the features into the score.
	Curve  Curve       `json:"curve"`
	Levels LevelScores `json:"levels"`

	// overridden are the features whose weights a client set, so that it hears of those that are left out.
	overridden [features]bool
}

// SkillNumbers are the numbers of the skills feature.
type SkillNumbers struct {
	Credit Credit `json:"credit"`
	// RarityBound is how many times the weight of the most common skill the rarest one may have, at least 1.
	RarityBound float64 `json:"rarity_bound"`
	// NiceToHave is the weight of a nice-to-have skill relative to a required one as rare, 0 to 1. It also bounds the
	// weight of all of them together relative to all required ones, so that many wishes never outweigh the need.
	NiceToHave float64 `json:"nice_to_have"`
	// Derived is what the weight of the feature is multiplied by, 0 to 1, where the skills are a guess from the text.
	Derived float64 `json:"derived"`
}

// Credit is the share of a skill's weight, 0 to 1, that each kind of evidence earns. It never falls with stronger
// evidence.
type Credit struct {
	Sibling float64 `json:"sibling"`
	InText  float64 `json:"in_text"`
	InTitle float64 `json:"in_title"`
	Implied float64 `json:"implied"`
	Listed  float64 `json:"listed"`
}

// WorkNumbers turn the size of the work into hours, days and cost for one freelancer.
type WorkNumbers struct {
	Hours       map[matching.Complexity]float64 `json:"hours"` // at pace 1, where the client knows no better
	Pace        Pace                            `json:"pace"`
	HoursPerDay float64                         `json:"hours_per_day"`
	DaysPerWeek float64                         `json:"days_per_week"`
	// Unavailable is what the timeline value of someone known not to be available is multiplied by, 0 to 1.
	Unavailable float64 `json:"unavailable"`
}

// Pace is how much a freelancer does in an hour, in usual hours. It grows linearly with the years up to ExpertYears;
// it is 1 where the years are unknown.
type Pace struct {
	Beginner    float64 `json:"beginner"`
	Expert      float64 `json:"expert"`
	ExpertYears float64 `json:"expert_years"`
}

// ExperienceNumbers are the numbers of the experience feature.
type ExperienceNumbers struct {
	Years map[matching.Complexity]float64 `json:"years"` // that each complexity asks for
}

// QualityNumbers are the numbers of the quality feature, a Bayesian mean of the rating.
type QualityNumbers struct {
	PriorProjects   float64 `json:"prior_projects"`   // how many projects the data set's mean rating counts for
	UnknownProjects float64 `json:"unknown_projects"` // how many are taken to be behind a rating without total sales
}

// LevelScores are the scores at which the levels begin; below Fair it is weak.
type LevelScores struct {
	Excellent float64 `json:"excellent"`
	Strong    float64 `json:"strong"`
	Fair      float64 `json:"fair"`
}

// Names lists the shipped profiles in the order of the alphabet.
func Names() []string {
	entries, err := profileFiles.ReadDir("profiles")
	if err != nil {
		panic(err) // embedded at build time
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".json"))
	}
	return names
}

// Load reads a shipped profile; "" is the default one. The error for an unknown name lists the names.
func Load(name string) (*Profile, error) {
	if name == "" {
		name = defaultProfile
	}
	if names := Names(); !slices.Contains(names, name) {
		return nil, fmt.Errorf("no ranking profile is named %q; there are %s", name, strings.Join(names, ", "))
	}
	files := []string{defaultProfile}
	if name != defaultProfile {
		files = append(files, name)
	}
	p := &Profile{Name: name}
	for _, file := range files {
		data, err := profileFiles.ReadFile("profiles/" + file + ".json")
		if err != nil {
			return nil, fmt.Errorf("read ranking profile %q: %w", file, err)
		}
		if err := p.merge(data); err != nil {
			return nil, fmt.Errorf("read ranking profile %q: %w", file, err)
		}
	}
	if err := p.validate(); err != nil {
		return nil, fmt.Errorf("ranking profile %q: %w", name, err)
	}
	return p, nil
}

// merge sets the numbers that a profile file states, and leaves the others as they are.
func (p *Profile) merge(data []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	return decoder.Decode(p)
}

// Credits is the share of a skill's weight that each kind of evidence earns, by matching.Evidence.
func (p *Profile) Credits() [matching.Listed + 1]float64 {
	c := p.Skills.Credit
	return [matching.Listed + 1]float64{
		matching.Sibling: c.Sibling,
		matching.InText:  c.InText,
		matching.InTitle: c.InTitle,
		matching.Implied: c.Implied,
		matching.Listed:  c.Listed,
	}
}

// Level is the word for a score.
func (p *Profile) Level(score float64) matching.Level {
	switch {
	case score >= p.Levels.Excellent:
		return matching.LevelExcellent
	case score >= p.Levels.Strong:
		return matching.LevelStrong
	case score >= p.Levels.Fair:
		return matching.LevelFair
	default:
		return matching.LevelWeak
	}
}

// validate reports everything that would break a promise of the score.
func (p *Profile) validate() error {
	var faults []error
	want := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	for _, fault := range weightFaults(p.Weights) {
		want(false, "%s: %s", fault.Field, fault.Message)
	}
	for _, name := range featureNames() {
		_, stated := p.Weights[name]
		want(stated, "weights.%s is missing", name)
	}
	want(p.Weights["skills"] >= p.Weights["quality"], "weights.skills must be at least weights.quality")

	credits := p.Credits()
	want(slices.IsSorted(credits[:]) && credits[0] == 0 && credits[matching.Listed] <= 1,
		"skills.credit must rise from 0 to at most 1 with the evidence")
	want(credits[matching.Sibling] <= .4, "skills.credit.sibling must be at most 0.4")
	want(p.Skills.RarityBound >= 1, "skills.rarity_bound must be at least 1")
	want(inUnit(p.Skills.NiceToHave), "skills.nice_to_have must be from 0 to 1")
	want(inUnit(p.Skills.Derived), "skills.derived must be from 0 to 1")

	complexities := []matching.Complexity{matching.ComplexityLow, matching.ComplexityMedium, matching.ComplexityHigh}
	slices.Sort(complexities)
	for field, numbers := range map[string]map[matching.Complexity]float64{
		"work.hours": p.Work.Hours, "experience.years": p.Experience.Years,
	} {
		want(slices.Equal(slices.Sorted(maps.Keys(numbers)), complexities), "%s must state low, medium and high", field)
		for complexity, n := range numbers {
			want(n > 0, "%s.%s must be positive", field, complexity)
		}
	}
	pace := p.Work.Pace
	want(pace.Beginner > 0 && pace.Beginner <= pace.Expert && pace.ExpertYears > 0,
		"work.pace must be positive and not fall with the years")
	want(p.Work.HoursPerDay > 0 && p.Work.HoursPerDay <= 24, "work.hours_per_day must be over 0 and at most 24")
	want(p.Work.DaysPerWeek > 0 && p.Work.DaysPerWeek <= 7, "work.days_per_week must be over 0 and at most 7")
	want(inUnit(p.Work.Unavailable), "work.unavailable must be from 0 to 1")
	want(p.Quality.PriorProjects > 0, "quality.prior_projects must be positive")
	want(p.Quality.UnknownProjects >= 0, "quality.unknown_projects must not be negative")
	want(inUnit(p.Neutral), "neutral must be from 0 to 1")
	want(p.Curve.rises(), "curve must be points that rise from [0, 0] to [1, 1]")
	l := p.Levels
	want(0 <= l.Fair && l.Fair <= l.Strong && l.Strong <= l.Excellent && l.Excellent <= 1,
		"levels must rise within 0 to 1 from fair to excellent")
	return errors.Join(faults...)
}

func inUnit(x float64) bool { return x >= 0 && x <= 1 }
