package elastic

import (
	"context"

	"github.com/elastic/go-elasticsearch/v8/esapi"
)

// settle brings a filled index from the settings for loading to those for searching, and has it on the disk.
func (e *Engine) settle(ctx context.Context, index string) error {
	err := e.insist(ctx, "restore the settings", func(ctx context.Context) error {
		// null is the default of Elasticsearch: a second, as long as anybody searches.
		body, err := jsonBody(object{"index": object{"refresh_interval": nil, "number_of_replicas": e.options.Replicas}})
		if err != nil {
			return err
		}
		return e.command(ctx, esapi.IndicesPutSettingsRequest{Index: []string{index}, Body: body})
	})
	if err != nil {
		return err
	}
	err = e.insist(ctx, "flush", func(ctx context.Context) error {
		return e.shards(ctx, esapi.IndicesFlushRequest{Index: []string{index}})
	})
	if err != nil {
		return err
	}
	return e.insist(ctx, "wait until it can be searched", func(ctx context.Context) error {
		var health struct {
			Status   string
			TimedOut bool `json:"timed_out"`
		}
		err := e.client.do(ctx, esapi.ClusterHealthRequest{
			Index: []string{index}, WaitForStatus: "yellow", Timeout: adminTimeout,
		}, &health)
		if err == nil && health.TimedOut {
			err = &Failure{Status: 503, Type: "timed_out", Reason: "the health of the index is " + health.Status + ", want yellow or green"}
		}
		return err
	})
}

// refresh makes everything that was written searchable.
func (e *Engine) refresh(ctx context.Context, index string) error {
	return e.insist(ctx, "refresh", func(ctx context.Context) error {
		return e.shards(ctx, esapi.IndicesRefreshRequest{Index: []string{index}})
	})
}

// shards sends a request to every shard of an index, all of which must do as it says.
func (e *Engine) shards(ctx context.Context, r request) error {
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
		return &Failure{Status: 503, Type: "shards_failed", Reason: "not every shard of the index was there"}
	}
	return nil
}

// documents is how many documents an index has, those that were refreshed.
func (e *Engine) documents(ctx context.Context, index string) (int, error) {
	var answer struct {
		Count  int
		Shards struct{ Failed int } `json:"_shards"`
	}
	err := e.insist(ctx, "count", func(ctx context.Context) error {
		err := e.client.do(ctx, esapi.CountRequest{Index: []string{index}}, &answer)
		if err == nil && answer.Shards.Failed > 0 {
			err = &Failure{Status: 503, Type: "shards_failed", Reason: "not every shard of the index was there"}
		}
		return err
	})
	return answer.Count, err
}
