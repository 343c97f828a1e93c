package search

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/elastic/document"
	"github.com/freelancer-matching/service/internal/matching"
)

// single rounds a score to single precision, as Elasticsearch does for each clause.
func single(x float64) float64 { return float64(float32(x)) }

// The text score can be recovered from the sum despite its single precision. Whatever the weights, the error in the
// retrieval score is negligible, and a document without text never gets a text score.
func TestCandidate_RecoversText(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	weight := func() float64 {
		return []float64{0, 1e-3, rng.Float64(), rng.Float64(), 1, 1e6}[rng.IntN(6)]
	}
	withoutText, worst := 0, 0.
	for range 20_000 {
		q := &engine.Query{TextWeight: rng.Float64() * float64(rng.IntN(2))}
		q.Discount.None = rng.Float64() * float64(rng.IntN(2))
		for e := range q.Credit {
			q.Credit[e] = float64(e) / float64(len(q.Credit)-1)
		}
		doc := &document.Columns{}
		skills := 0.
		for _, name := range []string{"a", "b", "c", "d", "e", "f"}[:rng.IntN(7)] {
			clause := engine.SkillClause{ID: name, Weight: weight()}
			skills += clause.Weight
			evidence := []matching.Evidence{
				matching.NoEvidence, matching.InText, matching.InTitle, matching.Implied, matching.Listed,
			}[rng.IntN(5)]
			if evidence > matching.Sibling {
				doc.Skills = append(doc.Skills, engine.Skill{ID: name, Evidence: evidence})
			}

			if rng.IntN(2) == 0 {
				clause.Family = "family of " + name
				if evidence >= matching.Implied || evidence == matching.NoEvidence && rng.IntN(2) == 0 {
					doc.Families = append(doc.Families, clause.Family)
				}
			}

			clause.Required = rng.IntN(2) == 0
			q.Skills = append(q.Skills, clause)
		}

		// Skills of the same weight may be near-duplicates.
		if len(q.Skills) >= 2 && q.Skills[0].Weight == q.Skills[1].Weight && q.Skills[0].Required == q.Skills[1].Required {
			q.Skills[0].Demand = 1
			q.Skills[1].Demand = 1
		}

		p := &plan{query: q, reference: 10 * rng.Float64() * float64(rng.IntN(2))}
		maxText := 20 * rng.Float64()
		p.slope = slope(q, p.reference, maxText)
		near := rng.IntN(2) == 0
		if near {
			p.nearBonus = p.bonus(maxText)
		}

		sum, text := 0., 0.
		for range rng.IntN(30) {
			part := maxText / 30 * rng.Float64()
			text += part
			sum += single(part * single(p.slope))
		}

		if rng.IntN(3) == 0 {
			sum, text = 0, 0
		}
		required := false
		for _, clause := range q.Skills {
			// One clause for each field, and one for the family.
			if e := doc.Evidence(clause); e > matching.Sibling {
				sum += single(p.skillScore(clause, e))
			}

			if clause.Family != "" && slices.Contains(doc.Families, clause.Family) {
				sum += single(p.clauseWeight(clause) * q.Credit[matching.Sibling])
			}
			required = required || clause.Required && doc.Evidence(clause) != matching.NoEvidence
		}

		if required {
			sum += single(p.advantage())
		}

		if near {
			sum += p.nearBonus
		}
		c, ok := p.candidate(doc, single(sum))

		if text == 0 {
			withoutText++
			if c.Text != 0 {
				t.Fatalf("text score %v of a document without text: %+v", c.Text, q)
			}
		}

		if !ok && !near {
			t.Fatal("a document that matches a clause is no hit")
		}
		scale := max(1, skills)
		share := func(text float64) float64 {
			if p.reference == 0 {
				return 0
			}
			return q.TextWeight * text / (text + p.reference)
		}

		worst = max(worst, math.Abs(share(c.Text)-share(text))/scale)
	}

	if worst > 3e-6 || withoutText == 0 {
		t.Errorf("the error of the retrieval score is up to %v, want at most 3e-6 of the weights; %d documents without text",
			worst, withoutText)
	}
}

