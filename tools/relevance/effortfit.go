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

	var residuals []float64 // of unseen posts
	for fold := range folds {
		held := func(r row) bool { return r.post%folds == fold }
		m, err := solve(slices.DeleteFunc(slices.Clone(rows), held))
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			if held(r) {
				residuals = append(residuals, r.y-m.predict(r.x))
			}
		}
	}

	m, err := solve(rows)
	if err != nil {
		return nil, err
	}

	factors := make([]float64, len(residuals))
	for i, e := range residuals {
		factors[i] = math.Abs(e)
	}
	slices.Sort(residuals)
	fitted := &effort.Model{
		Constant: m.constant, Weights: m.weights, Vectors: vectors,
		Low:  math.Exp(residuals[len(residuals)/10]),
		High: math.Exp(residuals[len(residuals)-1-len(residuals)/10]),
	}
	fmt.Fprintf(stdout,
		"%d posts with hours; on unseen posts: median factor %.2f, mean %.2f, four in five from %.2f to %.2f\n",
		len(posts), typicalFactor(factors), meanFactor(factors), fitted.Low, fitted.High)

	return fitted, nil
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
	n := len(rows[0].x)
	mean := make([]float64, n)
	meanY := 0.
	for _, r := range rows {
		for i, x := range r.x {
			mean[i] += x / float64(len(rows))
		}
		meanY += r.y / float64(len(rows))
	}

	// The normal equations of centered features.
	a := make([][]float64, n)
	b := make([]float64, n)
	for i := range a {
		a[i] = make([]float64, n)
		a[i][i] = shrinkage
	}
	for _, r := range rows {
		for i := range n {
			for j := range i + 1 {
				a[i][j] += (r.x[i] - mean[i]) * (r.x[j] - mean[j])
			}
			b[i] += (r.x[i] - mean[i]) * (r.y - meanY)
		}
	}

	weights, err := cholesky(a, b)
	if err != nil {
		return nil, err
	}
	l := &line{constant: meanY, weights: weights}
	for i, w := range weights {
		l.constant -= w * mean[i]
	}
	return l, nil
}

// cholesky solves a·x = b for a symmetric positive definite matrix, of which it reads and overwrites the lower half.
func cholesky(a [][]float64, b []float64) ([]float64, error) {
	for i := range a {
		for j := range i + 1 {
			sum := a[i][j]
			for k := range j {
				sum -= a[i][k] * a[j][k]
			}
			if i != j {
				a[i][j] = sum / a[j][j]
				continue
			}
			if sum <= 0 {
				return nil, errors.New("the features depend on each other")
			}
			a[i][i] = math.Sqrt(sum)
		}
	}

	// Two triangular systems remain: forward substitution with the lower half, and backward with its transpose.
	x := slices.Clone(b)
	for i := range x {
		for k := range i {
			x[i] -= a[i][k] * x[k]
		}
		x[i] /= a[i][i]
	}
	for i := len(x) - 1; i >= 0; i-- {
		for k := i + 1; k < len(x); k++ {
			x[i] -= a[k][i] * x[k]
		}
		x[i] /= a[i][i]
	}
	return x, nil
}
