package search

import (
	"errors"

	"github.com/freelancer-matching/service/engine/elastic/document"
	"github.com/freelancer-matching/service/engine/elastic/rest"
)

// A totalAnswer is the answer to a search that counts.
type totalAnswer struct {
	rest.Completeness
	Hits struct {
		Total struct{ Value int }
	}
}

// A hitsAnswer is the answer to a search for hits.
type hitsAnswer struct {
	rest.Completeness
	Took int `json:"took"` // milliseconds
	Hits struct {
		Hits []rawHit `json:"hits"`
	} `json:"hits"`
}

// A rawHit is one document in the answer to a search.
type rawHit struct {
	Score  float64 `json:"_score"`
	Fields struct {
		Ranking [][]byte `json:"ranking"`
	} `json:"fields"`
}

// columns decodes the field ranking of the document.
func (h *rawHit) columns() (document.Columns, error) {
	if len(h.Fields.Ranking) != 1 {
		return document.Columns{}, errors.New("a hit has no field ranking: the index was not created by this program")
	}
	return document.DecodeColumns(h.Fields.Ranking[0])
}