// TestCandidate_IsHit has cases in which the score alone does not decide whether a document is a hit.
func TestCandidate_IsHit(t *testing.T) {
	east := matching.Vector{1, 0}
	clause := func(floor float64) *engine.SemanticClause {
		return &engine.SemanticClause{Vector: east, Weight: 1, Floor: floor, Ceiling: floor + .5}
	}
	weightless := []engine.SkillClause{{ID: "go"}}
	at := func(v ...int8) document.Columns { return document.Columns{Vectors: []matching.Vector{v}} }
	withSkill := at(4, 3)
	withSkill.Skills = []engine.Skill{{ID: "go", Evidence: matching.InText}}
	for _, c := range []struct {
		name  string
		query engine.Query
		doc   document.Columns
		score float64
		near  bool
		want  bool
	}{
		{"word or skill of weight 0", engine.Query{}, document.Columns{}, 0, false, true},
		{"close enough", engine.Query{Semantic: clause(.5)}, at(1, 0), 0, true, true},
		{"not close enough", engine.Query{Semantic: clause(.8)}, at(4, 3), 0, true, false},
		{"not close enough, match all", engine.Query{Semantic: clause(.8), MatchAll: true}, at(4, 3), 0, true, true},
		{"not close enough, with a word", engine.Query{Semantic: clause(.8)}, at(4, 3), .1, true, true},
		{
			"not close enough, with a skill of weight 0",
			engine.Query{Semantic: clause(.8), Skills: weightless},
			withSkill, 0, true, true,
		},
		{"negative floor, no vector", engine.Query{Semantic: clause(-.2)}, at(), 0, false, true},
		{"negative floor, too far away", engine.Query{Semantic: clause(-.2)}, at(-1, 0), 0, false, false},
		{"negative floor, too far away, with a word", engine.Query{Semantic: clause(-.2)}, at(-1, 0), .1, false, true},
	} {
		p := &plan{query: &c.query, slope: 1, nearBonus: 4}
		if c.near {
			c.score += p.nearBonus
		}

		if _, ok := p.candidate(&c.doc, c.score); ok != c.want {
			t.Errorf("%s: hit = %v, want %v", c.name, ok, c.want)
		}
	}
}

// The bonus of near vectors exceeds every sum of the other clauses, so that their documents can be told apart.
func TestPlan_Bonus(t *testing.T) {
	q := &engine.Query{
		Skills: []engine.SkillClause{{ID: "go", Family: "languages", Weight: .5}, {ID: "seo", Weight: .3}},
		Credit: [matching.Listed + 1]float64{0, .4, .5, .6, .8, 1},
	}
	for _, slope := range []float64{1e-3, .1, 1, 1e3} {
		p := &plan{query: q, slope: slope}
		const maxText = 20
		p.nearBonus = p.bonus(maxText)
		sum := slope*maxText + p.skillScore(q.Skills[0], matching.InTitle) + .5*.4 + .3
		if _, near := p.split(single(sum)); near || p.nearBonus > 4*sum {
			t.Errorf("slope %v: the bonus is %v, and words and skills add up to %v", slope, p.nearBonus, sum)
		}

		if got, near := p.split(single(p.nearBonus + sum)); !near || math.Abs(got-sum) > 1e-6*p.nearBonus {
			t.Errorf("slope %v: split returned %v, %v; want %v, true", slope, got, near, sum)
		}
	}

	if bonus := (&plan{query: &engine.Query{}}).bonus(0); bonus <= 0 {
		t.Errorf("without words and skills, the bonus is %v", bonus)
	}
}

func TestPlan_CloseCall(t *testing.T) {
	const bonus = 8
	falling := func(n int, first, step float64) (hits []rawHit) {
		for i := range n {
			hits = append(hits, rawHit{Score: first - step*float64(i)})
		}
		return hits
	}
	for _, c := range []struct {
		name string
		hits []rawHit
		want bool
	}{
		{"equal scores", falling(100, 1, 0), true},
		{"last slightly below", falling(100, 1, closeCall/100), true},
		{"last far below", falling(100, 1, closeCall/50), false},
		{"nine stand out", append(falling(9, 5, 0), falling(91, 1, 0)...), true},
		{"ten stand out", append(falling(10, 5, 0), falling(90, 1, 0)...), false},
		{"ten stand out, with near vectors", append(falling(10, bonus+5, 0), falling(100, 1, 0)...), false},
		{"near vectors alone", append(falling(10, bonus, 0), falling(100, 1, 0)...), true},
		{"window not full", append(falling(50, bonus+1, 0), falling(99, 1, 0)...), false},
	} {
		p := &plan{query: &engine.Query{Size: 1}, window: 100, nearBonus: bonus}
		if got := p.closeCall(c.hits); got != c.want {
			t.Errorf("%s: closeCall = %v, want %v", c.name, got, c.want)
		}
	}
}
