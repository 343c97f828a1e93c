package relevance

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/freelancer-matching/service/internal/embedding"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match/effort"
	"github.com/freelancer-matching/service/tools/relevance/regression"
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

	fitted, err := fitLine(rows)
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
		Constant: fitted.Constant, Weights: fitted.Weights, Vectors: vectors,
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
		fitted, err := fitLine(slices.DeleteFunc(slices.Clone(rows), heldOut))
		if err != nil {
			return nil, err
		}

		for _, r := range rows {
			if heldOut(r) {
				residuals = append(residuals, r.Y-fitted.At(r.X))
			}
		}
	}
	return residuals, nil
}

// A row is a post, with or without its price, as an observation. The outcome is the logarithm of its typical hours.
type row struct {
	regression.Row
	post int
}

func newRow(vectors *embedding.Model, p *post, number int) row {
	return row{regression.Row{X: effort.Features(vectors, &p.work), Y: math.Log(p.hours.typical)}, number}
}

func fitLine(rows []row) (*regression.Line, error) {
	if len(rows) == 0 {
		return nil, errors.New("no posts to fit")
	}
	observations := make([]regression.Row, len(rows))
	for i, r := range rows {
		observations[i] = r.Row
	}
	return regression.Ridge(observations, shrinkage)
}
