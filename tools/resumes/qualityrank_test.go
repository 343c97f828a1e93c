package resumes

import (
	"math"
	"testing"
)

func TestRankCorrelation(t *testing.T) {
	for _, test := range []struct {
		a, b []float64
		want float64
	}{
		{[]float64{.1, .5, .9}, []float64{1, 2, 300}, 1},
		{[]float64{.1, .5, .9}, []float64{3, 2, 1}, -1},
		{[]float64{1, 2, 3, 4}, []float64{1, 3, 2, 4}, .8},
		{[]float64{1, 1, 2, 2}, []float64{1, 1, 2, 2}, 1},
		{[]float64{1, 1, 2, 2}, []float64{1, 2, 1, 2}, 0},
	} {
		if got := rankCorrelation(test.a, test.b); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%v and %v: got %v, want %v", test.a, test.b, got, test.want)
		}
	}
	if got := rankCorrelation([]float64{1, 1}, []float64{1, 2}); !math.IsNaN(got) {
		t.Errorf("got %v for equal values", got)
	}
}
