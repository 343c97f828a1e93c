package ranking

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/internal/matching"
)

//go:embed profiles/*.json
var profileFiles embed.FS

// defaultProfile defines every number; the other profiles define only their differences from it.
const defaultProfile = "default"

// Profile is a named set of all numbers in a score. [Load] returns one; it is immutable.
type Profile struct {
	Name string `json:"-"`
	// Weights holds the weight of each feature by name; 0 leaves it out. Only the proportions matter.
	Weights    map[string]float64 `json:"weights"`
	Skills     SkillNumbers       `json:"skills"`
	Semantic   SemanticNumbers    `json:"semantic"`
	Work       WorkNumbers        `json:"work"`
	Experience ExperienceNumbers  `json:"experience"`
	Quality    QualityNumbers     `json:"quality"`
	// Neutral is the value, 0 to 1, of a feature whose input is unknown for a freelancer.
	Neutral float64      `json:"neutral"`
	Limits  LimitNumbers `json:"limits"`
	// Curve maps the weighted mean of the features to the score. For briefs with a budget or a timeline, it follows the
	// curve of these limits.
	Curve  Curve       `json:"curve"`
	Levels LevelScores `json:"levels"`

	// version identifies the numbers of the profile as shipped.
	version string
	// ranking is the account's ranking that the weights are from; nil for a shipped profile.
	ranking *matching.Ranking
	// overridden marks features whose weights the client set, so that skipping one of them is reported.
	overridden [features]bool
}

// SkillNumbers are the numbers of the skills feature.
type SkillNumbers struct {
	Credit Credit `json:"credit"`
	// RarityBound limits the weight of the rarest skill to a multiple, at least 1, of the most common one's.
	RarityBound float64 `json:"rarity_bound"`
	// NiceToHave is the weight, 0 to 1, of a nice-to-have skill relative to an equally rare required one. It also bounds
	// the total weight of nice-to-have skills relative to that of required ones, so that many wishes don't outweigh needs.
	NiceToHave float64 `json:"nice_to_have"`
	// Derived multiplies the feature's weight, 0 to 1, if the skills were derived from the text.
	Derived float64 `json:"derived"`
	// Spoken is the weight of the languages that a text demands, relative to that of all listed skills together, 0 to 5.
	Spoken float64 `json:"spoken"`
	// Discount is what freelancers lose who lack required skills that the client listed. It doesn't apply if the skills
	// feature is left out, or if nobody has all of those skills that anybody has: then there is nobody to protect. Its
	// Some doesn't apply if nobody has one of the skills, either.
	Discount matching.Discount `json:"discount"`
}

// Credit is the share of a skill's weight, 0 to 1, that each kind of evidence earns. Stronger evidence never earns
// less.
type Credit struct {
	Sibling float64 `json:"sibling"`
	InText  float64 `json:"in_text"`
	InTitle float64 `json:"in_title"`
	Implied float64 `json:"implied"`
	Listed  float64 `json:"listed"`
}

// SemanticNumbers are the numbers of the semantic feature.
type SemanticNumbers struct {
	// Model is the weight, at least 0, of the similarity by an embeddings server's model relative to that by the built-in
	// vectors. If there is a model, it is added to the weight of the feature.
	Model float64 `json:"model"`
	// Encoder is the same for the sentence encoder, which takes the place of a model.
	Encoder float64 `json:"encoder"`
	// Ceiling is where the similarity by the model reaches 1, as a share, above 0 and at most 1, of the way from the
	// cosine of texts that have nothing in common to 1.
	Ceiling float64 `json:"ceiling"`
	// Compared is the number of hits, the best ones without the model, that are compared by it. It is at least 1.
	Compared int `json:"compared"`
}

// Closeness returns the similarity, 0 to 1, of two texts whose vectors by a model have a cosine. floor is the cosine,
// below 1, up to which texts have nothing in common.
func (n *SemanticNumbers) Closeness(cosine, floor float64) float64 {
	return min(1, max(0, (cosine-floor)/((1-floor)*n.Ceiling)))
}

