package elastic

import (
	"context"
	"errors"
	"fmt"
)

// A searchAnswer is the answer to a search.
type searchAnswer interface{ complete() error }

// completeness is the part of a search answer that says whether all shards have answered in time.
type completeness struct {
	TimedOut bool `json:"timed_out"`
	Shards   struct {
		Failed   int
		Failures []struct {
			Reason struct{ Type, Reason string }
		}
	} `json:"_shards"`
}

// complete returns an error if the answer leaves out part of the index.
func (c *completeness) complete() error {
	switch {
	case c.Shards.Failed > 0 && len(c.Shards.Failures) > 0:
		reason := c.Shards.Failures[0].Reason
		return fmt.Errorf("%d shards failed: %s: %s", c.Shards.Failed, reason.Type, truncate(reason.Reason))
	case c.Shards.Failed > 0:
		return fmt.Errorf("%d shards failed", c.Shards.Failed)
	case c.TimedOut:
		return errSearchTimeout
	}
	return nil
}

// errSearchTimeout is returned if Elasticsearch ended a search at the deadline in the request.
var errSearchTimeout = fmt.Errorf("the search timed out in Elasticsearch: %w", context.DeadlineExceeded)

// A totalAnswer is the answer to a search that counts.
type totalAnswer struct {
	completeness
	Hits struct {
		Total struct{ Value int }
	}
}

// A hitsAnswer is the answer to a search for hits.
type hitsAnswer struct {
	completeness
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
func (h *rawHit) columns() (columns, error) {
	if len(h.Fields.Ranking) != 1 {
		return columns{}, errors.New("a hit has no field ranking: the index was not created by this program")
	}
	return decodeColumns(h.Fields.Ranking[0])
}
