package load

import (
	"context"
	"net/http"

	"github.com/freelancer-matching/service/engine/elastic/rest"
)

// settle changes a filled index from the settings for loading to those for searching, and flushes it to disk.
func (l *Loader) settle(ctx context.Context, index string) error {
	err := l.Client.Retry(ctx, "restore the settings", func(ctx context.Context) error {
		// null restores the default: one second while the index is being searched.
		body, err := rest.Body(object{"index": object{"refresh_interval": nil, "number_of_replicas": l.Replicas}})
		if err != nil {
			return err
		}
		return l.Client.Command(ctx, rest.Request{Method: http.MethodPut, Path: index + "/_settings", Body: body})
	})
	if err != nil {
		return err
	}

	err = l.Client.Retry(ctx, "flush", func(ctx context.Context) error {
		return l.Client.OnAllShards(ctx, rest.Request{Method: http.MethodPost, Path: index + "/_flush"})
	})
	if err != nil {
		return err
	}

	return l.Client.Retry(ctx, "wait until the index is searchable", func(ctx context.Context) error {
		var health struct {
			Status   string
			TimedOut bool `json:"timed_out"`
		}

		err := l.Client.Do(ctx, rest.Request{
			Method: http.MethodGet, Path: "_cluster/health/" + index,
			Query: rest.Params{"wait_for_status": "yellow", "timeout": rest.Milliseconds(rest.AdminTimeout)},
		}, &health)
		if err == nil && health.TimedOut {
			err = &rest.Failure{
				Status: 503, Type: "timed_out",
				Reason: "the index health is " + health.Status + ", want yellow or green",
			}
		}

		return err
	})
}

// documents returns the number of searchable documents in an index.
func (l *Loader) documents(ctx context.Context, index string) (int, error) {
	var answer struct {
		Count  int
		Shards struct{ Failed int } `json:"_shards"`
	}
	err := l.Client.Retry(ctx, "count", func(ctx context.Context) error {
		err := l.Client.Do(ctx, rest.Request{Method: http.MethodPost, Path: index + "/_count"}, &answer)
		if err == nil && answer.Shards.Failed > 0 {
			err = &rest.Failure{Status: 503, Type: "shards_failed", Reason: "not all shards of the index are available"}
		}
		return err
	})
	return answer.Count, err
}

// An object is a JSON object of a request.
type object = map[string]any
