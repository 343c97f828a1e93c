package rest

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// AdminTimeout bounds an administrative call.
const AdminTimeout = 30 * time.Second

// Command sends a request that changes the cluster state.
func (c *Client) Command(ctx context.Context, r Request) error {
	var answer struct{ Acknowledged bool }
	if err := c.Do(ctx, r, &answer); err != nil {
		return err
	}
	if !answer.Acknowledged {
		return errNotAcknowledged
	}
	return nil
}

var errNotAcknowledged = errors.New("not all nodes of Elasticsearch acknowledged the change in time")

// Refresh makes everything written so far searchable.
func (c *Client) Refresh(ctx context.Context, index string) error {
	return c.Retry(ctx, "refresh", func(ctx context.Context) error {
		return c.RefreshOnce(ctx, index)
	})
}

// RefreshOnce does what refresh does, without retries.
func (c *Client) RefreshOnce(ctx context.Context, index string) error {
	return c.OnAllShards(ctx, Request{Method: http.MethodPost, Path: index + "/_refresh"})
}

// OnAllShards sends a request to an index. It returns an error unless every shard carries it out.
func (c *Client) OnAllShards(ctx context.Context, r Request) error {
	var answer struct {
		Shards struct {
			Successful, Failed int
			Failures           []struct {
				Status int
				Reason struct{ Type, Reason string }
			}
		} `json:"_shards"`
	}
	if err := c.Do(ctx, r, &answer); err != nil {
		return err
	}

	switch s := &answer.Shards; {
	case len(s.Failures) > 0:
		return &Failure{Status: s.Failures[0].Status, Type: s.Failures[0].Reason.Type, Reason: s.Failures[0].Reason.Reason}
	case s.Failed > 0 || s.Successful == 0:
		return &Failure{Status: 503, Type: "shards_failed", Reason: "not all shards of the index are available"}
	}

	return nil
}
