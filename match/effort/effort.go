// Package effort estimates how many hours the work that a brief asks for takes. It has learned that from job posts
// whose hours were judged by reading them (docs/ranking.md), so an estimate is a typical value with a wide range.
package effort

import (
	_ "embed" // for the model
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/freelancer-matching/service/internal/embedding"
	"github.com/freelancer-matching/service/internal/matching"
)

//go:embed model.json
var modelFile []byte

// Work is what a brief says about the size of the work.
type Work struct {
	Title       string // the job title and the line that states the subject
	Description string
	Skills      []string
	// Buys is the number of hours that the upper end of a budget for the whole project pays at the usual rate, more than
	// 0. It is unknown for other briefs.
	Buys matching.Optional[float64]
}

// A Model is linear in the features of the work and returns the natural logarithm of the typical hours.
type Model struct {
	Constant float64   `json:"constant"`
	Weights  []float64 `json:"weights"` // of Features
	// Low and High are the ratios to the typical hours between which the judged hours of four in five posts are that the
	// model has not seen.
	Low  float64 `json:"low"`
	High float64 `json:"high"`

	Vectors *embedding.Model `json:"-"` // that it reads texts with
}

// Load returns the model that is part of the program. It is read once per process, and all callers share it.
func Load() (*Model, error) { return embedded() }

var embedded = sync.OnceValues(func() (*Model, error) {
	vectors, err := embedding.Load()
	if err != nil {
		return nil, err
	}

	m := &Model{Vectors: vectors}
	if err := json.Unmarshal(modelFile, m); err != nil {
		return nil, fmt.Errorf("read the model of effort: %w", err)
	}
	if want := NumFeatures(vectors); len(m.Weights) != want {
		return nil, fmt.Errorf("the model of effort has %d weights, want %d; fit it again", len(m.Weights), want)
	}

	return m, nil
})

// Bounds of an estimate, in hours. The judged posts are between them.
const (
	least = .5
	most  = 6000
)

// Estimate returns the typical hours of the work and a range that has four in five.
func (m *Model) Estimate(w *Work) matching.Effort {
	logHours := m.Constant
	for i, x := range Features(m.Vectors, w) {
		logHours += m.Weights[i] * x
	}

	e := matching.Effort{Typical: math.Min(most, math.Max(least, math.Exp(logHours))), From: matching.EffortFromText}
	e.Low = e.Typical * m.Low
	e.High = e.Typical * m.High
	if w.Buys.Known {
		e.From = matching.EffortFromTextAndBudget
	}

	return e
}

const (
	// describedBytes limits the part of a description that counts, because the judged posts are not longer.
	describedBytes = 1000
	// Fewer or more words than these say nothing more about the size of the work.
	fewestWords = 10
	mostWords   = 200
)

// NumFeatures returns the number of features with these vectors.
func NumFeatures(vectors *embedding.Model) int { return 2*vectors.Space().Dimensions + 3 }

// Features returns what the model sees of the work: the direction of the vector of title and skills, that of the whole
// text, the logarithm of its length, and of the hours that the budget buys.
func Features(vectors *embedding.Model, w *Work) []float64 {
	description := w.Description
	if len(description) > describedBytes {
		description = strings.ToValidUTF8(description[:describedBytes], "")
	}

	features := make([]float64, 0, NumFeatures(vectors))
	subject := w.Title + ". " + w.Title + ". " + strings.Join(w.Skills, ", ")
	features = appendDirection(features, vectors, subject)
	features = appendDirection(features, vectors, w.Title+". "+description)

	words := len(strings.Fields(w.Title)) + len(strings.Fields(description))
	features = append(features, math.Log(float64(min(max(words, fewestWords), mostWords))))

	if !w.Buys.Known {
		return append(features, 0, 0)
	}
	return append(features, 1, math.Log(w.Buys.Value))
}

// appendDirection appends the vector of a text, scaled to length 1, or zeros if the text has no known word.
func appendDirection(features []float64, vectors *embedding.Model, text string) []float64 {
	vector := vectors.Vector(text)
	if vector == nil {
		return append(features, make([]float64, vectors.Space().Dimensions)...)
	}

	length := 0.
	for _, x := range vector {
		length += float64(x) * float64(x)
	}
	length = math.Sqrt(length)

	for _, x := range vector {
		features = append(features, float64(x)/length)
	}
	return features
}
