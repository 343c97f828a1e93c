package ranking_test

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/ranking"
)

func BenchmarkScore(b *testing.B) {
	s, cs := benchmarkCandidates(b, 500)
	for i := 0; b.Loop(); i++ {
		s.Score(&cs[i%len(cs)])
	}
}

func BenchmarkRank(b *testing.B) {
	b.Run("hits=500", func(b *testing.B) {
		s, cs := benchmarkCandidates(b, 500)
		b.ReportAllocs()
		for b.Loop() {
			s.Rank(cs)
		}
	})
}

func BenchmarkExplain(b *testing.B) {
	s, cs := benchmarkCandidates(b, 500)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		s.Explain(&cs[i%len(cs)])
	}
}

func BenchmarkAssess(b *testing.B) {
	s, cs := benchmarkCandidates(b, 500)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		s.Assess(&cs[i%len(cs)])
	}
}

func TestAssess_IsExplainWithoutFeatures(t *testing.T) {
	s, cs := benchmarkCandidates(t, 100)
	for i := range cs {
		want := s.Explain(&cs[i])
		want.Features = nil
		want.Adjustments = nil
		if diff := cmp.Diff(want, s.Assess(&cs[i])); diff != "" {
			t.Fatal(diff)
		}
	}
}

func BenchmarkFit(b *testing.B) {
	s, cs := benchmarkCandidates(b, 500)
	for i := 0; b.Loop(); i++ {
		s.Fit(cs[i%len(cs)].Signals, matching.Schedule{})
	}
}

func TestScore_DoesNotAllocate(t *testing.T) {
	s, cs := benchmarkCandidates(t, 1)
	if n := testing.AllocsPerRun(100, func() { s.Score(&cs[0]) }); n != 0 {
		t.Errorf("%v allocations a score", n)
	}
}

// benchmarkCandidates returns random candidates for a request with four skills that uses every feature.
func benchmarkCandidates(tb testing.TB, n int) (*ranking.Scorer, []ranking.Candidate) {
	r := ranking.Request{
		Skills: []ranking.Requirement{
			{Name: "Go", Count: 900},
			{Name: "SQL", Count: 20000},
			{Name: "Docker", Count: 3000},
			{Name: "Figma", Count: 500, Nice: true},
		},
		HasText: true, HasSemantic: true,
		Budget:       matching.Some(matching.Budget{Low: 1000, High: 5000}),
		Complexity:   matching.ComplexityMedium,
		TimelineDays: matching.Some(30),
		Corpus: ranking.Corpus{
			Documents: 100_000, MeanRating: matching.Some(4.6), RateMedian: matching.Some(40.),
		},
	}
	return load(tb, "").Scorer(r), randomCandidates(rand.New(rand.NewPCG(3, 4)), r, n)
}
