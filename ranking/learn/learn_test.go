package learn_test

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/ranking/learn"
	"github.com/freelancer-matching/service/ranking/learn/simulation"
)

const (
	skills  = 0
	quality = 4
)

var (
	shipped = []float64{.22, 1, .3, .5, .1} // as in the default profile: skills, text, semantic, budget, quality
	truth   = []float64{.9, .4, .3, .1, .4}
)

// world returns a simulation in which clients choose by other weights than those that order the lists.
func world(seed uint64) simulation.World {
	return simulation.World{
		Shown: shipped, Truth: truth, Lists: 4000, Days: 28, Swaps: true, Bias: 1, Favored: -1, Seed: seed,
	}
}

func propose(w simulation.World, o learn.Options) learn.Proposal {
	return learn.Propose(w.Draw(), shipped, shipped, skills, quality, o)
}

// angle returns the angle between weights, in degrees, which is all that an order depends on.
func angle(a, b []float64) float64 {
	dot, aa, bb := 0., 0., 0.
	for i := range a {
		dot += a[i] * b[i]
		aa += a[i] * a[i]
		bb += b[i] * b[i]
	}
	return math.Acos(min(1, dot/math.Sqrt(aa*bb))) * 180 / math.Pi
}

func TestAttention_IsThatOfTheSimulation(t *testing.T) {
	w := world(1)
	w.Lists = 40_000
	got := learn.Attention(w.Draw())
	if len(got) != 10 || got[0] != 1 {
		t.Fatalf("attention %v", got)
	}
	for k, a := range got {
		if want := 1 / float64(k+1); math.Abs(a-want) > .06 {
			t.Errorf("attention of position %d is %.3f, want about %.3f", k+1, a, want)
		}
	}
	if !slices.IsSortedFunc(got, func(a, b float64) int { return cmp.Compare(b, a) }) {
		t.Errorf("attention rises: %v", got)
	}
}

// With the correction, the fit comes close to what clients choose by, and may be published. Choices without correction
// mislead: they look like a vote for the order that was shown.
func TestPropose_RecoversTheTruth(t *testing.T) {
	apart := angle(shipped, truth)
	for seed := range uint64(5) {
		corrected := propose(world(seed), learn.DefaultOptions())
		o := learn.DefaultOptions()
		o.Uncorrected = true
		misled := propose(world(seed), o)

		right := angle(corrected.Weights, truth)
		wrong := angle(misled.Weights, truth)
		t.Logf("seed %d: %.1f° from the truth, without correction %.1f°, shipped %.1f°; better by %+.3f, neighbors %+.3f",
			seed, right, wrong, apart, corrected.Better.Mean, corrected.Neighbors.Mean)
		if right > apart/3 {
			t.Errorf("seed %d: weights %v are %.1f° from the truth", seed, corrected.Weights, right)
		}
		if wrong < 1.5*right {
			t.Errorf("seed %d: without correction, the weights are %.1f° from the truth, with it %.1f°", seed, wrong, right)
		}
		if !corrected.Publish {
			t.Errorf("seed %d: not published: %v", seed, corrected.Reasons)
		}
	}
}

func TestPropose_ColdAccountsKeepTheShippedWeights(t *testing.T) {
	small := world(1)
	small.Lists = 60
	silent := world(1)
	silent.Swaps = false
	for name, tt := range map[string]struct {
		world simulation.World
		want  string
	}{
		"few lists": {small, "were chosen before the held-out time"},
		"no coins":  {silent, "positions of randomized neighbors"},
		"nothing":   {simulation.World{Shown: shipped, Days: 1, Favored: -1}, "were chosen in the held-out time"},
	} {
		t.Run(name, func(t *testing.T) {
			p := propose(tt.world, learn.DefaultOptions())
			if p.Publish || !slices.Equal(p.Weights, shipped) || !strings.Contains(strings.Join(p.Reasons, "; "), tt.want) {
				t.Errorf("publish %t, weights %v, reasons %q", p.Publish, p.Weights, p.Reasons)
			}
		})
	}
}

// If clients choose by nothing that is known, a new order must not be published in more than one of twenty cases.
func TestPropose_RefusesNoise(t *testing.T) {
	const seeds = 60
	published := 0
	for seed := range uint64(seeds) {
		w := world(seed)
		w.Truth = nil
		w.Lists = 2000
		o := learn.DefaultOptions()
		o.Resamples = 400
		o.MinDecided = 10 // the proof refuses, not the lack of data
		if propose(w, o).Publish {
			published++
		}
	}
	t.Logf("%d of %d published", published, seeds)
	if published > seeds/20 {
		t.Errorf("%d of %d proposals from noise would be published", published, seeds)
	}
}

// If clients already choose by the weights that rank, there is nothing to gain.
func TestPropose_KeepsWhatIsRight(t *testing.T) {
	const seeds = 20
	published := 0
	for seed := range uint64(seeds) {
		w := world(seed)
		w.Truth = shipped
		w.Lists = 1500
		if propose(w, learn.DefaultOptions()).Publish {
			published++
		}
	}
	t.Logf("%d of %d published", published, seeds)
	if published > seeds/20 {
		t.Errorf("%d of %d proposals would be published", published, seeds)
	}
}

// A group that has less of a feature loses exposure when the feature counts more. Beyond the bound, that is a reason.
func TestPropose_BoundsLossesOfGroups(t *testing.T) {
	w := world(3)
	w.Favored = skills
	o := learn.DefaultOptions()
	refused := propose(w, o)
	if refused.Publish || !strings.Contains(strings.Join(refused.Reasons, "; "), `group "group: b" would fall by`) {
		t.Errorf("publish %t: %q, exposure %+v", refused.Publish, refused.Reasons, refused.Exposure)
	}
	o.MaxLoss = .9
	if allowed := propose(w, o); !allowed.Publish {
		t.Errorf("not published: %q", allowed.Reasons)
	}
}

// The weights obey the rules of ranking profiles: none is negative, and quality doesn't exceed skills.
func TestPropose_ObeysTheRules(t *testing.T) {
	w := world(4)
	w.Truth = []float64{0, .2, .2, 0, 2}
	p := propose(w, learn.DefaultOptions())
	if p.Weights[quality] > p.Weights[skills] || slices.Min(p.Weights) < 0 {
		t.Errorf("weights %v", p.Weights)
	}
}

func TestPropose_IsRepeatable(t *testing.T) {
	first := propose(world(7), learn.DefaultOptions())
	second := propose(world(7), learn.DefaultOptions())
	if !slices.Equal(first.Weights, second.Weights) || first.Better != second.Better {
		t.Errorf("%+v, then %+v", first, second)
	}
}

func BenchmarkPropose(b *testing.B) {
	w := world(1)
	w.Lists = 20_000
	lists := w.Draw()
	for b.Loop() {
		learn.Propose(lists, shipped, shipped, skills, quality, learn.DefaultOptions())
	}
}