// WorkNumbers turn the size of the work into hours, days and cost for one freelancer.
type WorkNumbers struct {
	// Complexity multiplies an estimated size of the work.
	Complexity  map[matching.Complexity]float64 `json:"complexity"`
	Pace        Pace                            `json:"pace"`
	HoursPerDay float64                         `json:"hours_per_day"`
	DaysPerWeek float64                         `json:"days_per_week"`
	// Unavailable multiplies the timeline value, 0 to 1, of a freelancer who is known to be unavailable without a date.
	Unavailable float64 `json:"unavailable"`
}

// LimitNumbers are the numbers of the budget and timeline features.
type LimitNumbers struct {
	// Floor is the score, 0 to 1, below which missing the budget or the timeline costs less; see limitsCurve.
	Floor float64 `json:"floor"`
	// Estimated is for amounts that rest on an estimate of the size of the work, and Known for others.
	Estimated Chance `json:"estimated"`
	Known     Chance `json:"known"`
}

// A Chance describes how likely a freelancer whose price or time is above a limit can still meet it.
type Chance struct {
	Reach  float64 `json:"reach"`  // the multiple of the limit, more than 1, at which the probability is one half
	Spread float64 `json:"spread"` // the standard deviation of the amount's natural logarithm, more than 0
	Weight float64 `json:"weight"` // multiplies the feature's weight, 0 to 1
}

// Pace is the number of average hours of work a freelancer does in one hour. It grows linearly with experience up to
// ExpertYears, and is 1 if the experience is unknown.
type Pace struct {
	Beginner    float64 `json:"beginner"`
	Expert      float64 `json:"expert"`
	ExpertYears float64 `json:"expert_years"`
}

// ExperienceNumbers are the numbers of the experience feature.
type ExperienceNumbers struct {
	Years map[matching.Complexity]float64 `json:"years"` // required by each complexity
}

// QualityNumbers are the numbers of the quality feature, a Bayesian mean of the rating.
type QualityNumbers struct {
	PriorProjects   float64 `json:"prior_projects"`   // projects that the mean rating counts as
	UnknownProjects float64 `json:"unknown_projects"` // projects assumed behind a rating without total sales
}

// LevelScores holds the lowest score of each level; below Fair, the level is weak. No level is above strong if the
// share of the words of a brief that are understood is below Understood, or if Request.Trade is below Trade.
type LevelScores struct {
	Excellent float64 `json:"excellent"`
	Strong    float64 `json:"strong"`
	Fair      float64 `json:"fair"`

	Understood float64 `json:"understood"` // 0 to 1
	Trade      float64 `json:"trade"`      // 0 to 1
}

// Names returns the names of the shipped profiles in alphabetical order.
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

// Load returns a shipped profile; "" names the default one. The error for an unknown name lists the known ones.
func Load(name string) (*Profile, error) {
	if name == "" {
		name = defaultProfile
	}

	if names := Names(); !slices.Contains(names, name) {
		return nil, fmt.Errorf("unknown ranking profile %q; use one of: %s", name, strings.Join(names, ", "))
	}

	// Every profile starts from the default one and states only what differs.
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

	numbers, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("ranking profile %q: %w", name, err)
	}
	sum := sha256.Sum256(numbers)
	p.version = hex.EncodeToString(sum[:8])

	return p, nil
}

// Version returns an identifier that changes whenever a number of the shipped profile does. Weights of a client don't
// change it.
func (p *Profile) Version() string { return p.version }

// Ranking returns the account's ranking that the profile is derived from, or nil.
func (p *Profile) Ranking() *matching.Ranking { return p.ranking }

// IsOverridden reports whether a client has set weights.
func (p *Profile) IsOverridden() bool { return p.overridden != [features]bool{} }

// merge overwrites the numbers that a profile file defines.
func (p *Profile) merge(data []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	return decoder.Decode(p)
}

// Credits returns the share of a skill's weight that each kind of evidence earns, by matching.Evidence.
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

// Sized returns an estimated size of the work for a brief's complexity. A size that the client gave stays as it is.
func (p *Profile) Sized(e matching.Effort, complexity matching.Complexity) matching.Effort {
	factor, known := p.Work.Complexity[complexity]
	if !known || e.From == matching.EffortFromClient {
		return e
	}
	e.Low *= factor
	e.Typical *= factor
	e.High *= factor
	return e
}

// Level returns the level of a score without budget and timeline, for a brief whose words are understood.
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

