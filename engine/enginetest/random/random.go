// Package random draws the documents and queries of the contract suite.
package random

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
)

// skewed returns a random number below n, small ones more often.
func skewed(rng *rand.Rand, n int) int { return int(float64(n) * rng.Float64() * rng.Float64()) }

// Document returns a random document of about a number of documents, which share terms and skills.
func Document(rng *rand.Rand, documents int) *engine.Document {
	// About a tenth of the ids occur twice.
	d := &engine.Document{Freelancer: matching.Freelancer{ID: fmt.Sprintf("id-%d", rng.IntN(5*documents))}}
	for range skewed(rng, 40) {
		d.Terms = append(d.Terms, fmt.Sprintf("term-%d", skewed(rng, 60)))
	}

	has := map[int]bool{}
	for range skewed(rng, 8) {
		id := skewed(rng, 20)
		if has[id] {
			continue
		}

		has[id] = true
		// The ranges are small, so that documents share skills, words and families.
		evidence := matching.InText + matching.Evidence(rng.IntN(4))
		d.Skills = append(d.Skills, engine.Skill{ID: fmt.Sprintf("skill-%d", id), Evidence: evidence})

		if f := fmt.Sprintf("family-%d", id/4); evidence >= matching.Implied && !slices.Contains(d.Families, f) {
			d.Families = append(d.Families, f)
		}

		d.UnknownSkills = append(d.UnknownSkills, fmt.Sprintf("Word %d", id%7))
		d.JobTitles = append(d.JobTitles, fmt.Sprintf("Title & %d", id%5))
	}

	d.UnknownSkills = slices.Compact(slices.Sorted(slices.Values(d.UnknownSkills)))
	d.JobTitles = slices.Compact(slices.Sorted(slices.Values(d.JobTitles)))
	randomLabels(rng, d)
	s := &d.Freelancer.Signals
	// Every signal is unknown in a fifth of the documents.
	if rng.IntN(5) > 0 {
		s.HourlyRate = matching.Some(math.Round(500*math.Exp(4*rng.Float64())) / 100)
	}

	if rng.IntN(5) > 0 {
		s.Rating = matching.Some(math.Round(100*(5-3*rng.Float64()*rng.Float64())) / 100)
	}

	if rng.IntN(5) > 0 {
		s.TotalSales = matching.Some(skewed(rng, 1000))
	}

	if rng.IntN(5) > 0 {
		s.Experience = matching.Some(math.Round(10*25*rng.Float64()) / 10)
	}

	if rng.IntN(5) > 0 {
		s.Availability = matching.Some(rng.IntN(2) > 0)
	}

	return d
}

// randomLabels adds a country, up to two languages and a schedule to a document, or labels that say that they are
// unknown.
func randomLabels(rng *rand.Rand, d *engine.Document) {
	d.Labels = append(d.Labels, "country:?")
	if rng.IntN(5) > 0 {
		d.Labels[0] = fmt.Sprintf("country:%d", skewed(rng, 30))
	}
	for _, i := range rng.Perm(6)[:rng.IntN(3)] {
		level := []string{"B1", "C1", "native", "?"}[rng.IntN(4)]
		d.Labels = append(d.Labels, fmt.Sprintf("lang:%d", i), fmt.Sprintf("lang:%d/%s", i, level))
	}
	if len(d.Labels) == 1 {
		d.Labels = append(d.Labels, "lang:?")
	}
	if rng.IntN(5) > 0 {
		d.Schedule.From = matching.Some(20_000 + skewed(rng, 100))
	}
	if rng.IntN(2) > 0 {
		d.Schedule.HoursPerWeek = matching.Some(float64(1+rng.IntN(600)) / 10)
	}
}

// Query returns a random query with the credit of base, and with its functions of signals or without them.
func Query(rng *rand.Rand, documents int, base *engine.Query) *engine.Query {
	q := &engine.Query{
		TextWeight: rng.Float64(), Credit: base.Credit, MatchAll: rng.IntN(4) == 0, Size: 1 + skewed(rng, 60),
	}

	if rng.IntN(3) == 0 {
		q.Size = 1 + rng.IntN(min(2*documents, 10_000))
	}

	for _, i := range rng.Perm(70)[:skewed(rng, 20)] { // no document has the last ten
		q.Terms = append(q.Terms, engine.Term{
			Text: fmt.Sprintf("term-%d", i), Weight: 3 * rng.Float64(), Reference: rng.IntN(2) == 0,
		})
	}

	// Skills 20 and 21 occur in no document.
	for _, i := range rng.Perm(22)[:skewed(rng, 8)] {
		c := engine.SkillClause{ID: fmt.Sprintf("skill-%d", i), Weight: rng.Float64()}
		if rng.IntN(4) > 0 {
			c.Family = fmt.Sprintf("family-%d", i/4)
		}
		c.Required = rng.IntN(3) > 0
		q.Skills = append(q.Skills, c)
	}

	// Some skills are near-duplicates, whose weights are equal.
	if rng.IntN(3) == 0 {
		for i := range q.Skills {
			c := &q.Skills[i]
			if c.Demand = rng.IntN(4); c.Demand > 0 {
				c.Weight = .2 * float64(c.Demand)
				c.Required = c.Demand > 1
			}
		}
	}

	if rng.IntN(2) == 0 {
		q.Discount.None = []float64{rng.Float64(), .5, 1}[rng.IntN(3)]
		q.Discount.Related = q.Discount.None * []float64{rng.Float64(), .5, 1}[rng.IntN(3)]
		q.Discount.Some = q.Discount.Related * []float64{rng.Float64(), 0, .1, 1}[rng.IntN(4)]
	}

	if rng.IntN(2) == 0 {
		q.Bend.From = .1 + .6*rng.Float64()
		q.Bend.To = q.Bend.From * (.1 + .9*rng.Float64())
	}

	if rng.IntN(2) == 0 {
		q.Fit = base.Fit
	}

	if rng.IntN(2) == 0 {
		q.Quality = base.Quality
	}

	if rng.IntN(2) == 0 {
		q.Filters = Filters(rng, documents)
	}

	return q
}

