package regression_test

import (
	"math"
	"testing"

	"github.com/freelancer-matching/service/tools/relevance/regression"
)

// The regression finds the line that its rows lie on, and the constant isn't shrunk.
func TestRidge(t *testing.T) {
	var rows []regression.Row
	for i := range 2000 {
		x := []float64{float64(i % 40), float64(i / 40)}
		rows = append(rows, regression.Row{X: x, Y: 100 + 3*x[0] - 2*x[1]})
	}

	l, err := regression.Ridge(rows, 6)
	if err != nil {
		t.Fatal(err)
	}
	if got := l.At([]float64{10, 20}); math.Abs(got-90) > .1 {
		t.Errorf("got %v at (10, 20) with %+v, want 90", got, l)
	}

	if _, err := regression.Ridge(nil, 6); err == nil {
		t.Error("no rows: no error")
	}
}
