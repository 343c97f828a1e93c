package segment

import (
	"math"

	"github.com/freelancer-matching/service/engine"
)

// Totals are sums over live documents.
type Totals struct {
	Documents int
	WithTerms int // documents that have a term; as in Lucene, only they count in the BM25 formula
	length    int // number of terms, with repetition
	Rated     int // documents with a known rating
	Ratings   float64
	Rates     engine.RateCounts
}

// Add adds a document of a segment, or subtracts it if sign is -1.
func (t *Totals) Add(x *Segment, doc uint32, sign int) {
	t.Documents += sign
	if length := x.Lengths[doc]; length > 0 {
		t.WithTerms += sign
		t.length += sign * int(length)
	}
	if rating := x.Signals.Rating[doc]; !math.IsNaN(rating) {
		t.Rated += sign
		t.Ratings += float64(sign) * rating
	}
	t.Rates.Add(x.Signals.Rate[doc], sign)
}

// MeanLength returns the mean number of terms of the documents that have any, or 0 if none has.
func (t *Totals) MeanLength() float64 {
	if t.WithTerms == 0 {
		return 0
	}
	return float64(t.length) / float64(t.WithTerms)
}

// AddDocument adds a document that is not in a segment yet.
func (t *Totals) AddDocument(d *engine.Document) {
	t.Documents++
	if len(d.Terms) > 0 {
		t.WithTerms++
		t.length += len(d.Terms)
	}
	if rating := d.Freelancer.Rating; rating.Known {
		t.Rated++
		t.Ratings += rating.Value
	}
	t.Rates.Add(d.Freelancer.HourlyRate.Or(0), 1)
}
