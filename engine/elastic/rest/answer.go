package rest

import (
	"context"
	"fmt"
)

// A SearchAnswer is the answer to a search.
type SearchAnswer interface{ CheckComplete() error }

// Completeness is the part of a search answer that says whether all shards have answered in time.
type Completeness struct {
	TimedOut bool `json:"timed_out"`
	Shards   struct {
		Failed   int
		Failures []struct {
			Reason struct{ Type, Reason string }
		}
	} `json:"_shards"`
}

// CheckComplete returns an error if the answer leaves out part of the index.
func (c *Completeness) CheckComplete() error {
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
