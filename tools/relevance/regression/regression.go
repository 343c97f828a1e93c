// Package regression fits linear functions to observations.
package regression

import (
	"errors"
	"math"
	"slices"
)

// A Row is one observation: the features of something, and its outcome.
type Row struct {
	X []float64
	Y float64
}

// A Line is a linear function.
type Line struct {
	Constant float64
	Weights  []float64
}

// At returns the value of the function for the given features.
func (l *Line) At(x []float64) float64 {
	y := l.Constant
	for i, w := range l.Weights {
		y += w * x[i]
	}
	return y
}

// Ridge returns the ridge regression of the rows (Hoerl and Kennard, 1970), which have the same number of features.
// shrinkage is the penalty of the squared weights; the constant is not penalized. It returns an error if there are no
// rows, or if the features depend on each other.
func Ridge(rows []Row, shrinkage float64) (*Line, error) {
	if len(rows) == 0 {
		return nil, errors.New("no rows to fit")
	}

	features := len(rows[0].X)
	meanX := make([]float64, features)
	meanY := 0.
	for _, r := range rows {
		for i, x := range r.X {
			meanX[i] += x / float64(len(rows))
		}
		meanY += r.Y / float64(len(rows))
	}

	// The weights w solve the normal equations (XᵀX + shrinkage·I)·w = Xᵀy. Centered features and outcomes take the
	// constant out of them, and with it out of the penalty. XᵀX is symmetric, so its lower half is enough.
	squares := make([][]float64, features)
	products := make([]float64, features)
	for i := range squares {
		squares[i] = make([]float64, features)
		squares[i][i] = shrinkage
	}

	for _, r := range rows {
		for i := range features {
			centered := r.X[i] - meanX[i]
			for j := range i + 1 {
				squares[i][j] += centered * (r.X[j] - meanX[j])
			}
			products[i] += centered * (r.Y - meanY)
		}
	}

	if err := factorize(squares); err != nil {
		return nil, err
	}

	fitted := &Line{Constant: meanY, Weights: substitute(squares, products)}
	for i, w := range fitted.Weights {
		fitted.Constant -= w * meanX[i]
	}
	return fitted, nil
}

// factorize replaces the lower half of a symmetric positive definite matrix by the lower triangular matrix L with
// L·Lᵀ = a (Cholesky). The upper half isn't used.
func factorize(a [][]float64) error {
	for i := range a {
		for j := range i + 1 {
			rest := a[i][j]
			for k := range j {
				rest -= a[i][k] * a[j][k]
			}

			if j < i {
				a[i][j] = rest / a[j][j]
				continue
			}

			// A matrix that isn't positive definite has no real root here.
			if rest <= 0 {
				return errors.New("the features depend on each other")
			}
			a[i][i] = math.Sqrt(rest)
		}
	}
	return nil
}

// substitute solves L·Lᵀ·x = b, where L is the lower half of lower.
func substitute(lower [][]float64, b []float64) []float64 {
	x := slices.Clone(b)

	// Forward substitution solves L·y = b.
	for i := range x {
		for k := range i {
			x[i] -= lower[i][k] * x[k]
		}
		x[i] /= lower[i][i]
	}

	// Backward substitution solves Lᵀ·x = y.
	for i := len(x) - 1; i >= 0; i-- {
		for k := i + 1; k < len(x); k++ {
			x[i] -= lower[k][i] * x[k]
		}
		x[i] /= lower[i][i]
	}
	return x
}
