package embedded

import (
	"math"

	"freelancer-matching/engine"
)

// totals are sums over live documents.
type totals struct {
	documents int
	withTerms int // documents that have a term; as in Lucene, only they count in the BM25 formula
	length    int // number of terms, with repetition
	rated     int // documents with a known rating
	ratings   float64
	rates     engine.RateCounts
}

// add adds a document of a segment, or subtracts it if sign is -1.
func (t *totals) add(x *segment, doc uint32, sign int) {
	t.documents += sign
	if length := x.lengths[doc]; length > 0 {
		t.withTerms += sign
		t.length += sign * int(length)
	}
	if rating := x.signals.rating[doc]; !math.IsNaN(rating) {
		t.rated += sign
		t.ratings += float64(sign) * rating
	}
	t.rates.Add(x.signals.rate[doc], sign)
}

// meanLength returns the mean number of terms of the documents that have any, or 0 if none has.
func (t *totals) meanLength() float64 {
	if t.withTerms == 0 {
		return 0
	}
	return float64(t.length) / float64(t.withTerms)
}

// addDocument adds a document that is not in a segment yet.
func (t *totals) addDocument(d *engine.Document) {
	t.documents++
	if len(d.Terms) > 0 {
		t.withTerms++
		t.length += len(d.Terms)
	}
	if rating := d.Freelancer.Rating; rating.Known {
		t.rated++
		t.ratings += rating.Value
	}
	t.rates.Add(d.Freelancer.HourlyRate.Or(0), 1)
}
