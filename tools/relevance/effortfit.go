package relevance

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"freelancer-matching/internal/embedding"
	"freelancer-matching/internal/matching"
	"freelancer-matching/match/effort"
)

const (
	// shrinkage is the penalty of the squared weights. Between 1 and 10, it hardly changes the errors on unseen posts.
	shrinkage = 6
	folds     = 10
	// outside is the share of posts beyond each end of the range that a model states, which so holds for four in five.
	outside = 10 // one in ten
)

// fit returns a model fitted to the posts, and prints its errors on posts that it has not seen.
func (o *effortOptions) fit(stdout io.Writer) (*effort.Model, error) {
	vectors, err := embedding.Load()
	if err != nil {
		return nil, err
	}
	posts, err := o.readPosts()
	if err != nil {
		return nil, err
	}

	// A post with a price counts twice, with and without it, so that one model serves briefs of both kinds.
	var rows []row
	for i, p := range posts {
		rows = append(rows, newRow(vectors, &p, i))
		if p.work.Buys.Known {
			p.work.Buys = matching.Optional[float64]{}
			rows = append(rows, newRow(vectors, &p, i))
		}
	}

	fitted, err := solve(rows)
	if err != nil {
		return nil, err
	}
	residuals, err := unseenResiduals(rows)
	if err != nil {
		return nil, err
	}

	// Residuals are differences of logarithms, so their exponentials are factors between real and predicted hours.
	logFactors := make([]float64, len(residuals))
	for i, residual := range residuals {
		logFactors[i] = math.Abs(residual)
	}

	slices.Sort(residuals)
	beyond := len(residuals) / outside
	model := &effort.Model{
		Constant: fitted.constant, Weights: fitted.weights, Vectors: vectors,
		Low:  math.Exp(residuals[beyond]),
		High: math.Exp(residuals[len(residuals)-1-beyond]),
	}
	fmt.Fprintf(stdout,
		"%d posts with hours; on unseen posts: median factor %.2f, mean %.2f, four in five from %.2f to %.2f\n",
		len(posts), typicalFactor(logFactors), meanFactor(logFactors), model.Low, model.High)

	return model, nil
}

// unseenResiduals returns the residual of each row, by a line fitted to the posts of the other folds. Both rows of a
// post are in one fold.
func unseenResiduals(rows []row) ([]float64, error) {
	var residuals []float64
	for fold := range folds {
		heldOut := func(r row) bool { return r.post%folds == fold }
		fitted, err := solve(slices.DeleteFunc(slices.Clone(rows), heldOut))
		if err != nil {
			return nil, err
		}

		for _, r := range rows {
			if heldOut(r) {
				residuals = append(residuals, r.y-fitted.predict(r.x))
			}
		}
	}
	return residuals, nil
}

// A row is one observation of a linear regression.
type row struct {
	x    []float64
	y    float64 // logarithm of the typical hours
	post int
}

func newRow(vectors *embedding.Model, p *post, number int) row {
	return row{x: effort.Features(vectors, &p.work), y: math.Log(p.hours.typical), post: number}
}

// line is a linear function.
type line struct {
	constant float64
	weights  []float64
}

func (l *line) predict(x []float64) float64 {
	y := l.constant
	for i, w := range l.weights {
		y += w * x[i]
	}
	return y
}

// solve returns the ridge regression of the rows (Hoerl and Kennard, 1970). The constant is not penalized.
func solve(rows []row) (*line, error) {
	if len(rows) == 0 {
		return nil, errors.New("no posts to fit")
	}

	features := len(rows[0].x)
	meanX := make([]float64, features)
	meanY := 0.
	for _, r := range rows {
		for i, x := range r.x {
			meanX[i] += x / float64(len(rows))
		}
		meanY += r.y / float64(len(rows))
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
			centered := r.x[i] - meanX[i]
			for j := range i + 1 {
				squares[i][j] += centered * (r.x[j] - meanX[j])
			}
			products[i] += centered * (r.y - meanY)
		}
	}

	if err := factorize(squares); err != nil {
		return nil, err
	}

	fitted := &line{constant: meanY, weights: substitute(squares, products)}
	for i, w := range fitted.weights {
		fitted.constant -= w * meanX[i]
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