// Filters returns random filters, or none.
func Filters(rng *rand.Rand, documents int) engine.Filters {
	var f engine.Filters
	// Each filter is rare enough that most combinations still let some documents pass.
	if rng.IntN(4) == 0 {
		f.Available = matching.Some(rng.IntN(2) > 0)
	}

	if rng.IntN(4) == 0 {
		f.MinRating = matching.Some(2 + 3*rng.Float64())
	}

	if rng.IntN(4) == 0 {
		f.MinExperience = matching.Some(25 * rng.Float64())
	}

	if rng.IntN(4) == 0 {
		f.MaxHourlyRate = matching.Some(200 * rng.Float64())
		// A limit by experience that differs from the plain one lets both decide.
		if limit := f.MaxHourlyRate.Value; limit < 150 {
			f.RateLimit = matching.Some(matching.RateLimit{
				Unknown: limit, Beginner: limit / 2, Expert: 1.5 * limit, ExpertYears: 10,
			})
		}
	}

	// A count below 1 means none, so half of the queries require no skill.
	for range rng.IntN(4) - 1 {
		f.MustHave = append(f.MustHave, fmt.Sprintf("skill-%d", skewed(rng, 20)))
	}

	if rng.IntN(8) == 0 {
		f.MustHaveOne = [][]string{{fmt.Sprintf("skill-%d", skewed(rng, 20)), fmt.Sprintf("skill-%d", rng.IntN(22))}}
	}

	if rng.IntN(4) == 0 {
		f.ExcludeSkills = append(f.ExcludeSkills, fmt.Sprintf("skill-%d", skewed(rng, 20)))
	}

	if rng.IntN(4) == 0 {
		f.AvailableBy = matching.Some(20_000 + rng.IntN(110) - 5)
	}

	if rng.IntN(4) == 0 {
		var countries []string
		for range 1 + rng.IntN(12) {
			countries = append(countries, fmt.Sprintf("country:%d", rng.IntN(35)))
		}
		f.Labels = append(f.Labels, countries)
	}

	for range rng.IntN(4) - 2 {
		language := rng.IntN(7)
		f.Labels = append(f.Labels, []string{fmt.Sprintf("lang:%d/C1", language), fmt.Sprintf("lang:%d/native", language)})
	}

	if rng.IntN(4) == 0 {
		f.IDs = randomIDs(rng, documents)
	}

	if rng.IntN(4) == 0 {
		f.ExcludeIDs = randomIDs(rng, documents)
	}

	return f
}

func randomIDs(rng *rand.Rand, documents int) []string {
	ids := []string{}
	for range rng.IntN(min(5*documents, 1000)) {
		ids = append(ids, fmt.Sprintf("id-%d", rng.IntN(5*documents)))
	}
	return ids
}

// A Cloud generates vectors of one space that resemble those of real texts: they come in clusters and with near
// duplicates, the first dimensions carry most of the information, and some texts have no vector.
type Cloud struct {
	rng     *rand.Rand
	centers [][]float64
	last    matching.Vector
}

// NewCloud returns a generator of vectors with a number of dimensions.
func NewCloud(rng *rand.Rand, dimensions int) *Cloud {
	c := &Cloud{rng: rng}
	for range 40 {
		center := make([]float64, dimensions)
		for i := range center {
			center[i] = c.noise(i)
		}
		c.centers = append(c.centers, center)
	}
	return c
}

// noise returns one coordinate of a random direction.
func (c *Cloud) noise(dimension int) float64 {
	return c.rng.NormFloat64() / (1 + float64(dimension)/16)
}

// Space returns the space of the vectors.
func (c *Cloud) Space() matching.VectorSpace {
	return matching.VectorSpace{Model: "cloud", Dimensions: len(c.centers[0])}
}

// Vector returns a random vector, or nil.
func (c *Cloud) Vector() matching.Vector {
	switch c.rng.IntN(20) {
	case 0:
		return nil
	case 1:
		return make(matching.Vector, len(c.centers[0]))
	case 2, 3:
		return c.last
	}
	center := c.centers[c.rng.IntN(len(c.centers))]
	spread := .2 + .6*c.rng.Float64()
	v := make(matching.Vector, len(center))
	for i := range v {
		v[i] = int8(math.Round(min(127, max(-127, 40*(center[i]+spread*c.noise(i))))))
	}
	c.last = v
	return v
}

// Semantic returns a random clause about the space of one of the clouds.
func Semantic(rng *rand.Rand, clouds []*Cloud) *engine.SemanticClause {
	c := &engine.SemanticClause{Space: rng.IntN(len(clouds)), Weight: rng.Float64(), Floor: .6 * rng.Float64()}
	c.Ceiling = c.Floor + .1 + .4*rng.Float64()
	c.Vector = clouds[c.Space].Vector()
	if rng.IntN(10) == 0 {
		c.Floor = -rng.Float64()
	}
	if rng.IntN(20) == 0 {
		c.Weight = 0
	}
	if rng.IntN(2) == 0 {
		c.Hit = .4 * rng.Float64()
	}
	return c
}

// Compare returns a random clause that compares vectors of one of the clouds.
func Compare(rng *rand.Rand, clouds []*Cloud) *engine.CompareClause {
	space := rng.IntN(len(clouds))
	return &engine.CompareClause{Space: space, Vector: clouds[space].Vector()}
}
