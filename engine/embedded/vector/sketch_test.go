package vector

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/freelancer-matching/service/internal/matching"
)

// randomVector returns a vector whose first dimensions vary most, as in real spaces.
func randomVector(rng *rand.Rand, dimensions int) matching.Vector {
	v := make(matching.Vector, dimensions)
	for i := range v {
		v[i] = int8(math.Round(min(127, max(-127, 60*rng.NormFloat64()/(1+float64(i)/16)))))
	}
	v[rng.IntN(dimensions)] = 1 // never a zero vector
	return v
}

// between returns a vector between v and w, the closer to v the larger its share.
func between(v, w matching.Vector, share float64) matching.Vector {
	mixed := make(matching.Vector, len(v))
	for i := range mixed {
		mixed[i] = int8(math.Round(share*float64(v[i]) + (1-share)*float64(w[i])))
	}
	return mixed
}

// Both estimates are unbiased and as precise as their deviations state; the fine one is more precise.
func TestEstimates(t *testing.T) {
	for _, dimensions := range []int{16, 64, 100, 384, 1536, matching.MaxDimensions} {
		t.Run(fmt.Sprintf("dimensions=%d", dimensions), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(uint64(dimensions), 3))
			r := newRotation(dimensions)
			var coarse, fine errorSum
			for range 30 {
				v := randomVector(rng, dimensions)
				q := r.Query(v)
				c := &NewColumns([]*Rotation{r})[0]
				for i := range 40 {
					c.Add(between(v, randomVector(rng, dimensions), float64(i)/40), r)
				}

				for i := range 40 {
					cosine := matching.Cosine(v, c.At(i))
					coarse.add(float64(q.Signs(c, i))*q.Coarse.Unit - cosine)
					fine.add(float64(q.Levels(c, i))*q.Fine.Unit - cosine)
				}
			}

			q := r.Query(randomVector(rng, dimensions))
			coarse.check(t, "coarse", q.Coarse.Deviation)
			fine.check(t, "fine", q.Fine.Deviation)

			if fine.deviation() > .9*coarse.deviation() {
				t.Errorf("deviation of the fine estimate %.4f, of the coarse estimate %.4f, want at least 10%% less",
					fine.deviation(), coarse.deviation())
			}
		})
	}
}

type errorSum struct{ n, sum, squares float64 }

func (e *errorSum) add(v float64) {
	e.n++
	e.sum += v
	e.squares += v * v
}

func (e *errorSum) deviation() float64 { return math.Sqrt(e.squares / e.n) }

func (e *errorSum) check(t *testing.T, name string, limit float64) {
	t.Helper()
	if bias := e.sum / e.n; math.Abs(bias) > .2*limit {
		t.Errorf("%s: bias %.4f", name, bias)
	}
	if e.deviation() > 1.2*limit || e.deviation() < .3*limit {
		t.Errorf("%s: deviation %.4f, want about %.4f or less", name, e.deviation(), limit)
	}
}

// Stored sketches depend on the rotation and the levels. If this test must change, so must sectionfile.FormatVersion.
func TestSketch_Pinned(t *testing.T) {
	v := make(matching.Vector, 100)
	for i := range v {
		v[i] = int8(i*i%255 - 127)
	}
	high, low := newRotation(len(v)).sketch(v)
	const want = "[8cc05e36192c7b25 809096f63e6f6270] [f63d014bf33b64c4 7eab690649d05cee]"
	if got := fmt.Sprintf("%016x %016x", high, low); got != want {
		t.Errorf("sketch %s, want %s: searches of stored indexes would return wrong results", got, want)
	}
}

func TestRotation_PreservesCosines(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for _, dimensions := range []int{1, 2, 3, 64, 65, 1000} {
		r := newRotation(dimensions)
		a := randomVector(rng, dimensions)
		b := randomVector(rng, dimensions)
		dot, square := 0.0, 0.0
		rotated := r.rotate(b)
		for i, x := range r.rotate(a) {
			dot += float64(x) * float64(rotated[i])
			square += float64(x) * float64(x)
		}
		size := float64(len(rotated))
		if got, want := dot/size, matching.Cosine(a, b); math.Abs(got-want) > 1e-4 || math.Abs(square/size-1) > 1e-4 {
			t.Errorf("%d dimensions: cosine %v and mean square %v, want %v and 1", dimensions, got, square/size, want)
		}
	}
}

func TestRotation_ZeroVector(t *testing.T) {
	r := newRotation(5)
	for _, x := range r.rotate(make(matching.Vector, 5)) {
		if x != 0 {
			t.Fatalf("a rotated zero vector contains %v", x)
		}
	}
	for _, v := range []matching.Vector{nil, make(matching.Vector, 5)} {
		if q := r.Query(v); q.Coarse.Unit != 0 || q.Fine.Unit != 0 {
			t.Errorf("query %v has units %v and %v, want 0", v, q.Coarse.Unit, q.Fine.Unit)
		}
	}
}
