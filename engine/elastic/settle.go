package elastic

import (
	"context"
	"net/http"
)

// settle changes a filled index from the settings for loading to those for searching, and flushes it to disk.
func (e *Engine) settle(ctx context.Context, index string) error {
	err := e.retry(ctx, "restore the settings", func(ctx context.Context) error {
		// null restores the default: one second while the index is being searched.
		body, err := jsonBody(object{"index": object{"refresh_interval": nil, "number_of_replicas": e.options.Replicas}})
		if err != nil {
			return err
		}
		return e.command(ctx, request{method: http.MethodPut, path: index + "/_settings", body: body})
	})
	if err != nil {
		return err
	}

	err = e.retry(ctx, "flush", func(ctx context.Context) error {
		return e.allShards(ctx, request{method: http.MethodPost, path: index + "/_flush"})
	})
	if err != nil {
		return err
	}

	return e.retry(ctx, "wait until the index is searchable", func(ctx context.Context) error {
		var health struct {
			Status   string
			TimedOut bool `json:"timed_out"`
		}

		err := e.client.do(ctx, request{
			method: http.MethodGet, path: "_cluster/health/" + index,
			query: params{"wait_for_status": "yellow", "timeout": milliseconds(adminTimeout)},
		}, &health)
		if err == nil && health.TimedOut {
			err = &Failure{
				Status: 503, Type: "timed_out",
				Reason: "the index health is " + health.Status + ", want yellow or green",
			}
		}

		return err
	})
}

// refresh makes everything written so far searchable.
func (e *Engine) refresh(ctx context.Context, index string) error {
	return e.retry(ctx, "refresh", func(ctx context.Context) error {
		return e.refreshOnce(ctx, index)
	})
}

// refreshOnce does what refresh does, without retries.
func (e *Engine) refreshOnce(ctx context.Context, index string) error {
	return e.allShards(ctx, request{method: http.MethodPost, path: index + "/_refresh"})
}

// allShards sends a request to an index. It returns an error unless every shard carries it out.
func (e *Engine) allShards(ctx context.Context, r request) error {
	var answer struct {
		Shards struct {
			Successful, Failed int
			Failures           []struct {
				Status int
				Reason struct{ Type, Reason string }
			}
		} `json:"_shards"`
	}
	if err := e.client.do(ctx, r, &answer); err != nil {
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

// documents returns the number of searchable documents in an index.
func (e *Engine) documents(ctx context.Context, index string) (int, error) {
	var answer struct {
		Count  int
		Shards struct{ Failed int } `json:"_shards"`
	}
	err := e.retry(ctx, "count", func(ctx context.Context) error {
		err := e.client.do(ctx, request{method: http.MethodPost, path: index + "/_count"}, &answer)
		if err == nil && answer.Shards.Failed > 0 {
			err = &Failure{Status: 503, Type: "shards_failed", Reason: "not all shards of the index are available"}
		}
		return err
	})
	return answer.Count, err
}
