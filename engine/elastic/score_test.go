package elastic

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
)

// single is a number as Elasticsearch keeps the score of a clause.
func single(x float64) float64 { return float64(float32(x)) }

// The text score is read off the sum, although that is of single precision: whatever the weights, what its error does to
// the retrieval score is noise, and text is never found where there is none.
func TestCandidate_TextReadOffTheSum(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	weight := func() float64 {
		return []float64{0, 1e-3, rng.Float64(), rng.Float64(), 1, 1e6}[rng.IntN(6)]
	}
	ofNone, worst := 0, 0.
	for range 20_000 {
		q := &engine.Query{TextWeight: rng.Float64() * float64(rng.IntN(2))}
		for e := range q.Credit {
			q.Credit[e] = float64(e) / float64(len(q.Credit)-1)
		}
		of := &columns{}
		skills := 0.
		for _, name := range []string{"a", "b", "c", "d", "e", "f"}[:rng.IntN(7)] {
			clause := engine.SkillClause{ID: name, Weight: weight()}
			skills += clause.Weight
			evidence := []matching.Evidence{matching.NoEvidence, matching.InText, matching.InTitle, matching.Implied, matching.Listed}[rng.IntN(5)]
			if evidence > matching.Sibling {
				of.skills = append(of.skills, engine.Skill{ID: name, Evidence: evidence})
			}
			if rng.IntN(2) == 0 {
				clause.Family = "of " + name
				if evidence >= matching.Implied || evidence == matching.NoEvidence && rng.IntN(2) == 0 {
					of.families = append(of.families, clause.Family)
				}
			}
			q.Skills = append(q.Skills, clause)
		}
		p := &plan{query: q, reference: 10 * rng.Float64() * float64(rng.IntN(2))}
		most := 20 * rng.Float64()
		p.slope = slope(q, p.reference, most)

		sum, text := 0., 0.
		for range rng.IntN(30) {
			part := most / 30 * rng.Float64()
			text += part
			sum += single(part * single(p.slope))
		}
		if rng.IntN(3) == 0 {
			sum, text = 0, 0
		}
		for _, clause := range q.Skills {
			// One clause for each field, and one for the family.
			if e := of.evidence(clause); e > matching.Sibling {
				sum += single(p.skillScore(clause, e))
			}
			if clause.Family != "" && slices.Contains(of.families, clause.Family) {
				sum += single(clause.Weight * q.Credit[matching.Sibling])
			}
		}
		c, ok := p.candidate(of, single(sum), true)
		if text == 0 {
			ofNone++
			if c.Text != 0 {
				t.Fatalf("text %v where there is none: %+v", c.Text, q)
			}
		}
		if !ok {
			t.Fatal("what a clause found is no hit")
		}
		scale := max(1, skills)
		bend := func(text float64) float64 {
			if p.reference == 0 {
				return 0
			}
			return q.TextWeight * text / (text + p.reference)
		}
		worst = max(worst, math.Abs(bend(c.Text)-bend(text))/scale)
	}
	if worst > 3e-6 || ofNone == 0 {
		t.Errorf("the error of a retrieval score is up to %v, want at most 3e-6 of the weights; %d without text", worst, ofNone)
	}
}

// Who is a hit, where the score alone does not tell.
func TestCandidate_IsHit(t *testing.T) {
	east := matching.Vector{1, 0}
	clause := func(floor float64) *engine.SemanticClause {
		return &engine.SemanticClause{Vector: east, Weight: 1, Floor: floor, Ceiling: floor + .5}
	}
	weightless := []engine.SkillClause{{ID: "go"}}
	for _, c := range []struct {
		name   string
		query  engine.Query
		of     columns
		score  float64
		common bool
		want   bool
	}{
		{"a word or skill that weighs nothing", engine.Query{}, columns{}, 0, true, true},
		{"near enough", engine.Query{Semantic: clause(.5)}, columns{vectors: []matching.Vector{east}}, 0, false, true},
		{"near, but not near enough", engine.Query{Semantic: clause(.8)}, columns{vectors: []matching.Vector{{4, 3}}}, 0, false, false},
		{"the same, for everyone", engine.Query{Semantic: clause(.8), MatchAll: true}, columns{vectors: []matching.Vector{{4, 3}}}, 0, false, true},
		{"the same, with a word", engine.Query{Semantic: clause(.8)}, columns{vectors: []matching.Vector{{4, 3}}}, .1, false, true},
		{
			"the same, with a skill that weighs nothing",
			engine.Query{Semantic: clause(.8), Skills: weightless},
			columns{vectors: []matching.Vector{{4, 3}}, skills: []engine.Skill{{ID: "go", Evidence: matching.InText}}},
			0, false, true,
		},
		{"all are looked at: close enough without direction", engine.Query{Semantic: clause(-.2)}, columns{vectors: []matching.Vector{nil}}, 0, true, true},
		{"all are looked at: too far away", engine.Query{Semantic: clause(-.2)}, columns{vectors: []matching.Vector{{-1, 0}}}, 0, true, false},
		{"all are looked at: too far away, with a word", engine.Query{Semantic: clause(-.2)}, columns{vectors: []matching.Vector{{-1, 0}}}, .1, true, true},
	} {
		p := &plan{query: &c.query, slope: 1}
		if _, ok := p.candidate(&c.of, c.score, c.common); ok != c.want {
			t.Errorf("%s: a hit %v, want %v", c.name, ok, c.want)
		}
	}
}

func TestPlan_Close(t *testing.T) {
	falling := func(n int, first, step float64) (found []foundHit) {
		for i := range n {
			found = append(found, foundHit{Score: first - step*float64(i)})
		}
		return found
	}
	for _, c := range []struct {
		name  string
		size  int
		found []foundHit
		want  bool
	}{
		{"all alike", 100, falling(100, 1, 0), true},
		{"a little below", 100, falling(100, 1, closeCall/100), true},
		{"far below", 100, falling(100, 1, closeCall/50), false},
		{"few are wanted, from a height", 2, append(falling(2, 5, 0), falling(98, 1, 0)...), false},
		{"more are wanted than stand out", 100, append(falling(2, 5, 0), falling(98, 1, 0)...), true},
		{"all were found", 100, falling(99, 1, 0), false},
	} {
		p := &plan{query: &engine.Query{Size: c.size}, window: 100}
		if got := p.close(c.found); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