// validate returns all faults that would break a guarantee of the score, joined.
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
		_, defined := p.Weights[name]
		want(defined, "weights.%s is missing", name)
	}

	// A freelancer must not gain more from a rating than from what the client asked for.
	want(p.Weights["skills"] >= p.Weights["quality"], "weights.skills must be at least weights.quality")

	// Scores must not fall when evidence, experience or pace rises.
	credits := p.Credits()
	want(slices.IsSorted(credits[:]) && credits[0] == 0 && credits[matching.Listed] <= 1,
		"skills.credit must rise with the evidence, from 0 to at most 1")
	want(credits[matching.Sibling] <= .4, "skills.credit.sibling must be at most 0.4")
	want(p.Skills.RarityBound >= 1, "skills.rarity_bound must be at least 1")
	want(inUnit(p.Skills.NiceToHave), "skills.nice_to_have must be from 0 to 1")
	want(p.Skills.Spoken >= 0 && p.Skills.Spoken <= 5, "skills.spoken must be from 0 to 5")
	want(inUnit(p.Skills.Derived), "skills.derived must be from 0 to 1")
	discount := p.Skills.Discount
	shares := []float64{0, discount.Some, discount.Related, discount.None, 1}
	want(slices.IsSorted(shares), "skills.discount must rise within 0 to 1 from some to none")
	want(p.Semantic.Model >= 0 && p.Semantic.Model <= maxWeight, "semantic.model must be from 0 to %d", maxWeight)
	want(p.Semantic.Encoder >= 0 && p.Semantic.Encoder <= maxWeight, "semantic.encoder must be from 0 to %d", maxWeight)
	want(p.Semantic.Ceiling > 0 && p.Semantic.Ceiling <= 1, "semantic.ceiling must be over 0 and at most 1")
	want(p.Semantic.Compared >= 1, "semantic.compared must be at least 1")

	complexities := []matching.Complexity{matching.ComplexityLow, matching.ComplexityMedium, matching.ComplexityHigh}
	slices.Sort(complexities)
	for field, numbers := range map[string]map[matching.Complexity]float64{
		"work.complexity": p.Work.Complexity, "experience.years": p.Experience.Years,
	} {
		want(slices.Equal(slices.Sorted(maps.Keys(numbers)), complexities), "%s must define low, medium and high", field)
		for complexity, n := range numbers {
			want(n > 0, "%s.%s must be positive", field, complexity)
		}
	}

	pace := p.Work.Pace
	want(pace.Beginner > 0 && pace.Beginner <= pace.Expert && pace.ExpertYears > 0,
		"work.pace must be positive and must not fall with experience")
	want(p.Work.HoursPerDay > 0 && p.Work.HoursPerDay <= 24, "work.hours_per_day must be over 0 and at most 24")
	want(p.Work.DaysPerWeek > 0 && p.Work.DaysPerWeek <= 7, "work.days_per_week must be over 0 and at most 7")
	want(inUnit(p.Work.Unavailable), "work.unavailable must be from 0 to 1")
	want(p.Quality.PriorProjects > 0, "quality.prior_projects must be positive")
	want(p.Quality.UnknownProjects >= 0, "quality.unknown_projects must not be negative")
	want(inUnit(p.Neutral), "neutral must be from 0 to 1")
	want(p.Limits.Floor > 0 && p.Limits.Floor < 1, "limits.floor must be between 0 and 1")
	for name, chance := range map[string]Chance{"estimated": p.Limits.Estimated, "known": p.Limits.Known} {
		want(chance.Reach > 1 && chance.Spread > 0, "limits.%s needs a reach over 1 and a spread over 0", name)
		want(inUnit(chance.Weight), "limits.%s.weight must be from 0 to 1", name)
	}

	want(p.Curve.rises(), "curve must consist of points that rise from [0, 0] to [1, 1]")
	l := p.Levels
	want(0 <= l.Fair && l.Fair <= l.Strong && l.Strong <= l.Excellent && l.Excellent <= 1,
		"levels must rise within 0 to 1 from fair to excellent")
	want(inUnit(l.Understood), "levels.understood must be from 0 to 1")
	want(inUnit(l.Trade), "levels.trade must be from 0 to 1")

	return errors.Join(faults...)
}

func inUnit(x float64) bool { return x >= 0 && x <= 1 }
