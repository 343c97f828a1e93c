package ranking_test

import (
	"testing"

	"github.com/freelancer-matching/service/ranking"
)

// Near-duplicates have the weight and the credit of one skill, and lacking one of them costs nothing.
func TestScore_CountsNearDuplicatesOnce(t *testing.T) {
	p := load(t, "")
	score := func(of string, skills ...ranking.Requirement) ranking.Explained {
		c := ranking.Candidate{Text: .5, Evidence: evidence(of)}
		e := p.Scorer(ranking.Request{Skills: skills, HasText: true, Corpus: ranking.Corpus{Documents: 100}}).Explain(&c)
		return e
	}
	drafting := ranking.Requirement{Name: "Drafting", Count: 5, Demand: 1}
	drawing := ranking.Requirement{Name: "Drawing", Count: 20, Demand: 1}
	autocad := ranking.Requirement{Name: "AutoCAD", Count: 10}
	once := ranking.Requirement{Name: "Drawing", Count: 20}

	for _, c := range []struct{ duplicates, single string }{
		{"L-L", "LL"},
		{"-LL", "LL"},
		{"LLL", "LL"},
		{"TL-", "L-"},
		{"-D-", "D-"},
		{"R--", "R-"},
		{"--L", "-L"},
		{"---", "--"},
	} {
		got := score(c.duplicates, drafting, drawing, autocad)
		want := score(c.single, once, autocad)
		if got.Score != want.Score || got.Fit != want.Fit {
			t.Errorf("%s with near-duplicates scores %v, %s without them %v", c.duplicates, got.Score, c.single, want.Score)
		}
	}

	const want = "1 of 2 required skills (listed: Drawing (counts once with Drafting); missing: AutoCAD)"
	if got := score("-L-", drafting, drawing, autocad).Features[0]; got.Summary != want {
		t.Errorf("the summary is %q, want %q", got.Summary, want)
	}
	weights := p.Scorer(ranking.Request{
		Skills: []ranking.Requirement{drafting, autocad, drawing}, HasText: true,
	}).SkillWeights()
	if weights[0] != weights[2] {
		t.Errorf("near-duplicates have the weights %v", weights)
	}
}
