package elastic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// searchAnswer is any answer of a search.
type searchAnswer interface{ complete() error }

// completeness is what every answer of a search says of it.
type completeness struct {
	TimedOut bool `json:"timed_out"`
	Shards   struct {
		Failed   int
		Failures []struct {
			Reason struct{ Type, Reason string }
		}
	} `json:"_shards"`
}

// complete is an error for an answer that leaves out a part of the index: ranking would not know.
func (c *completeness) complete() error {
	switch {
	case c.Shards.Failed > 0 && len(c.Shards.Failures) > 0:
		reason := c.Shards.Failures[0].Reason
		return fmt.Errorf("%d shards failed: %s: %s", c.Shards.Failed, reason.Type, cut(reason.Reason))
	case c.Shards.Failed > 0:
		return fmt.Errorf("%d shards failed", c.Shards.Failed)
	case c.TimedOut:
		return errGaveUp
	}
	return nil
}

// errGaveUp is a search that Elasticsearch ended because of the deadline that it was told.
var errGaveUp = fmt.Errorf("Elasticsearch gave up searching before the end: %w", context.DeadlineExceeded) //nolint:staticcheck // a name

// totalAnswer is the answer of a search that counts.
type totalAnswer struct {
	completeness
	Hits struct {
		Total struct{ Value int }
	}
}

// hitsAnswer is the answer of a search for hits.
type hitsAnswer struct {
	completeness
	Took int       `json:"took"` // milliseconds
	Hits hitsFound `json:"hits"`
}

// hitsAnswers are those of several searches for hits in one request.
type hitsAnswers struct {
	Responses []struct {
		hitsAnswer
		Status int             `json:"status"`
		Error  json.RawMessage `json:"error"` // in place of the rest
	} `json:"responses"`
}

// complete is the first failure among the answers.
func (a *hitsAnswers) complete() error {
	for i := range a.Responses {
		r := &a.Responses[i]
		if len(r.Error) > 0 {
			return failureOf(r.Status, r.Error)
		}
		if err := r.complete(); err != nil {
			return err
		}
	}
	return nil
}

type hitsFound struct {
	Hits []foundHit `json:"hits"`
}

// foundHit is one document that a search found.
type foundHit struct {
	Score  float64 `json:"_score"`
	Fields struct {
		Ranking [][]byte `json:"ranking"`
	} `json:"fields"`
}

// columns decodes the field that the program itself put into the document.
func (h *foundHit) columns() (columns, error) {
	if len(h.Fields.Ranking) != 1 {
		return columns{}, errors.New("a hit has no field ranking: the index was not made by this program")
	}
	return decodeColumns(h.Fields.Ranking[0])
}
