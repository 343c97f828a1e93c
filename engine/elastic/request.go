package elastic

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// A request is one call of Elasticsearch's REST API. The official client has a function for each, which take longer to
// compile than this whole module (docs/adr/0039-cold-start.md).
type request struct {
	method string
	path   string // without the leading slash, such as "freelancers-v1/_search"; used as it is, so escaped if need be
	query  params
	body   io.Reader // JSON, or lines of JSON; nil for none; a *bytes.Reader can be sent again to another node
}

// params are the query parameters of a request.
type params map[string]string

// http returns r as an HTTP request, whose host the transport adds.
func (r *request) http(ctx context.Context) (*http.Request, error) {
	h, err := http.NewRequestWithContext(ctx, r.method, "http:///"+r.path, r.body)
	if err != nil {
		return nil, err
	}
	query := url.Values{}
	for name, value := range r.query {
		query.Set(name, value)
	}
	h.URL.RawQuery = query.Encode()
	if r.body != nil {
		h.Header.Set("Content-Type", "application/json")
	}
	return h, nil
}

// milliseconds returns d as Elasticsearch wants durations.
func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) + "ms" }
